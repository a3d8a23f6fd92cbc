"""Prints a module with the bytes of its dense_resource constants: of f16, sixteenths between
-1/4 and 1/4; variances, whose name ends with _4, are between 1 and 5/4."""

import random
import re
import struct
import sys

text = open(sys.argv[1]).read()
shapes = dict(re.findall(r"dense_resource<([\w.]+)> : tensor<([\dx]+)xf16>", text))
random.seed(1)
print(text)
print("{-#\n  dialect_resources: {\n    builtin: {")
lines = []
for name, shape in shapes.items():
    count = 1
    for extent in shape.split("x"):
        count *= int(extent)
    first = 16 if name.endswith("_4") else -4
    values = [random.randint(first, first + (4 if first > 0 else 8)) / 16 for _ in range(count)]
    data = struct.pack(f"<I{count}e", 64, *values).hex().upper()
    lines.append(f'      {name}: "0x{data}"')
print(",\n".join(lines))
print("    }\n  }\n#-}")
