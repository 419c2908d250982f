"""Searches whose results are indices, or whether there is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._axes import axes_of
from ._base.arguments import checked
from ._base.operators import Map, MapLike
from ._base.queues import Event
from ._calls import Call
from ._reduce import check_results
from ._reductions import NO_INDEX, whole_number
from ._repeated import FOUND_INTO, Repeated, repeated
from ._settings import Settings
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


def _found(index: Any) -> int | None:
    return None if int(index) == NO_INDEX else int(index)


@repeated
@checked
def find_if(
    x: Any,
    predicate: MapLike = "x != 0",
    *,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> int | None:
    """Blocks. The index of the first element for which an expression is not 0, or None.

    Arrays of several dimensions are searched in C order. The array is read in pieces, each twice as
    long as the one before, and none behind that of the first such element.

    Args:
        x, variant, order, queue, wait: as in reduce().
        predicate, scalars: as in count_if().
    """
    with Call(x, Settings(variant, order, queue, wait), scalars=scalars) as call:
        holds = call.map_of(predicate)
        assert holds is not None
        return whole_number(call, "bifold_find_if", holds, _found)


@checked
def any(
    x: Any,
    predicate: MapLike = "x != 0",
    *,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> bool:
    """Blocks. Whether an expression is not 0 for any element; False of none.

    Args:
        x, predicate, scalars, variant, order, queue, wait: as in find_if(), as far as which it
            reads.
    """
    found = find_if(
        x, predicate, scalars=scalars, variant=variant, order=order, queue=queue, wait=wait
    )
    return found is not None


@checked
def all(
    x: Any,
    predicate: MapLike = "x != 0",
    *,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> bool:
    """Blocks. Whether an expression is not 0 for all elements, as any() reads; True of none."""
    if isinstance(predicate, Map):
        _ = predicate.handle  # InvalidArgument where it is closed.
        fails: MapLike = Map(f"!({predicate.expression})", predicate.scalars)
    else:
        fails = f"!({predicate})"
    found = find_if(x, fails, scalars=scalars, variant=variant, order=order, queue=queue, wait=wait)
    return found is None


@checked
def none(
    x: Any,
    predicate: MapLike = "x != 0",
    *,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> bool:
    """Blocks. Whether an expression is 0 for all elements, as any() reads; True of none."""
    found = find_if(
        x, predicate, scalars=scalars, variant=variant, order=order, queue=queue, wait=wait
    )
    return found is None
