"""The parts of the documentation site; scripts/docs.sh makes the site itself."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from documentation import contents, docstrings, links, reference, sources, stages
from test_passes_have_tests import ROOT, find_passes

PREFIX = pathlib.Path("/usr/lib/llvm-22")
TBLGEN = shutil.which("mlir-tblgen-22") or shutil.which("mlir-tblgen")


@pytest.fixture(scope="module")
def pages():
    if not TBLGEN or not (PREFIX / "include/mlir").is_dir():
        pytest.skip("there is no mlir-tblgen of LLVM 22")
    made = reference.make_pages(ROOT, TBLGEN, PREFIX / "include")
    return made | stages.make_page("conv-run")


def test_each_document_has_one_place(pages):
    names = [*contents.list_files(ROOT, "*.md"), *pages]
    placed = [name for section in contents.get_sections(names).values() for name in section]
    assert sorted(placed) == sorted(names)
    assert {"docs/forms/window.md", "docs/tutorial/6-jax.md", "lib/Schedule/README.md"} <= set(placed)


def test_a_document_without_a_place_is_named(pages):
    names = [*contents.list_files(ROOT, "*.md"), *pages]
    with pytest.raises(ValueError, match=r"in no section of contents.py: tools/new/Page\.md"):
        contents.get_sections([*names, "tools/new/Page.md"])
    names.remove("docs/Cache.md")
    with pytest.raises(ValueError, match=r"that there are not: docs/Cache\.md"):
        contents.get_sections(names)


def test_the_newest_results_come_first(pages):
    results = contents.get_sections([*contents.list_files(ROOT, "*.md"), *pages])["Results"]
    days = [name.split("/")[-1][:10] for name in results if name.startswith("benchmarks")]
    assert len(days) > 20 and days == sorted(days, reverse=True)


def test_each_pass_is_described(pages):
    text = pages["reference/passes.md"]
    passes = list(find_passes(ROOT))
    assert len(passes) > 40
    assert [name for _, name, _ in passes if f"### `-{name}`\n" not in text] == []
    assert [option for _, _, options in passes for option in options if option not in text] == []


def test_a_file_without_a_purpose_is_named(tmp_path):
    file = tmp_path / reference.DIALECT / "ConvOps.td"
    file.parent.mkdir(parents=True)
    file.write_text("// nothing\n")
    with pytest.raises(ValueError, match="the first line does not say what the file is for"):
        reference.make_pages(tmp_path, "false", tmp_path)


def test_links_of_the_forge_become_links_of_the_site(pages, tmp_path):
    sources.write_sources(ROOT, tmp_path, pages)
    written = (tmp_path / "lib/Transforms/README.md").read_text()
    assert "](Matrices/README.md)" in written
    assert "](scripts/index.md)" in (tmp_path / "examples/README.md").read_text()
    assert (tmp_path / "examples/scripts/sweep.py").is_file()
    # Every target of a link is there.
    for name in contents.list_files(ROOT, "*.md"):
        for target in sources.find_targets((tmp_path / name).read_text()):
            assert ((tmp_path / name).parent / target).is_file(), f"{name}: {target}"


def test_every_page_has_a_title(pages, tmp_path):
    sources.write_sources(ROOT, tmp_path, pages)
    without = [file for file in tmp_path.rglob("*.md") if "\n# " not in "\n" + file.read_text()]
    assert not without
    untitled = tmp_path / "benchmarks/results/2026-11-22-h200-flushed.md"
    assert untitled.read_text().startswith("# 2026-11-22-h200-flushed\n")


def test_examples_are_no_links():
    assert sources.find_targets("[a](x.md#y) `[b](z.md)`\n```\n[c](w.md)\n```\n[d](https://e)") == ["x.md"]


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here"><a href="#here">1</a> <a href="b.html#there">2</a>')
    (tmp_path / "b.html").write_text('<a href="a.html#here">1</a> <a href="c.html">2</a> <img src="//x/y">')
    assert list(links.find_broken(tmp_path)) == [
        "a.html: b.html#there: b.html has no anchor there",
        "b.html: c.html: there is no file c.html",
    ]


def test_each_operation_is_described(pages):
    texts = "".join(pages[f"reference/{page}.md"] for page in reference.DEFINITIONS)
    files = [file.read_text() for file in (ROOT / "include/conv").rglob("*Op*.td")]
    names = [name for text in files for name in re.findall(r'^def .*Op<"([\w.]+)"', text, re.M)]
    assert len(names) > 40
    assert texts.count("<table") == texts.count('<div class="table-wrapper"><table class="docutils">')
    assert [name for name in names if not re.search(rf"^### `[\w.]*\b{name}`", texts, re.M)] == []


def test_each_attribute_is_described(pages):
    text = pages["reference/attributes.md"]
    for name in ("LayoutAttr", "ScheduleAttr", "ViewAttr", "ChipAttr", "KernelPlanAttr", "CopyKind"):
        assert f"### {name}\n" in text


def test_each_function_of_c_is_declared(pages):
    text = pages["reference/c.md"]
    for file in sorted((ROOT / "include/conv-c").glob("*.h")):
        assert f"`include/conv-c/{file.name}`" in text
        for name in re.findall(r"\bconvmlir_\w+\(", file.read_text().split("#define", 1)[1]):
            assert name in text, f"{file.name}: {name}"
    assert "__cplusplus" not in text and "SPDX" not in text


def test_each_public_module_of_python_has_a_section(pages):
    folder = ROOT / "python/conv_mlir"
    found = [file for file in folder.iterdir() if not file.name.startswith("_")]
    names = {file.stem for file in found if file.suffix == ".py" or (file / "__init__.py").is_file()}
    assert {f"conv_mlir.{name}" for name in names} | {"conv_mlir"} == set(reference.MODULES)
    assert pages["reference/python.md"].count("automodule::") == len(reference.MODULES)


def test_docstrings_become_restructured_text():
    lines = ["A *b.", "", "    x = 1", "", "    y = 2", "", "name: what", "it is.", "", "Found", "so: end."]
    assert docstrings.convert(lines, {"name"}) == [
        r"A \*b.", "",
        ".. code-block:: python", "", "    x = 1", "", "    y = 2", "", "",
        ":param name: what", "    it is.", "", "Found", "so: end.",
    ]


#: A table as the field's code sees one; prints which rows are seen after each text.
TABLE = """
const make = (text) => ({textContent: text, hidden: false});
const rows = [...Array(30).keys()].map((r) => make(`Forward n=8 r=${r}`));
let ready, field, placed = 0;
const tableOf = (rows) => ({
  querySelectorAll: () => rows,
  closest: () => ({before: () => placed++}),
});
globalThis.document = {
  addEventListener: (event, run) => (ready = run),
  createElement: () => (field = {style: {}, setAttribute() {},
                                 addEventListener: (event, run) => (field.run = run)}),
  querySelectorAll: () => [tableOf(rows), tableOf(rows.slice(0, 20))],
};
require(process.argv[1]);
ready();
const seen = (text) => {
  field.value = text;
  field.run();
  return rows.filter((row) => !row.hidden).map((row) => row.textContent.slice(14)).join(",");
};
console.log(placed, seen("forward  R=1"), seen("wgrad"), seen("").length);
"""


@pytest.mark.skipif(not shutil.which("node"), reason="there is no node")
def test_long_tables_have_a_filter():
    script = ROOT / "scripts/documentation/static/filter.js"
    command = ["node", "-e", TABLE, "--", str(script)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "1 1,10,11,12,13,14,15,16,17,18,19  79"


def test_stages_lead_to_the_pages_of_kernels(tmp_path):
    text = stages.make_page("conv-run")[stages.PAGE]
    assert [f'href="../stages/{name}/index.html"' in text for name in stages.KERNELS] == [True] * 3
    assert "made without" in stages.make_page(None)[stages.PAGE]


@pytest.mark.parametrize("name", stages.KERNELS)
def test_stages_are_written(name, tmp_path):
    conv_run = shutil.which("conv-run", path=f"{os.environ.get('CONV_MLIR_BUILD_DIR')}/bin")
    if not conv_run:
        pytest.skip("conv-run is not built")
    (tmp_path / "stages/old").mkdir(parents=True)
    stages.write_kernels(conv_run, tmp_path, {name: stages.KERNELS[name]})
    made = tmp_path / "stages" / name
    assert {"index.html", "f0.mlir", "f8.mlir", "schedule.txt"} <= {f.name for f in made.iterdir()}
    assert list(links.find_broken(tmp_path)) == []
    assert not (tmp_path / "stages/old").exists()


def test_stages_that_cannot_be_written_are_an_error(tmp_path):
    wrong = {"wrong": ("", "forward c=0", "sm_80")}
    with pytest.raises(subprocess.CalledProcessError):
        stages.write_kernels(shutil.which("false"), tmp_path, wrong)


def test_the_site_begins_with_the_first_page(pages, tmp_path):
    sources.write_sources(ROOT, tmp_path, pages)
    first = (tmp_path / "README.md").read_text()
    assert first.startswith(sources.ORPHAN)
    index = (tmp_path / "index.md").read_text()
    assert index.startswith(first.removeprefix(sources.ORPHAN))
    assert "docs/Pipelines.md\n" in index and "\nREADME.md\n" not in index
