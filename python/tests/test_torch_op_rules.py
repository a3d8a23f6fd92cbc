"""Our operators on the library's kernels: Python is asked once for a signature, and
results, errors, counts and settings are those of Python."""

import threading

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import _brief, _compositions, _op_rules, _ops, _rules  # noqa: E402
from conv_mlir.torch import conv, conv_dgrad, conv_wgrad  # noqa: E402
from torch_cases import enabled_rows  # noqa: E402

LAST = torch.channels_last
PLACES = ([1, 1], [0, 0], [1, 1], 1, None)

pytestmark = pytest.mark.skipif(
    _rules.obstacle() is not None, reason="this PyTorch has no kernels in C"
)


class Asked:
    """Counts the calls that come to Python."""

    def __init__(self, monkeypatch):
        self.count = 0
        run = _ops.Kernels.run

        def counted(kernels, *arguments):
            self.count += 1
            return run(kernels, *arguments)

        monkeypatch.setattr(_ops.Kernels, "run", counted)


@pytest.fixture
def asked(monkeypatch):
    torch.manual_seed(3)
    return Asked(monkeypatch)


def integers(*shape, dtype=torch.float32):
    return torch.randint(-2, 3, shape).to(dtype)


def thrice(call, *tensors):
    """The results of three calls, of which Python made the first alone."""
    with enabled_rows() as rows:
        found = [call(*tensors) for _ in range(3)]
    assert rows and all((row.calls, row.ours) == (3, 3) for row in rows)
    return found


def alike(found, expected):
    found, expected = (r if isinstance(r, tuple) else (r,) for r in (found, expected))
    for one, other in zip(found, expected):
        assert (one.dtype, one.stride()) == (other.dtype, other.stride())
        assert torch.equal(one.double(), other.double())


# Which calls have a rule, and what it does.


def of_rank(rank):
    shape, taps = (2, 4, *[3, 2, 2][:rank]), (6, 2, *[2, 1, 2][:rank])
    pads = [(0, 1), (1, 0), (1, 1)][:rank]
    x, w, bias = integers(*shape), integers(*taps), integers(6)
    return lambda: conv(x, w, bias, activation="relu", padding=pads, groups=2)


def of_formats():
    x, w = integers(2, 4, 3, 2), integers(8, 4, 2, 1).contiguous(memory_format=LAST)
    residual = integers(2, 8, 2, 2)  # Contiguous, beside a result that is not.
    return lambda: conv(x, w, None, None, residual)


def of_vectors():
    x, w = integers(1, 4, 3, 2), integers(8, 4, 1, 1)
    bias, scale = integers(16)[::2], torch.tensor([2.0])  # Copied, and expanded.
    return lambda: conv(x, w, bias, scale)


def of_types():
    x, w = (integers(*s, dtype=torch.bfloat16) for s in [(1, 8, 3, 2), (8, 8, 1, 1)])
    bias, residual = integers(8).double(), integers(1, 8, 3, 2, dtype=torch.bfloat16)
    return lambda: conv(x, w, bias, None, residual, out_dtype=torch.float32)


def of_bytes():
    x = integers(1, 16, 3, 2, dtype=torch.float8_e4m3fn)
    w = integers(8, 16, 1, 1, dtype=torch.float8_e4m3fn)
    scale = torch.rand(8)
    return lambda: conv(x, w, None, scale, out_dtype=torch.bfloat16)


def of_dgrad():
    dy, w, act = integers(1, 8, 3, 2), integers(8, 4, 1, 1), integers(1, 4, 3, 2)
    act = act.contiguous(memory_format=LAST)
    return lambda: conv_dgrad(dy, w, act.shape, act, activation="relu")


def of_wgrad(bias):
    x, dy = integers(1, 8, 3, 2), integers(1, 8, 3, 2)
    operator = torch.ops.conv_mlir.conv_wgrad
    return lambda: operator(x, dy, None, [8, 8, 1, 1], bias, *PLACES)


