"""Plans: compiled, stored, described, launched, emulated."""

import ctypes
import weakref
from ctypes import byref, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Tuple

from ._cuda import Program
from ._library import CLaunch, COperand, CPlanInfo
from ._library import Error, encode, library, runtime, take
from ._options import ModuleOptions, Options


def compile(problem, target=None, schedule=None, **options):
    """Compiles a problem line (docs/Problem.md). The options are those of
    conv_mlir.Options, by name."""
    meant = Options(target, schedule, **options).to_c()
    handle = c_void_p()
    library().compile_problem(encode(problem), byref(meant), byref(handle))
    return Plan(handle)


def compile_module(text, target=None, schedule=None, *, name="module", **options):
    """Compiles a function of a module of MLIR. Messages call the module `name`. The
    options are those of conv_mlir.ModuleOptions, by name."""
    meant = ModuleOptions(target, schedule, **options).to_c()
    data = text if isinstance(text, bytes) else text.encode()
    handle = c_void_p()
    library().compile_module(
        data, len(data), encode(name), byref(meant), byref(handle)
    )
    return Plan(handle)


@dataclass(frozen=True)
class Answer:
    """Whether a problem can be compiled. True or false, as it is asked."""

    reason: str  # Why not: what compile() would raise; "": it can be.

    def __bool__(self):
        return not self.reason


def can_implement(problem, target=None, schedule=None, **options):
    """Whether compile() with the same options makes a plan, found without
    compiling: an Answer. What ptxas says of the code is not known before."""
    meant = Options(target, schedule, **options).to_c()
    why = c_void_p()
    library().can_implement(encode(problem), byref(meant), byref(why))
    return Answer(take(why) or "")


@dataclass(frozen=True)
class Operand:
    """A tensor that the caller binds: dense, its shape in memory order."""

    name: str
    type: str
    is_result: bool
    shape: Tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Launch:
    """One kernel launch; extents are (x, y, z)."""

    kernel: str
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    cluster: Tuple[int, int, int]
    dynamic_shared_bytes: int
    static_shared_bytes: int
    registers: int


