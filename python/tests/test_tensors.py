"""PyTorch tensors and plans, where PyTorch is installed; the GPU's part where
there is one."""

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
from conv_mlir import tensors  # noqa: E402

LINE = "forward n=2 c=24 h=6 w=5 k=16 r=3 s=2 stride=2x1 pad=1x0 type=f16"


@pytest.fixture(scope="module")
def plan():
    return conv_mlir.compile(LINE, "sm_80")


def test_empty_is_channels_last(plan):
    x = tensors.empty(plan.operands[0], device="cpu")
    assert x.shape == (2, 24, 6, 5) and x.dtype == torch.float16
    assert x.is_contiguous(memory_format=torch.channels_last)


def test_other_layouts_and_types_are_errors(plan):
    operand = plan.operands[0]
    x = torch.zeros(2, 24, 6, 5, dtype=torch.float16)
    with pytest.raises(conv_mlir.Error, match="x: expected channels-last memory"):
        tensors.check(operand, x)
    with pytest.raises(conv_mlir.Error, match="x: expected f16 of memory order"):
        tensors.check(operand, x[:1])
    with pytest.raises(conv_mlir.Error, match="got torch.float32"):
        tensors.check(operand, x.float())


def test_cpu_tensors_are_refused(plan):
    x, w = (tensors.empty(o, device="cpu") for o in plan.arguments)
    with pytest.raises(conv_mlir.Error, match="expected a CUDA tensor, got cpu"):
        tensors.run(plan, x, w)


def test_emulator_agrees_with_pytorch():
    plan = conv_mlir.compile(LINE, "sm_80", emulator_only=True)
    x, w, y = (tensors.empty(o, device="cpu") for o in plan.operands)
    torch.manual_seed(1)
    for tensor in (x, w):
        tensor.copy_(torch.randint(-2, 3, tensor.shape))
    views = [tensors.check(o, t).numpy() for o, t in zip(plan.operands, (x, w, y))]
    plan.emulate(*views)
    problem = conv_mlir.Problem(LINE)
    expected = torch.nn.functional.conv2d(
        x.float(), w.float(), None, problem.stride, problem.pad_low
    )
    assert torch.equal(y.float(), expected)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_runs_on_the_gpu():
    plan = conv_mlir.compile(LINE)
    x, w = (tensors.empty(o) for o in plan.arguments)
    for tensor in (x, w):
        tensor.copy_(torch.randint(-2, 3, tensor.shape))
    problem = conv_mlir.Problem(LINE)
    y = tensors.run(plan, x, w)
    expected = torch.nn.functional.conv2d(
        x.float(), w.float(), None, problem.stride, problem.pad_low
    )
    assert torch.equal(y.float(), expected)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_kernels_of_short_runs_wait_for_each_other(layout):
    """Kernels may begin before those in front end: each run reads what the one
    before wrote, and writes what the one before that read."""
    line = f"n=1 c=256 h=14 w=14 k=256 r=3 s=3 pad=1 type=bf16 layout={layout}"
    forward = conv_mlir.compile(f"forward {line}")
    wgrad = conv_mlir.compile(f"wgrad {line}")
    channels_last = layout == "nhwc"
    start, weight = (tensors.empty(o, channels_last) for o in forward.arguments)
    torch.manual_seed(2)
    start.normal_()
    weight.normal_(std=0.02)
    images = [torch.empty_like(start) for _ in range(2)]
    gradients = [tensors.empty(wgrad.results[0], channels_last) for _ in range(4)]

    def chain(after_each):
        images[0].copy_(start)
        for i in range(32):
            x, y = images[i % 2], images[(i + 1) % 2]
            tensors.run(forward, x, weight, out=y)
            after_each()
            tensors.run(wgrad, x, y, out=gradients[i % 4])
            after_each()

    def results():
        return [tensor.clone() for tensor in (*images, *gradients)]

    chain(torch.cuda.synchronize)
    expected = results()
    for _ in range(8):
        chain(lambda: None)
        assert all(map(torch.equal, results(), expected))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        chain(lambda: None)
    for _ in range(8):
        for tensor in (*images, *gradients):
            tensor.zero_()
        graph.replay()
        assert all(map(torch.equal, results(), expected))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_workspace_of_another_stream_is_not_given_away():
    """A run on another stream, held up behind a long kernel there, still has its
    workspace and its tensors when the current stream allocates and writes."""
    line = "forward n=1 c=512 h=8 w=8 k=64 r=3 s=3 pad=1 type=f16"
    plan = conv_mlir.compile(line, schedule="tile=64x64x64 split-k=4")
    assert plan.workspace_bytes > 0
    x, w = (tensors.empty(operand) for operand in plan.arguments)
    torch.manual_seed(3)
    for tensor in (x, w):
        tensor.copy_(torch.randint(-2, 3, tensor.shape))
    expected = tensors.run(plan, x, w)
    other = torch.cuda.Stream()
    for stream in (other, other.cuda_stream):
        for _ in range(8):
            torch.cuda.synchronize()
            copies = [x.clone(), w.clone()]
            other.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(other):
                torch.cuda._sleep(20_000_000)
            y = tensors.run(plan, *copies, stream=stream)
            del copies
            # Whatever the allocator thinks is free is overwritten at once.
            sizes = [plan.workspace_bytes] + [o.bytes for o in plan.operands]
            junk = [
                torch.full((size,), 0x7E, dtype=torch.uint8, device="cuda")
                for size in sizes * 4
            ]
            torch.cuda.current_stream().wait_stream(other)
            assert torch.equal(y, expected)
            del junk
