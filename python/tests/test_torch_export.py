"""torch.export and AOTInductor: programs with PyTorch's convolutions and with ours run
our kernels."""

import io

import pytest

torch = pytest.importorskip("torch")
from conv_mlir.torch import conv  # noqa: E402
from torch_cases import enabled_rows, error_of  # noqa: E402


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(4, 8, 3)
        self.second = torch.nn.Conv2d(8, 8, 3)

    def forward(self, x):
        y = torch.relu(self.first(x))
        w, bias = self.second.weight, self.second.bias
        return conv(y, w, bias, activation="relu", padding=((1, 0), (0, 1)))


@pytest.fixture
def case():
    """(exported program, argument, result)."""
    torch.manual_seed(17)
    model, x = Model().eval(), torch.randn(1, 4, 7, 6)
    with torch.no_grad():
        return torch.export.export(model, (x,)), x, model(x)


def problems(rows):
    assert all(row.ours == row.calls for row in rows)
    return sorted(row.problem.split("epilogue=")[1] for row in rows)


def operators(program):
    return [str(n.target) for n in program.graph.nodes if n.op == "call_function"]


@pytest.mark.filterwarnings("ignore")  # PyTorch's, about its own archive.
def test_exported_programs(case):
    program, x, expected = case
    assert "conv_mlir.conv.default" in operators(program)
    plain = operators(program.run_decompositions())
    assert "aten.convolution.default" in plain and "conv_mlir.conv.default" in plain
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file)
    with enabled_rows() as rows, torch.no_grad():
        found = loaded.module()(x)
    assert error_of(found, expected) < 1e-6
    assert problems(rows) == ["bias", "bias,relu"]
