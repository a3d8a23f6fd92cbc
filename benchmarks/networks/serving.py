"""The worker of models.py, a process that has the GPU for one subject.

A request is {"subject", "is_captured", "policies", "settings", "is_profiled"}, whose
answer is {"result": rows}, or {"subject", "losses": policy}, whose answer is
{"result": what losses.verdict() has}. {"error": sentence} where there is none.
"""

import conv_mlir
import torch
from comparison.measuring import Refused
from comparison.serving import serve
from comparison.timing import Settings

from .contest import contest
from .losses import compare_losses
from .steps import Steps
from .subjects import Subject


class Bench:
    """The device; the steps of the last subject are kept for further modes."""

    def __init__(self, device):
        if device == "cuda" and not torch.cuda.is_available():
            raise Refused("PyTorch finds no CUDA device; --device=cpu is the emulator")
        torch.backends.cudnn.benchmark = True
        self._device = device
        self._steps = None

    def describe(self):
        on_gpu = self._device == "cuda"
        return {
            "device": torch.cuda.get_device_name() if on_gpu else "emulator",
            "torch": torch.__version__,
            "cudnn": torch.backends.cudnn.version() if on_gpu else None,
            "conv_mlir": conv_mlir.version(),
        }

    def steps(self, subject):
        if self._steps is None or self._steps.subject != subject:
            self._steps = None  # Its memory is needed.
            self._steps = Steps(subject)
        return self._steps

    def clean(self):
        """The next request goes on where this one ended."""


def answer(bench, request):
    subject = Subject(**request["subject"])
    try:
        return {"result": _result(bench, subject, request)}
    except (ImportError, conv_mlir.Error) as refused:
        return {"error": str(refused)}
    except torch.OutOfMemoryError as error:
        return {"error": f"out of memory: {_first_line(error)}", "final": True}
    except Exception as error:  # The device may be in any state.
        return {"error": f"{type(error).__name__}: {_first_line(error)}", "final": True}


def _result(bench, subject, request):
    if "losses" in request:
        return compare_losses(bench.steps(subject), request["losses"])
    settings = Settings(**request["settings"])
    rows, _ = contest(
        bench.steps(subject),
        request["is_captured"],
        request["policies"],
        settings,
        request["is_profiled"],
    )
    return rows


def _first_line(error):
    return (str(error).strip() or "no reason was given").splitlines()[0]


def serve_models(device):
    """The worker's side; its exit status."""
    return serve(lambda: Bench(device), answer)
