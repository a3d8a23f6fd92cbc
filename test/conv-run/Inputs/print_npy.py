"""Prints the type, shape and values of a .npy file of floats or integers."""

import ast
import struct
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
size = struct.unpack_from("<H", content, 8)[0]
header = ast.literal_eval(content[10 : 10 + size].decode())
data = content[10 + size :]
size, letter = {"f2": (2, "e"), "f4": (4, "f"), "f8": (8, "d"), "i1": (1, "b"), "i4": (4, "i")}[header["descr"][1:]]
values = struct.unpack(f"<{len(data) // size}{letter}", data)
print(header["descr"], f"{header['shape']}:", *(f"{value:.10g}" if letter in "bi" else f"{value:g}" for value in values))
