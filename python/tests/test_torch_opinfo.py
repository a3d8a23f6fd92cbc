"""PyTorch's own samples of convolutions through enable(), forward and all gradients,
on the emulator: an eighth of them, all with --all-samples. And its error inputs."""

import pytest

torch = pytest.importorskip("torch")
from torch_cases import DTYPES, caller, check, convolution_ops  # noqa: E402
from torch_cases import on_emulator  # noqa: E402

OPS = convolution_ops()


def chosen(samples, dtype, every):
    """All samples, or every eighth, beginning with another one for each type."""
    samples = list(samples)
    return samples if every else samples[DTYPES.index(dtype) :: 8]


def test_there_are_samples():
    assert len(OPS) == 6
    counts = [len(list(op.sample_inputs("cpu", DTYPES[0]))) for op in OPS.values()]
    assert min(counts) > len(DTYPES)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
@pytest.mark.parametrize("name", OPS)
@pytest.mark.filterwarnings("ignore:Using padding='same'")
def test_samples(name, dtype, request):
    op = OPS[name]
    samples = op.sample_inputs("cpu", dtype)
    for sample in chosen(samples, dtype, request.config.getoption("--all-samples")):
        check(*caller(op.op, sample))


@pytest.mark.parametrize("name", OPS)
def test_compiled_samples(name, request):
    op = OPS[name]
    samples = op.sample_inputs("cpu", torch.float32)
    every = request.config.getoption("--all-samples")
    for sample in samples if every else [next(samples)]:
        check(*caller(op.op, sample), backend="aot_eager")


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("name", [n for n, op in OPS.items() if op.error_inputs_func])
def test_error_inputs(name):
    op = OPS[name]
    for case in op.error_inputs("cpu"):
        sample = case.sample_input
        with on_emulator(), pytest.raises(case.error_type, match=case.error_regex):
            op.op(sample.input, *sample.args, **sample.kwargs)
