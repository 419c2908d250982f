"""Searches whose results are indices alone, and stay where they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._axes import axes_of
from ._base.arguments import checked
from ._base.queues import Event
from ._calls import Call, Settings
from ._reduce import check_results
from ._repeated import FOUND_INTO, Repeated, repeated
from ._workspaces import Workspace


def find_to_array(
    x: Any, out: Any, least: bool, settings: Settings, *, axis: Any, keepdims: bool
) -> Any:
    """The indices of the least or greatest elements along axes."""
    with Call(x, settings, out=out) as call:
        check_results(call, axis, keepdims)
        call.run(
            f"bifold_arg{'min' if least else 'max'}_into",
            axes=axes_of(axis, len(call.input.shape)),
            repeated=Repeated(FOUND_INTO),
        )
        return call.target.array


@repeated
@checked
def argmin_into(
    x: Any,
    out: Any,
    *,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues argmin() into an array of indices alone. Blocks where an array is the host's.

    Args:
        x, axis, keepdims, variant, order, queue, wait: as in argmin().
        out, done, workspace: as in reduce_into(); `out` is of int64 or uint64. The index of nothing
            is -1 or NO_INDEX.

    Returns:
        `out`.

    Raises:
        InvalidArgument: `out` has other elements; otherwise as argmin() and reduce_into().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    return find_to_array(x, out, True, settings, axis=axis, keepdims=keepdims)


@repeated
@checked
def argmax_into(
    x: Any,
    out: Any,
    *,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues argmax() into an array of indices alone, as argmin_into() does."""
    settings = Settings(variant, order, queue, wait, done, workspace)
    return find_to_array(x, out, False, settings, axis=axis, keepdims=keepdims)
