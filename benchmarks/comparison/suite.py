"""Rows of a suite file as problem lines: the one place that reads them.

The file is JSON, {"rows": [{"family": …, "problem": …}, …]}; a problem is a line
of docs/Problem.md without its first word, the operation.
"""

import json
import re
from dataclasses import dataclass

OPS = ("forward", "dgrad", "wgrad")


class SuiteError(Exception):
    """The file, or what was asked of it, is wrong."""


@dataclass(frozen=True)
class Case:
    """One row as one operation in one type."""

    family: str
    problem: str

    @property
    def op(self):
        return self.problem.split()[0]

    @property
    def type(self):
        given = [w[5:] for w in self.problem.split() if w.startswith("type=")]
        return given[0] if given else "bf16"


def with_type(line, type):
    """The line with that type in place of its own."""
    words = [word for word in line.split() if not word.startswith("type=")]
    return " ".join([*words, f"type={type}"])


def read_rows(path):
    try:
        rows = json.loads(path.read_text())["rows"]
        return [(str(row["family"]), str(row["problem"])) for row in rows]
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise SuiteError(
            f"{path}: expected an object with rows of family and problem, got "
            f"{type(error).__name__}: {error}"
        ) from None


def load_suite(path, ops=OPS, types=(), pattern=""):
    """The cases of a file: every row for every operation and type (none: the
    row's own) whose family and problem match the regular expression."""
    if unknown := [op for op in ops if op not in OPS]:
        raise SuiteError(f"expected operations among {', '.join(OPS)}, got {unknown}")
    cases = [
        Case(family, f"{op} {with_type(line, type) if type else line}")
        for op in ops
        for type in types or (None,)
        for family, line in read_rows(path)
    ]
    try:
        selected = [c for c in cases if re.search(pattern, f"{c.family} {c.problem}")]
    except re.error as error:
        raise SuiteError(f"'{pattern}' is no regular expression: {error}") from None
    if not selected:
        raise SuiteError(f"no row of {path} matches '{pattern}'")
    return selected


def read_schedules(path):
    """The schedules of a file: one a line, # begins a comment, "default" is the
    compiler's own choice."""
    try:
        lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}") from None
    schedules = ["" if line == "default" else line for line in lines if line]
    if not schedules:
        raise SuiteError(f"{path} has no schedule")
    return list(dict.fromkeys(schedules))
