"""Files that the cases of bad_input.py name, most of them broken."""

import json
import os
import struct
import subprocess

import linalg
import stablehlo

# Small, with every kind of buffer: x 1x4x5x8, w 8x3x3x8, bias 8, y 1x4x5x8.
PROBLEM = "forward n=1 c=8 h=4 w=5 k=8 r=3 s=3 pad=1 type=bf16 epilogue=bias"
#: An offset that is read.
OFFSET = (
    "  %z = arith.constant 0 : index\n  %n = tensor.extract %c[%z] : tensor<1xi32>\n"
    "  %i = arith.index_cast %n : i32 to index\n"
)


def npy(shape, dtype="<f4", data=None, header=None, version=1):
    """The bytes of a .npy file, or of one with that header or data."""
    if header is None:
        header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (
            dtype,
            tuple(shape),
        )
    header = header.ljust((-10 - 1 - len(header)) % 64 + len(header)) + "\n"
    if data is None:
        count = 1
        for extent in shape:
            count *= extent
        data = bytes(count * int(dtype[2:]))
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H", len(header))
        + header.encode()
        + data
    )


def write_tensors(folder):
    good = npy((1, 4, 5, 8))
    files = {
        "good.npy": good,
        "empty.npy": b"",
        "magic.npy": b"NUMPY" + good[5:],
        "version.npy": npy((1, 4, 5, 8), version=9),
        "header.npy": good[:40],
        "nodict.npy": npy((1, 4, 5, 8), header="[1, 2, 3]"),
        "nokey.npy": npy((1, 4, 5, 8), header="{'descr': '<f4'}"),
        "short.npy": good[:-4],
        "long.npy": good + b"\0\0\0\0",
        "shape.npy": npy((1, 5, 4, 8)),
        "rank.npy": npy((4, 5, 8)),
        "huge.npy": npy((1 << 40, 1 << 40), data=b""),
        "negative.npy": npy((-1, 4, 5, 8), data=b""),
        "complex.npy": npy((1, 4, 5, 8), dtype="<c8"),
        "big.npy": npy((1, 4, 5, 8), dtype=">f4"),
        "text.npy": npy((1, 4, 5, 8), dtype="<U1", data=bytes(640)),
        "notzip.npz": good,
        "empty.npz": b"PK\x05\x06" + bytes(18),
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


CONV = """  %e = tensor.empty() : tensor<1x4x5x8xf32>
  %c = conv.forward ins(%x, %w : tensor<1x4x5x8xbf16>, tensor<8x3x3x8xbf16>)
                    outs(%e : tensor<1x4x5x8xf32>) pad [1, 1] -> tensor<1x4x5x8xf32>
"""
ARGUMENTS = "%x: tensor<1x4x5x8xbf16>, %w: tensor<8x3x3x8xbf16>"


def function(body, name="main", result="tensor<1x4x5x8xf32>", value="%c", arguments=ARGUMENTS):
    return f"func.func @{name}({arguments}) -> {result} {{\n{body}  return {value} : {result}\n}}\n"


def resource(type, data):
    """A module with a constant whose bytes are at its end; None: nowhere."""
    constant = f"  %r = arith.constant dense_resource<rows> : tensor<8x{type}>\n"
    blob = f'{{-# dialect_resources: {{ builtin: {{ rows: "{data}" }} }} #-}}\n'
    return function(CONV + constant) + (blob if data is not None else "")


def write_modules(folder):
    good = function(CONV)
    softmax = """  %n = linalg.softmax dimension(3) ins(%c : tensor<1x4x5x8xf32>)
    outs(%e : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
"""
    double = """  %n = linalg.exp ins(%c : tensor<1x4x5x8xf32>)
    outs(%e : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
"""
    eleven = """  %z = tensor.expand_shape %c [[0], [1, 2], [3], [4, 5, 6, 7, 8, 9, 10]] output_shape [1, 2, 2, 5, 2, 2, 2, 1, 1, 1, 1]
    : tensor<1x4x5x8xf32> into tensor<1x2x2x5x2x2x2x1x1x1x1xf32>
  %t = tensor.empty() : tensor<1x1x1x1x2x2x2x5x2x2x1xf32>
  %s = linalg.transpose ins(%z : tensor<1x2x2x5x2x2x2x1x1x1x1xf32>) outs(%t : tensor<1x1x1x1x2x2x2x5x2x2x1xf32>)
    permutation = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
"""
    narrow = """  %t = tensor.empty() : tensor<1x4x5x8xf8E4M3FN>
  %n = linalg.map { arith.truncf } ins(%c : tensor<1x4x5x8xf32>) outs(%t : tensor<1x4x5x8xf8E4M3FN>)
"""
    conv2d = """  %e = tensor.empty() : tensor<1x4x5x8xf32>
  %c = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x6x7x8xf32>, tensor<8x3x3x8xf32>)
    outs(%e : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
"""
    rows = """  %t = tensor.empty() : tensor<8x1xf32>
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%c : tensor<1x4x5x8xf32>)
    outs(%f : tensor<8xf32>) dimensions = [0, 1, 2]
"""
    index = """  %n = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x4x5x8xf32>) outs(%e : tensor<1x4x5x8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %i = arith.bitcast %a : f32 to i32
    %j = arith.addi %i, %i : i32
    %k = arith.bitcast %j : i32 to f32
    linalg.yield %k : f32
  } -> tensor<1x4x5x8xf32>
"""
    files = {
        "good.mlir": good,
        "index.mlir": function(CONV + index, value="%n"),
        "adds.mlir": good.replace("pad [1, 1]", "pad [1, 1] accumulate"),
        "conv2d.mlir": function(
            conv2d, arguments="%x: tensor<1x6x7x8xf32>, %w: tensor<8x3x3x8xf32>"
        ),
        "resource-absent.mlir": resource("f32", None),
        "resource-short.mlir": resource("f32", "0x04000000" + 28 * "00"),
        "resource-long.mlir": resource("f32", "0x04000000" + 36 * "00"),
        "resource-empty.mlir": resource("f32", "0x04000000"),
        "resource-bits.mlir": resource("i1", "0x0100000000"),
        "resource-alignment.mlir": resource("f32", "0x04"),
        "resource-text.mlir": resource("f32", "0x0400000Z"),
        "rows.mlir": function(CONV + rows, value="%s", result="tensor<8xf32>"),
        "empty.mlir": "",
        "syntax.mlir": good.replace("outs(", "outs["),
        "unknown.mlir": good.replace("conv.forward", "conv.backward"),
        "garbage.mlir": "\x01\x02\x7fELF conv",
        "private.mlir": good.replace("func.func @", "func.func private @"),
        "two.mlir": good + function(CONV, name="other"),
        "declared.mlir": "func.func private @main(tensor<1xf32>) -> tensor<1xf32>\n",
        "extent.mlir": good.replace("tensor<8x3x3x8xbf16>", "tensor<8x3x3x7xbf16>"),
        "groups.mlir": good.replace("pad [1, 1]", "pad [1, 1] groups 3"),
        "window.mlir": good.replace("pad [1, 1]", "pad [1, 1] dilation [9, 9]"),
        "dynamic.mlir": "func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
        "  return %x : tensor<?x4xf32>\n}\n",
        "scalar.mlir": "func.func @main(%x: f32) -> f32 {\n  return %x : f32\n}\n",
        "bool.mlir": "func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {\n"
        "  return %x : tensor<4xi1>\n}\n",
        "noop.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  return %x : tensor<4xf32>\n}\n",
        "noconv.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %e = tensor.empty() : tensor<4xf32>\n"
        "  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %y : tensor<4xf32>\n}\n",
        "softmax.mlir": function(CONV + softmax, value="%n"),
        "double.mlir": function(CONV + double, value="%n")
        .replace("bf16", "f64")
        .replace("f32", "f64"),
        "reduced.mlir": """func.func @f(%x: tensor<4xf32>, %y: tensor<f32>, %z: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%y, %z : tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s, %a : f32, f32
  } -> (tensor<f32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}
""",
        "eleven.mlir": function(CONV + eleven, value="%s", result="tensor<1x1x1x1x2x2x2x5x2x2x1xf32>"),
        "narrow.mlir": function(CONV + narrow, value="%n", result="tensor<1x4x5x8xf8E4M3FN>"),
        "e5m2.mlir": good.replace("bf16", "f8E5M2"),
        "precision.mlir": good.replace("pad [1, 1]", "pad [1, 1] precision fp8"),
        "merge.mlir": good.replace(
            "pad [1, 1]",
            "pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm,"
            " tile = [32, 32, 32], warps = [2, 1], stages = 3, copy = cp_async,"
            " mma = mma_sync, merge = 1, merge = 1>}",
        ),
        "layout.mlir": good.replace("pad [1, 1]", "pad [1, 1] layout hwcn")
        .replace("1x4x5x8", "1x8x4x5")
        .replace("8x3x3x8", "8x8x3x3"),
        "schedule.mlir": good.replace(
            "pad [1, 1]",
            "pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm,"
            " tile = [512, 512, 64], warps = [8, 4], stages = 4, copy = cp_async,"
            " mma = mma_sync>}",
        ),
        "split.mlir": "func.func @main(%x: tensor<1x8x16x8xbf16>, %dy: tensor<1x8x16x8xbf16>)"
        " -> tensor<8x3x3x8xf32> {\n"
        "  %e = tensor.empty() : tensor<8x3x3x8xf32>\n"
        "  %c = conv.wgrad ins(%x, %dy : tensor<1x8x16x8xbf16>, tensor<1x8x16x8xbf16>)"
        " outs(%e : tensor<8x3x3x8xf32>) pad [1, 1] {conv.schedule = #conv.schedule<"
        "algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2,"
        " copy = cp_async, mma = mma_sync, split = 9>} -> tensor<8x3x3x8xf32>\n"
        "  return %c : tensor<8x3x3x8xf32>\n}\n",
        "twice.mlir": "func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
        "  %e = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %e, %e : tensor<4xf32>, tensor<4xf32>\n}\n",
        "unset.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %e = tensor.empty() : tensor<4xf32>\n"
        "  return %e : tensor<4xf32>\n}\n",
        "nothing.mlir": "func.func @main(%x: tensor<4xf32>) {\n  return\n}\n",
        "name.mlir": good.replace("@main", '@"main one"'),
        "call.mlir": "func.func private @other(tensor<4xf32>) -> tensor<4xf32>\n"
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %y : tensor<4xf32>\n}\n",
        "loop.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %c1 = arith.constant 1 : index\n"
        "  %c4 = arith.constant 4 : index\n"
        "  %e = tensor.empty() : tensor<4xf32>\n"
        "  // A loop on tensors.\n"
        "  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {\n"
        "    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
        "    scf.yield %b : tensor<4xf32>\n  }\n"
        "  return %y : tensor<4xf32>\n}\n",
        "computed-pad.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<6xf32> {\n"
        "  %y = tensor.pad %x low[1] high[1] {\n"
        "  ^bb0(%i: index):\n"
        "    %n = arith.index_cast %i : index to i32\n    %f = arith.sitofp %n : i32 to f32\n"
        "    tensor.yield %f : f32\n"
        "  } : tensor<4xf32> to tensor<6xf32>\n"
        "  return %y : tensor<6xf32>\n}\n",
        "slice.mlir": "func.func @main(%x: tensor<4x8xf32>, %c: tensor<1xi32>) -> tensor<3x8xf32> {\n"
        + OFFSET + "  %s = tensor.extract_slice %x[%i, 0] [3, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>\n"
        "  return %s : tensor<3x8xf32>\n}\n",
        "reads-slice.mlir": "func.func @main(%x: tensor<4x8xf32>, %c: tensor<1xi32>) -> tensor<3x8xf32> {\n"
        + OFFSET + "  %s = tensor.extract_slice %x[%i, 0] [3, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>\n"
        "  %e = tensor.empty() : tensor<3x8xf32>\n"
        "  %y = linalg.exp ins(%s : tensor<3x8xf32>) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>\n"
        "  return %y : tensor<3x8xf32>\n}\n",
        # Faults of MLIR (test/Upstream).
        "deep.mlir": "module {\n" * 5000 + "}\n" * 5000,
        "long-sum.mlir": f"#m = affine_map<(d) -> ({'d + ' * 200000}d)>\n",
        "comma.mlir": "func.func @main(%x: tensor<3x4xf32>) -> tensor<4x3xf32> {\n"
        "  %e = tensor.empty() : tensor<4x3xf32>\n"
        "  %t = linalg.transpose ins(%x : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>)"
        " permutation = [1 0]\n"
        "  return %t : tensor<4x3xf32>\n}\n",
        "no-pad.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<6xf32> {\n"
        "  %z = arith.constant 0.0 : f32\n"
        "  %y = tensor.pad %x low[-9223372036854775808] high[1] {\n"
        "  ^bb0(%i: index):\n    tensor.yield %z : f32\n"
        "  } : tensor<4xf32> to tensor<6xf32>\n"
        "  return %y : tensor<6xf32>\n}\n",
        "backwards.mlir": "func.func @main(%x: tensor<6xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {\n"
        "  %e = arith.constant dense<0.0> : tensor<4xf32>\n"
        "  %y = linalg.generic {indexing_maps = [affine_map<(q, s) -> (5 - q - s)>, affine_map<(q, s) -> (s)>,\n"
        "      affine_map<(q, s) -> (q)>], iterator_types = [\"parallel\", \"reduction\"]}\n"
        "      ins(%x, %w : tensor<6xf32>, tensor<3xf32>) outs(%e : tensor<4xf32>) {\n"
        "  ^bb0(%a: f32, %b: f32, %o: f32):\n"
        "    %p = arith.mulf %a, %b : f32\n    %s = arith.addf %o, %p : f32\n    linalg.yield %s : f32\n"
        "  } -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n",
        "torch.mlir": "func.func @main(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {\n"
        "  return %x : !torch.vtensor<[4],f32>\n}\n",
        "torch-op.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = torch.aten.relu %x : tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n",
        "branch.mlir": "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  cf.br ^bb1\n^bb1:\n  return %x : tensor<4xf32>\n}\n",
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)


