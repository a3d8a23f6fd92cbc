"""conv_mlir.torch.export: programs of PyTorch and their gradients as modules of ours, on
the emulator beside PyTorch."""

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import conv_mlir.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
TYPES["f64"] = torch.float64


def memory(tensor):
    """A NumPy array on the memory of a tensor; bf16 as its bits."""
    tensor = tensor.detach()
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def emulate(text, arguments):
    """The results of a module."""
    plan = conv_mlir.compile_module(text, "sm_90a", emulator_only=True)
    given = [a.detach().contiguous() for a in arguments]
    assert [tuple(a.shape) or (1,) for a in given] == [o.shape for o in plan.arguments]
    results = [torch.zeros(o.shape, dtype=TYPES[o.type]) for o in plan.results]
    plan.emulate(*map(memory, given), *map(memory, results))
    return results


def check(got, expected, tolerance):
    """Each result within so much of its largest element."""
    assert len(got) == len(expected)
    for result, wanted in zip(got, expected):
        wanted = wanted.detach().reshape(result.shape)
        assert result.dtype == wanted.dtype
        bound = tolerance * max(wanted.abs().max().item(), 1e-30)
        torch.testing.assert_close(result, wanted, rtol=0, atol=bound)


def check_forward(module, *args, tolerance=2e-6):
    module = module.eval()
    with torch.no_grad():
        expected = module(*args)
    expected = expected if isinstance(expected, tuple) else (expected,)
    text = conv_mlir.torch.export(module, args)
    check(emulate(text, args), expected, tolerance)
    return text


class Block(nn.Module):
    """Of a ResNet: two convolutions with normalisations, a shortcut with a stride."""

    def __init__(self, c, k, stride):
        super().__init__()
        self.first = nn.Conv2d(c, k, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(k)
        self.second = nn.Conv2d(k, k, 3, 1, 1)
        self.last = nn.BatchNorm2d(k)
        self.short = nn.Conv2d(c, k, 1, stride)
        for norm in (self.norm, self.last):
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias)
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        return torch.relu(self.last(self.second(y)) + self.short(x))


class Loss(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x, target):
        return ((self.module(x) - target) ** 2).mean()


def test_block_forward():
    torch.manual_seed(1)
    text = check_forward(Block(4, 8, 2), torch.randn(2, 4, 9, 7), tolerance=1e-5)
    assert text.count("conv.forward") == 3


@pytest.mark.parametrize("training", [False, True])
def test_block_gradients(training):
    """All gradients, and in training the statistics that have moved."""
    torch.manual_seed(2)
    module = Loss(Block(4, 8, 2)).train(training)
    x, target = torch.randn(2, 4, 9, 7), torch.randn(2, 8, 5, 4)
    text = conv_mlir.torch.export(module, (x, target), joint=True)
    assert text.count("conv.wgrad") == 3 and text.count("conv.dgrad") == 1
    parameters = [p.detach().clone() for p in module.parameters()]
    buffers = [b.clone() for b in module.buffers() if b.is_floating_point()]
    loss = module(x, target)
    loss.backward()
    expected = [loss, *(p.grad for p in module.parameters())]
    if training:
        expected += [b for b in module.buffers() if b.is_floating_point()]
    # A bias in front of a normalisation has the gradient 0 in training, but for
    # rounding: the errors are those of the largest gradient.
    got = emulate(text, [*parameters, *buffers, x, target])
    largest = max(e.detach().abs().max().item() for e in expected)
    for result, wanted in zip(got, expected, strict=True):
        wanted = wanted.detach().reshape(result.shape)
        torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-5 * largest)


@pytest.mark.parametrize(
    "layer, shape",
    [
        (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), (2, 4, 5, 4)),
        (nn.Conv1d(4, 8, 3, dilation=2, groups=2), (2, 4, 9)),
        (nn.Conv3d(2, 4, (1, 2, 3), padding=(0, 1, 1)), (1, 2, 3, 4, 5)),
    ],
)
def test_gradients_of_layers(layer, shape):
    """Of the input, too, where it requires them; transposed ones are ours turned around."""

    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return (self.layer(x) ** 2).sum()

    torch.manual_seed(3)
    module, x = Sum(), torch.randn(shape, requires_grad=True)
    text = conv_mlir.torch.export(module, (x,), joint=True)
    module.zero_grad()
    loss = module(x)
    loss.backward()
    expected = [loss, *(p.grad for p in module.parameters()), x.grad]
    check(emulate(text, [*module.parameters(), x]), expected, 1e-5)


