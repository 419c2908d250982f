"""Handles of the library as Python objects: closed by hand, by ``with``, or when forgotten."""

from __future__ import annotations

import ctypes
import weakref
from types import TracebackType

from . import _errors, _native


def put(name: str, *arguments: object) -> int:
    """Calls a function whose last argument receives a handle, and returns the handle."""
    out = ctypes.c_void_p()
    _errors.call(name, *arguments, ctypes.byref(out))
    return out.value or 0


def _destroy(function: str, handle: int) -> None:
    getattr(_native.library(), function)(handle)


class Handle:
    """Owns one handle of the C interface."""

    _destructor = ""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        # Also runs at the interpreter's exit, while drivers are still there.
        self._finalizer = weakref.finalize(self, _destroy, self._destructor, handle)

    @property
    def handle(self) -> int:
        """The C interface's pointer, for calls of one's own.

        Raises:
            InvalidArgument: it has been closed.
        """
        if not self._finalizer.alive:
            raise _errors.InvalidArgument(f"this {type(self).__name__} is closed")
        return self._handle

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Gives the handle back; further calls do nothing.

        What was made from it stays usable. No other thread may be using it.
        """
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
