"""Options of a compilation: what compile() and its relatives take by name."""

import ctypes
import warnings
from ctypes import c_int64
from dataclasses import dataclass
from typing import Optional

from ._cuda import Device
from ._library import CCompileOptions, Error, WARNING, encode, library
from ._ptxas import find_ptxas
from ._tuning import find_tuning_file


def targets():
    """What can be compiled for, by the engines that kernels use: most last."""
    return library().targets().decode().split(", ")


def _first_device():
    try:
        return Device(0)
    except Error:
        return None


@WARNING
def _warn(message, _):
    warnings.warn(message.decode(errors="replace"), stacklevel=2)


def _pointer(number):
    return None if number is None else ctypes.pointer(c_int64(number))


@dataclass(frozen=True)
class Options:
    """Of a problem line.

    target: "sm_90"; by default the best one of device 0, or the last of
        targets().
    schedule: keys that replace those of the schedule that would be chosen.
    ptxas: its path; by default it is looked for in CUDA_HOME, PATH,
    /usr/local/cuda and the Python packages that bring it (Triton's, NVIDIA's);
    "": none, the driver compiles the PTX.
    emulator_only: True for no code for GPUs.
    tuning_file: measured schedules (docs/Tuning.md), which come before those of
    the library; by default that of CONV_MLIR_TUNING, else the user's where there
    is one. tuned: False for the model's choice, whatever was measured.
    refuse_flaws: spilled registers and ptxas's C75xx messages are errors.
    device: the name of the GPU, "NVIDIA H200"; schedules that were measured on
    others do not count. By default device 0's where its target is compiled for;
    "": all count, as they do where there is no device.
    ptxas_timeout: seconds after which ptxas is ended; by default 600.
    max_workspace: bytes of workspace that a launch may take; what needs more is
    not chosen, and an error where there is no choice. By default any number.
    multiprocessors: of the device that the plan is for. By default those of device
    0 where its target is compiled for, else those of the target.
    """

    target: Optional[str] = None
    schedule: Optional[str] = None
    ptxas: Optional[str] = None
    emulator_only: bool = False
    tuning_file: Optional[str] = None
    tuned: bool = True
    refuse_flaws: bool = False
    device: Optional[str] = None
    ptxas_timeout: Optional[float] = None
    max_workspace: Optional[int] = None
    multiprocessors: Optional[int] = None

    def to_c(self):
        """What they mean here and now, for the library."""
        tuning_file, target, device = self.tuning_file, self.target, self.device
        if self.tuned and tuning_file is None:
            tuning_file = find_tuning_file()
        needs_name = self.tuned and device is None
        needs_number = self.multiprocessors is None and device is None
        needs_device = needs_name or needs_number
        first = _first_device() if needs_device or not target else None
        if not target:
            target = first.best_target if first else targets()[-1]
        if first and target not in (first.target, first.best_target):
            first = None
        if needs_name and first:
            device = first.name
        limits = (self.multiprocessors or 0, 0)
        if needs_number and first:
            limits = (first.multiprocessors, first.shared_bytes_per_workgroup)
        return CCompileOptions(
            target=encode(target),
            schedule=encode(self.schedule),
            ptxas=encode(find_ptxas() if self.ptxas is None else self.ptxas),
            emulator_only=int(self.emulator_only),
            tuning_file=encode(tuning_file),
            no_tuning=int(not self.tuned),
            refuse_flaws=int(self.refuse_flaws),
            on_warning=_warn,
            device=encode(device),
            ptxas_timeout_s=self.ptxas_timeout or 0,
            max_workspace=_pointer(self.max_workspace),
            multiprocessors=limits[0],
            shared_bytes_per_workgroup=limits[1],
        )


@dataclass(frozen=True)
class ModuleOptions(Options):
    """Of a module, further:

    entry: the function; by default its only public one.
    precision: "text" for products and sums of floats in the types of the text; by
    default they are formed in f32 at least.
    """

    entry: Optional[str] = None
    precision: Optional[str] = None

    def to_c(self):
        options = super().to_c()
        options.entry = encode(self.entry)
        options.precision = encode(self.precision)
        return options
