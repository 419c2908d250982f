"""Several reductions of one array, which is read once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._axes import axes_of
from ._base import errors, structs, types
from ._base.arguments import checked
from ._base.operators import MapLike, OperatorLike, handle_of, map_of
from ._calls import Call, Settings
from ._reduce import reduce_call
from ._reductions import Where, put_results, values_of
from ._repeated import MANY, Repeated, repeated
from ._starts import accumulator, address_of, element_of


class Reduction(NamedTuple):
    """One of the reductions of reduce_many().

    Attributes:
        op: the name of a built-in operator.
        map: applied to each element before it is combined, an expression or a Map; None: nothing.
        init: folded in exactly once; by default nothing.
        dtype: of accumulation and result, by default as in reduce().
    """

    op: OperatorLike
    map: MapLike | None = None
    init: Any = None
    dtype: Any = None


_core.put_record(Reduction)
# A tuple's class lets no constructor stand in its body.
Reduction.__new__ = staticmethod(checked(Reduction.__new__))  # type: ignore[method-assign]


@repeated
@checked
def reduce_many(
    x: Any,
    reductions: Iterable[OperatorLike | Reduction],
    *,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> tuple[Any, ...]:
    """Blocks. The results of several reductions of one array, which is read once.

    >>> squares = bifold.Reduction("plus", "x * x")
    >>> bifold.reduce_many(numpy.array([3, 1, 2]), ["plus", "minimum", squares])
    (6, 1, 14)

    Args:
        reductions: up to 8 names of built-in operators and Reductions, whose accumulators have up
            to 64 bytes together. A floating sum has the bits of reduce() where its dtype is one of
            the widest, or all have up to 4 bytes. With an axis it always has them, and each of the
            reductions reads the array.

    Raises:
        InvalidArgument: there are none or too many, or an operator is not built in; otherwise as
            reduce().
    """
    # _replace() calls no constructor.
    wanted = [Reduction(*r) if isinstance(r, Reduction) else Reduction(r) for r in reductions]
    settings, where = Settings(variant, order, queue, wait), Where(axis, keepdims)
    if not where.one:
        return _one_after_another(x, wanted, where, settings)
    with Call(x, settings) as call:
        table = (structs.Reduction * len(wanted))()
        results, kept = [], []
        known: list[Any] = []
        for row, reduction in zip(table, wanted):
            of = accumulator(reduction.dtype, reduction.op, reduction.init, call.input.dtype)
            start = element_of(reduction.init, of)
            map = None if reduction.map is None else map_of(reduction.map)
            results.append(np.empty(1, of))
            kept.append((start, map))  # The table only has their addresses.
            known.append((reduction.op, map, isinstance(reduction.map, str), start))
            row.op, row.type = handle_of(reduction.op), types.type_of(of)
            row.map = None if map is None else map.handle
            row.init, row.result = address_of(start), results[-1].ctypes.data
        axes = axes_of(None, len(call.input.shape))
        again = None
        if all(isinstance(reduction.op, str) for reduction in wanted):
            again = Repeated(
                MANY, results=tuple(results), finish=_together, reductions=tuple(known)
            )
        call.run("bifold_reduce_many", table, len(wanted), axes=axes, repeated=again)
        return tuple(result[0] for result in results)


def _together(*results: Any) -> tuple[Any, ...]:
    return results


def _one_after_another(
    x: Any, wanted: list[Reduction], where: Where, settings: Settings
) -> tuple[Any, ...]:
    if not 1 <= len(wanted) <= 8:
        raise errors.InvalidArgument(f"reduce_many() takes 1 to 8 reductions, not {len(wanted)}")
    if any(not isinstance(reduction.op, str) for reduction in wanted):
        raise errors.InvalidArgument("reduce_many() takes built-in operators")
    found = []
    for op, map, init, dtype in wanted:
        with Call(x, settings, init=None if where.axis is None else init) as call:
            init = call.init or init
            of = accumulator(dtype, op, init, call.input.dtype)
            results, axes = put_results(call, where, of)
            function = None if map is None else map_of(map)
            reduce_call(call, None, op, function, init, axes)
            found.append(values_of(results))
    return tuple(found)
