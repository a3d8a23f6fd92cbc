"""The documents: links, sizes, names and examples.

Input: every *.md of the repository. A fenced block of commands says what
becomes of it, in the words behind its language:

    ```sh                  each command is run, and exits with 0
    ```sh status=2         the same, with another status
    ```sh gpu              needs a GPU, and is not run
    ```sh ptxas            is run where there is ptxas
    ```sh plugin           is run where the build's tools share MLIR with plugins
    ```sh schematic        stands for others (PATH, …), installs, or takes long
    ```console             as sh, for lines that begin with `$`; what follows is
                           compared with what is printed (… stands for anything)
    ```python              is run (`python torch`, `python gpu`: is not; `python jax`:
                           by test_jax.py)
    ```mlir                a whole function without … is parsed; else an excerpt
    ```mlir output         what the block of commands in front of it prints, cut
                           at … (in any language; it is not run)
"""

import collections
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("CONV_MLIR_BUILD_DIR")
SKIPPED = {"gpu", "schematic", "torch", "jax"}
MARKS = SKIPPED | {"output", "ptxas", "plugin"}
PTXAS_FOLDERS = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"])
COMMANDS = {"sh", "console", "python"}
#: Languages that are looked at, not run.
OTHERS = {"mlir", "json", "c", "cpp", "cmake", "mermaid", "text", ""}
#: What begins an indented line that is an example, and should be fenced.
TOOLS = re.compile(
    r" {4}(\$ )?(conv-(opt|run|emulate|launch|lit)|python3?|pip|scripts/|benchmarks/|build/|cmake|ninja)\b"
)

Block = collections.namedtuple("Block", "file line language marks text")