CASES = {
    **{f"rank {rank}": lambda rank=rank: of_rank(rank) for rank in (1, 2, 3)},
    "formats": of_formats,
    "vectors": of_vectors,
    "types": of_types,
    "8 bits": of_bytes,
    "dgrad": of_dgrad,
    "wgrad": lambda: of_wgrad(False),
    "wgrad with bias": lambda: of_wgrad(True),
}


@pytest.mark.parametrize("case", CASES)
def test_python_is_asked_once(case, asked):
    call = CASES[case]()
    first, *later = thrice(call)
    assert asked.count == 1
    for found in later:
        alike(found, first)


def test_a_scale_behind_a_gradient_is_pythons(asked):
    dy, w, scale = integers(1, 8, 3, 2), integers(8, 4, 1, 1), integers(4)
    first, *later = thrice(conv_dgrad, dy, w, (1, 4, 3, 2), None, scale)
    assert asked.count == 3
    for found in later:
        alike(found, first)


def test_what_is_not_aligned_is_copied_by_python(asked):
    x, w = integers(1, 4, 3, 2), integers(8, 4, 1, 1)
    shifted = torch.empty(25)[1:].view(x.shape).copy_(x)
    with enabled_rows() as rows:
        first, *later = [conv(t, w) for t in (x, shifted, x, shifted)]
    assert asked.count == 3 and (rows[0].calls, rows[0].ours) == (4, 4)
    for found in later:
        alike(found, first)


def test_flags_of_pytorch_are_part_of_a_signature(asked):
    x, w = integers(1, 8, 3, 2), integers(8, 8, 1, 1)
    with enabled_rows():
        conv(x, w)
        with torch.backends.mkldnn.flags(enabled=False):
            conv(x, w)
        conv(x, w)
    assert asked.count == 2


def test_rules_are_bounded(asked, monkeypatch):
    monkeypatch.setattr(_op_rules.OpRules.__init__, "__defaults__", (4,))
    w = integers(8, 4, 1, 1)
    images = [integers(1, 4, 1, extent) for extent in range(1, 8)]
    with enabled_rows() as rows:
        for _ in range(2):
            for x in images:
                conv(x, w)
    assert 7 < asked.count <= 14
    assert [(row.calls, row.ours) for row in rows] == [(2, 2)] * 7


# Settings.


def test_rules_end_with_their_settings(asked):
    x, w = integers(1, 4, 3, 2), integers(8, 4, 1, 1)
    with enabled_rows() as rows:
        first = conv(x, w)
        conv(x, w)
        with enabled_rows() as inner:
            conv(x, w)
            conv(x, w)
        conv_mlir.torch.disable()
        behind = conv(x, w)  # PyTorch's.
    assert asked.count == 3
    assert (inner[0].calls, inner[0].ours) == (2, 2)
    alike(behind, first)


def test_without_a_plan_every_call_is_pytorchs(asked):
    x, w = integers(1, 4, 3, 5), integers(9, 4, 1, 1)
    with enabled_rows("always", "never") as rows:
        first, second = conv(x, w), conv(x, w)
    # Once as ours, and once as the convolution that it is then.
    assert asked.count == 2 and (rows[0].calls, rows[0].ours) == (4, 0)
    assert "compile is 'never'" in rows[0].reason
    alike(first, F.conv2d(x, w))
    alike(second, first)


# Errors.


@pytest.mark.parametrize("kind", [KeyError, KeyboardInterrupt, torch.OutOfMemoryError])
def test_errors_keep_their_types(kind, monkeypatch):
    def fail(call):
        raise kind("of the composition")

    x, w = integers(1, 4, 3, 5), integers(9, 4, 1, 1)
    with enabled_rows("always", "never"):
        monkeypatch.setitem(_ops.COMPOSITIONS, "forward", fail)
        with pytest.raises(kind, match="of the composition"):
            conv(x, w)
        monkeypatch.setitem(_ops.COMPOSITIONS, "forward", _compositions.forward)
        alike(conv(x, w), F.conv2d(x, w))


