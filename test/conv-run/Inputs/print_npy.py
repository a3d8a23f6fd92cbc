"""Prints the type, shape and values of a .npy file of float16 or float32."""

import ast
import struct
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
size = struct.unpack_from("<H", content, 8)[0]
header = ast.literal_eval(content[10 : 10 + size].decode())
data = content[10 + size :]
size, letter = (2, "e") if header["descr"] == "<f2" else (4, "f")
values = struct.unpack(f"<{len(data) // size}{letter}", data)
print(header["descr"], f"{header['shape']}:", *(f"{value:g}" for value in values))
