"""Which of a problem's plans runs: the compiler's choice, or the fastest one.

Input: a problem line, and what a measurement of it depends on. Output: a choice. It
has a .plan once obtain() has returned None; until then obtain() says why PyTorch's
kernel runs. What it waits for are its .jobs.
"""

from .. import Error
from .._measurements import Measurement
from ._measure import compare
from ._plans import plans
from ._situation import measurements

# How many schedules the model ranks for the policies that time: as conv-run --tune.
CANDIDATES = 12
SLOWER = "PyTorch's kernel is faster"


def make_choice(settings, device, line, situation):
    """The choice of a policy; situation() says what measurements depend on."""
    pick = {"measure": other_engine, "tune": list}.get(settings.policy)
    if pick is None:
        return Compiled(settings, device, line)
    return Fastest(settings, device, line, pick, measurements(), situation())


class Compiled:
    """The compiler's choice, by tuning records or its model."""

    times = None  # Nothing is timed.

    def __init__(self, settings, device, line):
        self._mode = settings.compile
        self._device = device
        self._line = line
        self._entry = plans.find(device.request(line))

    @property
    def plan(self):
        return self._entry.plan

    @property
    def jobs(self):
        return [self._entry]

    # Whether PyTorch's kernel is known to be faster.
    is_slower = False

    @property
    def is_ready(self):
        """Whether it runs without anything being compiled, loaded or timed."""
        return self.plan is not None and self._device.is_loaded(self.plan)

    def obtain(self, run, theirs):
        """Has it compiled and loaded; why PyTorch's kernel runs (yet), or None."""
        obtain(self.jobs, self._mode, self._line)
        if self.plan is None:
            return self._entry.reason
        return load(self._device, self.plan)


class Fastest:
    """The fastest of the compiler's choice, others that `pick` takes from the
    model's ranking, and PyTorch's kernel: timed once, then remembered."""

    def __init__(self, settings, device, line, pick, memory, key):
        self._mode = settings.compile
        self._sample = settings.sample or device.sample
        self._device = device
        self._line = line
        self._request = device.request(line)
        self._pick = pick
        self._memory = memory
        self._key = key
        self._entry = None  # Of the winner.
        self.times = None  # Its microseconds, and PyTorch's.
        self._listing = plans.listing(
            line,
            self._request["target"],
            CANDIDATES,
            self._request.get("multiprocessors", 0),
        )
        self._contenders = {"": plans.find(self._request)}

    @property
    def plan(self):
        return self._entry and self._entry.plan

    @property
    def jobs(self):
        if self._entry:
            return [self._entry]
        return [self._listing, *self._contenders.values()]

    @property
    def is_ready(self):
        if self.is_slower or self.plan is None:
            return False
        return self._device.is_loaded(self.plan)

    def obtain(self, run, theirs):
        """Has the plans compiled, loaded and timed, where nobody remembers which is
        the fastest; why PyTorch's kernel runs (yet), or None. run(plan) and
        theirs() compute the result."""
        if self.is_slower:
            return SLOWER
        if self._entry is None:
            return self._contest(run, theirs)
        obtain([self._entry], self._mode, self._line)
        if self.plan is None:
            return self._entry.reason
        return load(self._device, self.plan)

    @property
    def is_slower(self):
        self._recall()
        return self.times is not None and self.times[1] < self.times[0]

    def _recall(self):
        found = None if self.times else self._memory.find(self._key)
        if found:
            self._decide(found)

    def _decide(self, measurement):
        self.times = (measurement.ours_us, measurement.theirs_us)
        self._entry = self._find(measurement.schedule)

    def _find(self, schedule):
        request = self._request
        return plans.find({**request, "schedule": schedule} if schedule else request)

    def _contest(self, run, theirs):
        obtain([self._listing, *self._contenders.values()], self._mode, self._line)
        for schedule in self._pick(self._listing.schedules or []):
            self._contenders.setdefault(schedule, self._find(schedule))
        obtain(self._contenders.values(), self._mode, self._line)
        waiting = [job.reason for job in self.jobs if job.is_pending]
        if waiting:
            return waiting[0]
        if all(entry.plan is None for entry in self._contenders.values()):
            return self._contenders[""].reason
        return self._time(run, theirs)

    def _time(self, run, theirs):
        loaded, failures = self._load()
        if not loaded:
            return failures[0]
        runs = [lambda plan=plan: run(plan) for plan in loaded.values()]
        try:
            winner, *times = compare(theirs, runs, self._sample)
        except Exception as error:  # No memory left, a kernel that fails.
            return f"not timed: {(str(error) or repr(error)).splitlines()[0]}"
        measurement = Measurement(list(loaded)[winner], *times)
        # Without the others it is no answer for a process that may compile.
        self._memory.add(self._key, measurement, self._listing.schedules is not None)
        self._decide(measurement)
        return SLOWER if self.is_slower else None

    def _load(self):
        """The plans that load, by schedule, and why others do not."""
        loaded, failures = {}, []
        for schedule, entry in self._contenders.items():
            if entry.plan is None:
                continue
            failure = load(self._device, entry.plan)
            if failure:
                failures.append(failure)
            elif all(entry.plan.schedule != plan.schedule for plan in loaded.values()):
                loaded[schedule] = entry.plan
        return loaded, failures


def obtain(jobs, mode, line):
    """Has jobs done, where the mode and the number of shapes allow it: "sync" waits."""
    jobs = list(jobs)
    submit(jobs, mode, line)
    wait(jobs, mode)


def submit(jobs, mode, line):
    """Takes from disk what is there, and has all others started."""
    for job in jobs:
        job.look_up()
    missing = [job for job in jobs if job.result is None]
    if not missing or mode == "never":
        return
    refusal = plans.refusal(line)
    if refusal:
        for job in missing:
            job.refuse(refusal)
        return
    for job in missing:
        job.start()


def wait(jobs, mode):
    """Until they are done, where the mode is "sync"."""
    for job in jobs if mode == "sync" else ():
        job.wait()


def load(device, plan):
    """Loads a plan's code; why that failed, or None."""
    try:
        device.load(plan)
    except Error as error:
        return f"not loaded: {error}"
    return None


def engine(schedule):
    """What computes a schedule: its algorithm, and the instruction of its products."""
    words = dict(word.partition("=")[::2] for word in schedule.split())
    return words.get("algorithm"), words.get("mma")


def other_engine(schedules):
    """The model's best of another engine than that of its choice, which it does not
    compare well."""
    return [s for s in schedules if engine(s) != engine(schedules[0])][:1]
