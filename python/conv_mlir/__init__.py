"""Convolutions compiled for NVIDIA tensor cores, over the C API of conv-mlir.

    import conv_mlir
    plan = conv_mlir.compile("forward n=8 c=64 h=56 w=56 k=64 r=3 s=3 pad=1")
    plan.launch([x.data_ptr(), w.data_ptr(), y.data_ptr()], stream)

The package needs nothing but Python 3.9: it loads libconv-mlir.so from
$CONV_MLIR_LIBRARY, from its own folder native/lib (a wheel), from lib/ beside the
package's folder (a bundle), or from the newest build in build/*/lib (a checkout).
conv_mlir.tensors works on PyTorch tensors. docs/CApi.md has the details.
"""

from ._cuda import CURRENT_CONTEXT, Device
from ._library import Error, version
from ._options import ModuleOptions, Options, targets
from ._plan import Answer, Launch, Operand, Plan, can_implement, compile
from ._plan import compile_module
from ._problem import Problem
from ._tuning import add_tuning_record, candidate_schedules
from .cache import Cache

__all__ = [
    "Answer",
    "CURRENT_CONTEXT",
    "Cache",
    "Device",
    "Error",
    "Launch",
    "ModuleOptions",
    "Operand",
    "Options",
    "Plan",
    "Problem",
    "add_tuning_record",
    "can_implement",
    "candidate_schedules",
    "compile",
    "compile_module",
    "targets",
    "version",
]