def documents():
    """Those that are committed, or will be."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def blocks_of(path):
    found, start = [], None
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if not line.startswith("```"):
            if start is not None:
                body.append(line)
            continue
        if start is None:
            start, words, body = number, line[3:].split(), []
        else:
            language = words[0] if words else ""
            found.append(Block(path, start, language, words[1:], "\n".join(body)))
            start = None
    assert start is None, f"{path}:{start}: a block that never ends"
    return found


def prose_of(path):
    """The text with blocks and code blanked out, line by line."""
    lines, inside = [], False
    for line in path.read_text().split("\n"):
        fence = line.startswith("```")
        lines.append("" if inside or fence else re.sub(r"`[^`]*`", "``", line))
        inside ^= fence
    return lines


def anchor_of(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors_of(path):
    seen, inside = collections.Counter(), False
    for line in path.read_text().split("\n"):
        inside ^= line.startswith("```")
        match = re.match(r"#{1,6} (.*)", line)
        if match and not inside:
            anchor = anchor_of(match[1])
            yield anchor if not seen[anchor] else f"{anchor}-{seen[anchor]}"
            seen[anchor] += 1


def name(path):
    return path.relative_to(ROOT).as_posix()


def all_blocks():
    return [block for path in documents() for block in blocks_of(path)]


def place(block):
    return f"{name(block.file)}:{block.line}"


# ---------------------------------------------------------------------------
# Links and sizes
# ---------------------------------------------------------------------------


def test_links_and_anchors_resolve():
    wrong = []
    for path in documents():
        for number, line in enumerate(prose_of(path), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                there = (path.parent / file).resolve() if file else path
                if not there.exists():
                    wrong.append(f"{name(path)}:{number}: {target}: no such file")
                elif anchor and anchor not in set(anchors_of(there)):
                    wrong.append(f"{name(path)}:{number}: {target}: no such heading")
    assert not wrong, "\n".join(wrong)


def test_anchors_are_those_of_github():
    assert anchor_of("F7: copies (`conv-map-to-wgmma`, x)") == "f7-copies-conv-map-to-wgmma-x"
    assert anchor_of("TMA with `mma.sync`") == "tma-with-mmasync"


@pytest.mark.parametrize(
    "document, most", [("docs/Pipelines.md", 300), ("docs/Performance.md", 150)]
)
def test_maps_stay_short(document, most):
    lines = len((ROOT / document).read_text().splitlines())
    assert lines <= most, f"{document} has {lines} lines: move some to a page of its own"


def test_each_form_is_on_the_map():
    text = (ROOT / "docs/Pipelines.md").read_text()
    missing = [page.name for page in (ROOT / "docs/forms").glob("*.md")
               if f"(forms/{page.name}" not in text]
    assert not missing, f"docs/Pipelines.md does not name {missing}"


def test_results_are_linked():
    """A result that no document names is no result."""
    text = "".join(path.read_text() for path in documents())
    unnamed = [file.name for file in (ROOT / "benchmarks/results").iterdir()
               if f"benchmarks/results/{file.name}" not in text]
    assert not unnamed, f"no document links {unnamed}"


# ---------------------------------------------------------------------------
# Names of files
# ---------------------------------------------------------------------------


def repository_files():
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")
    return [file for file in files if (ROOT / file).is_file()]


def test_source_files_that_documents_name_are_there():
    """`Foo.cpp`, with or without folders. A log tells of what was."""
    files = repository_files()
    there = {pathlib.PurePosixPath(file).name for file in files}
    wrong = []
    for path in documents():
        if path.name in ("CHANGELOG.md", "performance-log.md") or "results" in path.parts:
            continue
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
        for code in re.findall(r"`([\w/+.-]+\.(?:cpp|h|td|py|sh))`", text):
            if pathlib.PurePosixPath(code).name not in there:
                wrong.append(f"{name(path)}: {code} is not in the repository")
    assert not wrong, "\n".join(wrong)


#: Pages that lead through the code by the names of functions, too.
GUIDES = ["docs/AddingAForm.md", "docs/AddingAnEngine.md", "docs/KernelPlan.md"]


@pytest.fixture(scope="module")
def code_words():
    """The words of all files but documents."""
    words = set()
    for file in repository_files():
        if not file.endswith(".md"):
            words.update(re.findall(r"\w+", (ROOT / file).read_text(errors="ignore")))
    return words


@pytest.mark.parametrize("guide", GUIDES)
def test_functions_that_guides_name_are_there(code_words, guide):
    """`getFoo`, and fields and words of schedules."""
    named = re.findall(r"`([A-Za-z]\w+)`", (ROOT / guide).read_text())
    wrong = [word for word in named if word not in code_words and not (ROOT / word).is_dir()]
    assert named and not wrong, f"{guide} names {wrong}"


def test_documents_that_sources_name_are_there():
    wrong = []
    for file in repository_files():
        if not re.search(r"\.(cpp|h|td|py|sh|mlir|test)$", file):
            continue
        text = (ROOT / file).read_text(errors="replace")
        for document in re.findall(r"\bdocs/[\w/-]+\.md", text):
            if not (ROOT / document).is_file():
                wrong.append(f"{file}: {document} is not there")
    assert not wrong, "\n".join(wrong)


# ---------------------------------------------------------------------------
# Examples
# ---------------------------------------------------------------------------


def test_every_block_is_marked():
    wrong = []
    for block in all_blocks():
        unknown = [mark for mark in block.marks
                   if mark not in MARKS and not re.fullmatch(r"status=\d", mark)]
        if block.language not in COMMANDS | OTHERS:
            wrong.append(f"{place(block)}: the language {block.language} is not known")
        elif unknown:
            wrong.append(f"{place(block)}: the mark {unknown[0]} is not known")
        elif block.language in COMMANDS and "…" in block.text and \
                block.language != "console" and not SKIPPED & set(block.marks):
            wrong.append(f"{place(block)}: it has …, so it is schematic")
    assert not wrong, "\n".join(wrong)


def test_commands_are_in_fenced_blocks():
    wrong = []
    for path in documents():
        for number, line in enumerate(prose_of(path), 1):
            if TOOLS.match(line):
                wrong.append(f"{name(path)}:{number}: a command outside of a fenced block")
    assert not wrong, "\n".join(wrong)


def commands_of(text, prompt=""):
    """The commands of a block, each with the lines printed behind it."""
    commands, continued = [], False
    for line in text.split("\n"):
        if continued:
            commands[-1][0] += " " + line.strip().rstrip("\\")
        elif line.startswith(prompt) and line.strip():
            commands.append([line[len(prompt):].rstrip("\\"), []])
        elif prompt and commands:
            commands[-1][1].append(line)
            continue
        continued = line.endswith("\\") and line.startswith(prompt)
    return [(re.sub(r"\s+#\s.*", "", command).strip(), lines)
            for command, lines in commands]


def test_commands_are_read_with_their_output():
    block = "$ a --x \\\n  --y   # why\nout\n\n$ b\n"
    assert commands_of(block, "$ ") == [("a --x  --y", ["out", ""]), ("b", [""])]


def runnable(languages):
    return [pytest.param(block, id=place(block)) for block in all_blocks()
            if block.language in languages
            and not (SKIPPED | {"output"}) & set(block.marks)]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with the examples, so that files that commands write go there;
    and an environment in which the tools of the build are found, and no GPU."""
    if not BUILD:
        pytest.skip("CONV_MLIR_BUILD_DIR is not set")
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "examples", folder / "examples")
    tools = pathlib.Path(BUILD).resolve() / "bin"
    environment = dict(
        os.environ, CUDA_VISIBLE_DEVICES="", PYTHONPATH=str(ROOT / "python"),
        PATH=f"{tools}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        XDG_CACHE_HOME=str(folder / "cache"),
        CONV_MLIR_LIBRARY=str(pathlib.Path(BUILD).resolve() / "lib/libconv-mlir.so"))
    return folder, environment


