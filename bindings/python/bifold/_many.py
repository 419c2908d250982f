"""Several reductions of one array, which is read once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays.memory import to_device
from ._arrays.operands import HostOperand
from ._axes import axes_of
from ._base import errors, structs, types
from ._base.arguments import checked
from ._base.operators import MapLike, OperatorLike, handle_of, map_of
from ._beside import one_each
from ._calls import Call
from ._reduce import reduce_call
from ._reductions import Where, put_results, values_of
from ._repeated import MANY, Repeated, repeated
from ._settings import Settings
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
            the widest, or all have up to 4 bytes. With an axis it always has them: each
            of the reductions reads the array where one reading would give others, and on CPUs.

    Raises:
        InvalidArgument: there are none or too many, or an operator is not built in; otherwise as
            reduce().
    """
    # _replace() calls no constructor.
    wanted = [Reduction(*r) if isinstance(r, Reduction) else Reduction(r) for r in reductions]
    settings, where = Settings(variant, order, queue, wait), Where(axis, keepdims)
    if where.one:
        return _to_host(x, wanted, settings)
    if not 1 <= len(wanted) <= 8:
        raise errors.InvalidArgument(f"reduce_many() takes 1 to 8 reductions, not {len(wanted)}")
    if any(not isinstance(reduction.op, str) for reduction in wanted):
        raise errors.InvalidArgument("reduce_many() takes built-in operators")
    if any(one_each(reduction.init) for reduction in wanted):
        return _one_after_another(x, wanted, where, settings)
    with Call(x, settings) as call:
        found = _to_array(call, wanted, where) if _at_once(call) else None
        if found is None and isinstance(call.input, HostOperand):
            x = to_device(call.input.host, call.queue)
    return found or _one_after_another(x, wanted, where, settings)


class _Table:
    """What the library is told of the reductions, for as long as a call takes."""

    def __init__(
        self, wanted: list[Reduction], kinds: list[np.dtype], wide: list[np.dtype]
    ) -> None:
        self.rows = (structs.Reduction * len(wanted))()
        self.known: list[Any] = []  # As calls that are repeated want it.
        for row, reduction, of, accumulated in zip(self.rows, wanted, kinds, wide):
            start = element_of(reduction.init, of)
            if start is not None and accumulated != of:
                start = types.value_of(start, accumulated, "init")
            map = None if reduction.map is None else map_of(reduction.map)
            # The rows only have their addresses.
            self.known.append((reduction.op, map, isinstance(reduction.map, str), start))
            row.op, row.type = handle_of(reduction.op), types.type_of(accumulated)
            row.map = None if map is None else map.handle
            row.init = address_of(start)

    @property
    def arguments(self) -> tuple[Any, int]:
        return self.rows, len(self.rows)


def _kinds(call: Call, wanted: list[Reduction]) -> list[np.dtype]:
    return [accumulator(r.dtype, r.op, r.init, call.input.dtype) for r in wanted]


def _to_host(x: Any, wanted: list[Reduction], settings: Settings) -> tuple[Any, ...]:
    with Call(x, settings) as call:
        kinds = _kinds(call, wanted)
        table = _Table(wanted, kinds, kinds)
        results = [np.empty(1, of) for of in kinds]
        for row, result in zip(table.rows, results):
            row.result = result.ctypes.data
        axes = axes_of(None, len(call.input.shape))
        again = None
        if all(isinstance(reduction.op, str) for reduction in wanted):
            again = Repeated(
                MANY, results=tuple(results), finish=_together, reductions=tuple(table.known)
            )
        call.run("bifold_reduce_many", *table.arguments, axes=axes, repeated=again)
        return tuple(result[0] for result in results)


def _together(*results: Any) -> tuple[Any, ...]:
    return results


def _at_once(call: Call) -> bool:
    """Whether structs of results are worth it: compilers for CPUs make no vectors of them."""
    return call.queue.device.info.kind != "cpu"


def _keeps_bits(wanted: list[Reduction], kinds: list[np.dtype]) -> bool:
    """Whether results of one reading have the bits of reduce()."""
    widest = max(of.itemsize for of in kinds)
    return widest <= 4 or all(
        of.itemsize == widest
        for reduction, of in zip(wanted, kinds)
        if reduction.op in ("plus", "multiplies") and of.kind == "f"
    )


def _to_array(call: Call, wanted: list[Reduction], where: Where) -> tuple[Any, ...] | None:
    """The results from one reading of the array; None where that would give other bits."""
    kinds = _kinds(call, wanted)
    wide = [types.accumulated(of) for of in kinds]
    if any(of.kind not in "iuf" for of in kinds) or not _keeps_bits(wanted, wide):
        return None
    table = _Table(wanted, kinds, wide)
    number, struct = types.result_type("Many", wide)
    results, axes = put_results(call, where, struct, number)
    call.run("bifold_reduce_many_into", *table.arguments, axes=axes)
    with np.errstate(over="ignore"):  # Of what is infinite as float16.
        return tuple(values_of(results[f"r{i}"], of) for i, of in enumerate(kinds))


def _one_after_another(
    x: Any, wanted: list[Reduction], where: Where, settings: Settings
) -> tuple[Any, ...]:
    found = []
    for op, map, init, dtype in wanted:
        with Call(x, settings, init=None if where.axis is None else init) as call:
            init = call.init or init
            of = accumulator(dtype, op, init, call.input.dtype)
            results, axes = put_results(call, where, of)
            function = None if map is None else map_of(map)
            reduce_call(call, None, op, function, init, axes, alone=False)
            found.append(values_of(results))
    return tuple(found)
