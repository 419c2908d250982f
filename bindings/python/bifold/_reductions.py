"""Reductions of everyday use: extremes, counts, products, compensated sums, several results.

All of them block, and take ``axis``, ``keepdims``, ``variant``, ``order``, ``queue`` and ``wait``
as reduce() does. With an axis, results are arrays of NumPy.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._arrays.operands import ResultOperand
from ._axes import axes_of, reduced_shape
from ._base import errors, types
from ._base.arguments import checked
from ._base.operators import Map, MapLike, map_of
from ._calls import Call
from ._reduce import reduce_call
from ._repeated import (
    COUNT,
    COUNT_INTO,
    FOUND_INTO,
    PRODUCT,
    SUM,
    SUM_INTO,
    TWO,
    Repeated,
    repeated,
)
from ._settings import Settings
from ._starts import accumulator, address_of, element_of


class Indexed(NamedTuple):
    """An element and where it stands: what argmin() and argmax() find."""

    value: Any
    index: Any


class MinMax(NamedTuple):
    """The least and the greatest element: what minmax() finds."""

    minimum: Any
    maximum: Any


NO_INDEX = 2**64 - 1


class Where(NamedTuple):
    """Along which axes, and whether they stay."""

    axis: tuple[int, ...] | None
    keepdims: bool

    @property
    def one(self) -> bool:
        """Whether there is one result, a scalar."""
        return self.axis is None and not self.keepdims


def put_results(
    call: Call, where: Where, dtype: np.dtype, number: int | None = None
) -> tuple[np.ndarray, tuple[int, ...]]:
    """An array of the host for the results of a call, and the axes."""
    axes = axes_of(where.axis, len(call.input.shape))
    results = np.empty(reduced_shape(call.input.shape, axes, where.keepdims), dtype)
    call.put_output(ResultOperand(results, number))
    return results, axes


def values_of(results: np.ndarray, dtype: Any = None) -> Any:
    """Results as users get them: one of no dimension is a scalar."""
    return np.array(results, dtype)[()]


def _fields(function: str, call: Call, where: Where, kind: Any, name: str, **more: str) -> Any:
    """Runs what writes a struct of values of the input's type, and of others, for each result.

    The answer is a tuple of the `kind` whose fields these are.
    """
    of = call.input.dtype
    if of.names is not None:
        raise errors.InvalidArgument(f"elements of {of}: structs have no extremes")
    if of.kind == "c":
        raise errors.InvalidArgument(f"elements of {of}: complex numbers have no extremes")
    # 16-bit floating values are accumulated as float32; what is found is one of them.
    wide = types.accumulated(of)
    types.type_of(wide)
    kinds = {label: np.dtype(more.get(label, wide)) for label in kind._fields}
    number, struct = types.pair_type(name, wide, kinds)
    results, axes = put_results(call, where, struct, number)

    def finish(found: np.ndarray) -> Any:
        return kind(*(values_of(found[label], more.get(label, of)) for label in kinds))

    call.run(function, axes=axes, repeated=Repeated(FOUND_INTO, finish=finish))
    return finish(results)


def _two(call: Call, function: str, results: tuple[Any, Any], finish: Callable[..., Any]) -> Any:
    """A call with two results for the host."""
    places: list[Any] = [result.ctypes.data for result in results]
    if function != "bifold_minmax":
        places[1] = ctypes.cast(places[1], ctypes.POINTER(ctypes.c_uint64))
    axes = axes_of(None, len(call.input.shape))
    again = Repeated(TWO, results=results, finish=finish)
    call.run(function, *places, axes=axes, repeated=again)
    return finish(results[0][0], results[1][0])


def _search(function: str, x: Any, where: Where, settings: Settings) -> Indexed:
    with Call(x, settings) as call:
        if not where.one:
            return _fields(f"{function}_into", call, where, Indexed, "Indexed", index="u8")
        results = np.empty(1, call.input.dtype), np.empty(1, np.uint64)
        return _two(call, function, results, lambda value, index: Indexed(value, int(index)))


@repeated
@checked
def argmin(
    x: Any,
    *,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Indexed:
    """Blocks. The least element and its index in C order, as an Indexed.

    NaN counts as least of all, -0 as less than +0, and the first of equals is found. Of no elements
    it is the identity of ``"minimum"`` and NO_INDEX. `x` is an array of any shape. With an axis,
    ``value`` and ``index`` are arrays; indices are those in the line, in C order of several axes.

    Raises:
        InvalidArgument: elements are structs; otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait)
    return _search("bifold_argmin", x, Where(axis, keepdims), settings)


