"""A network of 8-bit convolutions with chains of additions behind them. One layer begins with a shift by
the width of its type, which is undefined: kernels and the definition differ.

    network.py LAYERS ADDITIONS LAYER
"""
import sys

LAYERS, ADDS, FAULT = (int(word) for word in sys.argv[1:])
T = "tensor<1x4x5x16xi8>"
W = "tensor<16x3x3x16xi8>"

lines = ["#id = affine_map<(n, h, w, c) -> (n, h, w, c)>"]
weights = ", ".join(f"%w{layer}: {W}" for layer in range(LAYERS))
lines.append(f"func.func @main(%x: {T}, {weights}) -> {T} {{")
lines += [f"  %empty = tensor.empty() : {T}", "  %one = arith.constant 1 : i8", "  %width = arith.constant 8 : i8"]
last = "%x"
for layer in range(LAYERS):
    lines.append(f"  %c{layer} = conv.forward ins({last}, %w{layer} : {T}, {W})")
    lines.append(f"    outs(%empty : {T}) pad [1, 1] -> {T}")
    last = f"%c{layer}"
    for add in range(ADDS):
        work = "arith.shrsi %a, %width" if (layer, add) == (FAULT, 0) else "arith.addi %a, %one"
        lines += [
            f"  %s{layer}_{add} = linalg.generic {{indexing_maps = [#id, #id],",
            '      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}',
            f"      ins({last} : {T}) outs(%empty : {T}) {{",
            "  ^bb0(%a: i8, %b: i8):",
            f"    %v = {work} : i8",
            "    linalg.yield %v : i8",
            f"  }} -> {T}",
        ]
        last = f"%s{layer}_{add}"
lines += [f"  return {last} : {T}", "}"]
print("\n".join(lines))
