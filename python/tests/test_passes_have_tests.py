"""Each pass has a lit test of its own, which runs it by its own flag, and so has each option.

The test is where the pass is: `include/conv/Transforms/Ring/Passes.td` goes with
`test/Transforms/Ring`. It has the pass's name without "conv-", and may go on behind a dash
("turn-invalid.mlir"). A conversion ("convert-…") has a folder under `test/Conversion`.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASS = re.compile(r'^def\s+\w+\s*:\s*Pass<\s*"([\w-]+)".*?^}', re.M | re.S)
OPTION = re.compile(r'Option<\s*"\w+",\s*"([\w-]+)"')


def find_passes(root):
    """The file, the name and the options of each pass."""
    for file in sorted((root / "include/conv").glob("**/*.td")):
        for match in PASS.finditer(file.read_text()):
            yield file, match[1], OPTION.findall(match[0])


def find_runs(root):
    """What each lit test runs."""
    return {
        file: " ".join(re.findall(r"RUN:(.*)", file.read_text()))
        for file in sorted((root / "test").glob("**/*"))
        if file.suffix in (".mlir", ".test")
    }


def is_own(root, file, name, test):
    if name.startswith("convert-"):
        return test.is_relative_to(root / "test/Conversion")
    wing = file.parent.relative_to(root / "include/conv")
    folder = "Conversion" if wing.parts[0] == "Conversion" else wing
    stem = name.removeprefix("conv-")
    has_name = test.stem == stem or test.stem.startswith(f"{stem}-")
    return has_name and test.is_relative_to(root / "test" / folder)


def why_untested(root):
    """A line for each pass, and each option, that no test of its own runs."""
    runs = find_runs(root)
    for file, name, options in find_passes(root):
        # By a flag, or in a textual pipeline.
        flag = rf"(?:\s--?|[(,]){name}(?![\w-])"
        own = [runs[test] for test in runs if is_own(root, file, name, test)]
        if not any(re.search(flag, run) for run in own):
            yield f"{name} ({file.relative_to(root)}): no test of its own runs it"
        for option in options:
            used = rf"{flag}[={{][^|]*?\b(?<!-){option}="
            if not any(re.search(used, run) for run in own):
                yield f"{name} ({file.relative_to(root)}): no test of its own has {option}="


def test_each_pass_has_a_test():
    texts = [file.read_text() for file in (ROOT / "include/conv").glob("**/*.td")]
    assert len(list(find_passes(ROOT))) == sum(text.count(": Pass<") for text in texts) > 0
    assert "\n".join(why_untested(ROOT)) == ""


@pytest.fixture
def tree(tmp_path):
    """A tree of one pass, with one option, and of one test."""

    option = '  let options = [Option<"size", "size", "int64_t", "0", "a size">];'

    def write(name, test, run, wing="Transforms/Ring"):
        td = f'def P\n    : Pass<"{name}", "::mlir::ModuleOp"> {{\n{option}\n}}\n'
        files = {f"include/conv/{wing}/Passes.td": td, f"test/{test}": run}
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return list(why_untested(tmp_path))

    return write


@pytest.mark.parametrize(
    "run",
    [
        "-conv-turn=size=3",
        "--conv-turn=size=3",
        "-conv-turn='size=3'",
        "-p='m(conv-turn{size=3})'",
    ],
)
def test_ways_to_run_a_pass(tree, run):
    assert tree("conv-turn", "Transforms/Ring/turn.mlir", f"// RUN: conv-opt %s {run}\n") == []


@pytest.mark.parametrize(
    "test, run",
    [
        ("Transforms/Ring/turn.mlir", "// RUN: conv-opt %s -conv-turn-more=size=3\n"),
        ("Transforms/Ring/turn.mlir", "// conv-opt %s -conv-turn=size=3\n"),
        ("Transforms/Ring/other.mlir", "// RUN: conv-opt %s -conv-turn=size=3\n"),
        ("Transforms/Roles/turn.mlir", "// RUN: conv-opt %s -conv-turn=size=3\n"),
    ],
    ids=["a longer name", "no command", "a test of another name", "another folder"],
)
def test_a_pass_without_a_test(tree, test, run):
    place = "conv-turn (include/conv/Transforms/Ring/Passes.td)"
    assert tree("conv-turn", test, run) == [
        f"{place}: no test of its own runs it",
        f"{place}: no test of its own has size=",
    ]


def test_an_option_without_a_test(tree):
    run = "// RUN: conv-opt %s -conv-turn=max-size=3 | conv-opt -other=size=2\n"
    assert tree("conv-turn", "Transforms/Ring/turn.mlir", run) == [
        "conv-turn (include/conv/Transforms/Ring/Passes.td): no test of its own has size="
    ]


def test_a_conversion(tree):
    run = "// RUN: conv-opt %s -convert-a-to-b=size=3\n"
    assert tree("convert-a-to-b", "Conversion/AToB/forward.mlir", run, wing="Conversion") == []
    assert tree("convert-a-to-b", "Conversion/AToB/forward.mlir", "", wing="Conversion") != []
