"""conv_mlir::conv, conv_dgrad and conv_wgrad on the emulator and in PyTorch's
operators: values, strides, gradients, what PyTorch asks of operators."""

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import conv, conv_dgrad, conv_wgrad  # noqa: E402
from conv_mlir.torch._devices import Emulator  # noqa: E402
from torch_cases import UNBOUNDED, enabled_rows, error_of, on_emulator  # noqa: E402

LAST = torch.channels_last
ACTIVATIONS = {
    **UNBOUNDED,
    "clip:0:1.5": lambda z: F.hardtanh(z, 0, 1.5),
}
BYTES = (torch.float8_e4m3fn, torch.float8_e5m2)
# Hopper keeps 14 bits of a sum of 8-bit floats (docs/Problem.md).
OF_BYTES = 2e-3


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(11)


def integers(*shape, dtype=torch.float32):
    """Small integers, whose sums are exact."""
    return torch.randint(-2, 3, shape).to(dtype)


def ours(call, *arguments, **options):
    """The result on the emulator; nothing may have gone to PyTorch."""
    with enabled_rows() as rows:
        found = call(*arguments, **options)
    left = [(row.problem, row.reason) for row in rows if row.ours < row.calls]
    assert rows and not left, left
    return found


def same_strides(found, expected):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.stride() == expected.stride()


# Values.


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("enabled", [False, True])
def test_every_step_in_every_rank(rank, enabled):
    x, w = integers(2, 4, *[6, 5, 4][:rank]), integers(6, 2, *[3, 2, 1][:rank])
    bias, scale = integers(6), integers(6)
    pads = [(1, 2), (0, 1), (2, 0)][:rank]
    options = dict(stride=[2, 1, 2][:rank], dilation=[1, 2, 3][:rank], groups=2)
    flat = [pad for pair in reversed(pads) for pad in pair]
    exact = [F.conv1d, F.conv2d, F.conv3d][rank - 1](F.pad(x, flat), w, None, **options)
    residual = integers(*exact.shape)
    rows = [1, 6] + [1] * rank
    exact = F.relu(exact * scale.view(rows) + bias.view(rows) + residual)
    call = ours if enabled else lambda f, *a, **o: f(*a, **o)
    found = call(conv, x, w, bias, scale, residual, "relu", padding=pads, **options)
    assert torch.equal(found, exact)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_activations(name, dtype):
    x, w, b = torch.randn(1, 8, 4, 5), torch.randn(8, 8, 3, 2), torch.randn(8)
    x, w = x.to(dtype), w.to(dtype)
    exact = ACTIVATIONS[name](F.conv2d(x.double(), w.double(), b.double(), padding=1))
    limit = 1e-2 if dtype == torch.bfloat16 else 3e-6
    assert error_of(ours(conv, x, w, b, activation=name, padding=1), exact) < limit
    assert error_of(conv(x, w, b, activation=name, padding=1), exact) < limit


