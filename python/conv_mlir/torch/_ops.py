"""Operators of our own: conv_mlir::conv, conv_dgrad and conv_wgrad.

They compute what PyTorch has no operator for: a convolution with scale, bias,
residual and activation, gradients with an activation's derivative or a bias's
gradient beside them, and all of these with 8-bit floats. Where no kernel of ours
runs, PyTorch's operators do (_compositions.py), and report() says why.
"""

import threading

import torch

from .. import Error
from . import _brief, _calls, _compositions, _op_gradients, _op_rules, _rules
from ._calls import TENSORS
from ._choices import make_choice
from ._copies import Copies
from ._devices import Emulator, Gpu
from ._op_tasks import make_task
from ._override import ROUTES, Settings
from ._policy import Verdict, judge
from ._problem import NotOurs
from ._recent import Recent
from ._report import Table
from ._routes import Refused, Route
from ._situation import situation
from ._tasks import empty
from ._types import BYTES

SPACE = "conv_mlir"
_PLACES = (
    "SymInt[] stride, SymInt[] padding, SymInt[] dilation, SymInt groups, "
    "ScalarType? out_dtype"
)
SCHEMAS = {
    "conv": "(Tensor x, Tensor w, Tensor? bias, Tensor? scale, Tensor? residual, "
    f"str activation, {_PLACES}) -> Tensor",
    "conv_dgrad": "(Tensor dy, Tensor w, Tensor? act, Tensor? scale, "
    f"SymInt[] input_size, str activation, {_PLACES}) -> Tensor",
    "conv_wgrad": "(Tensor x, Tensor dy, Tensor? scale, SymInt[] filter_size, "
    f"bool bias, {_PLACES}) -> (Tensor, Tensor)",
}
CALLS = {
    "conv": _calls.conv_call,
    "conv_dgrad": _calls.dgrad_call,
    "conv_wgrad": _calls.wgrad_call,
}
COMPOSITIONS = {
    "forward": _compositions.forward,
    "dgrad": _compositions.dgrad,
    "wgrad": _compositions.wgrad,
}
# Where enable() was not called: kernels wait for their plans, so that a captured
# graph has them. Tensors of the CPU are PyTorch's then.
DEFAULTS = {"cpu": None, "cuda": Settings("auto", "sync")}
NOT_ENABLED = "not enabled for the CPU: device='cpu' has the emulator run it"


class Kernels:
    """The kernels of our operators on one kind of device."""

    def __init__(self, kind, settings, table):
        self.table = table
        self._kind = kind
        self._settings = settings
        self._routes = Recent(ROUTES)
        self._devices = Recent(64)
        self._rules = _op_rules.OpRules()

    def run(self, name, arguments, words=None):
        """The results. `words`: of the signature, where the library has asked; calls
        that go the same way are its own from then on."""
        call, route = self._find(name, arguments)
        tensors = _tensors(name, arguments)

        def theirs():
            return COMPOSITIONS[call.op](call._replace(tensors=tensors))

        if not route.takes(tensors, theirs):
            return theirs()
        results = route.run(tensors)
        self._rules.add(name, words, route, tensors)
        return results

    def count(self):
        """Brings the calls that rules have served into the rows of the report."""
        self._rules.count()

    def close(self):
        """Ends all rules: other settings are in force."""
        self._rules.close()

    def _find(self, name, arguments):
        first = arguments[0]
        device = self._device(first.device)
        key = (name, device.flags(first.dtype), *_facts(name, arguments))
        found = self._routes.get(key)
        if found is None:
            call = CALLS[name](*arguments)
            made = call._replace(tensors={}), self._make_route(call, device)
            found = self._routes.add(key, lambda: made)
        return found

    def _make_route(self, call, device):
        try:
            task, verdict = self._judge(call, device)
        except NotOurs as reason:
            return Refused(str(reason), self.table.row(_description(call)))
        choice = copies = None
        if not verdict.refusal:
            copies = Copies(self._settings, device, task, call.tensors)
            facts = self._facts(call, device, task.line)
            choice = make_choice(
                self._settings, device, task.line, lambda: situation(*facts)
            )
        row = self.table.row(task.line)
        return Route(device, task, verdict, row, choice, copies)

    def _facts(self, call, device, line):
        """What a measurement depends on."""
        first = next(iter(call.tensors.values()))  # Its type counts.
        tensors = {"x": first, **call.tensors}
        parameters = (*call.window, call.activation, str(call.out), call.bias)
        return self._settings.policy, device, line, call.op, tensors, parameters

    def _judge(self, call, device):
        """(OpTask, Verdict); NotOurs where there is no kernel."""
        if self._settings is None:
            raise NotOurs(NOT_ENABLED)
        convolution, task = make_task(call, device)
        if call.type in BYTES:  # Of which no other library has kernels.
            return task, Verdict()
        policy = self._settings.policy
        # PyTorch's way is several calls.
        return task, judge(policy, device, convolution, task.line, is_cheap=True)

    def refusal(self, name, arguments):
        """Why PyTorch's operators would run a call, as far as is known before
        anything is compiled; None where ours would."""
        try:
            device = self._device(arguments[0].device)
            return self._judge(CALLS[name](*arguments), device)[1].refusal
        except (NotOurs, Error) as reason:
            return str(reason)

    @property
    def policy(self):
        return self._settings and self._settings.policy

    def _device(self, device):
        index = device.index or 0
        make = Emulator if self._kind == "cpu" else lambda: Gpu(index)
        return self._devices.get(index) or self._devices.add(index, make)


def _tensors(name, arguments):
    names = TENSORS[name]
    return {n: t for n, t in zip(names, arguments) if t is not None}


