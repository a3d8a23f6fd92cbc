"""Replaces text in the header of a plan: rewrite_plan.py IN OLD NEW OUT."""

import struct
import sys


def crc64(data):
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
        table.append(value)
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFFFFFFFFFF


source, old, new, target = sys.argv[1:]
with open(source, "rb") as file:
    content = file.read()
header_size, data_size = struct.unpack_from("<QQ", content, 12)
header = content[28 : 28 + header_size]
assert old.encode() in header
header = header.replace(old.encode(), new.encode())
data = content[28 + header_size : 28 + header_size + data_size]
body = content[:12] + struct.pack("<QQ", len(header), data_size) + header + data
with open(target, "wb") as file:
    file.write(body + struct.pack("<Q", crc64(body)))
