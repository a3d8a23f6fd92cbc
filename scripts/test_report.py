"""Adds up the reports of the test runners.

Input: JUnit files of ctest, lit and pytest, and the folder of GoogleTest's JSON
reports, which count the cases inside one ctest test; where there is no ctest,
the names of the binaries that were run (--gtest-binaries). --lit may be given
several times, as NAME:FILE. Output: a line per runner, then `N passed, N failed,
N skipped`. Exit status 1 where a test failed, a report is missing or a runner
ran nothing; tests that were skipped fail nothing.
"""

import argparse
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    def __add__(self, other):
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )


def count_case(case):
    """One <testcase> of a JUnit file."""
    if case.find("failure") is not None or case.find("error") is not None:
        return Count(failed=1)
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return Count(skipped=1)
    return Count(passed=1)


def count_junit(path):
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return sum((count_case(case) for case in cases), Count())


def count_gtest(path):
    """The cases of one GoogleTest binary."""
    count = Count()
    for suite in json.loads(path.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                count.failed += 1
            elif case["result"] == "COMPLETED":
                count.passed += 1
            else:
                count.skipped += 1
    return count


def count_binaries(gtest_dir, names):
    """GoogleTest binaries by their reports; one without a report crashed."""
    reports = [gtest_dir / (name + ".json") for name in names]
    counts = (count_gtest(r) if r.exists() else Count(failed=1) for r in reports)
    return sum(counts, Count())


def count_ctest(path, gtest_dir):
    """ctest's tests, a GoogleTest binary by its cases. A binary that failed
    without a failing case (a crash, a sanitizer's report at exit) counts as one
    failure."""
    total = Count()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        outcome = count_case(case)
        report = gtest_dir / (case.get("name") + ".json")
        if report.exists():
            cases = count_gtest(report)
            total += cases
            outcome = Count(failed=int(outcome.failed > cases.failed))
        total += outcome
    return total


def report(name, count):
    """Prints the line of a runner; true where it ran something."""
    print(f"{name}: {count}")
    if count.passed + count.failed == 0:
        print(f"{name}: no test ran, which counts as a failure", file=sys.stderr)
        return False
    return True


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ctest", type=pathlib.Path)
    parser.add_argument("--gtest", type=pathlib.Path)
    parser.add_argument("--gtest-binaries", nargs="+", default=[])
    parser.add_argument("--lit", action="append", default=[])
    parser.add_argument("--pytest", type=pathlib.Path)
    return parser.parse_args()


def runners_of(arguments):
    """Pairs of a runner's name and a function that counts its tests."""
    if arguments.ctest:
        yield "unit", lambda: count_ctest(arguments.ctest, arguments.gtest)
    if arguments.gtest_binaries:
        names = arguments.gtest_binaries
        yield "unit", lambda: count_binaries(arguments.gtest, names)
    for item in arguments.lit:
        name, _, path = item.rpartition(":")
        yield name or "lit", lambda path=path: count_junit(path)
    if arguments.pytest:
        yield "python", lambda: count_junit(arguments.pytest)


def main():
    total, complete, ran = Count(), True, False
    for name, count in runners_of(parse_arguments()):
        ran = True
        try:
            counted = count()
        except (OSError, ElementTree.ParseError, json.JSONDecodeError) as error:
            print(f"{name}: no report ({error})", file=sys.stderr)
            counted = Count(failed=1)
        complete = report(name, counted) and complete
        total += counted
    sys.stderr.flush()
    print(total, flush=True)
    return 0 if ran and complete and total.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
