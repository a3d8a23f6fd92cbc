"""What enable() did: one row for each problem, counted while calls run."""

import threading

from ._recent import Recent

# Rows that are kept; a program with more shapes has the others in one row.
ROWS = 4096


class Row:
    """A problem and what became of its calls.

    problem     its line, or a description where it has none
    calls       all of them
    ours        those that our kernel ran
    reason      why PyTorch's kernel ran the last time that it did; or None
    schedule    of our kernel, or None
    ours_us, theirs_us    of a run, where policy="measure" has timed it; or None
    """

    def __init__(self, problem):
        self._lock = threading.Lock()
        self.problem = problem
        self.calls = self.ours = 0
        self.reason = self.schedule = self.ours_us = self.theirs_us = None

    def count(self, reason, calls=1):
        """Counts calls: ours, or PyTorch's for a reason."""
        if calls == 0:
            return
        with self._lock:
            self.calls += calls
            if reason is None:
                self.ours += calls
            else:
                self.reason = reason

    def time(self, ours_us, theirs_us):
        """Keeps what was measured; a reason where PyTorch's kernel is faster."""
        self.ours_us, self.theirs_us = ours_us, theirs_us
        if ours_us <= theirs_us:
            return None
        return f"measured: PyTorch's takes {theirs_us:.1f} us, ours {ours_us:.1f}"

    @property
    def saved_us(self):
        """Microseconds that our kernel has saved so far, where it was timed."""
        if self.ours_us is None:
            return None
        return self.ours * (self.theirs_us - self.ours_us)


class Table:
    """The rows of all problems since enable()."""

    def __init__(self):
        self._rows = Recent(ROWS)
        self._others = Row("other problems")

    def row(self, problem):
        """The row of a problem; past the limit, one row for all."""
        row = self._rows.get(problem)
        if row is None and len(self._rows) >= ROWS:
            return self._others
        return row or self._rows.add(problem, lambda: Row(problem))

    def rows(self):
        rows = self._rows.values() + [self._others]
        return [row for row in rows if row.calls]


class Report:
    """Rows in the order of their calls, most first; prints as a table."""

    def __init__(self, rows):
        self.rows = sorted(rows, key=lambda row: -row.calls)

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __str__(self):
        if not self.rows:
            return "no convolution was called"
        calls = sum(row.calls for row in self.rows)
        ours = sum(row.ours for row in self.rows)
        heads = ("calls", "ours", "saved", "problem", "how")
        cells = [heads, *map(_cells, self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(3)]
        lines = [_line(row, widths) for row in cells]
        return "\n".join([*lines, f"{ours} of {calls} calls ran our kernels"])

    __repr__ = __str__


def _cells(row):
    saved = "" if row.saved_us is None else f"{row.saved_us / 1000:.1f} ms"
    how = row.schedule if row.ours else None
    if row.ours < row.calls:
        theirs = f"PyTorch: {row.reason}"
        how = f"{how}; {theirs}" if how else theirs
    return str(row.calls), str(row.ours), saved, row.problem, how or ""


def _line(cells, widths):
    numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths))
    return f"{numbers}  {cells[3]}  | {cells[4]}".rstrip()