class Activations(nn.Module):
    def forward(self, x, y):
        functions = [
            torch.sigmoid, torch.tanh, F.silu, F.gelu, F.hardswish, F.relu6,
            F.hardsigmoid, F.leaky_relu, F.elu, F.mish, F.softplus, torch.neg,
        ]
        return (
            *(f(x) for f in functions),
            F.gelu(x, approximate="tanh"), torch.clamp(x, -0.5), 1 - x, x / 3 + y,
            torch.maximum(x, y) * 2, torch.where(x > y, x, -y), x.pow(3),
        )  # fmt: skip


def test_scalars():
    torch.manual_seed(4)
    check_forward(Activations(), torch.randn(3, 5), torch.randn(5))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.linear = nn.Linear(8 * 4, 5)

    def forward(self, x):
        y = F.max_pool2d(torch.relu(self.conv(F.pad(x, (1, 0, 0, 2)))), 3, 2, 1)
        z = F.avg_pool2d(y, 2, padding=1)
        flat = self.linear(F.adaptive_avg_pool2d(z, 1).flatten(1).repeat_interleave(1, 1)
                           .unsqueeze(-1).expand(-1, 8, 4).reshape(-1, 32))
        return flat, z.mean((2, 3)), z.sum(1), y.permute(0, 2, 3, 1).contiguous()


def test_poolings_and_products():
    torch.manual_seed(5)
    check_forward(Head(), torch.randn(2, 3, 7, 6), tolerance=1e-5)


def test_16_bits_are_rounded_once_for_each_operator():
    torch.manual_seed(6)
    layer = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()).to(torch.bfloat16)
    check_forward(layer, torch.randn(1, 8, 6, 5, dtype=torch.bfloat16), tolerance=8e-3)


def test_tf32():
    layer, x = nn.Conv2d(4, 4, 3), torch.randn(1, 4, 5, 6)
    assert "precision tf32" in conv_mlir.torch.export(layer, (x,), tf32=True)
    assert "precision" not in conv_mlir.torch.export(layer, (x,))


class Unknown(nn.Module):
    def forward(self, x):
        return torch.cumsum(torch.softmax(x, 1), 1)


class Branches(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


X = torch.ones(2, 3)


@pytest.mark.parametrize(
    "module, args, options, message",
    [
        (abs, (X,), {}, "module: expected a torch.nn.Module, got builtin_function_or_method"),
        (nn.ReLU(), X, {}, "args: expected a tuple of tensors"),
        (nn.ReLU(), (3,), {}, "args: expected a tuple of tensors"),
        (Branches(), (X,), {}, "PyTorch cannot export the module: "),
        (nn.Linear(4, 2), (X,), {}, "PyTorch cannot export the module: "),
        (Unknown(), (X,), {}, "operators have no translation (docs/PyTorch.md): "),
        (nn.BatchNorm2d(3), (torch.ones(1, 3, 4, 5),), {},
         "module: expected one that changes no tensor, it changes 'running_mean'"),
        (nn.ReLU(), (X.to(torch.complex64),), {}, "expected elements of float32"),
        (nn.ReLU(), (X,), dict(joint=True), "PyTorch cannot export the module: "),
        (nn.AvgPool2d(2, ceil_mode=True), (torch.ones(1, 1, 5, 5),), {},
         "expected ceil_mode=False"),
    ],
)  # fmt: skip
def test_refusals(module, args, options, message):
    with pytest.raises(conv_mlir.Error) as error:
        conv_mlir.torch.export(module, args, **options)
    assert message in str(error.value) and "\n" not in str(error.value)
    assert error.value.status == 2
