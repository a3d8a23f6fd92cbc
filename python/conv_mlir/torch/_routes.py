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
    """The way of one signature. takes() says whether our kernel runs; run() is it.

    task, row      what is computed, and its row of the report
    is_decided     nothing is left to ask: every further call goes the same way
    """

    def __init__(self, settings, device, task, verdict, row):
        self.task = task
        self.row = row
        self._settings = settings
        self._device = device
        self._refusal = verdict.refusal
        self._only_in_graphs = verdict.only_in_graphs
        self._entry = None
        self._ready = False
        self._open = False  # Nothing is left to ask.

    def takes(self, ours, theirs):
        """Whether ours runs this time; ours() and theirs() are the two ways, for
        where they have to be timed."""
        reason = self.decide(ours, theirs)
        self.row.count(reason)
        return reason is None

    def decide(self, ours, theirs):
        """Why PyTorch's kernel runs this time, or None; not counted."""
        return None if self._open else self._obstacle(ours, theirs)

    @property
    def is_decided(self):
        return self._open or self._refusal is not None

    def code(self):
        """What a rule runs (_devices.py); of a route that is decided for ours."""
        return self._device.code(self._entry.plan)

    def run(self, **tensors):
        """Our result."""
        return self.task.run(self._device, self._entry.plan, tensors)

    def _obstacle(self, ours, theirs):
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
            self._entry = plans.find(self._device.request(self.task.line))
        reason = self._missing() if capturing else self._obtain(ours, theirs)
        if reason is None:
            self._ready = True
            self.row.schedule = self._entry.plan.schedule
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
            self._settings.compile, lambda: plans.may_compile(self.task.line)
        )
        if self._entry.plan is None:
            return self._entry.reason
        try:
            self._device.load(self._entry.plan)
        except Error as error:
            self._refusal = f"not loaded: {error}"
            return self._refusal
        if self._settings.policy == "measure":
            self._refusal = self.row.time(*compare(ours, theirs))
        return self._refusal


class Refused:
    """The way of a signature that we cannot compute."""

    is_decided = True

    def __init__(self, reason, row):
        self._reason = reason
        self.row = row

    def takes(self, ours, theirs):
        self.row.count(self._reason)
        return False

    def decide(self, ours, theirs):
        return self._reason


def make_route(settings, device, table, which, tensors, parameters, is_cheap=False):
    """The Route of a call; `which` is "y", "dx" or "dw". is_cheap: our call costs the
    host less than PyTorch's, so that short kernels are worth it, too."""
    x, w = tensors["x"], tensors["w"]
    try:
        type = device.type_of(x.dtype)
        if which == "y":
            convolution, task = forward_task(x, w, tensors["bias"], parameters, type)
        else:
            convolution, task = backward_task(
                which, tensors["dy"], x, w, parameters, type
            )
        verdict = judge(settings.policy, device, convolution, task.line, is_cheap)
    except NotOurs as reason:
        return Refused(str(reason), table.row(_description(which, x, w)))
    return Route(settings, device, task, verdict, table.row(task.line))


def _description(which, x, w):
    """What stands for the problem line of a call that has none."""
    type = str(x.dtype).split(".")[-1]
    return f"{which} of x {list(x.shape)}, w {list(w.shape)}, {type}"
