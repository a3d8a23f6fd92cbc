"""Runs a tool on ill-formed input and checks how it refuses.

    bad_input.py TOOL GROUP

Each case is a command line and words that the message must have. A case passes
where the tool exits with status 2, prints nothing on standard output and
exactly one line with "error:", and leaves the folder it ran in as it was.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

import cases
import fixtures


def snapshot(folder):
    """What lies in a folder: every path with a digest of its content."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(root, name), folder)] = "folder"
        for name in files:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, folder)] = digest
    return found


def complaints(result, words):
    """Why a finished process does not refuse its input as it should."""
    text = result.stderr.decode(errors="replace")
    errors = [line for line in text.splitlines() if "error:" in line]
    if result.returncode != 2:
        yield f"expected exit status 2, got {result.returncode}"
    if result.stdout:
        yield f"expected nothing on standard output, got {result.stdout[:200]!r}"
    if len(errors) != 1:
        yield f"expected one error line, got {len(errors)}"
    for word in words:
        if not any(word in line for line in errors):
            yield f"expected '{word}' in the message"
    if any(mark in text for mark in ("Stack dump", "Assertion", "ERROR: Addr", "runtime error")):
        yield "the process crashed"


def main():
    tool, group = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        fixtures.write(folder, group)
        failed = 0
        table = cases.in_group(group, folder)
        for arguments, words in table:
            before = snapshot(folder)
            result = subprocess.run(
                [tool] + arguments, cwd=folder, capture_output=True, timeout=120
            )
            problems = list(complaints(result, words))
            if snapshot(folder) != before:
                problems.append("something was written")
            if problems:
                failed += 1
                print(f"FAILED: {tool}", *[repr(a) for a in arguments])
                print("   ", "; ".join(problems))
                print("   ", result.stderr.decode(errors="replace").strip()[:500])
    print(f"{group}: {len(table) - failed} of {len(table)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
