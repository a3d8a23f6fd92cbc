"""enable() on the emulator: what PyTorch promises holds with our kernels, too."""

import itertools

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import _devices, _rules  # noqa: E402
from torch_cases import check, enabled_rows, error_of, on_emulator  # noqa: E402

LAST = torch.channels_last
PLAIN = torch.contiguous_format


def integers(*shape, dtype=torch.float32):
    """Small integers, whose sums are exact."""
    return torch.randint(-2, 3, shape).to(dtype)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(7)


# Enabling and disabling.


def is_replaced():
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return [has(f"aten::convolution{end}", "CPU") for end in ("", "_backward")]


def test_enable_and_disable():
    assert is_replaced() == [False, False]
    conv_mlir.torch.enable("always", "sync", "cpu")
    conv_mlir.torch.enable("auto", "async", "cpu")
    assert is_replaced() == [True, True]
    conv_mlir.torch.disable()
    conv_mlir.torch.disable()
    assert is_replaced() == [False, False]


def test_blocks_restore_what_was():
    x, w = integers(1, 3, 5, 4), integers(4, 3, 2, 2)
    with enabled_rows("always", "sync"):
        with enabled_rows("always", "never") as inner:
            F.conv2d(x, w, padding=(2, 1))
        with enabled_rows("always", "sync") as again:
            F.conv2d(x, w, padding=(2, 1))
        assert is_replaced() == [True, True]
    assert is_replaced() == [False, False]
    assert inner[0].ours == 0 and again[0].ours == 1


def test_an_error_in_a_block_restores_too():
    with pytest.raises(ZeroDivisionError), on_emulator():
        1 / 0
    assert is_replaced() == [False, False]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            dict(policy="tuned"),
            "policy: expected 'auto', 'measure', 'tune' or 'always', got 'tuned'",
        ),
        (dict(compile="lazy"), "compile: expected 'async', 'sync' or 'never', got"),
        (dict(device="cuda:1"), "device: expected 'cuda' or 'cpu', got 'cuda:1'"),
        (dict(policy="measure", device="cpu"), "'measure' times .* the emulator has no"),
        (dict(policy="tune", device="cpu"), "'tune' times .* the emulator has no time"),
    ],
)
def test_wrong_arguments_are_sentences(arguments, message):
    with pytest.raises(conv_mlir.Error, match=message):
        conv_mlir.torch.enable(**arguments)
    assert is_replaced() == [False, False]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_no_device_is_a_sentence():
    with pytest.raises(conv_mlir.Error, match="device='cpu' runs on the emulator"):
        conv_mlir.torch.enable()


def test_another_override_is_a_sentence():
    library = torch.library.Library("aten", "IMPL")
    try:
        library.impl("convolution_backward", lambda *arguments: None, "CPU")
        with pytest.raises(conv_mlir.Error, match="another package has replaced aten::"):
            conv_mlir.torch.enable("always", "sync", "cpu")
        assert is_replaced() == [False, True]
    finally:
        library._destroy()
    assert is_replaced() == [False, False]


# Results: types, formats, strides.


def as_format(tensor, format):
    """In a memory format, or "sliced": a part of a larger tensor."""
    if format != "sliced":
        return tensor.contiguous(memory_format=format)
    larger = torch.zeros([extent + 2 for extent in tensor.shape], dtype=tensor.dtype)
    part = larger[tuple(slice(1, extent + 1) for extent in tensor.shape)]
    return part.copy_(tensor)


FORMATS = [PLAIN, LAST, "sliced"]


@pytest.mark.parametrize("formats", [*itertools.product(FORMATS, FORMATS)])
def test_formats_mix(formats):
    x, w = (as_format(integers(*s), f) for s, f in zip([(2, 3, 5, 4), (4, 3, 3, 2)], formats))
    check(lambda *t: F.conv2d(*t, stride=(2, 1), padding=1), [x, w, integers(4)])


@pytest.mark.parametrize("formats", [(PLAIN, LAST), (LAST, PLAIN)])
def test_formats_mix_in_transposed_ones(formats):
    x, w = (as_format(integers(*s), f) for s, f in zip([(2, 4, 3, 4), (4, 3, 3, 2)], formats))
    check(lambda *t: F.conv_transpose2d(*t, stride=(2, 1)), [x, w, integers(3)])


