#!/usr/bin/env python3
"""The keys of a schedule and the forms of kernels, from the one list of each.

    schedule_keys.py            prints the tables
    schedule_keys.py --check    says whether docs/Schedules.md has these tables
    schedule_keys.py --write    puts them there

Input: ScheduleKeys.def and KernelForms.def in include/conv/Dialect/Conv/IR. Exit status
1 where the page differs.
"""

import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "include/conv/Dialect/Conv/IR/ScheduleKeys.def"
FORMS = LIST.with_name("KernelForms.def")
PAGE = ROOT / "docs/Schedules.md"
BEGIN = "<!-- {}: made by scripts/schedule_keys.py -->"
END = "<!-- end of {} -->"

Key = collections.namedtuple("Key", "field key name other kind default presence scope meaning")

Form = collections.namedtuple("Form", "form name written has engines rank keys example page meaning")

# How values of a kind are written.
VALUES = {
    "Algorithm": "`implicit_gemm`, `im2col`, `loops`",
    "Copy": "`cp_async`, `tma`, `sync`",
    "Mma": "`mma_sync`, `wgmma`, `fma`, `wmma`",
    "Reading": "`cyclic`, `strided`, `warp_tile`",
    "Tile": "`128x64x32`",
    "Pair": "`2x2`",
    "Cluster": "`2x1`",
    "Taps": "`2x2`, `false`",
    "Number": "a number",
    "Rows": "a number",
    "Parts": "a number, `even`",
    "Flag": "`true`, `false`",
}
SCOPES = {
    "Kernel": "every kernel",
    "Operands": "every kernel",
    "Tma": "TMA",
    "Wgmma": "TMA and `wgmma`",
    "Sync": "`copy=sync`",
}
DEFAULTS = {"{}": "none", "0": "all", "ReadingKind::Cyclic": "`cyclic`"}


def read_rows(path, macro):
    """The arguments of each row, whose strings may be in parts."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text())
    for row in re.findall(rf"^{macro}\((.*?)\)$", text, re.MULTILINE | re.DOTALL):
        words = re.findall(r'"([^"]*)"|([^\s",][^",]*)', row)
        yield [string or word.strip() for string, word in words]


def read_keys():
    return [Key(*row) for row in read_rows(LIST, "CONV_SCHEDULE_KEY")]


def read_forms():
    return [Form(*row) for row in read_rows(FORMS, "CONV_KERNEL_FORM")]


def some_values(key):
    """A few texts that are values of the key."""
    return re.findall("`([^`]+)`", VALUES[key.kind]) + ["2", "3", "32"] * ("number" in VALUES[key.kind])


def print_key(key):
    names = f"`{key.name}`"
    if key.other != key.name:
        names += f" (`{key.other}`)"
    chosen = key.presence == "Required"
    default = "chosen" if chosen else DEFAULTS.get(key.default, key.default)
    cells = (names, VALUES[key.kind], default, SCOPES[key.scope], key.meaning)
    return f"| {' | '.join(cells)} |"


def print_keys():
    head = ["| key | values | default | kernels with | meaning |", "|---|---|---|---|---|"]
    return "\n".join(head + [print_key(key) for key in read_keys()])


def print_forms():
    """A row for each form, a column for each key that is not of every kernel."""
    forms = read_forms()
    keys = [key.name for key in read_keys() if key.presence != "Required"]
    lines = ["| form | what it is | a schedule has it with |", "|---|---|---|"]
    for form in forms:
        name = f"[{form.name}](forms/{form.page}.md)"
        lines.append(f"| {name} | {form.meaning} | {form.written} |")
    lines += ["", "| key | " + " | ".join(form.name for form in forms) + " |"]
    lines.append("|---" * (len(forms) + 1) + "|")
    for key in keys:
        marks = ["x" if key in form.keys.split() else "" for form in forms]
        lines.append(f"| `{key}` | {' | '.join(marks)} |")
    return "\n".join(lines)


TABLES = {"keys": print_keys, "forms": print_forms}


def print_tables():
    return "\n\n".join(print_table() for print_table in TABLES.values())


def with_tables(page):
    for name, print_table in TABLES.items():
        begin, end = BEGIN.format(name), END.format(name)
        before, _, rest = page.partition(begin)
        after = rest.partition(end)[2]
        page = f"{before}{begin}\n{print_table()}\n{end}{after}"
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help=f"compare {PAGE.name}")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="another page")
    options = parser.parse_args()
    if not options.check and not options.write:
        print(print_tables())
        return 0
    page = options.page.read_text()
    if options.write:
        options.page.write_text(with_tables(page))
    elif page != with_tables(page):
        print(f"{options.page}: its tables are not those of {LIST.name} and {FORMS.name}; run {sys.argv[0]} --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
