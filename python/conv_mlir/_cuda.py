"""CUDA devices, and plans loaded on them."""

import struct
import warnings
import weakref
from ctypes import byref, c_double, c_void_p

from ._library import CDevice, encode, runtime, take

# In place of a device's number: the CUDA context that is current on the thread.
CURRENT_CONTEXT = -1


class Device:
    """What a device is.

    name, target, best_target (what to compile for), capability (major, minor),
    multiprocessors, l2_bytes, memory_bytes, clock_hz, memory_bytes_per_second,
    shared_bytes_per_workgroup
    """

    def __init__(self, ordinal=0):
        self._raw = CDevice()
        runtime().device_describe(ordinal, byref(self._raw))
        for name in ("name", "target", "best_target"):
            setattr(self, name, getattr(self._raw, name).decode())
        for name in (
            ("multiprocessors", "l2_bytes", "memory_bytes")
            + ("shared_bytes_per_workgroup",)
        ):
            setattr(self, name, getattr(self._raw, name))
        self.capability = (self._raw.capability_major, self._raw.capability_minor)
        self.clock_hz = self._raw.clock_hz
        self.memory_bytes_per_second = self._raw.memory_bytes_per_second

    def bound(self, type, flops, least_bytes):
        """The least microseconds that the operations and the traffic take at the
        peaks of the device: (compute, memory). Zeros where they are unknown."""
        compute, memory = c_double(), c_double()
        runtime().device_bound(
            byref(self._raw),
            encode(type),
            flops,
            least_bytes,
            byref(compute),
            byref(memory),
        )
        return compute.value, memory.value


class Program:
    """A plan's code and constants on a device. `native` is the library that made
    the plan, which has so many operands."""

    def __init__(self, plan_handle, device, native, operands):
        handle = c_void_p()
        native.program_load(plan_handle, device, byref(handle))
        self._native = native
        # What a launch needs, found once.
        self._call = native.raw_program_launch
        self._pack = struct.Struct(f"{operands}P").pack
        self.handle = handle.value  # For C functions; valid while this lives.
        self._finalizer = weakref.finalize(self, native.program_destroy, handle)
        text = c_void_p()
        native.program_remark(handle, byref(text))
        if text:
            warnings.warn(take(text, native), stacklevel=4)
        # The driver is gone by then, and takes everything with it.
        self._finalizer.atexit = False

    def launch(self, pointers, stream, workspace, workspace_bytes):
        try:
            addresses = self._pack(*pointers)
        except struct.error:  # None, or another number of them: the library says so.
            addresses = bytes((c_void_p * len(pointers))(*pointers))
        status = self._call(
            self.handle, addresses, len(pointers), workspace, workspace_bytes, stream
        )
        if status:
            self._native.check(status)
