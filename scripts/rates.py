#!/usr/bin/env python3
"""The numbers of the model of time, from the one table of them.

    rates.py            prints the tables
    rates.py --check    says whether docs/Model.md has these tables, whether each number is
                        used, and whether one stands outside of the table
    rates.py --write    puts the tables into the page

Input: Rates.def in include/conv/Schedule/Model, and the sources of lib/Schedule. Exit status 1
where something differs.
"""

import argparse
import collections
import pathlib
import re
import sys

from schedule_keys import read_rows

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = "include/conv/Schedule/Model/Rates.def"
PAGE = "docs/Model.md"
BEGIN = "<!-- rates: made by scripts/rates.py -->"
END = "<!-- end of rates -->"
SOURCES = ("lib/Schedule", "include/conv/Schedule")

Fit = collections.namedtuple("Fit", "title measured error")
Rate = collections.namedtuple("Rate", "name value unit meaning")

# Floating-point constants that were not measured: what hardware is, limits, and sums of rates.
OTHERS = {
    "kPartBytes": "the size of f32",
    "kSectorBytes": "of memory",
    "kLanes": "of a warp",
    "kMultiplyAddsPerCycle": "a quotient of two rates",
    "elements": "of a word of 16-bit elements",
    "lineBytes": "of the L1 cache",
    "mostBytes": "a limit of workspaces",
    "schedulers": "of a multiprocessor",
}
# Literals of formulas: bounds, halves, pairs, and steps of an instruction.
LITERALS = {"0.0", "1.0", "2.0", "16.0", "32.0"}


def read_table(root):
    """Each fit with its rates."""
    table = []
    for row in read_rows(root / LIST, "CONV_(?:FIT|RATE)"):
        if len(row) == len(Fit._fields):
            table.append((Fit(*row), []))
        else:
            table[-1][1].append(Rate(*row))
    return table


def print_fit(fit, rates):
    lines = [
        f"### {fit.title}",
        "",
        f"- Fitted to: {fit.measured}.",
        f"- Error: {fit.error}.",
        "",
        "| rate | value | unit | what it is |",
        "|---|---|---|---|",
    ]
    for rate in rates:
        lines.append(f"| `{rate.name}` | {float(rate.value):g} | {rate.unit} | {rate.meaning} |")
    return "\n".join(lines)


def print_tables(root):
    return "\n\n".join(print_fit(fit, rates) for fit, rates in read_table(root))


def with_tables(page, root):
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{print_tables(root)}\n{END}{after}"


def list_sources(root):
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path


def strip_comments(text):
    return re.sub(r"//.*", "", text)


def is_size(number):
    """Small numbers, and powers of two: bytes, lanes, steps of instructions."""
    return number <= 3 or number & (number - 1) == 0


def find_constants(text):
    """Names of floating-point constants that are declared with a value."""
    for declared in re.findall(r"constexpr double\s+([^;{(]*=[^;]*);", text):
        yield from re.findall(r"(\w+)\s*=(?!=)", declared)


def find_faults(root):
    rates = [rate for _, rows in read_table(root) for rate in rows]
    for name, times in collections.Counter(rate.name for rate in rates).items():
        if times > 1:
            yield f"{LIST}: {name} stands there {times} times"
    used = set()
    for path in list_sources(root):
        text = strip_comments(path.read_text(encoding="utf-8"))
        used.update(re.findall(r"\bk[A-Z]\w*", text))
        place = path.relative_to(root)
        for name in find_constants(text):
            if name not in OTHERS and name != "Name":
                yield f"{place}: {name} is a number of the model, which belongs into {LIST}"
        if path.parent.name == "Model":
            for literal in re.findall(r"(?<![\w.])\d+\.\d+(?:e\d+)?|(?<![\w.])\d+e\d+", text):
                if literal not in LITERALS:
                    yield f"{place}: {literal} is a number of the model, which belongs into {LIST}"
            for literal in re.findall(r"(?<![\w.])\d+(?![\w.])", text):
                if not is_size(int(literal)):
                    yield f"{place}: {literal} is a number of the model, which belongs into {LIST}"
    for rate in rates:
        if rate.name not in used:
            yield f"{LIST}: nothing uses {rate.name}"
    page = root / PAGE
    text = page.read_text(encoding="utf-8")
    if text != with_tables(text, root):
        yield f"{PAGE}: its tables are not those of {LIST}; run scripts/rates.py --write"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help=f"compare {PAGE} and the sources")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="of the source tree")
    options = parser.parse_args()
    page = options.root / PAGE
    if options.write:
        page.write_text(with_tables(page.read_text(encoding="utf-8"), options.root))
    if options.check:
        faults = list(find_faults(options.root))
        print("\n".join(faults) if faults else "no fault")
        return 1 if faults else 0
    if not options.write:
        print(print_tables(options.root))
    return 0


if __name__ == "__main__":
    sys.exit(main())
