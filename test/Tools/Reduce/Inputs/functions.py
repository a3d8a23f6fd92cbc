"""Functions of which one returns a value twice, which ends buffer-results-to-out-params.

    functions.py FUNCTIONS FUNCTION
"""

import sys

FUNCTIONS, FAULT = (int(word) for word in sys.argv[1:])
for number in range(FUNCTIONS):
    print(f"func.func @f{number}(%x: f32) -> (memref<4xf32>, memref<4xf32>) {{")
    print("  %c0 = arith.constant 0 : index")
    print("  %y = math.sqrt %x : f32")
    print("  %a = memref.alloc() : memref<4xf32>")
    print("  %b = memref.alloc() : memref<4xf32>")
    print("  memref.store %x, %a[%c0] : memref<4xf32>")
    print("  memref.store %y, %b[%c0] : memref<4xf32>")
    print(f"  return %a, {'%a' if number == FAULT else '%b'} : memref<4xf32>, memref<4xf32>")
    print("}")
