"""A dictionary that keeps the entries that were used last."""

import itertools
import threading


class Recent:
    """At most `limit` entries; safe from several threads. A call of an operator finds
    its entry here, so get() looks once and takes no lock; add() looks for the oldest."""

    def __init__(self, limit):
        self._limit = limit
        self._entries = {}  # [value, when it was used last] by key.
        self._now = itertools.count().__next__
        self._lock = threading.Lock()

    def get(self, key):
        """The entry, or None."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        entry[1] = self._now()
        return entry[0]

    def add(self, key, make):
        """The entry; where there is none, make() is added."""
        with self._lock:
            if key not in self._entries:
                self._entries[key] = [make(), self._now()]
                if len(self._entries) > self._limit:
                    del self._entries[self._oldest()]
            entry = self._entries[key]
            entry[1] = self._now()
            return entry[0]

    def _oldest(self):
        return min(self._entries, key=lambda key: self._entries[key][1])

    def after_fork(self):
        """A thread of the process in front may have the lock for ever."""
        self._lock = threading.Lock()

    def clear(self):
        with self._lock:
            self._entries.clear()

    def values(self):
        """The one that was used last is the last."""
        with self._lock:
            entries = list(self._entries.values())
        return [value for value, _ in sorted(entries, key=lambda entry: entry[1])]

    def __len__(self):
        return len(self._entries)