def tuning(*changes):
    """A tuning file with one record, or several of these, each with changes."""
    whole = {
        "problem": PROBLEM,
        "target": "sm_80",
        "schedule": "stages=3",
        "median_us": 7.5,
        "device": "Some GPU",
        "date": "2026-11-20",
        "conv_mlir": "0.1.0",
    }
    records = [{**whole, **change} for change in changes]
    return json.dumps({"format": "conv-mlir-tuning", "version": 1, "records": records})


def write_tuning(folder):
    start = '{"format": "conv-mlir-tuning", "version": '
    files = {
        "good.json": start + '1, "records": []}',
        "empty.json": "",
        "list.json": "[]",
        "plan.json": '{"format": "plan", "version": 1}',
        "version.json": start + '"one", "records": []}',
        "newer.json": start + "2}",
        "records.json": start + '1, "records": 3}',
        "record.json": start + '1, "records": [{"problem": "x"}]}',
        "nul.json": tuning({}) + "\0",
        "problem.json": tuning({"problem": PROBLEM + " colour=1"}),
        "target.json": tuning({"target": "gfx90a"}),
        "schedule.json": tuning({"schedule": ""}),
        "median.json": tuning({"median_us": 0}),
        "twice.json": tuning({}, {"schedule": "stages=4"}),
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)


