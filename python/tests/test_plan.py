"""Plans: compiled, described, stored, run on the emulator; no GPU."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import conv_mlir
import numpy
import pytest

PYTHON = pathlib.Path(conv_mlir.__file__).resolve().parents[1]
LINE = "forward n=2 c=20 h=6 w=5 k=24 r=3 s=2 stride=2x1 pad=1:0x1 type=f16"


@pytest.fixture(scope="module")
def plan():
    return conv_mlir.compile(LINE, "sm_80", emulator_only=True)


def test_describes_itself(plan):
    problem = conv_mlir.Problem(LINE)
    assert conv_mlir.Problem(plan.problem).flops == problem.flops == plan.flops
    assert plan.target == "sm_80"
    assert "tile=" in plan.schedule
    assert plan.operand_type == "f16"
    (kernel,) = [launch.kernel for launch in plan.launches]
    tile = re.search("tile=([0-9x]+)", plan.schedule)[1]
    assert kernel == f"conv_forward_f16_{tile}_cp_async_mma_sync"
    assert plan.order.startswith(f"{kernel}: ") and plan.remarks == ()
    assert plan.deterministic and plan.compile_ms > 0
    assert plan.workspace_bytes == 0
    assert plan.launches[0].block[0] % 32 == 0


def test_remarks():
    line = "dgrad n=1 c=20 h=5 w=6 k=32 r=3 s=3 pad=1 type=f16"
    (remark,) = conv_mlir.compile(line, "sm_90a", emulator_only=True).remarks
    assert remark.startswith("runs on mma.sync with cp.async: ")


def test_operands(plan):
    x, w, y = plan.operands
    assert plan.arguments == (x, w) and plan.results == (y,)
    assert (x.name, x.type, x.shape) == ("x", "f16", (2, 6, 5, 20))
    assert w.shape == (24, 3, 2, 20)
    assert y.is_result and y.shape == (2, 3, 6, 24)
    assert y.bytes == 2 * numpy.prod(y.shape)


def forward(x, w, stride, low, high):
    """The definition, in f64, for two dimensions."""
    pads = [(0, 0), (low[0], high[0]), (low[1], high[1]), (0, 0)]
    x = numpy.pad(x.astype(float), pads)
    k, r, s, _ = w.shape
    p = (x.shape[1] - r) // stride[0] + 1
    q = (x.shape[2] - s) // stride[1] + 1
    y = numpy.zeros((x.shape[0], p, q, k))
    for i in range(r):
        for j in range(s):
            rows = slice(i, i + (p - 1) * stride[0] + 1, stride[0])
            columns = slice(j, j + (q - 1) * stride[1] + 1, stride[1])
            y += x[:, rows, columns] @ w[:, i, j].astype(float).T
    return y


def test_emulates(plan):
    random = numpy.random.default_rng(3)
    x, w = (
        random.integers(-2, 3, operand.shape).astype(numpy.float16)
        for operand in plan.arguments
    )
    y = numpy.full(plan.results[0].shape, numpy.nan, numpy.float16)
    x.flags.writeable = False
    plan.emulate(x, w, y)
    problem = conv_mlir.Problem(LINE)
    numpy.testing.assert_array_equal(
        y, forward(x, w, problem.stride, problem.pad_low, problem.pad_high)
    )


def test_inputs_of_two_types():
    line = "forward c=8 h=3 w=4 k=16 r=1 s=1 type=e4m3 second-type=e5m2"
    problem = conv_mlir.Problem(line)
    assert (problem.type, problem.second_type, problem.out_type) == ("e4m3", "e5m2", "f32")
    assert conv_mlir.Problem(LINE).second_type == "f16"

    plan = conv_mlir.compile(line, "sm_90a", emulator_only=True)
    assert [operand.type for operand in plan.operands] == ["e4m3", "e5m2", "f32"]
    # One byte is 1.5 in the one type, 1 in the other.
    x = numpy.full((1, 3, 4, 8), 0x3C, numpy.uint8)
    w = numpy.full((16, 1, 1, 8), 0x3C, numpy.uint8)
    y = numpy.empty((1, 3, 4, 16), numpy.float32)
    plan.emulate(x, w, y)
    assert (y == 8 * 1.5).all()


def test_epilogue_of_a_line():
    line = "forward n=1 c=8 h=4 w=5 k=16 r=1 s=1 type=f16 out-type=f32 epilogue="
    problem = conv_mlir.Problem(line + "silu,scale")
    assert problem.scale and not problem.bias and not problem.relu
    assert (problem.activation, problem.clip) == ("silu", None)
    clipped = conv_mlir.Problem(line + "clip:0:6")
    assert (clipped.activation, clipped.clip) == ("clip", (0, 6))

    plan = conv_mlir.compile(problem.text, target="sm_80")
    assert [operand.name for operand in plan.arguments] == ["x", "w", "scale"]
    x = numpy.full((1, 4, 5, 8), 0.5, numpy.float16)
    w = numpy.full((16, 1, 1, 8), 0.25, numpy.float16)
    scale = numpy.linspace(-3, 3, 16, dtype=numpy.float32)
    y = numpy.empty((1, 4, 5, 16), numpy.float32)
    plan.emulate(x, w, scale, y)
    numpy.testing.assert_allclose(y[0, 3, 4], scale / (1 + numpy.exp(-scale)), rtol=1e-6)


def test_emulator_checks_memory(plan):
    arrays = [numpy.zeros(o.shape, numpy.float16) for o in plan.operands]
    with pytest.raises(conv_mlir.Error, match="expected 3 operands, got 2"):
        plan.emulate(*arrays[:2])
    with pytest.raises(conv_mlir.Error, match="w: expected 5760 contiguous bytes"):
        plan.emulate(arrays[0], arrays[1][:1], arrays[2])
    with pytest.raises(conv_mlir.Error, match="not contiguous"):
        plan.emulate(arrays[0], arrays[1].T, arrays[2])
    with pytest.raises(conv_mlir.Error, match="w: expected a buffer, got NoneType"):
        plan.emulate(arrays[0], None, arrays[2])
    with pytest.raises(conv_mlir.Error, match="y: expected memory that can be"):
        plan.emulate(arrays[0], arrays[1], bytes(plan.results[0].bytes))


def test_emulator_checks_elements(plan):
    arrays = [numpy.zeros(o.shape, numpy.float16) for o in plan.operands]
    x, w, y = arrays
    with pytest.raises(conv_mlir.Error, match="w: expected f16 .*got elements 'h'"):
        plan.emulate(x, w.view(numpy.int16), y)
    n, h, width, c = x.shape
    with pytest.raises(conv_mlir.Error, match="x: expected f16 of memory order"):
        plan.emulate(x.reshape(n, c, h, width), w, y)
    with pytest.raises(conv_mlir.Error, match="got elements '>e'"):
        plan.emulate(x.astype(">f2"), w, y)
    plan.emulate(x.tobytes(), w.view(numpy.uint16), y)
    line = "forward n=1 c=8 h=2 w=3 k=8 r=1 s=1 type=bf16"
    other = conv_mlir.compile(line, "sm_80", emulator_only=True)
    halves = [numpy.zeros(o.shape, numpy.float16) for o in other.operands]
    with pytest.raises(conv_mlir.Error, match="x: expected bf16 .*got elements 'e'"):
        other.emulate(*halves)
    other.emulate(*(half.view(numpy.uint16) for half in halves))


def test_files_and_bytes(plan, tmp_path):
    path = tmp_path / "conv.plan"
    plan.save(path)
    for copy in (
        conv_mlir.Plan.load(path),
        conv_mlir.Plan.from_bytes(plan.to_bytes()),
    ):
        assert copy.problem == plan.problem
        assert copy.operands == plan.operands
        assert copy.bytes == plan.bytes
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(conv_mlir.Error, match="conv.plan: truncated"):
        conv_mlir.Plan.load(path)


def test_empty_batches_emulate():
    plan = conv_mlir.compile(
        "forward n=0 c=8 h=4 w=4 k=8 r=1 s=1", "sm_80", emulator_only=True
    )
    assert plan.launches == ()
    plan.emulate(
        numpy.zeros((0, 4, 4, 8), numpy.uint16),
        numpy.zeros((8, 1, 1, 8), numpy.uint16),
        numpy.zeros((0, 4, 4, 8), numpy.uint16),
    )


def test_schedules():
    schedule = "tile=32x32x32 warps=1x1 stages=2"
    plan = conv_mlir.compile(LINE, "sm_80", schedule, emulator_only=True)
    assert schedule in plan.schedule
    with pytest.raises(conv_mlir.Error, match="shared memory") as error:
        conv_mlir.compile(LINE, "sm_80", "tile=256x256x64 warps=4x4 stages=8")
    assert error.value.status == 2


def test_refusals_are_sentences():
    with pytest.raises(conv_mlir.Error, match="sm_12"):
        conv_mlir.compile(LINE, "sm_12")
    with pytest.raises(conv_mlir.Error, match="sm_89"):
        conv_mlir.compile(LINE.replace("f16", "e4m3"), "sm_80")
    with pytest.raises(conv_mlir.Error, match="n=x: expected a whole number"):
        conv_mlir.Problem("forward n=x c=1 h=1 w=1 k=1 r=1 s=1")
    with pytest.raises(conv_mlir.Error, match="without NUL, got 'sm_80.x00x'"):
        conv_mlir.compile(LINE, "sm_80\0x")


MODULE = """
func.func @layer(%x: tensor<1x5x4x16xf16>, %w: tensor<8x1x1x16xf16>)
    -> tensor<1x5x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x4x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x4x8xf32>)
      -> tensor<1x5x4x8xf32>
  %y = linalg.conv_2d_nhwc_fhwc
      ins(%x, %w : tensor<1x5x4x16xf16>, tensor<8x1x1x16xf16>)
      outs(%i : tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32>
  return %y : tensor<1x5x4x8xf32>
}
"""


def test_modules():
    plan = conv_mlir.compile_module(
        MODULE, "sm_80", name="net.mlir", emulator_only=True
    )
    assert plan.problem == "@layer of net.mlir: 1 convolution"
    x = numpy.ones((1, 5, 4, 16), numpy.float16)
    w = numpy.full((8, 1, 1, 16), 2, numpy.float16)
    y = numpy.empty((1, 5, 4, 8), numpy.float32)
    plan.emulate(x, w, y)
    assert (y == 32).all()
    with pytest.raises(conv_mlir.Error, match="^net.mlir:[0-9]+:[0-9]+: "):
        conv_mlir.compile_module(MODULE + "}", "sm_80", name="net.mlir")
    with pytest.raises(conv_mlir.Error, match="no function @other.*there are @layer"):
        conv_mlir.compile_module(MODULE, "sm_80", entry="other")


@pytest.mark.parametrize(
    "text, message",
    [
        # test/Upstream/permutation-comma.mlir
        (
            "func.func @f(%x: tensor<3x4xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {\n"
            "  %t = linalg.transpose ins(%x : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>)"
            " permutation = [1 0]\n  return %t : tensor<4x3xf32>\n}\n",
            "^bad.mlir: MLIR's parser fails on this text",
        ),
        ("module {\n" * 5000, "^bad.mlir:257:8: expected brackets"),
    ],
)
def test_modules_that_end_the_parser(text, message):
    with pytest.raises(conv_mlir.Error, match=message) as raised:
        conv_mlir.compile_module(text, "sm_80", name="bad.mlir")
    assert raised.value.status == 2


def test_compiles_in_threads():
    lines = [LINE.replace("k=24", f"k={k}") for k in (8, 16, 24, 32)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        plans = list(
            pool.map(
                lambda line: conv_mlir.compile(line, "sm_80", emulator_only=True),
                lines,
            )
        )
    assert [plan.results[0].shape[-1] for plan in plans] == [8, 16, 24, 32]


def test_no_device_is_an_error_of_status_3(plan, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(conv_mlir.Error) as error:
        plan.launch([256, 512, 768], device=99)
    assert error.value.status == 3
    with pytest.raises(conv_mlir.Error):
        conv_mlir.Device(99)


def test_targets_and_version():
    assert conv_mlir.targets()[0] == "sm_80"
    assert conv_mlir.version().count(".") == 2


def test_command_line(tmp_path):
    path = tmp_path / "a.plan"
    command = [sys.executable, "-m", "conv_mlir", "-o", path, "--target=sm_80"]
    subprocess.run([*command, LINE], check=True, cwd=PYTHON)
    assert conv_mlir.Plan.load(path).target == "sm_80"
    failed = subprocess.run(
        [*command, "forward c=3"], cwd=PYTHON, capture_output=True, text=True
    )
    assert failed.returncode == 2
    assert failed.stderr.startswith("conv_mlir: error: ")
    assert failed.stderr.count("\n") == 1


def test_ptxas_has_a_limit_of_time(tmp_path):
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nsleep 1000\n")
    ptxas.chmod(0o755)
    with pytest.raises(conv_mlir.Error, match="not come to an end after 1 s"):
        conv_mlir.compile(LINE, "sm_80", ptxas=str(ptxas), ptxas_timeout=1)
    with pytest.raises(conv_mlir.Error, match="ptxas_timeout_s: expected 1 to"):
        conv_mlir.compile(LINE, "sm_80", ptxas=str(ptxas), ptxas_timeout=-1)


WGRAD = "wgrad n=64 c=32 h=9 w=10 k=32 r=3 s=3 type=f16"


def test_workspace_has_a_limit():
    options = dict(target="sm_80", emulator_only=True, tuned=False)
    needed = conv_mlir.compile(WGRAD, **options).workspace_bytes
    assert needed > 100000
    plan = conv_mlir.compile(WGRAD, max_workspace=100000, **options)
    assert 0 < plan.workspace_bytes <= 100000
    assert plan.remarks[0].startswith("max-workspace=100000 refuses the choice")
    assert conv_mlir.compile(WGRAD, max_workspace=0, **options).workspace_bytes == 0
    with pytest.raises(conv_mlir.Error, match="147456 bytes .* 47456 more than"):
        conv_mlir.compile(
            WGRAD, schedule="split-k=4", max_workspace=100000, **options
        )
    with pytest.raises(conv_mlir.Error, match="max_workspace: expected at least 0"):
        conv_mlir.compile(WGRAD, max_workspace=-1, **options)


def why_not_compiled(line, options):
    try:
        conv_mlir.compile(line, emulator_only=True, **options)
    except conv_mlir.Error as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "line, options, words",
    [
        (LINE, {}, ""),
        (LINE, dict(schedule="stages=3"), ""),
        (LINE, dict(target="sm_12"), "unknown target 'sm_12'"),
        (LINE, dict(schedule="tile=256x256x64 stages=8"), "shared memory"),
        (LINE, dict(schedule="colour=3"), "colour"),
        (LINE, dict(max_workspace=-1), "max_workspace: expected at least 0"),
        (LINE, dict(tuning_file="/absent.json"), "/absent.json"),
        (WGRAD, dict(max_workspace=0), ""),
        (WGRAD, dict(max_workspace=9, schedule="split-k=4"), "147456 bytes"),
        ("forward c=3", {}, "k"),
        ("forward c=4 h=4 w=4 k=4 r=1 s=1 type=e4m3", {}, "from sm_89 on"),
        ("forward n=0 c=4 h=4 w=4 k=4 r=1 s=1", {}, ""),
    ],
)
def test_can_implement_says_what_compile_says(line, options, words):
    options = {"target": "sm_80", **options}
    answer = conv_mlir.can_implement(line, **options)
    assert answer.reason == why_not_compiled(line, options)
    assert words in answer.reason and bool(answer) == (words == "")


def test_options_have_one_list():
    with pytest.raises(TypeError, match="colour"):
        conv_mlir.compile(LINE, colour="red")
    # Of modules only.
    with pytest.raises(TypeError, match="entry"):
        conv_mlir.can_implement(LINE, entry="main")


def test_paths_may_have_any_bytes(plan, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.plan")
    plan.save(path)
    assert conv_mlir.Plan.load(path).problem == plan.problem
