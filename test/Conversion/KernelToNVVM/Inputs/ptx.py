"""Prints the PTX of the first kernel in the module of standard input, the
output of gpu-module-to-binary{format=isa}."""

import re
import sys

text = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', sys.stdin.read()).group(1)
ptx = re.sub(
    r"\\([0-9A-F]{2}|\\)",
    lambda match: "\\" if match[1] == "\\" else chr(int(match[1], 16)),
    text,
)
sys.stdout.write(ptx.rstrip("\0"))
