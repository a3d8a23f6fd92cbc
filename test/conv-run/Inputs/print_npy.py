"""Prints the type, shape and float32 values of a .npy file."""

import ast
import struct
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
size = struct.unpack_from("<H", content, 8)[0]
header = ast.literal_eval(content[10 : 10 + size].decode())
data = content[10 + size :]
values = struct.unpack(f"<{len(data) // 4}f", data)
print(header["descr"], f"{header['shape']}:", *(f"{value:g}" for value in values))