def write_plans(folder):
    """Compiled by conv-run: a plan of one kernel, one of an empty batch, which has none, and one of a
    module."""
    for name, source in (
        ("good.plan", "--problem=" + PROBLEM),
        ("small.plan", "--problem=" + PROBLEM.replace("n=1", "n=0")),
        ("module.plan", "good.mlir"),
    ):
        subprocess.run(
            ["conv-run", source, "--target=sm_80", "--emit=plan", "-o", name],
            cwd=folder,
            check=True,
        )
    with open(os.path.join(folder, "good.plan"), "rb") as file:
        content = file.read()
    flipped = bytearray(content)
    flipped[len(flipped) // 2] ^= 4
    version = bytearray(content)
    version[8] = 99
    files = {
        "empty.plan": b"",
        "magic.plan": b"CONVPLAM" + content[8:],
        "version.plan": bytes(version),
        "flipped.plan": bytes(flipped),
        "trailing.plan": content + b"\0",
        "text.plan": b"this is not a plan, but it is long enough to look at\n",
    }
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


def truncations(folder, name, step):
    """Copies of a file, cut at every multiple of `step`; returns their names."""
    with open(os.path.join(folder, name), "rb") as file:
        content = file.read()
    names = []
    for length in range(0, len(content), step):
        names.append(f"cut{length}-{name}")
        with open(os.path.join(folder, names[-1]), "wb") as file:
            file.write(content[:length])
    return names


def write_texts(folder, files):
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def write(folder, group):
    os.mkdir(os.path.join(folder, "folder.npy"))
    os.mkdir(os.path.join(folder, "folder.mlir"))
    os.mkdir(os.path.join(folder, "toolkit"))
    write_tensors(folder)
    write_modules(folder)
    write_tuning(folder)
    if group in ("plans", "launches"):
        write_plans(folder)
    if group == "stablehlo":
        write_texts(folder, stablehlo.FILES)
    if group == "linalg":
        write_texts(folder, linalg.FILES)