def run(workplace, command):
    folder, environment = workplace
    return subprocess.run(command, cwd=folder, env=environment, text=True,
                          shell=isinstance(command, str), timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def matches(expected, printed):
    """… stands for anything, numbers of milliseconds are not compared."""
    def pattern(line):
        parts = [re.escape(part) for part in line.rstrip().split("…")]
        return re.sub(r"\d+\\ ms", r"\\d+ ms", ".*".join(parts))
    return re.fullmatch(pattern(expected), printed.rstrip()) is not None


def test_output_is_compared_line_by_line():
    assert matches("compiled in 92 ms", "compiled in 1805 ms")
    assert matches("a … c", "a b c") and not matches("a b", "a b c")


@pytest.mark.parametrize("block", runnable({"sh", "console"}))
def test_commands_do_what_the_document_says(workplace, block):
    if "ptxas" in block.marks and not shutil.which("ptxas", path=PTXAS_FOLDERS):
        pytest.skip("no ptxas")
    if "plugin" in block.marks and not pathlib.Path(BUILD, "lib/libConvMLIRPlugin.so").exists():
        pytest.skip("MLIR is no shared library")
    status = next((int(mark[-1]) for mark in block.marks if "=" in mark), 0)
    prompt = "$ " if block.language == "console" else ""
    for command, expected in commands_of(block.text, prompt):
        assert shlex.split(command), f"{place(block)}: no command"
        done = run(workplace, command)
        assert done.returncode == status, f"{place(block)}: {command}\n{done.stderr}"
        printed = (done.stdout + done.stderr).rstrip("\n").split("\n")
        for line in filter(None, (line.rstrip() for line in expected)):
            assert any(matches(line, other) for other in printed), \
                f"{place(block)}: {command} does not print\n{line}\nbut\n" + "\n".join(printed)


@pytest.mark.parametrize("block", runnable({"python"}))
def test_python_does_what_the_document_says(workplace, block):
    done = run(workplace, [sys.executable, "-c", block.text])
    assert done.returncode == 0, f"{place(block)}\n{done.stderr}"


def outputs():
    """Blocks that are printed, each with the block of commands in front."""
    for path in documents():
        blocks = blocks_of(path)
        for before, block in zip([None] + blocks, blocks):
            if "output" in block.marks:
                yield pytest.param(before, block, id=place(block))


@pytest.mark.parametrize("before, block", list(outputs()))
def test_excerpts_are_printed(workplace, before, block):
    assert before and before.language == "sh", f"{place(block)}: no command in front"
    (command, _), = commands_of(before.text)
    printed = " ".join(run(workplace, command).stdout.split())
    for piece in re.split("…", block.text):
        piece = " ".join(piece.split())
        at = printed.find(piece)
        assert at >= 0, f"{place(block)}: {command} does not print, in this order,\n{piece}"
        printed = printed[at + len(piece):]


def claims_to_parse(block):
    return block.language == "mlir" and "…" not in block.text and \
        "output" not in block.marks and \
        re.match(r"(func\.func|module)\b", block.text)


@pytest.mark.parametrize("block", [pytest.param(block, id=place(block))
                                   for block in all_blocks() if claims_to_parse(block)])
def test_mlir_parses(workplace, block):
    folder, _ = workplace
    (folder / "example.mlir").write_text(block.text)
    done = run(workplace, ["conv-opt", "example.mlir"])
    assert done.returncode == 0, f"{place(block)}\n{done.stderr}"


def test_questions_lead_to_an_answer():
    """The commands of CONTRIBUTING.md find something."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.split("## Ten questions")[1].split("\n## ")[0]
    commands = [command.replace(r"\|", "|") for command in re.findall(r"`(grep [^`]*)`", table)]
    assert len(commands) == 10
    for command in commands:
        done = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, f"{command} finds nothing"


def test_there_are_examples():
    """None of the tests over blocks is empty."""
    assert len(runnable({"sh", "console"})) >= 5
    assert any(claims_to_parse(block) for block in all_blocks())
