"""Writes an array of one number, or of given ones:
write_npy.py PATH f2|f4|f8|i1|i4|u1|u2 SHAPE NUMBER..., with SHAPE such as 1x4x5x8.
The last number stands for all that follow it."""

import struct
import sys

path, dtype, shape, *numbers = sys.argv[1:]
extents = [int(extent) for extent in shape.split("x")]
count = 1
for extent in extents:
    count *= extent
convert = float if dtype[0] == "f" else int
values = [convert(number) for number in numbers]
values += values[-1:] * (count - len(values))
code = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i4": "i", "u1": "B", "u2": "H"}[dtype]
descr = ("|" if dtype[1] == "1" else "<") + dtype
header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({', '.join(map(str, extents))},), }}"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{count}{code}", *values))
