"""Operands in another memory format than the kernel's: what copies them, and when."""

import itertools

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import _copies, _plans, _rules, conv  # noqa: E402
from conv_mlir.torch._copies import transposition  # noqa: E402
from conv_mlir.torch._plans import Plans  # noqa: E402
from torch_cases import Held, enabled_rows  # noqa: E402

LAST, LAST_3D = torch.channels_last, torch.channels_last_3d
PLAIN = torch.contiguous_format


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(11)


def integers(*shape, dtype=torch.float32):
    return torch.randint(-2, 3, shape).to(dtype)


@pytest.fixture
def made(monkeypatch):
    """Copies that plans of ours have made by Python: names of the operands."""
    names = []
    make = _copies.Copies.make

    def noted(copies, name, tensor, format):
        copy = make(copies, name, tensor, format)
        if copies.plan(name) and copy.data_ptr() != tensor.data_ptr():
            names.append(name)
        return copy

    monkeypatch.setattr(_copies.Copies, "make", noted)
    return names


@pytest.fixture
def ruled(monkeypatch):
    """Copies by plans in rules, which C makes: slots."""
    slots = []
    convert = _rules.Rule.convert

    def noted(rule, slot, copy=None, **options):
        if copy:
            slots.append(slot)
        convert(rule, slot, copy=copy, **options)

    monkeypatch.setattr(_rules.Rule, "convert", noted)
    return slots


# What is transposed.


@pytest.mark.parametrize(
    "shape, format, expected",
    [
        ((2, 8, 3, 8), LAST, "tensor<2x8x24xbf16> outs"),
        ((1, 16, 2, 3, 4), LAST_3D, "tensor<1x16x24xbf16> outs"),
        ((3, 8, 8), LAST, "tensor<3x8x8xbf16> outs"),
        ((2, 8, 3, 5), LAST, "tensor<2x8x15xbf16> outs"),
        ((2, 3, 4, 8), LAST, "tensor<2x3x32xbf16> outs"),
        ((2, 3, 3, 5), LAST, None),
        ((2, 12, 4, 8), LAST, None),
        ((2, 8, 4, 4), PLAIN, None),  # As it is.
    ],
)
def test_what_is_transposed(shape, format, expected):
    text = transposition(torch.empty(shape, dtype=torch.bfloat16), format)
    assert text is None if expected is None else expected in text.replace(")", "")


def test_tensors_that_pytorch_copies():
    x = torch.empty(2, 8, 4, 8, dtype=torch.bfloat16)
    assert transposition(x, LAST)
    assert not transposition(x.contiguous(memory_format=LAST), LAST)
    assert transposition(x.contiguous(memory_format=LAST), PLAIN)
    assert not transposition(x[:, :, ::2], LAST)  # Not dense.
    assert not transposition(x.to(torch.float8_e5m2), LAST)
    assert transposition(x.double(), LAST)
    assert not transposition(torch.empty(2, 8, 5, 7).double(), LAST)
    assert not transposition(torch.empty(2, 8, 1, 1), LAST)  # In both formats.


# Results.


def of_rank(rank, dtype, transposed):
    """A layer whose x is contiguous and whose filter is channels last."""
    x = integers(2, 8, *(8, 2, 4)[:rank], dtype=dtype).requires_grad_()
    w = integers(8, 8, *(3, 1, 2)[:rank], dtype=dtype)
    if rank == 1:
        w = w.permute(0, 2, 1).contiguous().permute(0, 2, 1).requires_grad_()
    else:
        format = LAST_3D if rank == 3 else LAST
        w = w.contiguous(memory_format=format).requires_grad_()
    kind = "conv_transpose" if transposed else "conv"
    return getattr(F, f"{kind}{rank}d"), x, w


@pytest.mark.parametrize("dtype", _copies.TYPES)
@pytest.mark.parametrize("rank, transposed", [*itertools.product((1, 2, 3), (False, True))])
def test_results_and_gradients(rank, transposed, dtype, made, ruled):
    call, x, w = of_rank(rank, dtype, transposed)

    def go():
        y = call(x, w)
        # Contiguous, though the result is not.
        dy = torch.ones(y.shape, dtype=dtype)
        return [y, *torch.autograd.grad(y, (x, w), dy)]

    expected = go()
    with enabled_rows() as rows:
        found = [go() for _ in range(3)]
    assert rows and all((row.calls, row.ours) == (3, 3) for row in rows)
    # PyTorch has no channels last for f64 in 3-D on the CPU. dy of f64 has no rows of
    # whole vectors.
    if not expected[0].is_contiguous():
        is_double = dtype == torch.float64
        assert set(made) == ({"x"} if is_double else {"x", "dy"}) or ruled
        # x of the forward; dy for dx; x and dy for dw.
        assert not ruled or sorted(ruled) == ([0, 1] if is_double else [0, 0, 0, 1])
    for results in found:
        for one, other in zip(results, expected):
            assert torch.equal(one, other) and one.stride() == other.stride()


