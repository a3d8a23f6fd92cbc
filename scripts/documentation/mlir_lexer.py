"""Colours for examples of MLIR: comments, strings, values, symbols, attributes, operations."""

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text


class MlirLexer(RegexLexer):
    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"//.*", Comment),
            (r'"(\\.|[^"\\])*"', String),
            (r"%[\w$.-]+(#\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[#!][A-Za-z_][\w$.-]*", Name.Attribute),
            (r"\b(tensor|memref|vector)(?=<)", Keyword.Type),
            (r"\b(index|none|bf16|tf32|[su]?i\d+|f\d+(E\d+M\d+\w*)?)\b", Keyword.Type),
            (r"[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)+", Keyword),
            (r"[A-Za-z_][\w$-]*", Name),
            # Extents of a type, with its element: 8x56x?xbf16.
            (r"(?:(?:\d+|\?)x)+", Number),
            (r"-?\d+(\.\d+)?(e[+-]?\d+)?", Number),
            (r"->|[=:*+<>-]", Operator),
            (r".", Text),
        ]
    }
