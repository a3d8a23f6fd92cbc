"""What becomes of calls: ours or PyTorch's, decided once for each signature.

A signature is everything that the decision hangs on: shapes, strides, types and
devices of the tensors, the parameters, and PyTorch's flags.
"""

from .. import Error
from ._measure import compare
from ._plans import plans
from ._policy import judge
from ._problem import NotOurs
from ._tasks import backward_task, forward_task


class Route:
    """The way of one signature. takes() says whether our kernel runs; run() is it."""

    def __init__(self, settings, device, task, verdict, row):
        self._settings = settings
        self._device = device
        self._task = task
        self._refusal = verdict.refusal
        self._only_in_graphs = verdict.only_in_graphs
        self._row = row
        self._entry = None
        self._ready = False
        self._open = False  # Nothing is left to ask.

    def takes(self, ours, theirs):
        """Whether ours runs this time; ours() and theirs() are the two ways, for
        where they have to be timed."""
        reason = None if self._open else self._obstacle(ours, theirs)
        self._row.count(reason)
        return reason is None

    def run(self, **tensors):
        """Our result."""
        return self._task.run(self._device, self._entry.plan, tensors)

    def _obstacle(self, ours, theirs):
        """Why PyTorch's kernel runs this time, or None."""
        if self._refusal:
            return self._refusal
        capturing = self._device.is_capturing()
        if not self._ready:
            reason = self._prepare(capturing, ours, theirs)
            if reason:
                return reason
        if self._only_in_graphs:
            return None if capturing else "auto: too short, ours runs in CUDA graphs only"
        self._open = True
        return None

    def _prepare(self, capturing, ours, theirs):
        """Has the plan compiled, loaded and timed; a reason where that is not so.
        Nothing of this may happen while a stream captures."""
        if self._entry is None:
            self._entry = plans.find(self._device.request(self._task.line))
        reason = self._missing() if capturing else self._obtain(ours, theirs)
        if reason is None:
            self._ready = True
            self._row.schedule = self._entry.plan.schedule
        return reason

    def _missing(self):
        """Why the plan cannot run as it is, or None."""
        plan, timed = self._entry.plan, self._settings.policy == "measure"
        if timed or plan is None or not self._device.is_loaded(plan):
            return "a stream captures, and the plan is not ready"
        return None

    def _obtain(self, ours, theirs):
        """Compiles, loads, times; why PyTorch's kernel runs (yet), or None."""
        self._entry.want(
            self._settings.compile, lambda: plans.may_compile(self._task.line)
        )
        if self._entry.plan is None:
            return self._entry.reason
        try:
            self._device.load(self._entry.plan)
        except Error as error:
            self._refusal = f"not loaded: {error}"
            return self._refusal
        if self._settings.policy == "measure":
            self._refusal = self._row.time(*compare(ours, theirs))
        return self._refusal


class Refused:
    """The way of a signature that we cannot compute."""

    def __init__(self, reason, row):
        self._reason = reason
        self._row = row

    def takes(self, ours, theirs):
        self._row.count(self._reason)
        return False


def make_route(settings, device, table, which, tensors, parameters):
    """The Route of a call; `which` is "y", "dx" or "dw"."""
    x, w = tensors["x"], tensors["w"]
    try:
        type = device.type_of(x.dtype)
        if which == "y":
            convolution, task = forward_task(x, w, tensors["bias"], parameters, type)
        else:
            convolution, task = backward_task(
                which, tensors["dy"], x, w, parameters, type
            )
        verdict = judge(settings.policy, device, convolution, task.line)
    except NotOurs as reason:
        return Refused(str(reason), table.row(_description(which, x, w)))
    return Route(settings, device, task, verdict, table.row(task.line))


def _description(which, x, w):
    """What stands for the problem line of a call that has none."""
    type = str(x.dtype).split(".")[-1]
    return f"{which} of x {list(x.shape)}, w {list(w.shape)}, {type}"
