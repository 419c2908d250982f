"""Handles of the library as Python objects: closed by hand, by ``with``, or when forgotten."""

from __future__ import annotations

import atexit
import ctypes
from types import TracebackType
from typing import Any

from .. import _core
from . import errors, native

# While drivers are still there.
atexit.register(_core.close_all)


def put(name: str, *arguments: object) -> int:
    """Calls a function whose last argument receives a handle, and returns the handle."""
    out = ctypes.c_void_p()
    native.call(name, *arguments, ctypes.byref(out))
    return out.value or 0


class InProcess:
    """What stands for something in this process, and nowhere else."""

    _made_by = ""  # What makes one, where calling the class does not.
    _copied_by = ""  # What to do instead of a copy.

    def __init__(self, *_: Any, **__: Any) -> None:
        raise errors.WrongType(f"bifold.{type(self).__name__} is not called: {self._made_by}")

    def __reduce_ex__(self, _: object) -> Any:
        raise errors.WrongType(
            f"a bifold.{type(self).__name__} is neither copied nor pickled: {self._copied_by}"
        )


class Handle(InProcess):
    """Owns one handle of the C interface."""

    _destructor = ""
    _handle = 0
    _finalizer: Any = None  # None until there is something to give back.

    @classmethod
    def _of(cls, handle: int) -> Any:
        made = cls.__new__(cls)
        made._hold(handle)
        return made

    def _hold(self, handle: int) -> None:
        self._handle = handle
        self._finalizer = _core.Owner(handle, native.address_of(self._destructor))

    def __del__(self) -> None:
        if self._finalizer is not None:
            self._finalizer.forget()

    @property
    def handle(self) -> int:
        """The C interface's pointer, for calls of one's own.

        Raises:
            InvalidArgument: it has been closed.
        """
        if self.closed:
            raise errors.InvalidArgument(f"this {type(self).__name__} is closed")
        return self._handle

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._finalizer is None or not self._finalizer.alive

    def close(self) -> None:
        """Gives the handle back; further calls do nothing.

        What was made from it stays usable. No other thread may be using it.
        """
        if self._finalizer is not None:
            self._finalizer()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