@pytest.mark.parametrize("formats", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_strides_are_those_of_fakes(formats):
    from torch._subclasses.fake_tensor import FakeTensorMode

    kinds = [torch.contiguous_format, LAST]
    x, w = integers(2, 4, 6, 5), integers(8, 4, 3, 2)
    x, w = (t.contiguous(memory_format=kinds[f]) for t, f in zip((x, w), formats))
    dy = conv(x, w)
    calls = {
        (x, w): lambda x, w: [conv(x, w, activation="relu")],
        (dy, w): lambda dy, w: [conv_dgrad(dy, w, x.shape)],
        (x, dy): lambda x, dy: conv_wgrad(x, dy, w.shape, bias=True),
    }
    for tensors, call in calls.items():
        mode = FakeTensorMode()
        with mode:
            fakes = call(*map(mode.from_tensor, tensors))
        for results in (call(*tensors), ours(call, *tensors)):
            for found, fake in zip(results, fakes):
                same_strides(found, fake)


@pytest.mark.parametrize(
    "padding", ["same", "valid", 1, (1, 0), ((1, 2), (0, 3)), (-1, (2, -1))]
)
def test_paddings(padding):
    x, w = integers(1, 3, 6, 7), integers(4, 3, 2, 3)
    if isinstance(padding, str) or padding in (1, (1, 0)):
        expected = F.conv2d(x, w, padding=padding)
    else:
        (a, b), (c, d) = (p if isinstance(p, tuple) else (p, p) for p in padding)
        expected = F.conv2d(F.pad(x, (c, d, a, b)), w)
    assert torch.equal(ours(conv, x, w, padding=padding), expected)
    assert torch.equal(conv(x, w, padding=padding), expected)


@pytest.mark.parametrize("format", [torch.contiguous_format, LAST])
def test_later_calls_are_as_the_first(format):
    """What is known of a signature is taken again: strides, and which bias is read
    as it is. A bias of another type, step or address is copied."""
    x = integers(2, 4, 5, 6).contiguous(memory_format=format)
    w = integers(6, 4, 3, 2).contiguous(memory_format=format)
    exact = F.conv2d(x, w)
    biases = [
        integers(6),
        integers(6).double(),
        integers(12)[::2],
        integers(1).expand(6),
        integers(7)[1:],  # Of the signature of the first, at no multiple of 16.
    ]
    with enabled_rows() as rows:
        first, *later = [conv(x, w, bias) for bias in biases + biases]
    assert rows and all(row.ours == row.calls for row in rows)
    for found, bias in zip([first, *later], biases + biases):
        same_strides(found, first)
        assert torch.equal(found, exact + bias.view(1, 6, 1, 1).float())
    same_strides(first, F.conv2d(x, w))


@pytest.mark.parametrize("out", [torch.float32, torch.bfloat16])
def test_types_of_results(out):
    x, w = torch.randn(1, 8, 4, 5).bfloat16(), torch.randn(8, 8, 3, 2).bfloat16()
    exact = F.conv2d(x.double(), w.double())
    for found in (ours(conv, x, w, out_dtype=out), conv(x, w, out_dtype=out)):
        assert found.dtype == out
        assert error_of(found, exact) < (1e-2 if out == torch.bfloat16 else 1e-6)


def test_empty_batches_are_pytorchs():
    x, w = torch.zeros(0, 3, 5, 4), torch.ones(4, 3, 3, 2)
    with enabled_rows() as rows:
        y = conv(x, w, activation="relu")
    assert y.shape == (0, 4, 3, 3)
    assert rows[0].reason == "nothing to compute: a tensor is empty"


def test_what_is_not_ours_is_reported():
    x, w = integers(1, 3, 5, 4), integers(4, 3, 3, 2)
    conv_mlir.torch.disable()
    conv(x, w)
    reasons = [row.reason for row in conv_mlir.torch.report()]
    assert any(reason and "device='cpu'" in reason for reason in reasons)
    with enabled_rows() as rows:  # f64 has kernels, but none with a gelu.
        found = conv(x.double(), w.double(), activation="gelu")
    assert error_of(found, F.gelu(F.conv2d(x.double(), w.double()))) < 1e-14
    assert [row.ours for row in rows if "gelu" in row.problem] == [0]
    assert "not compiled" in rows[0].reason


# Gradients.


def through_gradients(call, tensors, enabled):
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    if enabled:
        return ours(_gradients, call, leaves)
    return _gradients(call, leaves)


def _gradients(call, leaves):
    y = call(*leaves)
    weights = torch.arange(y.numel()).view(y.shape).to(y) % 5 - 2
    return [y, *torch.autograd.grad(y, leaves, weights)]


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("name", ["none", *ACTIVATIONS])
def test_gradients(name, enabled):
    shapes = [(2, 4, 5, 4), (6, 2, 3, 2), (6,), (6,), (2, 6, 2, 4)]
    tensors = [torch.randn(shape) for shape in shapes]

    def plain(x, w, bias, scale, residual):
        rows = [1, 6, 1, 1]
        y = F.conv2d(F.pad(x, (0, 1, 1, 0)), w, stride=(2, 1), groups=2)
        z = y * scale.view(rows) + bias.view(rows) + residual
        return ACTIVATIONS.get(name, lambda z: z)(z)

    def fused(*tensors):
        pads = ((1, 0), (0, 1))
        return conv(*tensors, name, stride=(2, 1), padding=pads, groups=2)

    expected = through_gradients(plain, [tensor.double() for tensor in tensors], False)
    for found, exact in zip(through_gradients(fused, tensors, enabled), expected):
        assert error_of(found, exact) < 5e-6


def test_the_operator_alone_has_gradients_of_activations_without_their_argument():
    places = ([1, 1], [1, 1], [1, 1], 1, None)

    def fused(x, w, b):
        return torch.ops.conv_mlir.conv(x, w, b, None, None, "gelu", *places)

    tensors = [torch.randn(shape) for shape in [(1, 3, 4, 5), (4, 3, 3, 3), (4,)]]
    expected = through_gradients(
        lambda *t: F.gelu(F.conv2d(*t, padding=1)), [t.double() for t in tensors], False
    )
    for found, exact in zip(through_gradients(fused, tensors, True), expected):
        assert error_of(found, exact) < 5e-6


def test_the_bias_gradient_is_beside_wgrad():
    x, w, b = integers(2, 3, 5, 4), integers(4, 3, 3, 2), integers(4)
    leaves = [tensor.requires_grad_() for tensor in (x, w, b)]
    expected = _gradients(lambda *t: F.conv2d(*t), leaves)
    with enabled_rows() as rows:
        found = _gradients(conv, leaves)
    assert all(map(torch.equal, found, expected))
    problems = sorted(row.problem.split()[0] for row in rows)
    assert problems == ["dgrad", "forward", "wgrad"]
    assert any(row.problem.endswith("epilogue=dbias") for row in rows)


@pytest.mark.parametrize("name", ["relu", "sigmoid"])
def test_gradcheck(name):
    shapes = [(1, 2, 4, 3), (3, 2, 2, 2), (3,), (3,), (1, 3, 2, 4)]
    tensors = [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes]

    def call(*tensors):
        pads = ((0, 1), (1, 1))
        return conv(*tensors, name, stride=(2, 1), padding=pads)

    with on_emulator():
        assert torch.autograd.gradcheck(call, tensors, fast_mode=True)
        assert torch.autograd.gradgradcheck(call, tensors, fast_mode=True)


@pytest.mark.parametrize("name", ["relu", "gelu", "clip:0:1"])
def test_dgrad_with_a_derivative(name):
    act, w, dy = torch.randn(2, 3, 5, 4), torch.randn(4, 3, 3, 2), torch.randn(2, 4, 3, 3)
    leaf = act.double().requires_grad_()
    y = F.conv2d(ACTIVATIONS.get(name, lambda z: F.hardtanh(z, 0, 1))(leaf), w.double())
    (exact,) = torch.autograd.grad(y, leaf, dy.double())
    for found in (
        ours(conv_dgrad, dy, w, act.shape, act, activation=name),
        conv_dgrad(dy, w, act.shape, act, activation=name),
    ):
        assert error_of(found, exact) < 3e-6


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, *BYTES, torch.float32])
@pytest.mark.parametrize("vector", [torch.float16, torch.bfloat16])
def test_narrow_scales_and_biases_are_read_as_they_are(dtype, vector, monkeypatch):
    launched, launch = [], Emulator.launch

    def record(self, plan, tensors):
        launched.extend(tensor.data_ptr() for tensor in tensors)
        return launch(self, plan, tensors)

    monkeypatch.setattr(Emulator, "launch", record)
    x, w = integers(1, 16, 4, 5, dtype=dtype), integers(8, 16, 3, 2, dtype=dtype)
    scale, bias = integers(8, dtype=vector), integers(8, dtype=vector)
    exact = F.conv2d(x.float(), w.float(), padding=1)
    exact = exact * scale.float().view(1, -1, 1, 1) + bias.float().view(1, -1, 1, 1)
    with enabled_rows() as rows:
        found = conv(x, w, bias, scale, padding=1, out_dtype=torch.float32)
    assert torch.equal(found, exact)
    assert {scale.data_ptr(), bias.data_ptr()} <= set(launched)
    name = {torch.float16: "f16", torch.bfloat16: "bf16"}[vector]
    assert [row.problem.split()[-1] for row in rows] == [f"bias-type={name}"]


