"""PyTorch's own samples of convolutions through enable(), forward and all gradients,
on the emulator: a few of each kind, all with --all-samples. And its error inputs."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch_cases import check, on_emulator  # noqa: E402

OPS = {op.name: op for op in op_db if op.name.startswith("nn.functional.conv")}
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def chosen(samples, dtype, every):
    """All samples, or every eighth, beginning with another one for each type."""
    samples = list(samples)
    return samples if every else samples[DTYPES.index(dtype) :: 8]


def caller(op, sample):
    """The sample as a function of its tensors, and these."""
    named = {k: v for k, v in sample.kwargs.items() if torch.is_tensor(v)}
    given = [sample.input, *(a for a in sample.args if torch.is_tensor(a))]
    options = {k: v for k, v in sample.kwargs.items() if k not in named}
    rest = [a for a in sample.args if not torch.is_tensor(a)]

    def call(*tensors):
        placed, last = tensors[: len(given)], tensors[len(given) :]
        return op(*placed, *rest, **dict(zip(named, last)), **options)

    return call, [*given, *named.values()]


def test_there_are_samples():
    assert len(OPS) == 6


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
@pytest.mark.parametrize("name", OPS)
@pytest.mark.filterwarnings("ignore:Using padding='same'")
def test_samples(name, dtype, request):
    op = OPS[name]
    samples = op.sample_inputs("cpu", dtype)
    count = 0
    for sample in chosen(samples, dtype, request.config.getoption("--all-samples")):
        check(*caller(op.op, sample))
        count += 1
    assert count


@pytest.mark.parametrize("name", OPS)
def test_error_inputs(name):
    op = OPS[name]
    if op.error_inputs_func is None:
        pytest.skip("PyTorch has no error inputs of it")
    for case in op.error_inputs("cpu"):
        sample = case.sample_input
        with on_emulator(), pytest.raises(case.error_type, match=case.error_regex):
            op.op(sample.input, *sample.args, **sample.kwargs)