def test_errors_of_arguments_are_ours():
    with enabled_rows():
        with pytest.raises(conv_mlir.Error, match="x: expected 3 channels"):
            conv(integers(1, 4, 3, 2), integers(8, 3, 1, 1))
        with pytest.raises(conv_mlir.Error, match="bias: expected cpu, got meta"):
            x, w = integers(1, 4, 3, 2), integers(8, 4, 1, 1)
            conv(x, w, torch.zeros(8))
            torch.ops.conv_mlir.conv.default.redispatch(
                torch._C.DispatchKeySet(torch._C.DispatchKey.CPU),
                *(x, w, torch.zeros(8, device="meta"), None, None, "none", *PLACES),
            )


# Threads.


def test_many_threads(asked):
    w = integers(8, 4, 1, 1)
    images = [integers(1, 4, 2, extent) for extent in range(1, 4)]
    expected = [F.conv2d(x, w) for x in images]
    wrong = []

    def work():
        for _ in range(5):
            for x, exact in zip(images, expected):
                if not torch.equal(conv(x, w), exact):
                    wrong.append(x.shape)

    with enabled_rows() as rows:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
    assert [(row.calls, row.ours) for row in rows] == [(20, 20)] * 3
    assert asked.count <= 12


# The operators without gradients and autocast.


@pytest.fixture
def called(monkeypatch):
    """The namespaces that calls have had."""
    found = []
    for space in ("conv_mlir", "conv_mlir_kernels"):
        for name in _ops.SCHEMAS:
            packet = getattr(getattr(torch.ops, space), name)

            def call(*arguments, _space=space, _packet=packet):
                found.append(_space)
                return _packet(*arguments)

            monkeypatch.setattr(getattr(torch.ops, space), name, call)
    return found


def test_where_nothing_is_wanted_the_cheap_operators_run(called):
    x, w, dy = integers(1, 8, 3, 2), integers(8, 8, 1, 1), integers(1, 8, 3, 2)
    needs = w.clone().requires_grad_()

    def all_three(w):
        return conv(x, w), conv_dgrad(dy, w, x.shape), conv_wgrad(x, dy, w.shape)

    expected = all_three(w)
    assert set(called) == {"conv_mlir_kernels"}
    with torch.no_grad():
        for found, exact in zip(all_three(needs), expected):
            alike(found, exact)
            assert not found.requires_grad
    assert set(called) == {"conv_mlir_kernels"}
    called.clear()
    assert all_three(needs)[0].requires_grad
    with torch.autocast("cpu", torch.bfloat16):
        assert conv(x, w).dtype == torch.bfloat16
    # The gradient of the filter has no filter among its operands.
    assert called == ["conv_mlir", "conv_mlir", "conv_mlir_kernels", "conv_mlir"]


def test_gradients_are_computed_by_the_cheap_operators(called):
    x, w = integers(1, 8, 3, 2).requires_grad_(), integers(8, 8, 1, 1).requires_grad_()
    expected = torch.autograd.grad(F.conv2d(x, w).sum(), (x, w))
    y = conv(x, w)
    called.clear()
    for found, exact in zip(torch.autograd.grad(y.sum(), (x, w)), expected):
        alike(found, exact)
    assert called == ["conv_mlir_kernels"] * 2
    called.clear()
    torch.autograd.grad(conv(x, w).square().sum(), (x, w), create_graph=True)
    assert set(called) == {"conv_mlir"}


def test_traced_programs_have_the_operators_with_gradients():
    from torch.fx.experimental.proxy_tensor import make_fx

    x, w = integers(1, 8, 3, 2), integers(8, 8, 1, 1)
    for found in (
        make_fx(lambda x, w: conv(x, w))(x, w),
        torch.export.export(_Layer(), (x,)).graph_module,
    ):
        names = [n.target.name() for n in found.graph.nodes if n.op == "call_function"]
        assert names == ["conv_mlir::conv"]


class _Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(8, 8, 1, 1), requires_grad=False)

    def forward(self, x):
        return conv(x, self.w)


