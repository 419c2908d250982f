"""Scans over several arrays at once: linear recurrences, and operators on tuples of elements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._arrays.kinds import operand_of
from ._base import errors, types
from ._base.arguments import checked
from ._base.kinds import AXIS, STEP
from ._base.operators import BUILTIN, Map, Operator, OperatorLike, handle_of
from ._base.queues import Event
from ._calls import Call
from ._scans import check_target, places_of
from ._settings import Settings
from ._starts import address_of
from ._workspaces import Workspace

# What a text calls the elements of one index of up to four arrays.
_WORDS = ("x", "y", "z", "w")


@checked(axis=AXIS)
def linear_recurrence(
    gates: Any,
    tokens: Any,
    out: Any = None,
    h0: Any = None,
    *,
    axis: int | None = None,
    reverse: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues ``h[t] = gates[t] * h[t - 1] + tokens[t]``, where `h0` stands before ``h[0]``.

    Without `h0`, ``h[0] = tokens[0]``. All is computed in the dtype of the output, float32 for
    float16: integers wrap, and products of gates may overflow where h does not.

    Args:
        gates: an array of any shape, layout and kind.
        tokens: another of its shape. One of both may be real where the other is complex.
        out: receives h; `gates` or `tokens` themselves are computed in place. By default a new
            array of the kind of `gates`, of the dtype that NumPy promotes both to.
        h0: a number that the output's dtype holds.
        reverse: ``h[t] = gates[t] * h[t + 1] + tokens[t]``, where `h0` stands behind the last.
        axis, variant, order, queue, wait, done, workspace: as in inclusive_scan().

    Returns:
        The output.

    Raises:
        InvalidArgument: shapes, dtypes and queue do not go together; otherwise as inclusive_scan().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    with Call(gates, settings, y=tokens, out=out) as call:
        axes, shape = places_of(call, axis)
        if out is None:
            kinds = [one.dtype for one in call.inputs]
            same = kinds[0] == kinds[1]
            call.make_output(shape, kinds[0] if same else np.promote_types(*kinds))
        check_target(call, shape)
        start = None
        if h0 is not None:
            start = types.value_of(h0, types.accumulated(call.target.dtype), "h0")
        call.run(
            "bifold_linear_recurrence",
            address_of(start),
            axes=axes,
            scan=True,
            reverse=reverse,
            taken=2,
        )
        return call.answer


def _on_tuples(kinds: list[np.dtype], texts: tuple[str, ...]) -> tuple[Operator, Map]:
    """An operator on structs with a field for each array, and what makes these structs."""
    words = _WORDS[: len(kinds)]
    struct = np.dtype(list(zip(words, kinds)), align=True)
    # A user may have named the same dtype otherwise.
    name = types.name_of(struct)
    if name is None:
        name = "Elements_" + "_".join(f"{kind.kind}{kind.itemsize * 8}" for kind in kinds)
        types.struct_type(name, struct)
    operator = Operator("associative_scan", f"make_{name}({', '.join(texts)})", dtype=struct)
    return operator, Map(f"make_{name}({', '.join(words)})")


def _swapped(text: str) -> str:
    """The text with a and b in each other's place."""
    return re.sub(r"(?<![\w.])[ab](?!\w)", lambda found: "b" if found[0] == "a" else "a", text)


@checked(axis=AXIS, op=STEP)
def associative_scan(
    arrays: Any,
    op: str | tuple[str, ...],
    *,
    axis: int = 0,
    reverse: bool = False,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Enqueues a scan along an axis, of one array or of several together, by an operator as texts.

    In the shape of ``jax.lax.associative_scan``, whose function is text here: a linear recurrence
    is ``associative_scan((gates, tokens), ("b.x * a.x", "b.x * a.y + b.y"))``.

    Args:
        arrays: an array, or a tuple of up to four of one shape, of integers and floating numbers.
        op: of one array an expression over ``a``, the elements so far, and ``b``, the next one, or
            the name of a built-in operator. Of a tuple one expression for each array, over the
            elements ``a.x``, ``a.y``, ``a.z`` and ``a.w`` of the arrays, and ``b.x`` and so on.
        axis: the dimension to scan along: each line as if it were alone, to the bit.
        reverse: scans from the last element to the first. As in JAX, ``a`` is what comes from
            behind then, and ``b`` the element.
        variant, order, queue, wait: as in inclusive_scan().

    Returns:
        A new array of the kind and dtype of each one.

    Raises:
        InvalidArgument: as many texts as arrays are wanted; otherwise as inclusive_scan().
    """
    several = arrays if isinstance(arrays, tuple) else (arrays,)
    texts = op if isinstance(op, tuple) else (op,)
    if isinstance(arrays, tuple) != isinstance(op, tuple) or len(texts) != len(several):
        raise errors.InvalidArgument(
            f"op is {len(texts)} texts for {len(several)} arrays: a tuple has one for each"
        )
    if reverse:
        texts = tuple(map(_swapped, texts))
    settings = Settings(variant, order, queue, wait)
    with Call(several[0], settings, y=several[1:]) as call:
        if not call.input.shape:
            raise errors.InvalidArgument("arrays of no dimension have no axis to scan along")
        axes, shape = places_of(call, axis)
        kinds = [types.accumulated(one.dtype) for one in call.inputs]
        call.put_output(*(operand_of(one.empty(call, shape, one.dtype)) for one in call.inputs))
        how: dict[str, Any] = {"axes": axes, "scan": True, "reverse": reverse}
        if isinstance(op, str):
            one: OperatorLike = op
            if op not in BUILTIN:
                one = Operator("associative_scan", texts[0], dtype=kinds[0])
            call.run("bifold_inclusive_scan", handle_of(one), None, **how, accumulate=kinds[0])
            return call.answer
        operator, made = _on_tuples(kinds, texts)
        call.run(
            "bifold_transform_inclusive_scan",
            operator.handle,
            made.handle,
            None,
            **how,
            accumulate=operator.dtype,
            result_map=tuple(f"s.{word}" for word in _WORDS[: len(kinds)]),
        )
        return call.answer if len(kinds) > 1 else (call.answer,)
