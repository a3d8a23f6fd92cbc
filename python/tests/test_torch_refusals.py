"""What conv_mlir.torch.export refuses: one sentence each, with what PyTorch says where it
is PyTorch that refuses."""

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import conv_mlir.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

X, IMAGE = torch.ones(2, 3), torch.ones(1, 4, 5, 6)
PYTORCH = "PyTorch cannot export the module: "
NONE = "operator has no translation (docs/PyTorch.md): "


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * x


def fails(x):
    raise RuntimeError("%s {x} \\ \n stop")


def convolution(**arguments):
    return Of(lambda x, w: F.conv2d(x, w, **arguments))


def filters(*shape):
    return (IMAGE, torch.ones(shape or (6, 4, 3, 3)))


def refused(module, args, message, **options):
    with pytest.raises(conv_mlir.Error) as error:
        conv_mlir.torch.export(module, args, **options)
    text = str(error.value)
    assert message in text and "\n" not in text
    assert error.value.status == 2


@pytest.mark.parametrize(
    "module, args, message",
    [
        (nn.ReLU, (X,), "module: expected a torch.nn.Module, got type"),
        (None, (X,), "module: expected a torch.nn.Module, got NoneType"),
        ("relu", (X,), "module: expected a torch.nn.Module, got str"),
        (F.relu, (X,), "module: expected a torch.nn.Module, got function"),
        (nn.ReLU(), dict(x=X), "args: expected a tuple of tensors"),
        (nn.ReLU(), None, "args: expected a tuple of tensors"),
        (nn.ReLU(), ([X],), "args: expected a tuple of tensors"),
        (Of(torch.add), (X, 2.0), "args: expected a tuple of tensors"),
    ],
)
def test_what_is_no_module_or_no_tensor(module, args, message):
    refused(module, args, message)


@pytest.mark.parametrize(
    "module, args, words",
    [
        (nn.ReLU(), (), "missing a required argument: 'input'"),
        (nn.ReLU(), (X, X, X), "too many positional arguments"),
        (Of(fails), (X,), "%s {x} \\"),
        (Of(lambda x: torch.from_numpy(x.numpy())), (X,), ".numpy() is not supported"),
        (nn.Conv2d(3, 4, 3), (IMAGE,), "to have 3 channels, but got 4"),
        (nn.Conv2d(4, 4, 3), (torch.ones(4, 5),), "input of size: [4, 5]"),
        (nn.Conv2d(4, 4, 7), (IMAGE,), "(5 x 6). Kernel size: (7 x 7)"),
        (convolution(groups=3), filters(6, 1, 3, 3), "Given groups=3"),
        (convolution(groups=0), filters(), ""),
        (convolution(stride=0), filters(), "non-positive stride"),
        (convolution(stride=(1, 1, 1)), filters(), ""),
        (convolution(padding=-1), filters(), "negative padding"),
        (convolution(padding="middle"), filters(), "string: 'middle'"),
        (convolution(padding="same", stride=2), filters(), "strided convolutions"),
        (convolution(bias=torch.ones(5)), filters(), "bias of size [5]"),
        (Of(torch.mm), (X, X), "got [2, 3] X [2, 3]"),
        (Of(lambda x: F.pad(x, (1, 1), mode="reflect")), (IMAGE,), "Padding size 2 is not supported"),
    ],
)
def test_what_pytorch_refuses(module, args, words):
    refused(module, args, PYTORCH)
    refused(module, args, words)


@pytest.mark.parametrize(
    "module, args, operator",
    [
        (nn.Softmax(1), (X,), "aten._softmax.default"),
        (Of(lambda x: torch.cumsum(x, 1)), (X,), "aten.cumsum.default"),
        (Of(lambda x: x.sort(1)[0]), (X,), "aten.sort.default"),
        (Of(lambda x: x.prod(1)), (X,), "aten.prod.dim_int"),
        (Of(lambda x: x.argmax(1)), (X,), "aten.argmax.default"),
        (Of(lambda x: x.nonzero()), (X,), "aten.nonzero.default"),
        (Of(lambda x: x[x > 0]), (X,), "aten.index.Tensor"),
        (Of(lambda x: x * x.sum().item()), (X,), "aten._local_scalar_dense.default"),
        (Of(lambda x: x + torch.rand(2, 3)), (X,), "aten.rand.default"),
        (Of(lambda x: torch.fft.rfft(x).abs()), (X,), "aten._fft_r2c.default"),
        (nn.Dropout(), (X,), "aten.native_dropout.default"),
        (nn.LayerNorm(3), (X,), "aten.native_layer_norm.default"),
        (nn.Embedding(4, 5), (torch.ones(2, dtype=torch.int32),), "aten.embedding.default"),
        (nn.AdaptiveAvgPool2d(3), (IMAGE,), "aten._adaptive_avg_pool2d.default"),
        (Of(torch.bmm), (torch.ones(2, 3, 4), torch.ones(2, 4, 5)), "aten.bmm.default"),
        (nn.Upsample(scale_factor=2), (IMAGE,), "aten.upsample_nearest2d.vec"),
    ],
)
def test_operators_without_a_translation(module, args, operator):
    refused(module, args, f"1 {NONE}'")
    refused(module, args, f"({operator})")


@pytest.mark.parametrize("dtype", ["int64", "int16", "uint8", "bool", "complex64", "float8_e5m2"])
def test_types_of_elements(dtype):
    args = (X.to(getattr(torch, dtype)),)
    refused(Of(lambda x: x.clone()), args, f"int32, got torch.{dtype}")


@pytest.mark.parametrize(
    "module, args, message",
    [
        (Keeps(), (X,), "it changes 'total': call eval(), or export with joint=True"),
        (Of(lambda x: x.add_(1)), (X,), "expected one that changes no tensor, it changes "),
        (nn.BatchNorm1d(3), (X,), "expected one that changes no tensor, it changes 'running_mean'"),
        (nn.AvgPool2d(3, padding=1, count_include_pad=False), (IMAGE,), "count_include_pad=True"),
        (
            Of(lambda a, b, c: torch.addmm(a, b, c, beta=2)),
            (torch.ones(5), X, torch.ones(3, 5)),
            "expected alpha and beta of 1",
        ),
        (Of(lambda x: x.sum()), (X.int(),), "got torch.int64"),
        (Of(lambda x: F.max_pool2d(x, 2, return_indices=True)), (IMAGE,), "result 1 is not supported"),
        (convolution(dilation=0), filters(), "expected positive dilations, got [0, 0]"),
        (
            convolution(), (IMAGE, torch.ones(6, 4, 3, 3).half()),
            "expected x and w of one type, got f32 and f16",
        ),
        (nn.Conv2d(4, 4, 3, device="meta"), (IMAGE,), "meta"),
        (Of(lambda x: 3), (X,), "results of the module: expected tensors, got 3"),
        (Of(lambda x: None), (X,), "results of the module: expected tensors, got None"),
        (Of(lambda x: x == 1), (X,), "expected a tensor of numbers"),
    ],
)
def test_what_has_no_kernel(module, args, message):
    refused(module, args, message)


@pytest.mark.parametrize(
    "module, args, message",
    [
        (nn.Conv2d(4, 4, 3), (IMAGE,), PYTORCH),
        (Of(lambda x: x.sum()), (X,), PYTORCH),
        (Of(lambda x: None), (X,), PYTORCH),
    ],
)
def test_gradients_of_what_is_no_loss(module, args, message):
    refused(module, args, message, joint=True)