class Plan:
    """A compiled problem or module; made by compile(), load() and from_bytes().

    target, problem, entry, schedule, precision, order, operand_type   texts
    remarks                   why kernels are as they are, sentences
    deterministic, compile_ms
    multiprocessors           of the device that it was made for; 0: not known
    workspace_bytes           of one launch
    flops, bytes              operations; bytes that must be moved at least
    operands                  arguments, then results: what launch() takes
    launches                  the kernels
    """

    def __init__(self, handle, native=None):
        """`native`: the library that made the handle, by default the compiler's."""
        self._native = native or library()
        self._handle = handle
        self._finalizer = weakref.finalize(self, self._native.plan_destroy, handle)
        self._compilers = None
        self._programs = {}
        info = CPlanInfo()
        self._native.plan_describe(handle, byref(info))
        for name in ("target", "problem", "entry", "schedule", "precision", "order"):
            setattr(self, name, getattr(info, name).decode(errors="replace"))
        self.remarks = tuple(info.remarks.decode(errors="replace").splitlines())
        self.operand_type = info.operand_type.decode()
        self.deterministic = bool(info.deterministic)
        self.compile_ms = info.compile_ms
        self.multiprocessors = info.multiprocessors
        self.workspace_bytes = info.workspace_bytes
        self.flops = info.flops
        self.bytes = info.least_bytes
        self.operands = tuple(self._operand(i) for i in range(info.operands))
        self.launches = tuple(self._launch(i) for i in range(info.launches))

    @staticmethod
    def load(path):
        """Reads a plan file; needs no compiler, and loads none."""
        handle, native = c_void_p(), runtime()
        native.plan_read(encode(path), byref(handle))
        return Plan(handle, native)

    @staticmethod
    def from_bytes(data):
        handle, native = c_void_p(), runtime()
        native.plan_parse(data, len(data), byref(handle))
        return Plan(handle, native)

    @property
    def handle(self):
        """For C functions of the library that compiles; valid while this lives."""
        if self._native is library():
            return self._handle.value
        if self._compilers is None:
            self._compilers = Plan.from_bytes(self.to_bytes())
        return self._compilers.handle

    def save(self, path):
        """Writes the plan file; it appears complete or not at all."""
        self._native.plan_write(self._handle, encode(path))

    def to_bytes(self):
        data, size = c_void_p(), c_size_t()
        self._native.plan_serialise(self._handle, byref(data), byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            self._native.free(data)

    @property
    def arguments(self):
        return tuple(o for o in self.operands if not o.is_result)

    @property
    def results(self):
        return tuple(o for o in self.operands if o.is_result)

    @property
    def is_loaded(self):
        """Whether its code is on a device."""
        return bool(self._programs)

    def prepare(self, device=0):
        """Loads the code on a device (or into CURRENT_CONTEXT), which the first
        launch() would do."""
        if device not in self._programs:
            self._programs[device] = Program(
                self._handle, device, self._native, len(self.operands)
            )
        return self._programs[device]

    def is_prepared(self, device=0):
        """Whether the code is loaded, so that launch() does nothing but launch."""
        return device in self._programs

    def launch(
        self, pointers, stream=0, workspace=0, *, workspace_bytes=None, device=0
    ):
        """Enqueues one run on a CUDA stream and returns at once.

        pointers: device addresses of all operands, multiples of 16.
        stream: a CUstream of the device's primary context; 0: the default one.
        workspace: the address of workspace_bytes bytes (by default as many as
        the plan needs) that are this run's alone until it is done.
        """
        size = self.workspace_bytes if workspace_bytes is None else workspace_bytes
        program = self._programs.get(device) or self.prepare(device)
        program.launch(pointers, stream, workspace, size)

    def emulate(self, *operands):
        """Runs once on the emulator, on buffers such as NumPy arrays: arguments
        are read, results are written. Each has the operand's type and shape, or
        is a row of bytes; bf16 is the bits in uint16, e4m3 and e5m2 in uint8."""
        if len(operands) != len(self.operands):
            raise Error(
                f"expected {len(self.operands)} operands, got {len(operands)}"
            )
        views = [_host_memory(*pair) for pair in zip(self.operands, operands)]
        pointers = (c_void_p * len(views))(*(ctypes.addressof(v) for v in views))
        library().emulate(self.handle, pointers, len(views))

    def _operand(self, index):
        raw = COperand()
        self._native.plan_operand(self._handle, index, byref(raw))
        return Operand(
            raw.name.decode(errors="replace"),
            raw.type.decode(),
            bool(raw.is_result),
            tuple(raw.shape[: raw.rank]),
            raw.bytes,
        )

    def _launch(self, index):
        raw = CLaunch()
        self._native.plan_launch(self._handle, index, byref(raw))
        return Launch(
            raw.kernel.decode(errors="replace"),
            tuple(raw.grid),
            tuple(raw.block),
            tuple(raw.cluster),
            raw.dynamic_shared_bytes,
            raw.static_shared_bytes,
            raw.registers,
        )

    def __repr__(self):
        return f"<conv_mlir.Plan of '{self.problem}' for {self.target}>"


# Formats of elements, as memoryview names them. The bits of 16-bit floats can be
# in integers, those of 8-bit floats, which NumPy has not, are.
FORMATS = {
    "f16": "eH",
    "bf16": "H",
    "tf32": "f",
    "f32": "f",
    "f64": "d",
    "s8": "b",
    "s32": "il",
    "e4m3": "B",
    "e5m2": "B",
}


def _check_elements(operand, view):
    """Error where a buffer has elements of another type or in another shape. A
    row of bytes is memory of anything."""
    if view.ndim == 1 and view.format.lstrip("<@=") in ("B", "b", "c"):
        return
    format = view.format.lstrip("<@=")
    if format not in FORMATS[operand.type] or view.shape != operand.shape:
        raise Error(
            f"{operand.name}: expected {operand.type} of memory order "
            f"{list(operand.shape)}, got elements '{view.format}' of "
            f"{list(view.shape)}"
        )


def _host_memory(operand, buffer):
    """The memory of a buffer as a ctypes array; of a read-only argument, a copy."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise Error(
            f"{operand.name}: expected a buffer, got {type(buffer).__name__}"
        ) from None
    if view.nbytes != operand.bytes or not view.c_contiguous:
        raise Error(
            f"{operand.name}: expected {operand.bytes} contiguous bytes, got "
            f"{view.nbytes}{'' if view.c_contiguous else ' that are not contiguous'}"
        )
    _check_elements(operand, view)
    if operand.bytes == 0:
        return (ctypes.c_char * 1)()
    if operand.is_result and view.readonly:
        raise Error(f"{operand.name}: expected memory that can be written")
    array = ctypes.c_char * operand.bytes
    flat = view.cast("B")
    return array.from_buffer_copy(flat) if view.readonly else array.from_buffer(flat)
