"""Pages of the site that are made from the `.td` files.

Input: the `.td` files, through `mlir-tblgen`. Output: Markdown, by the name of its page.
"""

import pathlib
import re
import subprocess


def make_pages(root, tblgen, mlir_include):
    """Name and text of each page."""

    def describe(file, *arguments):
        command = [tblgen, *arguments, f"-I{root}/include", f"-I{mlir_include}", str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return {"reference/passes.md": _make_passes(pathlib.Path(root), describe)}


def _make_passes(root, describe):
    lines = ["# Passes", "", "Each file of passes has a section here.", ""]
    for file in sorted(root.glob("include/conv/**/Passes.td")):
        lines += [f"## {_get_purpose(file)}", "", f"`{file.relative_to(root)}`", ""]
        lines += [_tidy(describe(file, "--gen-pass-doc")), ""]
    return "\n".join(lines)


def _get_purpose(file):
    """What the first line of a file says it is for."""
    first = file.read_text().split("\n", 1)[0]
    purpose = re.fullmatch(r"//===-+ \S+ - (.+?) -*\*- tablegen -\*-=*//", first)
    if not purpose:
        raise ValueError(f"{file}: the first line does not say what the file is for: {first}")
    return purpose[1][0].upper() + purpose[1][1:]


def _tidy(text):
    """What `mlir-tblgen` prints without its marks for other generators of sites."""
    lines = (line for line in text.split("\n") if line != "[TOC]" and not line.startswith("<!--"))
    return "\n".join(lines).strip()
