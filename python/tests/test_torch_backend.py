"""torch.compile(backend="conv_mlir"): what its pass makes of programs, in inference
and in training, and that results stay as they are."""

import collections
import pathlib
import re

import conv_mlir
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
from conv_mlir.torch import _inductor  # noqa: E402
from torch_cases import UNBOUNDED, enabled_rows, error_of  # noqa: E402

LAST = torch.channels_last
OURS = ("conv", "conv_dgrad", "conv_wgrad")


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(13)
    torch._dynamo.reset()


def leaf(*shape):
    return torch.randn(shape, requires_grad=True)


# The pass without Inductor's code: traced and parted as Inductor does it.


class Traced:
    """A backend that runs programs behind the pass, and counts what is in them."""

    def __init__(self):
        self.operators = collections.Counter()

    def __call__(self, model, inputs):
        from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
        from torch._dynamo.backends.common import aot_autograd
        from torch._inductor.decomposition import select_decomp_table

        def finish(graph, _):
            return make_boxed_func(graph.forward)

        def infer(graph, inputs):
            return finish(self._changed(graph), inputs)

        def part(graph, inputs, **options):
            return min_cut_rematerialization_partition(
                self._changed(graph), inputs, compiler="inductor", **options
            )

        backend = aot_autograd(
            fw_compiler=finish,
            bw_compiler=finish,
            inference_compiler=infer,
            partition_fn=part,
            decompositions=select_decomp_table(),
        )
        return backend(model, inputs)

    def _changed(self, graph):
        from torch._inductor.pattern_matcher import stable_topological_sort

        _inductor.Fusion()(graph.graph)
        stable_topological_sort(graph.graph)
        graph.graph.lint()
        graph.recompile()
        for node in graph.graph.nodes:
            if node.op == "call_function":
                name = getattr(node.target, "_opname", node.target.__name__)
                self.operators[name] += 1
        return graph


def check(call, *tensors, expect, train=False, limit=5e-6, autocast=False):
    """The program on the emulator against eager; how many of our operators it has."""

    def run(call):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            if not train:
                with torch.no_grad():
                    return [call(*tensors)]
            y = call(*tensors)
        weights = torch.arange(y.numel()).view(y.shape).to(y) % 5 - 2
        needing = [tensor for tensor in tensors if tensor.requires_grad]
        return [y, *torch.autograd.grad(y, needing, weights)]

    expected = run(call)
    traced = Traced()
    with enabled_rows() as rows:
        found = run(torch.compile(call, backend=traced, fullgraph=True))
    for f, e in zip(found, expected):
        assert (f.dtype, f.shape, f.stride()) == (e.dtype, e.shape, e.stride())
        assert error_of(f, e) < limit
    counts = {name: traced.operators[name] for name in OURS if traced.operators[name]}
    assert counts == expect, traced.operators
    left = [(row.problem, row.reason) for row in rows if row.ours < row.calls]
    assert not left, left
    epilogues = [re.search(r"epilogue=(\S+)", row.problem) for row in rows]
    return traced.operators, sorted(e[1] for e in epilogues if e)


def channels(vector, rank=2):
    return vector.view(-1, *[1] * rank)


X, W = (2, 8, 5, 6), (16, 8, 3, 2)
ACTIVATIONS = {
    **UNBOUNDED,
    "clip:0:6": F.relu6,
    "clip:-0.5:0.75": lambda z: z.clamp(-0.5, 0.75),
}


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_in_inference(name, autocast):
    def call(x, w, b):
        return ACTIVATIONS[name](F.conv2d(x, w, b, padding=1))

    limit = 1e-2 if autocast else 5e-6
    tensors = [torch.randn(shape) for shape in (X, W, (16,))]
    counts, epilogues = check(
        call, *tensors, expect={"conv": 1}, limit=limit, autocast=autocast
    )
    assert epilogues == [f"bias,{name}"]
    assert not counts["convolution"]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_normalisation_and_residual(rank):
    conv = [F.conv1d, F.conv2d, F.conv3d][rank - 1]

    def call(x, w, b, mean, variance, scale, shift, residual):
        y = F.batch_norm(conv(x, w, b), mean, variance, scale, shift)
        return torch.relu(residual + y)

    tensors = [torch.randn(2, 8, *[5, 6, 3][:rank]), torch.randn(16, 8, *[3, 2, 1][:rank])]
    tensors += [torch.rand(16) + 0.5 for _ in range(5)]
    tensors += [torch.randn_like(conv(*tensors[:2]))]
    _, epilogues = check(call, *tensors, expect={"conv": 1})
    assert epilogues == ["scale,bias,residual,relu"]