def test_channels_last_in_3d_and_permuted_1d():
    x = integers(1, 3, 4, 5, 3).contiguous(memory_format=torch.channels_last_3d)
    check(lambda *t: F.conv3d(*t, padding=(1, 0, 1)), [x, integers(4, 3, 2, 3, 1)])
    x, w = integers(2, 7, 3).permute(0, 2, 1), integers(4, 2, 3).permute(0, 2, 1)
    check(lambda *t: F.conv1d(*t), [x, w])


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_strides_are_those_that_fake_tensors_have(rank, transposed):
    from torch._subclasses.fake_tensor import FakeTensorMode

    x, w = integers(2, 4, *[5, 4, 3][:rank]), integers(4, 4, *[2, 3, 1][:rank])
    ones, zeros = [1] * rank, [0] * rank
    rest = (ones, zeros, ones, transposed, zeros, 1)
    for last in ([False, True] if rank > 1 else [False]):
        if last:
            format = LAST if rank == 2 else torch.channels_last_3d
            x, w = x.contiguous(memory_format=format), w.contiguous(memory_format=format)
        forward = torch.ops.aten.convolution.default
        backward = torch.ops.aten.convolution_backward.default
        with on_emulator():
            y = forward(x, w, None, *rest)
            found = [y, *backward(y, x, w, [4], *rest, [True, True, True])]
        with FakeTensorMode() as mode:
            fx, fw = mode.from_tensor(x), mode.from_tensor(w)
            fy = forward(fx, fw, None, *rest)
            expected = [fy, *backward(fy, fx, fw, [4], *rest, [True, True, True])]
        for f, e in zip(found, expected):
            assert (f.shape, f.stride(), f.dtype) == (e.shape, e.stride(), e.dtype)


