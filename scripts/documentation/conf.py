"""Sphinx's configuration of the site. Sphinx fixes the name of this file and of what it sets."""

from pygments.lexers import LlvmLexer

project = "conv-mlir"
copyright = "the conv-mlir authors"
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "furo"
html_title = "conv-mlir"
html_copy_source = False
html_show_sourcelink = False
# Anchors as the forge makes them, down to the headings that documents link to.
myst_heading_anchors = 5
# Examples are cut with … and are no whole programs, so that not every token is known.
suppress_warnings = ["misc.highlighting_failure"]


def setup(app):
    """MLIR is coloured as LLVM IR, to which its tokens are near."""
    app.add_lexer("mlir", LlvmLexer)
