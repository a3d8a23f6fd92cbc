"""The last line of scripts/test.sh: what scripts/test_report.py adds up."""

import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "test_report.py"
CASES = {
    "passed": "<testcase name='a'/>",
    "failed": "<testcase name='b'><failure/></testcase>",
    "broken": "<testcase name='c'><error/></testcase>",
    "skipped": "<testcase name='d'><skipped/></testcase>",
}


def run_report(folder, *suites):
    """The lines and the exit status for JUnit files of these cases."""
    arguments = []
    for i, names in enumerate(suites):
        path = folder / f"{i}.xml"
        cases = "".join(CASES[name] for name in names)
        path.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        arguments.append(f"--lit=suite {i}:{path}")
    result = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True
    )
    return result.stdout.splitlines(), result.returncode


def test_skipped_tests_are_counted_and_fail_nothing(tmp_path):
    lines, status = run_report(tmp_path, ["passed", "skipped"], ["passed", "passed"])
    assert lines[-1] == "3 passed, 0 failed, 1 skipped"
    assert status == 0


def test_failures_and_errors_fail(tmp_path):
    lines, status = run_report(tmp_path, ["passed", "failed", "broken", "skipped"])
    assert lines[-1] == "1 passed, 2 failed, 1 skipped"
    assert status == 1


def test_a_suite_of_skipped_tests_ran_nothing(tmp_path):
    lines, status = run_report(tmp_path, ["passed"], ["skipped"])
    assert lines[-1] == "1 passed, 0 failed, 1 skipped"
    assert status == 1
