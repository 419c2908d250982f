"""Failures: one base class, a subclass for each status of the library."""

from __future__ import annotations


class Error(Exception):
    """What every failing call raises.

    Attributes:
        category: the kind of failure: ``"invalid_argument"``, ``"unsupported"`` and so on.
        backend: ``"cuda"``, ``"opencl"``, or ``""`` where no driver was involved.
        call: the driver's entry point that failed, or ``""``.
        native_code: the driver's own error code, or 0.
        native_name: the name of that code, or ``""``.
        log: what a compiler said, of a failed build; else ``""``.
        source: the text that did not compile; else ``""``.
    """

    category = "backend_failure"

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        call: str = "",
        native_code: int = 0,
        native_name: str = "",
        log: str = "",
        source: str = "",
    ) -> None:
        super().__init__(message)
        self.backend = backend
        self.call = call
        self.native_code = native_code
        self.native_name = native_name
        self.log = log
        self.source = source


class InvalidArgument(Error, ValueError):
    """The call is wrong: types, shapes, ranges, handles. Nothing was written."""

    category = "invalid_argument"


class WrongType(InvalidArgument, TypeError):
    """An argument is of a type that the call does not take; the message says which it takes."""


class Unsupported(Error):
    """The call is right, but this device or variant cannot do it."""

    category = "unsupported"


class Unavailable(Error):
    """There is no such backend or device on this machine."""

    category = "unavailable"


class BuildFailure(Error):
    """A kernel did not compile; ``log`` and ``source`` tell more."""

    category = "build_failure"


class OutOfMemory(Error, MemoryError):
    """The device, or the host, has no room."""

    category = "out_of_memory"


class Timeout(Error, TimeoutError):
    """A wait passed its time limit; the work goes on."""

    category = "timeout"


class DeviceLost(Error):
    """The device is gone: its handles can only be closed."""

    category = "device_lost"


class BackendFailure(Error):
    """Any other failure."""


BY_STATUS: dict[int, type[Error]] = {
    1: InvalidArgument,
    2: Unsupported,
    3: Unavailable,
    4: BuildFailure,
    5: OutOfMemory,
    6: Timeout,
    7: DeviceLost,
    8: BackendFailure,
}