def _facts(name, arguments):
    """What of the arguments a signature has."""
    count = len(TENSORS[name])
    for tensor in arguments[:count]:
        if tensor is not None:
            yield tensor.shape
            yield tensor.stride()
            yield tensor.dtype
            yield tensor.device
        else:
            yield None
    for argument in arguments[count:]:
        yield tuple(argument) if type(argument) is list else argument


def _description(call):
    type = str(call.type).split(".")[-1]
    return f"{call.op} of x {list(call.x)}, w {list(call.w)}, {type}"


_defaults = {kind: Kernels(kind, s, Table()) for kind, s in DEFAULTS.items()}
_kernels = dict(_defaults)
_closed = {}  # Those before: calls of other threads may be running.


def follow(kind, settings, table):
    """From now on calls obey the settings of an enable(), and count in its table."""
    _use(kind, Kernels(kind, settings, table))
    _defaults[kind] = Kernels(kind, DEFAULTS[kind], Table())  # Counting begins anew.
    install(kind)


def unfollow(kind):
    _use(kind, _defaults[kind])


def _use(kind, kernels):
    before, _kernels[kind] = _kernels[kind], kernels
    before.close()
    _closed[kind] = before


def count():
    """Brings what was not counted yet into the rows of the report."""
    for kernels in _kernels.values():
        kernels.count()


_installing = threading.Lock()
_installed = {}


def install(kind):
    """Has the library's kernels take calls, where this PyTorch has what they need;
    Python's stay behind them. True where they do from now on."""
    with _installing:
        if kind in _installed:
            return False
        _installed[kind] = _rules.obstacle() is None
        if _installed[kind]:
            _op_rules.install(SPACE, kind.upper())
            _op_rules.install(_brief.SPACE, kind.upper(), is_brief=True)
        return _installed[kind]


def refusal(name, arguments):
    """Kernels.refusal() of a call with real or fake tensors."""
    kind = arguments[0].device.type
    if kind not in _kernels:
        return f"no kernels for {kind}"
    return _kernels[kind].refusal(name, arguments)


def policies():
    """What refusal() depends on."""
    return tuple((kind, kernels.policy) for kind, kernels in sorted(_kernels.items()))


def tables():
    """Of calls that no enable() had settings for."""
    return [kernels.table for kernels in _defaults.values()]


# Registration.

# Those that autocast converts; a bias and a scale are used as they are.
CAST = ("x", "w", "residual", "dy", "act")


def _run(name, arguments, words=None):
    kind = arguments[0].device.type
    if kind not in _kernels:
        raise Error(f"{name}: no kernels for tensors on {kind}")
    return _kernels[kind].run(name, arguments, words)


def _kernel(operator, lengthen):
    """The operator in Python: of an older PyTorch, and until the library's kernels
    are in front of it."""

    def kernel(*arguments):
        kind = arguments[0].device.type
        if DEFAULTS.get(kind) and kind not in _installed and install(kind):
            return operator(*arguments)
        return _run(operator._opname, lengthen(operator._opname, arguments))

    return kernel


def _run_brief(name, arguments, words=None):
    return _run(name, _brief.lengthen(name, arguments), words)


def _fake(name, lengthen):
    def fake(*arguments):
        call = CALLS[name](*lengthen(name, arguments))
        device = arguments[0].device
        result = empty(call.shape, call.out, device, call.format)
        if call.op != "wgrad":
            return result
        extent = call.w[0] if call.bias else 0
        wide = _compositions.wide_type(call.type)
        return result, torch.empty(extent, dtype=wide, device=device)

    return fake


def _operator(space, name):
    return getattr(getattr(torch.ops, space), name).default


def _autocast(name, kind):
    operator = _operator(SPACE, name)
    key = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, f"Autocast{kind.upper()}"))

    def cast(argument, tensor):
        """As PyTorch's convolutions have it: all but f64."""
        if tensor is None or argument not in CAST or tensor.device.type != kind:
            return tensor
        if not tensor.is_floating_point() or tensor.dtype == torch.float64:
            return tensor
        if tensor.dtype in BYTES:
            return tensor
        return tensor.to(torch.get_autocast_dtype(kind))

    def kernel(*arguments):
        names = TENSORS[name]
        rest = arguments[len(names) :]
        with torch._C._ExcludeDispatchKeyGuard(key):
            return operator(*map(cast, names, arguments), *rest)

    return kernel


def _define(space, schemas, lengthen):
    """The operators with what both namespaces have; lengthen(name, arguments): those
    of conv_mlir's."""
    library = torch.library.Library(space, "DEF")
    for name, schema in schemas.items():
        library.define(name + schema, tags=_tags())
        fake = _fake(name, lengthen)
        torch.library.register_fake(f"{space}::{name}", fake, lib=library)
        # Of every device, so that those of the library can be in front of it.
        kernel = _kernel(_operator(space, name), lengthen)
        library.impl(name, kernel, "CompositeExplicitAutograd")
    return library


def _register():
    library = _define(SPACE, SCHEMAS, lambda name, arguments: arguments)
    for name in SCHEMAS:
        for kind in DEFAULTS:
            library.impl(name, _autocast(name, kind), f"Autocast{kind.upper()}")
    _op_gradients.register(SPACE, library)
    brief = _define(_brief.SPACE, _brief.SCHEMAS, _brief.lengthen)
    for name in _brief.SCHEMAS:
        brief.impl(name, torch.library.fallthrough_kernel, "Autograd")
    return library, brief


def _tags():
    """Inductor keeps the strides of operands as they are in the traced program."""
    tags = [torch.Tag.pt2_compliant_tag]
    exact = getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order)
    return [*tags, exact]


# Kept alive.
_libraries = _register()
_runs = _op_rules.define({"": (SCHEMAS, _run), "brief_": (_brief.SCHEMAS, _run_brief)})
