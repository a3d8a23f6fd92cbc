"""Pages of the site that are made from sources: `.td` files, headers of C, Python.

Input: the `.td` files, through `mlir-tblgen`, and `include/conv-c`. Output: Markdown, by the
name of its page. What Python has is left to Sphinx, which imports it.
"""

import pathlib
import re
import subprocess

DIALECT = "include/conv/Dialect/Conv/IR"
ENGINE = "include/conv/Dialect/Engine/IR"

OPS, ATTRIBUTES, ENUMS = "--gen-op-doc", "--gen-attrdef-doc", "--gen-enum-doc"

#: Pages of definitions: a title, and files, each with what `mlir-tblgen` makes of it.
DEFINITIONS = {
    "operations": (
        "Operations of the conv dialect",
        {f"{DIALECT}/{name}.td": [OPS] for name in ("ConvOps", "ConvMatrixOps")},
    ),
    "engine": ("Operations of the engine dialect", {f"{ENGINE}/EngineOps.td": [OPS]}),
    "attributes": (
        "Attributes of the conv dialect",
        {
            f"{DIALECT}/ConvAttrs.td": [ATTRIBUTES, ENUMS],
            f"{DIALECT}/ConvChip.td": [ATTRIBUTES],
            f"{DIALECT}/KernelPlan.td": [ATTRIBUTES, ENUMS],
        },
    ),
    "scripts": ("Operations of scripts", {"include/conv/Script/TransformOps.td": [OPS]}),
    "stablehlo": (
        "StableHLO and CHLO that are read",
        {
            f"include/conv/Dialect/StableHLO/IR/{name}.td": [OPS]
            for name in ("StableHLOOps", "CHLOOps")
        },
    ),
}

#: Modules of Python with what each needs.
MODULES = {
    "conv_mlir": "nothing but Python",
    "conv_mlir.torch": "PyTorch",
    "conv_mlir.tensors": "PyTorch",
    "conv_mlir.jax": "JAX",
    "conv_mlir.onnx": "the package onnx",
    "conv_mlir.cache": "nothing but Python",
}


def make_pages(root, tblgen, mlir_include):
    """Name and text of each page."""
    root = pathlib.Path(root)

    def describe(file, *arguments):
        command = [tblgen, *arguments, f"-I{root}/include", f"-I{mlir_include}", str(file)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return _tidy(run.stdout)

    pages = {
        f"reference/{page}.md": _make_definitions(root, describe, *definition)
        for page, definition in DEFINITIONS.items()
    }
    pages["reference/passes.md"] = _make_passes(root, describe)
    pages["reference/c.md"] = _make_headers(root)
    pages["reference/python.md"] = _make_modules()
    return pages


def _make_definitions(root, describe, title, files):
    lines = [f"# {title}", ""]
    for name, options in files.items():
        lines += _make_head(root, root / name)
        lines += [describe(root / name, option) + "\n" for option in options]
    return "\n".join(lines)


def _make_passes(root, describe):
    lines = ["# Passes", "", "Each file of passes has a section here.", ""]
    for file in sorted(root.glob("include/conv/**/Passes.td")):
        lines += [*_make_head(root, file), describe(file, "--gen-pass-doc"), ""]
    return "\n".join(lines)


def _make_headers(root):
    lines = ["# Headers of C", "", "[The C API](../docs/CApi.md) says how they are used.", ""]
    for file in sorted(root.glob("include/conv-c/*.h")):
        lines += _make_head(root, file)
        lines += ["```c", _get_declarations(file), "```", ""]
    return "\n".join(lines)


def _make_modules():
    text = "[The Python package](../docs/CApi.md#python) has examples."
    lines = ["# Modules of Python", "", text, ""]
    for name, needed in MODULES.items():
        options = "   :members:\n   :member-order: bysource\n   :show-inheritance:"
        lines += [f"## {name}", "", f"Needs {needed}.", ""]
        lines += ["```{eval-rst}", f".. automodule:: {name}", options, "```", ""]
    return "\n".join(lines)


def _make_head(root, file):
    return [f"## {_get_purpose(file)}", "", f"`{file.relative_to(root)}`", ""]


def _get_purpose(file):
    """What the first line of a file says it is for."""
    first = file.read_text().split("\n", 1)[0]
    purpose = re.fullmatch(r"/[/*]===-+ \S+ - (.+?) -*\*- (tablegen|C) -\*[-=]*(//|===\*\\)", first)
    if not purpose:
        raise ValueError(f"{file}: the first line does not say what the file is for: {first}")
    return purpose[1][0].upper() + purpose[1][1:]


def _get_declarations(file):
    """A header without its first comment, its guard, and what only C++ sees."""
    text = file.read_text()
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    found = re.search(r"#ifndef (\w+)\n#define \1\n(.*)#endif", text, flags=re.DOTALL)
    if not found:
        raise ValueError(f"{file}: expected a guard: #ifndef NAME, #define NAME, #endif")
    return re.sub(r"\n{3,}", "\n\n", found[2]).strip()


def _tidy(text):
    """What `mlir-tblgen` prints without its marks for other generators of sites. Its tables of
    HTML get what the theme gives others, so that a narrow screen scrolls them alone."""
    lines = (line for line in text.split("\n") if line != "[TOC]" and not line.startswith("<!--"))
    text = "\n".join(lines).strip()
    text = text.replace("<table>", '<div class="table-wrapper"><table class="docutils">')
    return text.replace("</table>", "</table></div>")