def test_normalisation_under_autocast():
    def call(x, w, mean, variance, scale, shift):
        return F.relu6(F.batch_norm(F.conv2d(x, w), mean, variance, scale, shift))

    tensors = [torch.randn(X), torch.randn(W), *(torch.rand(16) + 0.5 for _ in range(4))]
    _, epilogues = check(call, *tensors, expect={"conv": 1}, limit=1e-2, autocast=True)
    assert epilogues == ["scale,bias,clip:0:6"]


def test_differences_and_products_of_channels():
    def call(x, w, a, b):
        return (F.conv2d(x, w) - channels(a)) * channels(b) - channels(a)

    tensors = [torch.randn(shape) for shape in (X, W, (16,), (16,))]
    _, epilogues = check(call, *tensors, expect={"conv": 1})
    assert epilogues == ["scale,bias"]


@pytest.mark.parametrize("last", [False, True])
def test_paddings_in_inference(last):
    def call(x, w):
        y = F.conv2d(F.pad(x, (1, 1, 2, 2)), w, padding=1)
        return torch.relu(F.conv2d(F.pad(y, (0, 1, 2, -1)), w[:, :, :2], groups=2))

    x, w = torch.randn(1, 8, 5, 6), torch.randn(16, 8, 3, 2)
    if last:
        x, w = x.contiguous(memory_format=LAST), w.contiguous(memory_format=LAST)
    counts, _ = check(call, x, w, expect={"conv": 1})
    assert not counts["constant_pad_nd"] and counts["convolution"] == 1


def cases_left_alone():
    yield lambda x, w: (lambda y: torch.relu(y) + y)(F.conv2d(x, w))  # used twice
    yield lambda x, w: F.conv2d(x, w) * 2  # no values of channels
    yield lambda x, w: 1 - F.conv2d(x, w)
    yield lambda x, w: F.conv2d(F.pad(x, (1, 0, 0, 1), value=1.0), w)
    yield lambda x, w: F.conv2d(F.pad(x, (1, 0, 0, 1), mode="reflect"), w)
    yield lambda x, w: (lambda p: F.conv2d(p, w).sum() + p)(F.pad(x, (1, 0)))
    yield lambda x, w: torch.relu(F.conv_transpose2d(x, w[:8, :4]))
    yield lambda x, w: F.hardswish(F.conv2d(x, w))
    yield lambda x, w: torch.relu(F.conv2d(x, w)[:, :4])
    yield lambda x, w: F.conv2d(x, w) + torch.ones(6 - 1)  # columns, not channels
    yield lambda x, w: F.conv2d(x, w).double() + torch.ones(16, 1, 1).double()


@pytest.mark.parametrize("call", list(cases_left_alone()))
def test_what_is_left_alone(call):
    check(call, torch.randn(X), torch.randn(W), expect={})


def test_a_bias_alone_is_ours_where_no_kernel_follows():
    def two(x, w, v, b, c):
        return F.conv2d(F.conv2d(x, w, b), v, c)

    tensors = [torch.randn(s) for s in (X, W, (8, 16, 1, 1), (16,), (8,))]
    check(two, *tensors, expect={"conv": 2})


# Training.


def test_training_of_a_chain():
    def call(x, w, b, v, c):
        y = torch.relu(F.conv2d(x, w, b, padding=1))
        return F.silu(F.conv2d(y, v, c))

    tensors = [leaf(*s) for s in (X, W, (16,), (8, 16, 2, 3), (8,))]
    expect = {"conv": 1, "conv_dgrad": 1, "conv_wgrad": 2}
    counts, epilogues = check(call, *tensors, expect=expect, train=True)
    assert epilogues == ["bias", "bias,relu", "dbias", "dbias", "drelu"]


def test_sums_of_gradients_as_traced_for_gpus(monkeypatch):
    def call(x, w, b, v, c):
        return F.silu(F.conv2d(torch.relu(F.conv2d(x, w, b)), v, c))

    # There PyTorch takes the gradient of a bias out of the convolution's backward.
    monkeypatch.setattr("torch._inductor.decomposition.is_gpu", lambda device: True)
    tensors = [leaf(*s) for s in (X, W, (16,), (8, 16, 2, 3), (8,))]
    expect = {"conv": 1, "conv_dgrad": 1, "conv_wgrad": 1}
    counts, epilogues = check(call, *tensors, expect=expect, train=True)
    assert epilogues == ["bias", "bias,relu", "dbias", "drelu"]
    assert counts["sum"] == 1  # Behind silu, whose kernel computes it.


