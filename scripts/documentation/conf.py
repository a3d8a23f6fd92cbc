"""Sphinx's configuration of the site. Sphinx fixes the name of this file and of what it sets."""

import inspect
import pathlib
import sys

from documentation import docstrings
from documentation.mlir_lexer import MlirLexer

project = "conv-mlir"
copyright = "the conv-mlir authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
html_theme = "furo"
html_title = "conv-mlir"
# Of long tables, such as results, a reader wants some rows.
html_static_path = ["static"]
html_js_files = ["filter.js"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_sourcelink = False
# Anchors as the forge makes them, down to the headings that documents link to.
myst_heading_anchors = 5
# Examples are cut with … and are no whole programs, so that not every token is known.
suppress_warnings = ["misc.highlighting_failure"]
# A name in backquotes, as in the documents.
default_role = "code"
# Quotes are part of what is typed. A block without a language has none.
smartquotes = False
highlight_language = "none"
# What the package imports and the site does without; also what of ours calls the library, or
# writes into JAX's tables, as soon as it is imported.
autodoc_mock_imports = ["jax", "ml_dtypes", "numpy", "onnx", "torch"]
autodoc_mock_imports += ["conv_mlir.jax._handlers", "conv_mlir.jax._primitive"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))


def _convert_docstring(app, what, name, thing, options, lines):
    lines[:] = docstrings.convert(lines, _get_parameters(thing))


def _get_parameters(thing):
    try:
        return set(inspect.signature(thing).parameters)
    except (TypeError, ValueError):  # A module, a property.
        return set()


def setup(app):
    app.add_lexer("mlir", MlirLexer)
    app.connect("autodoc-process-docstring", _convert_docstring)
