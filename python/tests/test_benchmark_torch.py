"""compare_cudnn.py: PyTorch's calls on our buffers, where PyTorch is installed. The
CPU computes what cuDNN would; the definition is PyTorch's autograd in f64."""

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
from comparison.measuring import Refused  # noqa: E402
from comparison.torch_row import TorchRow, shapes_of  # noqa: E402
from conv_mlir import tensors  # noqa: E402

ROWS = [
    "n=2 c=20 h=6 w=5 k=24 r=3 s=2 stride=2x1 pad=1x0 dilation=1x2 type=bf16",
    "n=2 c=8 w=19 k=16 s=3 pad=2 dilation=2 type=bf16",
    "n=1 c=6 d=4 h=5 w=6 k=4 t=2 r=3 s=2 pad=1x1x0 groups=2 type=bf16",
    "n=3 c=8 h=7 w=9 k=8 r=3 s=3 pad=1 groups=8 type=bf16",
    "n=3 c=3 h=7 w=9 k=5 r=1 s=1 stride=2 type=bf16",
    "n=2 c=8 h=7 w=9 k=6 r=3 s=2 pad=1 type=bf16 layout=nchw",
    "n=2 c=8 h=7 w=9 k=6 r=3 s=2 pad=1 type=f32",
    "n=2 c=4 w=19 k=16 s=3 pad=2 type=f64 layout=nchw",
]


class Backend:
    l2_bytes = 2000


class Definition:
    """Launches that give the definition's result for set 1."""

    def __init__(self, row):
        problem = row.problem
        x, w, y = (self.tensor(row, name) for name in "xwy")
        convolution = getattr(torch.nn.functional, f"conv{len(problem.input)}d")
        computed = convolution(
            x.requires_grad_(),
            w.requires_grad_(),
            None,
            problem.stride,
            problem.pad_low,
            problem.dilation,
            problem.groups,
        )
        if problem.op != "forward":
            computed.backward(y)
        value = {"forward": computed, "dgrad": x.grad, "wgrad": w.grad}[problem.op]
        channels_last = problem.channels_last
        self.value = tensors.to_memory_order(value.detach(), channels_last)
        self.row = row

    @staticmethod
    def tensor(row, name):
        if name in row.inputs:
            memory = row.inputs[name][1]
        else:
            memory = torch.zeros(shapes_of(row.problem)[name])
        return tensors.from_memory_order(memory, row.problem.channels_last).double()

    def poison(self, index):
        self.row.results.poison(index)

    def __call__(self, index):
        self.row.results[index].copy_(self.value)
        return self.row.results[index]


@pytest.mark.parametrize("line", ROWS)
@pytest.mark.parametrize("op", ["forward", "dgrad", "wgrad"])
def test_calls_compute_the_problem(line, op):
    torch.manual_seed(1)
    row = TorchRow(Backend, conv_mlir.Problem(f"{op} {line}"), device="cpu")
    assert row.sets * row.rotation["input_bytes"] >= 4000
    definition = Definition(row)
    error, bits = row.check(definition, row.cudnn()(1))
    assert error < row.problem.tolerance
    assert row.same(definition, bits)
    # The check can fail: set 0 has other inputs.
    assert row.check(definition, row.cudnn()(0))[0] > 0.1


EPILOGUES = {
    "bias": lambda y, p: y + p["bias"],
    "scale,bias,residual": lambda y, p: y * p["scale"] + p["bias"] + p["residual"],
    "residual,relu": lambda y, p: (y + p["residual"]).relu(),
    "clip:-1:2": lambda y, p: y.clamp(-1, 2),
    "bias,gelu": lambda y, p: torch.nn.functional.gelu(y + p["bias"]),
    "gelu-tanh": lambda y, p: torch.nn.functional.gelu(y, approximate="tanh"),
    "silu": lambda y, p: y / (1 + (-y).exp()),
    "sigmoid": lambda y, p: 1 / (1 + (-y).exp()),
    "tanh": lambda y, p: y.tanh(),
}


@pytest.mark.parametrize("epilogue", EPILOGUES)
def test_epilogues(epilogue):
    torch.manual_seed(1)
    problem = conv_mlir.Problem(f"forward {ROWS[0]} epilogue={epilogue}")
    row = TorchRow(Backend, problem, device="cpu")
    x, w = (Definition.tensor(row, name) for name in "xw")
    y = torch.nn.functional.conv2d(
        x, w, None, problem.stride, problem.pad_low, problem.dilation
    )
    operands = {
        name: row.inputs[name][1].double().view(1, -1, 1, 1)
        for name in ("scale", "bias")
        if name in row.inputs
    }
    if "residual" in row.inputs:
        operands["residual"] = Definition.tensor(row, "residual")
    expected = EPILOGUES[epilogue](y, operands)
    found = row.cudnn()(1).double()
    assert (found - expected).norm() / expected.norm() < 0.01


def test_unwritten_elements_are_found():
    row = TorchRow(Backend, conv_mlir.Problem(f"forward {ROWS[0]}"), device="cpu")
    error, _ = row.check(Half(row), row.cudnn()(1))
    assert not error <= row.problem.tolerance


class Half(Definition):
    """Writes the first image alone."""

    def __call__(self, index):
        self.row.results[index][:1].copy_(self.value[:1])
        return self.row.results[index]


@pytest.mark.parametrize(
    "line, message",
    [
        ("c=8 h=4 w=4 k=8 r=2 s=2 pad=0:1", "pads both sides alike"),
        ("c=8 h=4 w=4 k=8 r=2 s=2 pad=-1", "crops nothing"),
        ("c=8 h=4 w=4 k=8 r=2 s=2 input-dilation=2", "input dilation"),
        ("c=8 h=4 w=4 k=8 r=2 s=2 accumulate=true", "adds to no result"),
        ("c=8 h=4 w=4 k=8 r=2 s=2 flip=true", "flips no filter"),
        ("c=8 h=4 w=4 k=8 r=2 s=2 type=s8", "type s8"),
        ("c=8 h=4 w=4 k=8 r=2 s=2 type=bf16 out-type=f32", "type bf16 to f32"),
    ],
)
def test_what_is_not_compared(line, message):
    with pytest.raises(Refused, match=message):
        TorchRow(Backend, conv_mlir.Problem(f"forward {line}"), device="cpu")
