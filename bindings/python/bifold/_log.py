"""What the library says while it works."""

from __future__ import annotations

import logging
from typing import Literal

from . import _errors, _native

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_NAMES = tuple(_LEVELS)


@_native.LOG_CALLBACK
def _forward(_: int | None, level: int, message: bytes) -> None:
    logging.getLogger("bifold").log(
        _LEVELS[_NAMES[level]], "%s", message.decode("utf-8", "replace")
    )


def set_log(level: Literal["debug", "info", "warning", "error", "off"]) -> None:
    """Sends messages of at least `level` to ``logging.getLogger("bifold")``, for the process.

    ``"debug"`` says which variant was chosen, and why. Handlers must not call into bifold.
    """
    if level == "off":
        _errors.call("bifold_set_log", 0, _native.LOG_CALLBACK(), None)
    elif level in _LEVELS:
        _errors.call("bifold_set_log", _NAMES.index(level), _forward, None)
        _silence_at_exit()
    else:
        raise _errors.InvalidArgument(f"no such log level: {level!r}")


_registered = False


def _silence_at_exit() -> None:
    """Threads of drivers may outlive the interpreter; its functions do not."""
    global _registered
    if not _registered:
        import atexit

        atexit.register(set_log, "off")
        _registered = True
