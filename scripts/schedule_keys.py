#!/usr/bin/env python3
"""The keys of a schedule, from the one list that has them.

    schedule_keys.py            prints the table
    schedule_keys.py --check    says whether docs/Schedules.md has that table
    schedule_keys.py --write    puts it there

Input: include/conv/Dialect/Conv/IR/ScheduleKeys.def. Exit status 1 where the page
differs.
"""

import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "include/conv/Dialect/Conv/IR/ScheduleKeys.def"
PAGE = ROOT / "docs/Schedules.md"
BEGIN, END = "<!-- keys: made by scripts/schedule_keys.py -->", "<!-- end of keys -->"

Key = collections.namedtuple("Key", "field key name other kind default presence scope meaning")

# How values of a kind are written.
VALUES = {
    "Algorithm": "`implicit_gemm`, `im2col`, `loops`",
    "Copy": "`cp_async`, `tma`",
    "Mma": "`mma_sync`, `wgmma`, `fma`",
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
}
DEFAULTS = {"{}": "none", "0": "all"}


def read_keys():
    rows = re.findall(r"^CONV_SCHEDULE_KEY\((.*?)\)$", LIST.read_text(), re.MULTILINE | re.DOTALL)
    keys = []
    for row in rows:
        head, _, meaning = re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*"', "", row)).partition(', "')
        name, other, rest = meaning.split(", ", 2)
        middle, _, sentence = rest.partition(' "')
        values = [text for text in re.split(r",\s*", middle) if text]
        keys.append(Key(*head.split(", "), name.strip('"'), other.strip('"'), *values, sentence.rstrip('"')))
    return keys


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


def print_table():
    head = ["| key | values | default | kernels with | meaning |", "|---|---|---|---|---|"]
    return "\n".join(head + [print_key(key) for key in read_keys()])


def with_table(page):
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{print_table()}\n{END}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help=f"compare {PAGE.name}")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="another page")
    options = parser.parse_args()
    if not options.check and not options.write:
        print(print_table())
        return 0
    page = options.page.read_text()
    if options.write:
        options.page.write_text(with_table(page))
    elif page != with_table(page):
        print(f"{options.page}: its table is not that of {LIST.name}; run {sys.argv[0]} --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
