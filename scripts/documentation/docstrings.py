"""Docstrings of the Python package as reStructuredText, which Sphinx expects.

Input: the lines of a docstring: paragraphs, indented examples, and `name: what it is` for the
parameters, whose names are given. Output: the lines with examples as code and parameters as fields.
"""

import re


def convert(lines, parameters):
    converted, before = [], ""
    for line in lines:
        if _begins_example(line, before, converted):
            converted += [".. code-block:: python", ""]
        if line.startswith(" ") or not line:
            converted.append(line)
        elif (found := re.match(r"(\w+): ", line)) and found[1] in parameters:
            converted += ["", f":param {found[1]}: {_escape(line[found.end():])}"]
        else:
            converted.append(("    " if _is_field(converted) else "") + _escape(line))
        before = line
    return converted


def _escape(text):
    """Characters that mean themselves in the docstrings, such as those of **options."""
    return re.sub(r"[*|]", r"\\\g<0>", text)


def _begins_example(line, before, converted):
    inside = any(text.strip() for text in converted) and _last(converted).startswith(" ")
    return line.startswith("    ") and not before.strip() and not inside


def _last(converted):
    return next(text for text in reversed(converted) if text.strip())


def _is_field(converted):
    """Whether the paragraph that is written is a parameter's."""
    for text in reversed(converted):
        if not text.strip():
            return False
        if text.startswith(":param "):
            return True
    return False
