"""The tables of docs/Schedules.md are those of the lists of keys and of forms."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "schedule_keys.py"
PAGE = ROOT / "docs" / "Schedules.md"


def run(*arguments):
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_page_has_the_tables():
    found = run("--check")
    assert found.returncode == 0, found.stderr


def test_other_tables_are_noticed_and_written_again(tmp_path):
    page = tmp_path / "Schedules.md"
    text = PAGE.read_text()
    changed = text.replace("workgroups that share loads", "workgroups")
    assert changed != text
    page.write_text(changed)
    found = run("--check", f"--page={page}")
    assert found.returncode == 1
    assert "its tables are not those of ScheduleKeys.def" in found.stderr + found.stdout
    assert run("--write", f"--page={page}").returncode == 0
    assert page.read_text() == text
