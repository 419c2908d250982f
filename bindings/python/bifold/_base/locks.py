"""Locks that outlive a fork."""

from __future__ import annotations

import os
import threading
import weakref


class Lock:
    """A reentrant lock, which a forked child finds open.

    Another thread of the parent may have held it; that thread is not there to open it again.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_locks: weakref.WeakSet[Lock] = weakref.WeakSet()


def _open_all() -> None:
    for lock in _locks:
        lock._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