@pytest.mark.parametrize("name", ["relu", "clip:0:6", "gelu", "gelu-tanh", "silu"])
@pytest.mark.parametrize("autocast", [False, True])
def test_derivatives_behind_dgrad(name, autocast):
    def call(x, v):
        return F.conv2d(ACTIVATIONS[name](x * 2), v)

    x, v = leaf(1, 16, 4, 5), leaf(8, 16, 2, 3)
    if autocast:
        x = x.bfloat16().detach().requires_grad_()
    expect = {"conv_dgrad": 1}
    limit = 2e-2 if autocast else 5e-6
    _, epilogues = check(call, x, v, expect=expect, train=True, limit=limit, autocast=autocast)
    assert epilogues == [f"d{name}"]


@pytest.mark.parametrize("autocast", [False, True])
def test_paddings_in_training(autocast):
    def call(x, w, b):
        x = x * 2
        y = F.conv2d(F.pad(x, (1, 1)), w, b)
        return y + F.conv2d(F.pad(x, (2, 0)), w, b)

    tensors = [leaf(*s) for s in (X, W, (16,))]
    counts, _ = check(
        *(call, *tensors),
        expect={"conv": 2, "conv_dgrad": 1, "conv_wgrad": 2},
        train=True,
        limit=2e-2 if autocast else 5e-6,
        autocast=autocast,
    )
    assert not counts["constant_pad_nd"]


def test_training_normalisation_is_inductors():
    def call(x, w, scale, shift):
        y = F.conv2d(x, w)
        return torch.relu(F.batch_norm(y, None, None, scale, shift, training=True))

    tensors = [leaf(*s) for s in (X, W, (16,), (16,))]
    check(call, *tensors, expect={}, train=True, limit=2e-5)


def test_double_types_have_no_gelu():
    tensors = [torch.randn(s).double() for s in (X, W)]
    check(lambda x, w: F.gelu(F.conv2d(x, w)), *tensors, expect={}, limit=1e-13)


def test_sizes_that_change():
    traced = Traced()
    call = torch.compile(
        lambda x, w: torch.relu(F.conv2d(F.pad(x, (0, 1)), w)),
        backend=traced,
        fullgraph=True,
        dynamic=True,
    )
    w = torch.randn(W)
    with enabled_rows() as rows:
        for n, h in ((4, 5), (7, 9)):
            x = torch.randn(n, 8, h, 6)
            expected = torch.relu(F.conv2d(F.pad(x, (0, 1)), w))
            assert error_of(call(x, w), expected) < 5e-6
    assert traced.operators["conv"] == 1
    assert [row.ours for row in rows if "relu" in row.problem] == [1, 1]


def test_nothing_changes_where_ours_is_not_enabled():
    traced = Traced()
    call = torch.compile(lambda x, w: torch.relu(F.conv2d(x, w)), backend=traced)
    x, w = torch.randn(X), torch.randn(W)
    assert error_of(call(x, w), torch.relu(F.conv2d(x, w))) < 1e-6
    assert not any(traced.operators[name] for name in OURS)