def test_a_scale_and_a_bias_of_two_types_are_widened():
    x, w = integers(1, 8, 4, 5, dtype=torch.bfloat16), integers(8, 8, 3, 2, dtype=torch.bfloat16)
    scale, bias = integers(8), integers(8, dtype=torch.bfloat16)
    exact = F.conv2d(x.float(), w.float()) * scale.view(1, -1, 1, 1)
    exact = exact + bias.float().view(1, -1, 1, 1)
    with enabled_rows() as rows:
        found = conv(x, w, bias, scale, out_dtype=torch.float32)
    assert torch.equal(found, exact)
    assert not any("bias-type" in row.problem for row in rows)


# 8-bit floats.


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("out", [None, torch.bfloat16])
@pytest.mark.parametrize("dtype", BYTES)
def test_forward_in_8_bits(dtype, out, enabled):
    x, w = torch.randn(2, 16, 4, 5).to(dtype), torch.randn(8, 16, 3, 2).to(dtype)
    bias = torch.randn(8)
    for scale in (torch.tensor(0.25), torch.rand(8) + 0.5):
        exact = F.conv2d(x.double(), w.double(), padding=1) * scale.view(1, -1, 1, 1)
        exact = F.relu(exact + bias.view(1, -1, 1, 1))
        call = ours if enabled else lambda f, *a, **o: f(*a, **o)
        found = call(conv, x, w, bias, scale, None, "relu", padding=1, out_dtype=out)
        assert found.dtype == (out or torch.float32)
        assert error_of(found, exact) < (4e-3 if out else OF_BYTES)


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("dtype", BYTES)
def test_gradients_in_8_bits(dtype, enabled):
    x, w, dy = (torch.randn(s).to(dtype) for s in [(2, 16, 5, 4), (32, 16, 3, 2), (2, 32, 3, 3)])
    call = ours if enabled else lambda f, *a, **o: f(*a, **o)
    leaves = [tensor.double().requires_grad_() for tensor in (x, w)]
    dx, dw = torch.autograd.grad(F.conv2d(*leaves), leaves, dy.double())
    of_c, of_k = torch.rand(16) + 0.5, torch.rand(32) + 0.5
    found = call(conv_dgrad, dy, w, x.shape, scale=of_c)
    assert error_of(found, dx * of_c.view(1, -1, 1, 1)) < OF_BYTES
    found = call(conv_dgrad, dy, w, x.shape, scale=torch.tensor(0.5), out_dtype=torch.bfloat16)
    assert found.dtype == torch.bfloat16 and error_of(found, dx * 0.5) < 4e-3
    found, db = call(conv_wgrad, x, dy, w.shape, of_k, True)
    assert error_of(found, dw * of_k.view(-1, 1, 1, 1)) < OF_BYTES
    assert error_of(db, dy.double().sum([0, 2, 3])) < 2e-6