@pytest.mark.parametrize("mask", [*itertools.product([False, True], repeat=3)])
def test_masks(mask):
    x, w, dy = integers(2, 3, 5, 4), integers(4, 3, 3, 2), integers(2, 4, 3, 3)
    rest = ([4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, list(mask))
    expected = torch.ops.aten.convolution_backward(dy, x, w, *rest)
    with enabled_rows() as rows:
        found = torch.ops.aten.convolution_backward(dy, x, w, *rest)
    assert sum(row.ours for row in rows) == sum(mask[:2])
    for asked, f, e in zip(mask, found, expected):
        # PyTorch's own kernel makes more than it is asked for, with a bias.
        assert (f is not None) == asked or (not asked and e is not None)
        assert f is None or torch.equal(f, e)


def test_addresses_that_are_not_aligned():
    def shifted(tensor):
        return torch.zeros(tensor.numel() + 1)[1:].view(tensor.shape).copy_(tensor)

    x, w = shifted(integers(1, 3, 5, 4)), shifted(integers(4, 3, 3, 2))
    assert x.data_ptr() % 16 and w.is_contiguous()
    with enabled_rows("always", "sync") as rows:
        found = F.conv2d(x, w)
    assert torch.equal(found, F.conv2d(x, w))
    # The override in Python copies them.
    assert rows[0].ours or rows[0].reason == "an address is no multiple of 16"


def test_gradients_that_are_expanded():
    x = integers(2, 3, 5, 4).requires_grad_()
    w = integers(4, 3, 3, 2)
    F.conv2d(x, w).sum().backward()
    expected, x.grad = x.grad, None
    with enabled_rows() as rows:
        F.conv2d(x, w).sum().backward()
    assert torch.equal(x.grad, expected)
    assert [row.ours for row in rows] == [1, 1]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("format", [PLAIN, LAST])
def test_a_bias_is_read_as_it_is(dtype, transposed, format):
    """By the kernel, in its own type: PyTorch converts and adds nothing."""
    call = F.conv_transpose2d if transposed else F.conv2d
    shapes = [(2, 4, 5, 3), (4, 6, 3, 2) if transposed else (6, 4, 3, 2)]
    x, w = (as_format(integers(*shape, dtype=dtype), format) for shape in shapes)
    bias = integers(6, dtype=dtype)
    expected = call(x, w, bias, padding=1)
    with enabled_rows() as rows:
        call(x, w, bias, padding=1)
        with torch.autograd.profiler.profile() as found:
            y = call(x, w, bias, padding=1)
    assert torch.equal(y, expected) and (rows[0].calls, rows[0].ours) == (2, 2)
    names = {event.name for event in found.function_events}
    assert "aten::convolution" in names
    assert not names & {"aten::_to_copy", "aten::to", "aten::copy_", "aten::add_"}
    plan = conv_mlir.compile(rows[0].problem, emulator_only=True)
    types = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
    assert {o.name: o.type for o in plan.operands}["bias"] == types[dtype]


def gradients(call, x, w, bias):
    """Rows of the report, names of PyTorch's operators, and the gradients."""
    with enabled_rows() as rows:
        y = call(x, w, bias)
        with torch.autograd.profiler.profile() as found:
            grads = torch.autograd.grad(y, (x, w, bias), torch.ones_like(y))
    return [row.problem for row in rows], {e.name for e in found.function_events}, grads


@pytest.mark.parametrize("in_python", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("groups", [1, 2])
def test_the_gradient_of_a_bias_beside_that_of_the_filter(monkeypatch, in_python, dtype, groups):
    if in_python:
        monkeypatch.setattr(_rules, "obstacle", lambda: "an old PyTorch")
    shapes = [(2, 16, 5, 4), (32, 16 // groups, 3, 2), (32,)]
    x, w, bias = (integers(*shape, dtype=dtype) for shape in shapes)
    tensors = [as_format(x, LAST), w, bias]
    for tensor in tensors:
        tensor.requires_grad_()

    def call(*tensors):
        return F.conv2d(*tensors, padding=1, groups=groups)

    y = call(*tensors)
    expected = torch.autograd.grad(y, tensors, torch.ones_like(y))
    problems, names, found = gradients(call, *tensors)
    (wgrad,) = (problem for problem in problems if problem.startswith("wgrad"))
    assert "epilogue=dbias bias-type=" in wgrad
    assert "aten::sum" not in names
    for f, e in zip(found, expected):
        assert f.dtype == e.dtype and f.stride() == e.stride() and torch.equal(f, e)


@pytest.mark.parametrize(
    "dtype, format, call",
    [
        (torch.float32, LAST, F.conv2d),
        (torch.bfloat16, PLAIN, F.conv2d),
        (torch.bfloat16, LAST, F.conv_transpose2d),
    ],
)
def test_the_gradient_of_a_bias_that_is_pytorchs_sum(dtype, format, call):
    x, w = integers(2, 16, 5, 4, dtype=dtype), integers(16, 16, 3, 2, dtype=dtype)
    tensors = [as_format(x, format), w, integers(16, dtype=dtype)]
    for tensor in tensors:
        tensor.requires_grad_()
    problems, names, found = gradients(call, *tensors)
    assert not any("dbias" in problem for problem in problems)
    y = call(*tensors)
    expected = torch.autograd.grad(y, tensors, torch.ones_like(y))
    assert all(torch.equal(f, e) for f, e in zip(found, expected))


@pytest.mark.parametrize("mask", [*itertools.product([False, True], repeat=3)])
def test_masks_of_gradients_that_one_kernel_makes(mask):
    x, w = integers(2, 8, 5, 4).bfloat16(), integers(16, 8, 3, 2).bfloat16()
    x, dy = as_format(x, LAST), as_format(integers(2, 16, 3, 3).bfloat16(), LAST)
    rest = ([16], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, list(mask))
    expected = torch.ops.aten.convolution_backward(dy, x, w, *rest)
    with enabled_rows() as rows:
        found = torch.ops.aten.convolution_backward(dy, x, w, *rest)
    assert sum(row.ours for row in rows) == sum(mask[:2])
    for is_asked, f, e in zip(mask, found, expected):
        assert f is not None or not is_asked
        assert f is None or e is None or torch.equal(f, e)


def test_output_padding_past_the_stride():
    x, w = integers(2, 4, 3, 4), integers(4, 3, 2, 3)
    options = dict(stride=(1, 2), dilation=(3, 4), output_padding=(2, 3), padding=1)
    check(lambda *t: F.conv_transpose2d(*t, **options), [x, w, integers(3)])


def test_groups_and_depthwise():
    check(lambda *t: F.conv2d(*t, groups=3), [integers(2, 6, 5, 4), integers(9, 2, 3, 2)])
    check(lambda *t: F.conv2d(*t, groups=6), [integers(2, 6, 5, 4), integers(6, 1, 3, 2)])


def test_empty_batches_are_pytorchs():
    x = torch.zeros(0, 3, 5, 4, requires_grad=True)
    w = torch.ones(4, 3, 3, 2, requires_grad=True)
    with enabled_rows() as rows:
        y = F.conv2d(x, w)
        y.sum().backward()
    assert y.shape == (0, 4, 3, 3) and x.grad.shape == x.shape
    assert torch.equal(w.grad, torch.zeros_like(w))
    assert {row.reason for row in rows} == {"nothing to compute: a tensor is empty"}


def test_integers_are_pytorchs():
    x, w = torch.ones(1, 2, 4, 4).long(), torch.ones(3, 2, 2, 2).long()
    with enabled_rows() as rows:
        y = F.conv2d(x, w)
    assert torch.equal(y, torch.full((1, 3, 3, 3), 8))
    assert rows[0].reason == "no kernels for torch.int64"
    assert rows[0].problem == "y of x [1, 2, 4, 4], w [3, 2, 2, 2], int64"


@pytest.mark.parametrize(
    "x, w, options",
    [
        ((1, 3, 5, 4), (4, 2, 3, 2), {}),  # channels
        ((1, 3, 5, 4), (4, 3, 6, 2), {}),  # filter larger than the image
        ((1, 3, 5, 4), (4, 3, 3, 2), dict(padding=-1)),
        ((1, 3, 5, 4), (4, 3, 3, 2), dict(stride=0)),
        ((1, 3, 5, 4), (4, 3, 3, 2), dict(stride=(1, 1, 1))),
        ((1, 3, 5), (4, 3, 3, 2), {}),
    ],
)
def test_errors_are_pytorchs(x, w, options):
    x, w = torch.zeros(x), torch.zeros(w)
    with pytest.raises(RuntimeError) as expected:
        F.conv2d(x, w, **options)
    with on_emulator(), pytest.raises(RuntimeError) as found:
        F.conv2d(x, w, **options)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("which", ["w", "bias"])
def test_types_that_differ_are_pytorchs_error(which):
    tensors = dict(x=torch.zeros(1, 3, 5, 4), w=torch.zeros(4, 3, 3, 2), bias=torch.zeros(4))
    tensors[which] = tensors[which].half()
    with pytest.raises(RuntimeError) as expected:
        F.conv2d(*tensors.values())
    with on_emulator(), pytest.raises(RuntimeError) as found:
        F.conv2d(*tensors.values())
    assert str(found.value) == str(expected.value)


@pytest.mark.skipif(
    not hasattr(torch._C, "_get_fp32_precision_getter"), reason="torch is older than 2.9"
)
def test_tf32_by_pytorchs_flag():
    x, w = torch.randn(2, 8, 5, 4), torch.randn(8, 8, 3, 2)
    flags = torch.backends.mkldnn.conv
    before = flags.fp32_precision
    try:
        found = {}
        for precision in ("tf32", "ieee"):
            flags.fp32_precision = precision
            with enabled_rows() as rows:
                found[precision] = F.conv2d(x, w)
            found[precision, "problem"] = rows[0].problem
    finally:
        flags.fp32_precision = before
    assert "type=tf32" in found["tf32", "problem"]
    assert "type=f32" in found["ieee", "problem"]
    exact = F.conv2d(x.double(), w.double())
    assert error_of(found["ieee"], exact) < 1e-6 < error_of(found["tf32"], exact) < 1e-3


def test_faults_of_kernels_reach_the_user(monkeypatch):
    other = conv_mlir.compile(
        "forward n=1 c=3 h=5 w=4 k=4 r=3 s=3 epilogue=bias type=f32", emulator_only=True
    )
    code = _devices.Code({"plan": other.handle}, other, 0)
    monkeypatch.setattr(_devices.Emulator, "code", lambda self, plan: code)
    with on_emulator(), pytest.raises(RuntimeError, match="expected 4"):
        F.conv2d(torch.zeros(1, 3, 5, 4), torch.zeros(4, 3, 3, 2))


def test_faults_reach_the_user_of_the_override_in_python(monkeypatch):
    def launch(self, plan, tensors):
        raise conv_mlir.Error("a race", 3)

    monkeypatch.setattr(_rules, "obstacle", lambda: "an old PyTorch")
    monkeypatch.setattr(_devices.Emulator, "launch", launch)
    with on_emulator(), pytest.raises(conv_mlir.Error, match="a race"):
        F.conv2d(torch.zeros(1, 3, 5, 4), torch.zeros(4, 3, 3, 2))


@pytest.mark.parametrize("transposed", [False, True])
def test_the_override_in_python(monkeypatch, transposed):
    monkeypatch.setattr(_rules, "obstacle", lambda: "an old PyTorch")
    call = F.conv_transpose2d if transposed else F.conv2d
    w = integers(3, 4, 3, 2) if transposed else integers(4, 3, 3, 2)
    check(lambda x, w, b: call(x, w, b, padding=1), [integers(2, 3, 5, 4), w, integers(4)])


def test_pytorchs_kernels_before_get_kernel(monkeypatch):
    monkeypatch.setattr(_rules, "obstacle", lambda: "an old PyTorch")
    monkeypatch.delattr(torch.library, "get_kernel", raising=False)
    with enabled_rows("always", "never") as rows:
        # Filters that no other test has: no plan is in memory.
        tensors = integers(2, 3, 5, 4), integers(11, 3, 3, 2), integers(11)
        leaves = [tensor.requires_grad_() for tensor in tensors]
        F.conv2d(*leaves, padding=1).square().sum().backward()
    gradients = [leaf.grad.clone() for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    F.conv2d(*leaves, padding=1).square().sum().backward()
    assert all(map(torch.equal, gradients, (leaf.grad for leaf in leaves)))
    assert [row.ours for row in rows] == [0, 0, 0]


# What lies above the operators.


def test_autocast():
    def step():
        torch.manual_seed(3)
        tensors = [torch.randn(s, requires_grad=True) for s in [(2, 4, 6, 5), (8, 4, 3, 2), (8,)]]
        with torch.autocast("cpu", torch.bfloat16):
            y = F.conv2d(*tensors)
            y.float().square().sum().backward()  # Also the backward within it.
        return [y, *(tensor.grad for tensor in tensors)]

    expected = step()
    with enabled_rows() as rows:
        found = step()
    assert len(rows) == 3 and all("type=bf16" in row.problem for row in rows)
    for f, e in zip(found, expected):
        assert f.dtype == e.dtype and error_of(f, e) < 1e-2


def test_vmap_and_gradients_of_samples():
    from torch.func import grad, vmap

    x, w = integers(3, 2, 4, 6, 5), integers(3, 8, 4, 3, 2)

    def loss(w, x):
        return F.conv2d(x, w).square().sum()

    def calls():
        yield vmap(F.conv2d)(x, w)
        yield vmap(lambda x: F.conv2d(x, w[0]))(x)
        yield vmap(grad(loss), (None, 0))(w[0], x)

    expected = list(calls())
    with enabled_rows() as rows:
        found = list(calls())
    assert all(map(torch.equal, found, expected))
    assert rows and all(row.ours == row.calls for row in rows)


def test_gradcheck():
    shapes = [(1, 2, 4, 3), (3, 2, 2, 2), (3,)]
    tensors = [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes]

    def call(*tensors):
        return F.conv2d(*tensors, stride=(2, 1), padding=1)

    with on_emulator():
        assert torch.autograd.gradcheck(call, tensors, fast_mode=True)
        assert torch.autograd.gradgradcheck(call, tensors, fast_mode=True)


def test_double_backward():
    def penalty():
        torch.manual_seed(3)
        x = torch.randn(2, 3, 5, 4, dtype=torch.float64, requires_grad=True)
        w = torch.randn(4, 3, 3, 2, dtype=torch.float64, requires_grad=True)
        y = F.conv2d(x, w, padding=1).square().sum()
        (gradient,) = torch.autograd.grad(y, x, create_graph=True)
        return torch.autograd.grad(gradient.square().sum(), [x, w])

    expected = penalty()
    with enabled_rows() as rows:
        found = penalty()
    for f, e in zip(found, expected):
        assert error_of(f, e) < 1e-13
    assert rows and all(row.ours == row.calls for row in rows)


def test_compiled_models():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 2)
    )
    x = integers(2, 3, 6, 5)

    def step(model):
        model.zero_grad()
        model(x).square().sum().backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    expected = step(model)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    with enabled_rows() as rows:
        found = step(compiled)
    for f, e in zip(found, expected):
        assert error_of(f, e) < 1e-5
    assert sum(row.ours for row in rows) == 5  # The picture has no gradient.


def test_inference_mode():
    with enabled_rows() as rows, torch.inference_mode():
        y = F.conv2d(integers(1, 3, 5, 4), integers(4, 3, 3, 2))
    assert y.is_inference() and rows[0].ours == 1
