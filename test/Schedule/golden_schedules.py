"""Compares the schedules that are chosen with those of a table.

    golden_schedules.py TABLE           exit status 1 where one differs
    golden_schedules.py TABLE --write   writes the table anew

A row of the table is "target | problem | schedule"; other lines are text.
"""

import pathlib
import re
import subprocess
import sys


def choose(target, problem):
    command = ["conv-run", f"--problem={problem}", f"--target={target}", "--no-tuning"]
    done = subprocess.run(
        [*command, "--emit=mlir:f1", "-o", "-"], check=True, capture_output=True, text=True
    )
    found = re.findall(r"conv.schedule = #conv.schedule<([^>]*)>", done.stdout)
    return "; ".join(found) or "none"


def main():
    path = pathlib.Path(sys.argv[1])
    lines, differs = [], 0
    for line in path.read_text().splitlines():
        row = [cell.strip() for cell in line.split(" | ")]
        if len(row) == 3:
            chosen = choose(*row[:2])
            if chosen != row[2]:
                differs += 1
                print(f"{row[0]} {row[1]}\n  in the table: {row[2]}\n  chosen now:   {chosen}")
            line = " | ".join([*row[:2], chosen])
        lines.append(line)
    if "--write" in sys.argv:
        path.write_text("\n".join(lines) + "\n")
    return differs > 0 and "--write" not in sys.argv


if __name__ == "__main__":
    sys.exit(main())
