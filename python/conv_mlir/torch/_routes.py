"""What becomes of calls: ours or PyTorch's, decided once for each signature.

A signature is everything that the decision hangs on: shapes, strides, types and
devices of the tensors, the parameters, and PyTorch's flags.
"""

from ._choices import make_choice
from ._copies import Copies
from ._policy import judge
from ._problem import NotOurs
from ._situation import situation
from ._tasks import backward_task, forward_task

CAPTURES = "a stream captures, and the plan is not ready"


class Route:
    """The way of one signature. takes() says whether our kernel runs; run() is it.

    task, row      what is computed, and its row of the report
    copies         what makes the copies of operands in the kernel's memory format
    is_decided     nothing is left to ask: every further call goes the same way
    pending        what compiler processes have to do before there is more to decide
    """

    def __init__(self, device, task, verdict, row, choice, copies):
        self.task = task
        self.row = row
        self.copies = copies
        self._device = device
        self._refusal = verdict.refusal
        self._only_in_graphs = verdict.only_in_graphs
        self._choice = choice
        self._ready = False
        self._open = False  # Nothing is left to ask.

    def takes(self, tensors, theirs):
        """Whether ours runs this time; theirs() is PyTorch's result, for where both
        have to be timed."""
        reason = self.decide(tensors, theirs)
        self.row.count(reason)
        return reason is None

    def decide(self, tensors, theirs):
        """Why PyTorch's kernel runs this time, or None; not counted."""
        return None if self._open else self._obstacle(tensors, theirs)

    @property
    def is_decided(self):
        return self._open or self._refusal is not None

    @property
    def pending(self):
        jobs = [*self.copies.jobs, *self._choice.jobs]
        return [job for job in jobs if job.is_pending]

    def code(self):
        """What a rule runs (_devices.py); of a route that is decided for ours."""
        return self._device.code(self._choice.plan)

    def run(self, tensors):
        """Our results."""
        return self._run(self._choice.plan, tensors)

    def _run(self, plan, tensors):
        return self.task.run(self._device, plan, tensors, self.copies)

    def _obstacle(self, tensors, theirs):
        if self._refusal:
            return self._refusal
        capturing = self._device.is_capturing()
        if not self._ready:
            reason = self._prepare(capturing, tensors, theirs)
            if reason:
                return reason
        if self._only_in_graphs:
            return None if capturing else "too short, ours runs in CUDA graphs only"
        self._open = True
        return None

    def _prepare(self, capturing, tensors, theirs):
        """Has the plan compiled, loaded and timed; a reason where that is not so.
        Nothing of this may happen while a stream captures."""
        if capturing:
            is_ready = self._choice.is_ready and self.copies.recall()
            reason = None if is_ready else CAPTURES
        else:
            reason = self._obtain(tensors, theirs)
        if reason is None:
            self._ready = True
            self.row.schedule = self._choice.plan.schedule
        return reason

    def _obtain(self, tensors, theirs):
        waits = not self._choice.is_slower and self.copies.obtain(self._choice.jobs)
        if waits:
            return waits
        reason = self._choice.obtain(lambda plan: self._run(plan, tensors), theirs)
        if self._choice.times:
            reason = self.row.time(*self._choice.times) or reason
        if reason and not self.pending:
            self._refusal = reason  # Nothing will change it.
        return reason


class Refused:
    """The way of a signature that we cannot compute."""

    is_decided = True

    def __init__(self, reason, row):
        self._reason = reason
        self.row = row

    def takes(self, tensors, theirs):
        self.row.count(self._reason)
        return False

    def decide(self, tensors, theirs):
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
    choice = copies = None
    if not verdict.refusal:
        copies = Copies(settings, device, task, tensors)
        facts = (settings.policy, device, task.line, which, tensors, parameters)
        choice = make_choice(settings, device, task.line, lambda: situation(*facts))
    return Route(device, task, verdict, table.row(task.line), choice, copies)


def _description(which, x, w):
    """What stands for the problem line of a call that has none."""
    type = str(x.dtype).split(".")[-1]
    return f"{which} of x {list(x.shape)}, w {list(w.shape)}, {type}"
