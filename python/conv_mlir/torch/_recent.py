"""A dictionary that keeps the entries that were used last."""

import threading
from collections import OrderedDict


class Recent:
    """At most `limit` entries; safe from several threads."""

    def __init__(self, limit):
        self._limit = limit
        self._entries = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key):
        """The entry, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
            return entry

    def add(self, key, make):
        """The entry; where there is none, make() is added."""
        with self._lock:
            if key not in self._entries:
                self._entries[key] = make()
                if len(self._entries) > self._limit:
                    self._entries.popitem(last=False)
            self._entries.move_to_end(key)
            return self._entries[key]

    def after_fork(self):
        """A thread of the process in front may have the lock for ever."""
        self._lock = threading.Lock()

    def clear(self):
        with self._lock:
            self._entries.clear()

    def values(self):
        with self._lock:
            return list(self._entries.values())

    def __len__(self):
        return len(self._entries)