@repeated
@checked
def argmax(
    x: Any,
    *,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Indexed:
    """Blocks. The greatest element and its index in C order, as an Indexed.

    NaN counts as greatest of all and +0 as greater than -0; otherwise as argmin().
    """
    settings = Settings(variant, order, queue, wait)
    return _search("bifold_argmax", x, Where(axis, keepdims), settings)


@repeated
@checked
def minmax(
    x: Any,
    *,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> MinMax:
    """Blocks. The least and the greatest element, as by ``"minimum"`` and ``"maximum"``.

    Of no elements they are the identities of these. `x` is an array of any shape. With an axis,
    ``minimum`` and ``maximum`` are arrays.

    Raises:
        InvalidArgument: elements are structs; otherwise as reduce().
    """
    where = Where(axis, keepdims)
    with Call(x, Settings(variant, order, queue, wait)) as call:
        if not where.one:
            return _fields("bifold_minmax_into", call, where, MinMax, "MinMax")
        results = np.empty(1, call.input.dtype), np.empty(1, call.input.dtype)
        return _two(call, "bifold_minmax", results, MinMax)


def whole_number(call: Call, function: str, holds: Map, finish: Callable[[Any], Any]) -> Any:
    """What `finish` makes of the one uint64 that the library finds for a predicate."""
    number = np.empty(1, np.uint64)
    place = ctypes.cast(number.ctypes.data, ctypes.POINTER(ctypes.c_uint64))
    axes = axes_of(None, len(call.input.shape))
    again = Repeated(COUNT, map=holds, results=(number,), finish=finish)
    call.run(function, holds.handle, place, axes=axes, repeated=again)
    return finish(number[0])


@repeated
@checked
def count_if(
    x: Any,
    predicate: MapLike,
    *,
    scalars: Mapping[str, Any] | None = None,
    axis: Any = None,
    keepdims: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The number of elements for which an expression is not 0, as an int.

    With an axis it is an array of uint64.

    Args:
        predicate: an expression over ``x`` and its index ``i``, such as ``"x > 0"``, or a Map.
        scalars: as in reduce().
    """
    with Call(x, Settings(variant, order, queue, wait), scalars=scalars) as call:
        holds = call.map_of(predicate)
        assert holds is not None
        where = Where(axis, keepdims)
        if not where.one:
            counts, axes = put_results(call, where, np.dtype(np.uint64))
            again = Repeated(COUNT_INTO, map=holds, finish=values_of)
            call.run("bifold_count_if_into", holds.handle, axes=axes, repeated=again)
            return values_of(counts)
        return whole_number(call, "bifold_count_if", holds, int)


def _sum(call: Call, function: str, init: Any, of: np.dtype) -> Any:
    start = element_of(init, of)
    result = np.empty(1, of)
    axes = axes_of(None, len(call.input.shape))
    where = (address_of(start), result.ctypes.data)
    form = SUM if call.second is None else PRODUCT
    again = Repeated(form, init=start, results=(result,))
    call.run(function, types.type_of(of), *where, axes=axes, repeated=again)
    return result[0]


# Known calls keep no maps.
_map = functools.cache(map_of)


def _complex_product(kinds: tuple[np.dtype, ...]) -> str:
    """What complex elements of one index contribute."""
    if len(set(kinds)) > 1:
        listed = ", ".join(map(str, kinds))
        raise errors.InvalidArgument(f"products of complex numbers are of one dtype, not {listed}")
    return f"make_{kinds[0]}(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)"


def _real_product(kinds: tuple[np.dtype, ...]) -> str:
    """The same of two arrays of numbers and a result of another dtype."""
    of = kinds[2]
    floating = any(types.kind_of(kind) == "f" for kind in kinds[:2])
    if floating and types.kind_of(of) != "f":
        raise errors.InvalidArgument(f"products of floating elements do not convert to {of}")
    # Signed integers are multiplied as unsigned ones, where wrapping around is defined. A floating
    # result is to see their sign.
    text = "x * y" if floating else "(u64)x * (u64)y"
    signed = all(kind != np.uint64 for kind in kinds[:2])
    return f"(i64)({text})" if not floating and types.kind_of(of) == "f" and signed else text


@repeated
@checked
def inner_product(
    x: Any,
    y: Any,
    init: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The sum of the products of the elements of one index in two arrays of one shape.

    Products are rounded in the elements' types; integers wrap in `dtype`, which is by default as in
    reduce(). Complex numbers are not conjugated. Without `init`, nothing gives 0, +0.0 of floating
    values. transform_reduce() with ``y=`` has other operators and maps.

    Raises:
        InvalidArgument: the shapes differ, or floating products would become integers; otherwise as
            reduce().
    """
    where = Where(axis, keepdims)
    starts = None if where.one else init
    with Call(x, Settings(variant, order, queue, wait), y=y, init=starts) as call:
        init = call.init or init
        of = accumulator(dtype, "plus", init, call.input.dtype)
        if where.one:
            return _sum(call, "bifold_inner_product", init, of)
        kinds = (call.input.dtype, call.second.dtype if call.second else of, of)
        if any(kind.names is not None for kind in kinds):
            raise errors.InvalidArgument("structs have no products: transform_reduce() has maps")
        is_complex = any(kind.kind == "c" for kind in kinds)
        product = _map(_complex_product(kinds) if is_complex else _real_product(kinds))
        results, axes = put_results(call, where, of)
        reduce_call(call, y, "plus", product, init, axes, finish=values_of)
        return values_of(results)


@repeated
@checked
def sum_compensated(
    x: Any,
    init: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
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
    where = Where(axis, keepdims)
    with Call(x, Settings(variant, order, queue, wait)) as call:
        of = accumulator(dtype, "plus", init, call.input.dtype)
        if where.one:
            return _sum(call, "bifold_sum_compensated", init, of)
        if of not in (np.float32, np.float64):
            raise errors.InvalidArgument(f"a compensated sum is float32 or float64, not {of}")
        start = element_of(init, of)
        number, struct = types.pair_type("CompensatedSum", of, {"sum": of, "error": of})
        results, axes = put_results(call, where, struct, number)
        again = Repeated(SUM_INTO, init=start, finish=_compensated)
        call.run("bifold_sum_compensated_into", address_of(start), axes=axes, repeated=again)
        return _compensated(results)


def _compensated(results: np.ndarray) -> Any:
    """Sums with their errors."""
    total, error = results["sum"], results["error"]
    # A zero error would take the sign of a zero sum, and of infinities there is none.
    wrong = np.isfinite(total) & (error != 0)
    return values_of(np.where(wrong, total + np.where(wrong, error, 0), total), total.dtype)