def test_the_backends_programs_call_the_cheap_operators():
    from conv_mlir.torch._inductor import Fusion

    graph = torch.fx.Graph()
    arguments = [graph.placeholder(name) for name in "xw"]
    target = torch.ops.conv_mlir.conv.default
    graph.output(graph.call_function(target, (*arguments, None, None, None, "relu", *PLACES)))
    Fusion()(graph)
    (call,) = [node for node in graph.nodes if node.op == "call_function"]
    assert call.target.name() == "conv_mlir_kernels::conv"
    full = _brief.lengthen("conv", call.args)
    assert full[5:] == ("relu", *PLACES)


def full_arguments():
    x, w, dy = integers(1, 8, 3, 2), integers(8, 8, 1, 1), integers(1, 8, 3, 2)
    bias = integers(8)
    yield "conv", (x, w, bias, None, None, "clip:0:1.5", *PLACES[:-1], torch.float64)
    yield "conv_dgrad", (dy, w, None, None, [1, 8, 3, 2], "none", *PLACES)
    yield "conv_wgrad", (x, dy, None, [8, 8, 1, 1], True, *PLACES)


def in_one_type(name, arguments):
    return tuple(
        a.double() if name == "conv" and torch.is_tensor(a) else a for a in arguments
    )


@pytest.mark.parametrize("case", range(3))
def test_opcheck_of_the_cheap_operators(case):
    name, arguments = list(full_arguments())[case]
    arguments = _brief.shorten(name, in_one_type(name, arguments))
    with enabled_rows():
        torch.library.opcheck(_brief.operators()[name], arguments)


@pytest.mark.parametrize("case", range(3))
def test_one_text_says_the_same(case, asked):
    name, arguments = list(full_arguments())[case]
    arguments = in_one_type(name, arguments)
    brief = _brief.shorten(name, arguments)
    for found, given in zip(_brief.lengthen(name, brief), arguments):
        if torch.is_tensor(given):
            assert found is given
        else:
            assert list(found) == given if isinstance(given, list) else found == given
    with enabled_rows():
        expected = getattr(torch.ops.conv_mlir, name)(*arguments)
        for _ in range(3):
            alike(_brief.operators()[name](*brief), expected)
    assert asked.count == 2


def test_sizes_that_change_are_no_part_of_the_text(asked):
    def gradient(dy, w):
        size = [dy.shape[0], 8, 3, 2]
        return torch.ops.conv_mlir.conv_dgrad.default(
            dy, w, None, None, size, "none", *PLACES
        )

    w = integers(8, 8, 1, 1)
    texts = []

    def backend(model, inputs):
        from conv_mlir.torch._traced import take_kernels

        take_kernels(model.graph)
        model.recompile()
        (call,) = [n for n in model.graph.nodes if "conv_dgrad" in str(n.target)]
        assert call.target.name() == "conv_mlir_kernels::conv_dgrad"
        texts.append(call.args[-1])
        return model

    torch._dynamo.reset()
    compiled = torch.compile(gradient, backend=backend, dynamic=True)
    for batch in (2, 3, 2):
        dy = integers(batch, 8, 3, 2)
        with torch.no_grad():
            alike(compiled(dy, w), gradient(dy, w))
    assert set(texts) == {'[null,"none",[1,1],[0,0],[1,1],1,null]'}


def test_numbers_that_are_none_are_pytorchs_errors():
    x, w = integers(1, 8, 3, 2), integers(8, 8, 1, 1)
    conv(x, w, stride=1)
    for options in (dict(stride=(1.0, 1.0)), dict(groups=1.0)):
        with pytest.raises(RuntimeError, match="Expected a value of type"):
            conv(x, w, **options)


@pytest.mark.parametrize("call", [F.conv2d, conv])
def test_plans_of_removed_rules_outlive_calls_that_run_them(call):
    _rules._retired.clear()
    with enabled_rows(), torch.no_grad():
        for _ in range(3):
            call(integers(1, 4, 5, 6), integers(8, 4, 3, 2))
        assert not _rules._retired
    assert [rule.passes for rule in _rules._retired] == [False]