def mixed():
    x = integers(1, 8, 4, 4)
    return x, integers(16, 8, 3, 3).contiguous(memory_format=LAST)


def test_operands_of_our_operators(made, ruled):
    x, w = mixed()
    residual = integers(1, 16, 4, 4)
    with enabled_rows() as rows:
        found = [conv(x, w, None, None, residual, padding=1) for _ in range(3)]
    expected = F.conv2d(x, w, padding=1) + residual
    assert all(torch.equal(y, expected) for y in found)
    assert found[0].is_contiguous(memory_format=LAST)
    assert rows[0].ours == 3 and set(made) == {"x", "residual"}
    assert not ruled or sorted(ruled) == [0, 4]


def test_an_address_that_is_not_aligned():
    x, w = mixed()
    shifted = torch.empty(x.numel() + 1)[1:].view(x.shape).copy_(x)
    with enabled_rows() as rows:
        found = [F.conv2d(t, w) for t in (x, shifted, x)]
    assert all(torch.equal(y, F.conv2d(x, w)) for y in found)
    assert rows[0].ours == 3  # PyTorch copies it.


# When plans of copies are there.


@pytest.fixture
def no_plans(monkeypatch, tmp_path):
    """As in a new process with an empty cache."""
    monkeypatch.setattr(_copies, "plans", Plans())
    monkeypatch.setattr("conv_mlir.torch._choices.plans", Plans())
    cache = conv_mlir.Cache(tmp_path, max_plans=0)
    monkeypatch.setattr(_plans, "disk", lambda: cache)
    return cache


@pytest.fixture
def held(monkeypatch, no_plans):
    held = Held()
    monkeypatch.setattr(_plans, "compilers", lambda: held)
    return held


@pytest.mark.parametrize("first, last", [("module", "problem"), ("problem", "module")])
def test_both_plans_are_compiled_at_once(first, last, held, ruled):
    x, w = mixed()
    expected = F.conv2d(x, w)
    with enabled_rows("always", "async") as rows:
        assert torch.equal(F.conv2d(x, w), expected)
        kinds = {key for job, _ in held.jobs for key in job}
        assert len(held.jobs) == 2 and {"module", "problem"} <= kinds
        held.answer(held.of(first))
        F.conv2d(x, w)
        held.answer(held.of(last))
        found = [F.conv2d(x, w) for _ in range(2)]
    assert all(torch.equal(y, expected) for y in found)
    assert (rows[0].calls, rows[0].ours, rows[0].reason) == (4, 2, "being compiled")
    assert not held.jobs


def test_a_copy_that_is_not_compiled_is_pytorchs(held, made, ruled):
    x, w = mixed()
    with enabled_rows("always", "async") as rows:
        F.conv2d(x, w)
        held.answer(held.of("module"), conv_mlir.Error("no such thing"))
        held.answer(held.of("problem"))
        found = [F.conv2d(x, w) for _ in range(2)]
    assert all(torch.equal(y, F.conv2d(x, w)) for y in found)
    assert rows[0].ours == 2 and not made and not ruled


def test_a_warm_cache_compiles_nothing(held, no_plans, made, ruled):
    x, w = mixed()
    with enabled_rows("always", "async"):
        F.conv2d(x, w)
    for request, _ in held.jobs:
        request = dict(request)
        keep = no_plans.module if "module" in request else no_plans.plan
        keep(request.pop("module", None) or request.pop("problem"), **request)
    held.jobs.clear()
    for container in (_copies, conv_mlir.torch._choices):
        container.plans = Plans()
    with enabled_rows("always", "never") as rows:
        found = [F.conv2d(x, w) for _ in range(2)]
    assert all(torch.equal(y, F.conv2d(x, w)) for y in found)
    assert rows[0].ours == 2 and not held.jobs and (made or ruled)


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_first_call_in_a_capture(is_loaded, no_plans, made, ruled, monkeypatch):
    """Takes plans of copies that are loaded; without them it is PyTorch's, and the
    next call outside of the capture is asked again."""
    x, w = mixed()
    if is_loaded:
        with enabled_rows():
            F.conv2d(x, w)
    else:  # The same problem, whose x needs no copy.
        with enabled_rows():
            F.conv2d(x.contiguous(memory_format=LAST), w)
    del made[:], ruled[:]
    capturing = [True]
    monkeypatch.setattr(
        "conv_mlir.torch._devices.Emulator.is_capturing", lambda device: capturing[0]
    )
    with enabled_rows() as rows:
        found = [F.conv2d(x, w)]
        capturing[0] = False
        found += [F.conv2d(x, w) for _ in range(2)]
    assert all(torch.equal(y, F.conv2d(x, w)) for y in found)
    assert rows[0].ours == (3 if is_loaded else 2) and (made or ruled)
