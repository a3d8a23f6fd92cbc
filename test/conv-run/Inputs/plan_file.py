"""Reads and writes plan files, so that tests can change what is in them."""

import json
import struct

MAGIC = b"CONVPLAN"
HEADER_AT = 28


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


def read_parts(path):
    """The bytes of the header and of the data behind it."""
    with open(path, "rb") as file:
        content = file.read()
    header_size, data_size = struct.unpack_from("<QQ", content, 12)
    data_at = HEADER_AT + header_size
    return content[HEADER_AT:data_at], content[data_at : data_at + data_size]


def write_parts(path, header, data, version=5):
    """A file with a valid checksum, whatever the parts are."""
    body = MAGIC + struct.pack("<IQQ", version, len(header), len(data)) + header + data
    with open(path, "wb") as file:
        file.write(body + struct.pack("<Q", crc64(body)))


class Plan:
    """A plan that can be changed: the JSON of its header, its images and the
    bytes of its constants."""

    def __init__(self, path):
        header, data = read_parts(path)
        self.header = json.loads(header)
        self.images = []
        for image in self.header["images"]:
            self.images.append(data[: image["bytes"]])
            data = data[image["bytes"] :]
        self.constants = data

    def write(self, path):
        for image, content in zip(self.header["images"], self.images):
            image["bytes"] = len(content)
        write_parts(
            path, json.dumps(self.header).encode(), b"".join(self.images) + self.constants
        )