@pytest.mark.parametrize("enabled", [False, True])
def test_results_in_8_bits_saturate(enabled):
    x = torch.full((1, 16, 2, 2), 448.0).to(torch.float8_e4m3fn)
    w = torch.ones(8, 16, 1, 1).to(torch.float8_e4m3fn)
    call = ours if enabled else lambda f, *a, **o: f(*a, **o)
    y = call(conv, x, w, out_dtype=torch.float8_e4m3fn)
    assert y.dtype == torch.float8_e4m3fn and y.float().eq(448).all()
    dx = call(conv_dgrad, y.to(torch.float8_e5m2), w.to(torch.float8_e5m2), x.shape,
              scale=torch.tensor(1e4), out_dtype=torch.float8_e5m2)
    assert dx.float().eq(57344).all()


def twice(call):
    """The second result: what the first call found out serves it."""

    def both(*arguments, **options):
        call(*arguments, **options)
        return call(*arguments, **options)

    return both


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("types", [BYTES, BYTES[::-1]])
def test_both_types_of_8_bits(types, enabled):
    """As training has them: x and w of one type, dy of the other."""
    x, w = (t.requires_grad_() for t in (integers(1, 16, 3, 4), integers(8, 16, 2, 2)))
    y = F.conv2d(x, w)
    dy = integers(*y.shape)
    dx, dw = torch.autograd.grad(y, (x, w), dy)
    x8, w8, dy8 = x.to(types[0]), w.to(types[0]), dy.to(types[1])
    act = integers(*x.shape)

    def call(function, *arguments, **options):
        function = twice(function)
        return ours(function, *arguments, **options) if enabled else function(*arguments, **options)

    assert torch.equal(call(conv, x8, w.to(types[1])), y)
    assert torch.equal(call(conv_dgrad, dy8, w8, x.shape), dx)
    masked = call(conv_dgrad, dy8, w8, x.shape, act.to(types[0]), activation="relu")
    assert torch.equal(masked, dx * (act > 0))
    found, db = call(conv_wgrad, x8, dy8, w.shape, torch.tensor(0.5), True)
    assert torch.equal(found, dw / 2) and torch.equal(db, dy.sum([0, 2, 3]))


