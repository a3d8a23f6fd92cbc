"""Which stream the memory of a run belongs to, on a stand-in for PyTorch: no GPU
and no PyTorch. test_tensors.py has the same on both."""

import importlib
import sys
import types

import conv_mlir
import pytest

LINE = "forward n=1 c=8 h=4 w=4 k=8 r=1 s=1 type=f16"


class Stream:
    def __init__(self, cuda_stream, device=None):
        self.cuda_stream = cuda_stream


class Device:
    type, index = "cuda", 0


class Tensor:
    """Memory: the stream that was current when it was allocated, and those that
    PyTorch was told of since."""

    def __init__(self, shape, dtype, device, stream):
        self.shape, self.dtype, self.device = tuple(shape), dtype, device
        self.streams = [stream]

    def dim(self):
        return len(self.shape)

    def movedim(self, source, destination):
        shape = list(self.shape)
        shape.insert(destination % len(shape), shape.pop(source))
        moved = Tensor(shape, self.dtype, self.device, None)
        moved.streams = self.streams
        return moved

    def is_contiguous(self):
        return True

    def data_ptr(self):
        return id(self)

    def record_stream(self, stream):
        self.streams.append(stream.cuda_stream)


class FakeTorch(types.ModuleType):
    float16, uint8, Tensor = "float16", "uint8", Tensor

    def __init__(self):
        super().__init__("torch")
        self.current = Stream(1)
        self.allocated = []
        self.cuda = types.SimpleNamespace(
            Stream=Stream,
            ExternalStream=Stream,
            current_stream=lambda device: self.current,
            default_stream=lambda device: Stream(0),
            stream=self.switch,
        )

    def switch(self, stream):
        torch = self

        class Switch:
            def __enter__(self):
                self.before, torch.current = torch.current, stream

            def __exit__(self, *_):
                torch.current = self.before

        return Switch()

    def empty(self, shape, dtype, device):
        shape = (shape,) if isinstance(shape, int) else shape
        tensor = Tensor(shape, dtype, device, self.current.cuda_stream)
        self.allocated.append(tensor)
        return tensor


class Plan:
    """A compiled plan that wants a workspace and notes its launches."""

    workspace_bytes = 4096

    def __init__(self):
        self.compiled = conv_mlir.compile(LINE, "sm_80", emulator_only=True)
        self.launches = []

    def __getattr__(self, name):
        return getattr(self.compiled, name)

    def launch(self, pointers, stream, workspace, device):
        self.launches.append((len(pointers), stream, device))


@pytest.fixture
def torch(monkeypatch):
    fake = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", fake)
    monkeypatch.delitem(sys.modules, "conv_mlir.tensors", raising=False)
    monkeypatch.setattr(conv_mlir, "tensors", None, raising=False)
    yield fake
    sys.modules.pop("conv_mlir.tensors", None)


@pytest.fixture
def tensors(torch):
    return importlib.import_module("conv_mlir.tensors")


def arguments(tensors, plan):
    return [tensors.empty(operand, device=Device) for operand in plan.arguments]


@pytest.mark.parametrize("stream", [7, Stream(7), 0])
def test_other_stream_owns_the_workspace_and_results(torch, tensors, stream):
    plan = Plan()
    x, w = arguments(tensors, plan)
    torch.allocated.clear()
    y = tensors.run(plan, x, w, stream=stream)
    number = getattr(stream, "cuda_stream", stream)
    assert plan.launches == [(3, number, 0)]
    result, workspace = torch.allocated
    assert workspace.shape == (plan.workspace_bytes,)
    assert workspace.streams == [number]
    # The caller drops them on its own stream, while the run may still use them.
    assert y.streams == result.streams and result.streams[0] == number
    assert set(result.streams) == {number, 1}
    assert x.streams == w.streams == [1, number]
    assert torch.current.cuda_stream == 1


def test_given_results_are_kept_for_the_run(torch, tensors):
    plan = Plan()
    x, w = arguments(tensors, plan)
    y = tensors.empty(plan.results[0], device=Device)
    assert tensors.run(plan, x, w, out=y, stream=7) is y
    assert 7 in y.streams


def test_current_stream_is_nothing_special(torch, tensors):
    plan = Plan()
    x, w = arguments(tensors, plan)
    torch.allocated.clear()
    tensors.run(plan, x, w)
    tensors.run(plan, x, w, stream=1)
    assert plan.launches == [(3, 1, 0)] * 2
    assert all(tensor.streams == [1] for tensor in (x, w, *torch.allocated))
