"""What the library says while it works."""

from __future__ import annotations

import logging
from typing import Literal

from . import native
from .arguments import checked
from .kinds import LEVELS


@native.LOG_CALLBACK
def _forward(_: int | None, level: int, message: bytes) -> None:
    logging.getLogger("bifold").log(
        getattr(logging, LEVELS[level].upper()), "%s", message.decode("utf-8", "replace")
    )


@checked
def set_log(level: Literal["debug", "info", "warning", "error", "off"]) -> None:
    """Sends messages of at least `level` to ``logging.getLogger("bifold")``, for the process.

    ``"debug"`` says which variant was chosen, and why. Handlers must not call into bifold.
    """
    if level == "off":
        native.call("bifold_set_log", 0, native.LOG_CALLBACK(), None)
    else:
        native.call("bifold_set_log", LEVELS.index(level), _forward, None)
        _silence_at_exit()


_registered = False


def _silence_at_exit() -> None:
    """Threads of drivers may outlive the interpreter; its functions do not."""
    global _registered
    if not _registered:
        import atexit

        atexit.register(set_log, "off")
        _registered = True