def test_8_bits_have_no_autograd():
    x, w = (torch.ones(s).to(BYTES[0]).requires_grad_() for s in [(1, 16, 3, 3), (8, 16, 1, 1)])
    with pytest.raises(conv_mlir.Error, match="conv: operands of 8 bits have no gradients"):
        conv(x, w).sum().backward()


# What PyTorch asks of operators.


def opcheck_cases():
    def leaf(*shape):
        return torch.randn(shape, requires_grad=True)

    even = ([2, 1], [1, 1], [1, 1], 1, None)
    uneven = ([1], [0, 2, 1, 0], [1, 2], 2, None)
    x, w, dy = leaf(2, 4, 5, 6), leaf(6, 4, 3, 2), leaf(2, 6, 3, 7)
    half = leaf(6, 2, 3, 2)
    shape = [2, 6, 5, 5]
    yield "conv", (x, w, None, None, None, "none", *even)
    yield "conv", (x, w, leaf(6), leaf(6), dy, "silu", *even)
    yield "conv", (x, half, leaf(6), None, leaf(*shape), "relu", *uneven)
    yield "conv_dgrad", (dy, w, None, None, [2, 4, 5, 6], "none", *even)
    act = torch.randn(2, 4, 5, 6)
    yield "conv_dgrad", (dy.detach(), w.detach(), act, torch.rand(4), [2, 4, 5, 6], "gelu", *even)
    yield "conv_wgrad", (x, dy, None, [6, 4, 3, 2], False, *even)
    yield "conv_wgrad", (x, dy, None, [6, 4, 3, 2], True, *even)
    yield "conv_wgrad", (x, leaf(*shape), None, [6, 2, 3, 2], True, *uneven)


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("case", range(8))
def test_opcheck(case, enabled):
    name, arguments = list(opcheck_cases())[case]
    operator = getattr(torch.ops.conv_mlir, name).default
    with conv_mlir.torch.enabled("always", "sync" if enabled else "never", "cpu"):
        torch.library.opcheck(operator, arguments)


@pytest.mark.parametrize("enabled", [False, True])
def test_autocast(enabled):
    leaves = [torch.randn(s, requires_grad=True) for s in [(2, 4, 6, 5), (8, 4, 3, 2), (8,)]]

    def step():
        with torch.autocast("cpu", torch.bfloat16):
            y = conv(*leaves, activation="relu")
        return [y, *torch.autograd.grad(y.float().square().sum(), leaves)]

    found = ours(step) if enabled else step()
    assert [tensor.dtype for tensor in found] == [torch.bfloat16] + [torch.float32] * 3
    double = [leaf.detach().double().requires_grad_() for leaf in leaves]
    y = F.relu(F.conv2d(*double))
    exact = [y, *torch.autograd.grad(y.square().sum(), double)]
    assert all(error_of(f, e) < 2e-2 for f, e in zip(found, exact))


