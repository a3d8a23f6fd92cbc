"""Remarks of passes: docs/Remarks.md has those that the code has, and a lit test runs each."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ROOT / "lib/Dialect/Conv/IR/Remarks.cpp"
ROW = re.compile(r'\{RemarkId::(\w+),\s*"([\w-]+)",\s*"([\w-]+)",\s*RemarkKind::Remark(\w+)\}')


def remarks():
    """Identifier, pass, name and kind of each row in the code."""
    return [(row[0], row[1], row[2], row[3].lower()) for row in ROW.findall(CODE.read_text())]


def table(section):
    """The rows of the only table of a section, without marks of code."""
    text = (ROOT / "docs/Remarks.md").read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in text.split("\n") if line.startswith("|")][2:]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines]


def texts(*patterns):
    return {f: f.read_text() for pattern in patterns for f in sorted(ROOT.glob(pattern)) if f.is_file()}


def test_document_lists_all_remarks():
    listed = [(row[0], row[1].removesuffix(" *"), row[2]) for row in table("Names")]
    assert listed == [row[1:] for row in remarks()]
    assert len(listed) > 20


def test_document_marks_those_that_nobody_asks_for():
    code = "\n".join(texts("lib/**/*.cpp").values())
    important = set(re.findall(r"emitImportantRemark\([^;]*?RemarkId::(\w+)", code))
    marked = [row[1].endswith(" *") for row in table("Names")]
    assert marked == [row[0] in important for row in remarks()]


def test_each_remark_is_emitted_and_tested():
    code = "\n".join(text for file, text in texts("lib/**/*.cpp").items() if file != CODE)
    tests = "\n".join(texts("test/**/*.mlir", "test/**/*.test").values())
    for identifier, category, name, _ in remarks():
        assert re.search(rf"emit(Named|Important)Remark\([^;]*RemarkId::{identifier}\b", code), identifier
        printed = rf"\b{name} \| Category:{category} "
        assert re.search(printed, tests), f"no lit test has {name} of {category}"
