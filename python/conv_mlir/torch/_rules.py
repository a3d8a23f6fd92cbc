"""Rules of the kernels in C (conv-c/Torch.h): which plans run for a call, on which
tensors, and what is counted of it.

Input: the words of a signature, and what a rule converts, makes and runs. Output: a
Rule in the library's table. _fast.py has those of PyTorch's operators, _op_rules.py
those of ours.
"""

import collections
import functools
import pathlib
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

import torch

from .. import Error
from .._library import Sized, library
from ._override import ROUTES
from ._tasks import empty, widened

FORMATS = {
    torch.contiguous_format: b"contiguous",
    torch.channels_last: b"channels_last",
    torch.channels_last_3d: b"channels_last_3d",
}


class CConversion(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("slot", c_int32),
        ("dtype", c_char_p),
        ("format", c_char_p),
        ("extent", c_int64),
        ("program", c_void_p),
        ("plan", c_void_p),
        ("rank", c_int32),
        ("extents", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
    ]


class CResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("slot", c_int32),
        ("like", c_int32),
        ("rank", c_int32),
        ("extents", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("dtype", c_char_p),
    ]


class CStep(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("program", c_void_p),
        ("plan", c_void_p),
        ("slots", POINTER(c_int32)),
        ("count", c_int32),
        ("workspace_bytes", c_size_t),
    ]


class CRule(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("conversions", POINTER(CConversion)),
        ("conversion_count", c_size_t),
        ("results", POINTER(CResult)),
        ("result_count", c_size_t),
        ("steps", POINTER(CStep)),
        ("step_count", c_size_t),
    ]


class CCounts(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("calls", c_int64),
        ("handed_on", c_int64),
        ("unaligned", c_int64),
        ("refused", c_int64),
    ]


# Why PyTorch's kernel runs in the place of plans, by counter.
PASSED = {
    "unaligned": "an address is no multiple of 16",
    "refused": "PyTorch gave no tensor: no memory is left",
}


@functools.lru_cache(maxsize=None)
def obstacle():
    """Why this PyTorch has no kernels in C, or None."""
    try:
        library().torch_check(*paths())
    except Error as error:
        return str(error)
    return None


def paths():
    """PyTorch's libraries, the second one only where it has CUDA."""
    folder = pathlib.Path(torch.__file__).parent / "lib"
    cuda = folder / "libtorch_cuda.so"
    has_cuda = torch.version.cuda and cuda.exists()
    return str(folder / "libtorch_cpu.so").encode(), (
        str(cuda).encode() if has_cuda else None
    )


def signature():
    """The words of the call that is decided about."""
    words, count = POINTER(c_int64)(), c_size_t()
    library().torch_get_signature(byref(words), byref(count))
    return (c_int64 * count.value)(*words[: count.value])


def ask_again(words):
    """The next call of a signature is decided about once more."""
    try:
        library().torch_ask_again(words, len(words))
    except Error:
        pass  # disable() has removed its rule.


def conversion(tensor, format, code=None):
    """Arguments of Rule.convert() that make a tensor of channels and dimensions dense
    in a memory format; none where it is. code: of a plan that makes the copy."""
    if widened(tensor).is_contiguous(memory_format=format):
        return {}
    found = dict(format=format, is_line=tensor.dim() == 3)
    if code:
        found["copy"] = code, empty(tensor.shape, tensor.dtype, "meta", format)
    return found


# Rules that were removed or replaced last: calls of other threads may be running their
# plans still. As many as one enable() has of our operators.
_retired = collections.deque(maxlen=ROUTES)


class Rule:
    """What runs for a signature, kept alive, and its rows of the report.

    rows    [(row, reason)]: why PyTorch's kernel runs there, or None
    """

    def __init__(self, words, rows):
        self.key = bytes(words)
        # What the rows have of the counts of the signature.
        self.counted = collections.Counter()
        self._before = {}  # Reasons of the rule that it replaces, by row.
        self._words = words
        self._rows = rows
        self._kept = []  # What the C structures point to, plans, programs.
        self._conversions, self._results, self._steps = {}, [], []

    def convert(
        self, slot, dtype=None, format=None, is_line=False, extent=0, copy=None
    ):
        """The steps see a copy of an input: of a type, dense in a memory format
        (is_line: of N, C, W), a vector of so many elements. copy: code of ours that
        makes it where the address is aligned, and a tensor as it then is."""
        if (dtype, format, extent) == (None, None, 0):
            return
        by_plan = {}
        if copy:
            code, like = copy
            self._kept.append(code)
            by_plan = {**code.handles, **self._extents(like)}
        name = FORMATS.get(format)
        if is_line and format == torch.channels_last:
            name = b"channels_last_1d"
        self._conversions[slot] = CConversion(
            slot=slot, dtype=_name(dtype), format=name, extent=extent, **by_plan
        )

    def make(self, slot, like, dtype=None):
        """A result: a new tensor of the shape and the strides of `like`; by default
        of the type of the first operand."""
        self._results.append(
            CResult(
                slot=slot,
                like=0,
                dtype=_name(dtype),
                **self._extents(like),
            )
        )

    def run(self, code, slots):
        """A step: code of a device (_devices.py), on the tensors of the slots."""
        self._kept.append(code)
        self._steps.append(
            CStep(
                **code.handles,
                slots=self._integers(c_int32, slots),
                count=len(slots),
                workspace_bytes=code.workspace_bytes,
            )
        )

    def follow(self, before):
        """Takes the place of another rule, and its counts."""
        self.counted = before.counted
        self._before = dict(before._rows)
        before.retire()

    @property
    def passes(self):
        """Whether it is PyTorch's kernel."""
        return not self._steps

    def add(self):
        conversions = list(self._conversions.values())
        rule = CRule(
            conversions=_array(CConversion, conversions),
            conversion_count=len(conversions),
            results=_array(CResult, self._results),
            result_count=len(self._results),
            steps=_array(CStep, self._steps),
            step_count=len(self._steps),
        )
        library().torch_add_rule(self._words, len(self._words), byref(rule))

    def remove(self):
        library().torch_remove_rule(self._words, len(self._words))
        self.retire()

    def retire(self):
        """Is kept alive for a while: it runs for no further call."""
        if not self.passes:
            _retired.append(self)

    def count(self):
        new = self._new_counts()
        for row, reason in self._rows:
            row.count(reason, new["calls"])
            # A call that was on its way when the rule before was replaced.
            row.count(reason or self._before.get(row), new["handed_on"])
            for name, why in PASSED.items():
                row.count(reason or why, new[name])

    def count_served(self):
        """The same of an operator of ours: what a rule does not serve is counted
        where it runs."""
        new = self._new_counts()
        for row, reason in self._rows:
            row.count(reason, new["calls"])

    def _new_counts(self):
        """What has been counted since the last time."""
        counts = CCounts()
        try:
            library().torch_count(self._words, len(self._words), byref(counts))
        except Error:  # Removed by disable().
            return collections.Counter()
        now = {name: getattr(counts, name) for name, _ in CCounts._fields_[1:]}
        new = {name: number - self.counted[name] for name, number in now.items()}
        self.counted.update(new)
        return collections.Counter(new)

    def _extents(self, like):
        return dict(
            rank=like.dim(),
            extents=self._integers(c_int64, like.shape),
            strides=self._integers(c_int64, like.stride()),
        )

    def _integers(self, type, values):
        array = (type * len(values))(*values)
        self._kept.append(array)
        return array


def _name(dtype):
    """As the C API has it; None: as it is."""
    return dtype and str(dtype).split(".")[1].encode()


def _array(type, structures):
    return (type * len(structures))(*structures)