def test_autocast_leaves_f64_alone():
    x, w = integers(1, 3, 5, 4).double(), integers(4, 3, 3, 2).double()
    with torch.autocast("cpu", torch.bfloat16):
        assert ours(conv, x, w).dtype == torch.float64


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_in_compiled_functions(backend):
    def call(x, w, b):
        return conv(x, w, b, activation="gelu", padding=((1, 0), (0, 1)))

    tensors = [torch.randn(s) for s in [(1, 3, 5, 4), (4, 3, 3, 2), (4,)]]
    expected = through_gradients(call, tensors, False)
    torch._dynamo.reset()
    compiled = torch.compile(call, backend=backend, fullgraph=True)
    for found, exact in zip(through_gradients(compiled, tensors, True), expected):
        assert error_of(found, exact) < 5e-6
        same_strides(found, exact)


# Errors.

X, W = (1, 4, 5, 6), (6, 4, 3, 2)


@pytest.mark.parametrize(
    "x, w, options, message",
    [
        (X, (6, 3, 3, 2), {}, r"x: expected 3 channels \(3 of the filter, groups=1\), got 4"),
        (X, (6, 4, 6, 2), {}, "reaches over at most 5 positions, as many as .*, got 6"),
        (X, (6, 4, 3), {}, "w: expected 4 dimensions as x, got 3"),
        ((4, 5), (6, 4), {}, "x and w: expected 3 to 5 dimensions, got 2"),
        (X, W, dict(stride=0), "stride: expected at least 1, got 0"),
        (X, W, dict(stride=(1, 1, 1)), "stride: expected 2 entries, got 3"),
        (X, W, dict(padding=(1, 1, 1)), "padding: expected 2 entries or twice as many, got 3"),
        (X, W, dict(padding=((1, 1, 1), 1)), r"padding: expected 2 numbers or pairs"),
        (X, W, dict(padding="same", stride=2), "'same' expects strides of 1"),
        (X, W, dict(activation="swish"), "activation: expected none, relu, .*, got 'swish'"),
        (X, W, dict(activation="clip:2:1"), "activation: expected .*, got 'clip:2:1'"),
        (X, W, dict(bias=torch.zeros(4)), r"bias: expected \[6\], got \[4\]"),
        (X, W, dict(scale=torch.zeros(4)), r"scale: expected one value or 6, .* got \[4\]"),
        (X, W, dict(residual=torch.zeros(X)), r"residual: expected \[1, 6, 3, 5\], got"),
        (X, W, dict(groups=3), r"x: expected 12 channels"),
        ((1, 8, 5, 6), W, dict(groups=2, bias=torch.zeros(6).to("meta")), "expected cpu, got meta"),
        (X, W, dict(out_dtype=torch.float64), "out_dtype: expected float32, .*, got float64"),
    ],
)
def test_errors_are_sentences(x, w, options, message):
    with pytest.raises(conv_mlir.Error, match=message):
        conv(torch.zeros(x), torch.zeros(w), **options)


def test_errors_of_types_and_gradients_are_sentences():
    x, w, dy = torch.zeros(X), torch.zeros(W), torch.zeros(1, 6, 3, 5)
    with pytest.raises(conv_mlir.Error, match="w: expected float32 as x, got float16"):
        conv(x, w.half())
    with pytest.raises(conv_mlir.Error, match="x: expected float16, .*, got int64"):
        conv(x.long(), w.long())
    with pytest.raises(conv_mlir.Error, match=r"dy: expected \[1, 6, 3, 5\], got \[1, 6, 3, 4\]"):
        conv_dgrad(dy[..., 1:], w, X)
    with pytest.raises(conv_mlir.Error, match="act: expected together with an activation"):
        conv_dgrad(dy, w, X, x)
    with pytest.raises(conv_mlir.Error, match=r"dy: expected \[1, 6, 2, 5\], got"):
        conv_wgrad(x, dy, (6, 4, 4, 2))