# Inductor itself.


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(4, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        # The gradient of a bias in front of a normalisation is 0 but for rounding.
        self.second = torch.nn.Conv2d(8, 8, 3, padding=1, bias=False)

    def forward(self, x):
        y = torch.relu(self.first(F.pad(x, (1, 1, 2, 0))))
        return torch.relu(self.norm(self.second(y)) + torch.cat([x, x], 1))


def step(call, model, x):
    model.zero_grad()
    y = call(x)
    (y.square().sum()).backward()
    return [y.detach(), *(parameter.grad.clone() for parameter in model.parameters())]


def test_short_kernels_stay_apart(monkeypatch):
    from conv_mlir.torch import _rules
    from conv_mlir.torch._traced import least_seconds, seconds_of_call

    def shape(*extents):
        return torch.empty(extents, dtype=torch.bfloat16, device="meta")

    monkeypatch.setattr(_rules, "obstacle", lambda: None)
    x, w = shape(32, 64, 56, 56), shape(64, 64, 3, 3)
    assert 0 < least_seconds("conv", (x, w, None), [x]) < seconds_of_call()
    x = shape(128, 64, 56, 56)
    middle = least_seconds("conv", (x, w, None), [x])
    assert seconds_of_call() < middle
    # Calls in Python cost more.
    monkeypatch.setattr(_rules, "obstacle", lambda: "an old PyTorch")
    assert middle < seconds_of_call()
    x, w, y = shape(256, 512, 28, 28), shape(512, 512, 3, 3), shape(256, 512, 28, 28)
    for name, values, result in (("conv", (x, w), y), ("conv_dgrad", (y, w), x), ("conv_wgrad", (x, y), w)):
        # 0.95e12 products and sums.
        seconds = least_seconds(name, values, [result])
        assert 0.001 < seconds < 0.0015, name
        assert seconds > seconds_of_call()


def test_inductor():
    model, x = Block().to(memory_format=LAST), torch.randn(2, 4, 6, 5)
    expected = step(model, model, x)
    with enabled_rows() as rows:
        call = torch.compile(model, backend="conv_mlir", fullgraph=True)
        found = step(call, model, x)
        model.eval().to(memory_format=torch.contiguous_format)
        with torch.no_grad():
            inference = call(x), model(x)
    for f, e in zip(found, expected):
        assert f.stride() == e.stride() and error_of(f, e) < 1e-5
    assert error_of(*inference) < 1e-5 and inference[0].stride() == inference[1].stride()
    problems = " ".join(row.problem for row in rows)
    for epilogue in ("=bias,relu", "=drelu", "=dbias", "=scale,bias,residual,relu"):
        assert f"epilogue{epilogue}" in problems
    assert all(row.ours == row.calls for row in rows)


def test_inductor_without_enable_and_with_a_pass_of_the_users():
    seen = []
    model, x = Block().eval(), torch.randn(1, 4, 6, 5)
    passes = {name: seen.append for name in _inductor.HOOKS}
    options = {**passes, "max_fusion_size": 16}
    call = torch.compile(model, backend="conv_mlir", options=options)
    with torch.no_grad():
        assert error_of(call(x), model(x)) < 1e-6
    assert len(seen) == 2


def test_the_cache_of_programs_knows_what_the_pass_depends_on():
    without = _inductor.Fusion().uuid()
    with enabled_rows():
        assert _inductor.Fusion().uuid() != without
    assert _inductor.Fusion().uuid() == without
    assert _inductor.Fusion(lambda graph: None).uuid() is None


def test_what_is_in_no_format_is_written_in_one():
    from torch.fx.experimental.proxy_tensor import make_fx

    def call(x, w, dy):
        sizes = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False])
        return torch.ops.aten.convolution_backward(3 * dy, x, w, None, *sizes)[:2]

    x, w, dy = torch.randn(2, 8, 5, 6), torch.randn(16, 8, 3, 3), torch.randn(2, 6, 5, 16)
    x = x.to(memory_format=LAST)
    program = make_fx(call, tracing_mode="fake")(x, w, dy.permute(0, 3, 2, 1))
    expected = program(x, w, dy.permute(0, 3, 2, 1))
    _inductor.Formats()(program.graph)
    program.recompile()
    copies = [node for node in program.graph.nodes if node.name.startswith("clone")]
    assert [node.meta["val"].is_contiguous(memory_format=LAST) for node in copies] == [True]
    for found, e in zip(program(x, w, dy.permute(0, 3, 2, 1)), expected):
        assert found.stride() == e.stride() and torch.equal(found, e)
    _inductor.Formats()(program.graph)
    assert sum(node.name.startswith("clone") for node in program.graph.nodes) == 1


def test_formats_are_left_as_they_are():
    from torch.fx.experimental.proxy_tensor import make_fx

    def call(x, w):
        return torch.ops.aten.convolution(x + 1, w, None, [1], [0], [1], False, [0], 1)

    for x in (torch.randn(2, 8, 6), torch.randn(2, 6, 8).transpose(1, 2)):
        program = make_fx(call, tracing_mode="fake")(x, torch.randn(4, 8, 3))
        before = str(program.graph)
        _inductor.Formats()(program.graph)
        assert (str(program.graph) == before) == x.is_contiguous()


def test_wrong_options_are_pytorchs_errors():
    with pytest.raises(Exception, match="Unexpected optimization option no_such"):
        torch.compile(Block(), backend="conv_mlir", options={"no_such": 1})(torch.randn(1, 4, 6, 5))
    with pytest.raises(Exception, match="Unrecognized mode=fast"):
        torch.compile(Block(), backend="conv_mlir", mode="fast")(torch.randn(1, 4, 6, 5))


def test_the_name_is_known():
    assert "conv_mlir" in torch._dynamo.list_backends()


def test_the_wheel_declares_the_name():
    tomllib = pytest.importorskip("tomllib")
    text = (pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text()
    points = tomllib.loads(text)["project"]["entry-points"]["torch_dynamo_backends"]
    module, function = points["conv_mlir"].split(":")
    assert getattr(__import__(module, fromlist=[function]), function) is conv_mlir._dynamo.backend
