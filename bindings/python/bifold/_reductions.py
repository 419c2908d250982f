"""Reductions of everyday use: extremes, counts, products, compensated sums, several results.

All of them block, and take ``variant``, ``order``, ``queue`` and ``wait`` as reduce() does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import _native, _types
from ._arguments import checked
from ._calls import Call, Settings, accumulator, address_of, element_of
from ._operators import MapLike, OperatorLike, handle_of, map_of


class Indexed(NamedTuple):
    """An element and where it stands: what argmin() and argmax() find."""

    value: Any
    index: int


class MinMax(NamedTuple):
    """The least and the greatest element: what minmax() finds."""

    minimum: Any
    maximum: Any


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


# A tuple's class lets no constructor stand in its body.
Reduction.__new__ = staticmethod(checked(Reduction.__new__))  # type: ignore[method-assign]

NO_INDEX = 2**64 - 1


def _search(function: str, x: Any, settings: Settings) -> Indexed:
    with Call(x, settings) as call:
        value = np.empty(1, call.input.dtype)
        index = ctypes.c_uint64()
        call.run(function, value.ctypes.data, ctypes.byref(index))
        return Indexed(value[0], index.value)


@checked
def argmin(
    x: Any,
    *,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Indexed:
    """Blocks. The least element and its index in C order, as an Indexed.

    NaN counts as least of all, -0 as less than +0, and the first of equals is found. Of no elements
    it is the identity of ``"minimum"`` and NO_INDEX. `x` is an array of any shape.

    Raises:
        InvalidArgument: elements are structs; otherwise as reduce().
    """
    return _search("bifold_argmin", x, Settings(variant, order, queue, wait))


@checked
def argmax(
    x: Any,
    *,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Indexed:
    """Blocks. The greatest element and its index in C order, as an Indexed.

    NaN counts as greatest of all and +0 as greater than -0; otherwise as argmin().
    """
    return _search("bifold_argmax", x, Settings(variant, order, queue, wait))


@checked
def minmax(
    x: Any,
    *,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> MinMax:
    """Blocks. The least and the greatest element, as by ``"minimum"`` and ``"maximum"``.

    Of no elements they are the identities of these. `x` is an array of any shape.

    Raises:
        InvalidArgument: elements are structs; otherwise as reduce().
    """
    with Call(x, Settings(variant, order, queue, wait)) as call:
        values = np.empty(2, call.input.dtype)
        call.run("bifold_minmax", *(values[i:].ctypes.data for i in range(2)))
        return MinMax(values[0], values[1])


@checked
def count_if(
    x: Any,
    predicate: MapLike,
    *,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> int:
    """Blocks. The number of elements for which an expression is not 0.

    Args:
        predicate: an expression over ``x`` and its index ``i``, such as ``"x > 0"``, or a Map.
    """
    holds = map_of(predicate)
    with Call(x, Settings(variant, order, queue, wait)) as call:
        count = ctypes.c_uint64()
        call.run("bifold_count_if", holds.handle, ctypes.byref(count))
        return count.value


def _sum(function: str, x: Any, y: Any, init: Any, dtype: Any, settings: Settings) -> Any:
    with Call(x, settings, y=y) as call:
        of = accumulator(dtype, "plus", init, call.input.dtype)
        start = element_of(init, of)
        result = np.empty(1, of)
        call.run(function, _types.type_of(of), address_of(start), result.ctypes.data)
        return result[0]


@checked
def inner_product(
    x: Any,
    y: Any,
    init: Any = None,
    *,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The sum of the products of the elements of one index in two arrays of one shape.

    Products are rounded in the elements' types; integers wrap in `dtype`, which is by default as in
    reduce(). Without `init`, nothing gives 0, +0.0 of floating values. transform_reduce() with
    ``y=`` has other operators and maps.

    Raises:
        InvalidArgument: the shapes differ, or floating products would become integers; otherwise as
            reduce().
    """
    settings = Settings(variant, order, queue, wait)
    return _sum("bifold_inner_product", x, y, init, dtype, settings)


@checked
def sum_compensated(
    x: Any,
    init: Any = None,
    *,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The sum with the rounding errors of all additions added at the end.

    It is about as exact as a sum of twice the precision. `dtype`, by default as in reduce(), is
    float32 or float64. Without `init`, nothing gives +0.0.
    """
    settings = Settings(variant, order, queue, wait)
    return _sum("bifold_sum_compensated", x, None, init, dtype, settings)


@checked
def reduce_many(
    x: Any,
    reductions: Iterable[OperatorLike | Reduction],
    *,
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
            the widest, or all have up to 4 bytes.

    Raises:
        InvalidArgument: there are none or too many, or an operator is not built in; otherwise as
            reduce().
    """
    # _replace() calls no constructor.
    wanted = [Reduction(*r) if isinstance(r, Reduction) else Reduction(r) for r in reductions]
    with Call(x, Settings(variant, order, queue, wait)) as call:
        table = (_native.Reduction * len(wanted))()
        results, kept = [], []
        for row, reduction in zip(table, wanted):
            of = accumulator(reduction.dtype, reduction.op, reduction.init, call.input.dtype)
            start = element_of(reduction.init, of)
            map = None if reduction.map is None else map_of(reduction.map)
            results.append(np.empty(1, of))
            kept.append((start, map))  # The table only has their addresses.
            row.op, row.type = handle_of(reduction.op), _types.type_of(of)
            row.map = None if map is None else map.handle
            row.init, row.result = address_of(start), results[-1].ctypes.data
        call.run("bifold_reduce_many", table, len(wanted))
        return tuple(result[0] for result in results)
