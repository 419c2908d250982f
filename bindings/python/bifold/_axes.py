"""The axes of a call, how its output lies beside them, and arrays as one row in C order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ._arrays.operands import Placed
from ._base import errors, lines, structs
from ._base.queues import Event

if TYPE_CHECKING:
    from ._calls import Call


def written_by(
    target: Placed, rest: list[int], axes: tuple[int, ...], extents: list[int], scan: bool
) -> lines.Along:
    """An output, as the lines of the input see it."""
    strides = target.strides
    if scan:
        axis = axes[0] if len(axes) == 1 else 0
        batch = tuple(strides[d] for d in rest)
        return lines.Along(batch, math.prod(extents), strides[axis])
    if not rest:
        return lines.Along((), 1, 1)
    # Dimensions of the axes are left out, or kept with an extent of one.
    kept = range(len(rest)) if len(strides) == len(rest) else rest
    return lines.Along(tuple(strides[d] for d in kept), 1, 1)


def check_apart(sources: list[Placed], target: Placed, in_place: bool = False) -> None:
    """InvalidArgument for what the library cannot see, as it is given one part after the other."""
    if lines.may_overlap_itself(target.shape, target.strides):
        raise errors.InvalidArgument("elements of the output overlap each other")
    for source in sources:
        alike = (source.span(), source.strides) == (target.span(), target.strides)
        if source.overlaps(target) and not (in_place and alike):
            raise errors.InvalidArgument("the input and the output overlap")


def axes_of(axis: tuple[int, ...] | None, dimensions: int) -> tuple[int, ...]:
    """The axes of a call in C order; all of them for None."""
    if axis is None:
        return tuple(range(dimensions))
    axes = []
    for one in axis:
        if not -dimensions <= one < dimensions:
            raise errors.InvalidArgument(f"axis {one} of an array of {dimensions} dimensions")
        axes.append(one % dimensions)
    if len(set(axes)) < len(axes):
        raise errors.InvalidArgument(f"axis {axis} names one twice")
    return tuple(sorted(axes))


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape of a reduction's results."""
    if keepdims:
        return tuple(1 if d in axes else extent for d, extent in enumerate(shape))
    return tuple(extent for d, extent in enumerate(shape) if d not in axes)


def dense(place: Placed) -> bool:
    """Whether the elements of an array lie one behind the other."""
    return lines.are_dense(place.shape, place.strides)


def flat_view(place: Placed, count: int) -> structs.View:
    """The first elements of a place without gaps."""
    return place.view(lines.Part(0, count, lines.Lines(1, count, 1, 0, 1, 1)))


def flat_places(call: Call) -> tuple[list[Placed], list[Placed], list[Event]]:
    """Where the arrays and the outputs lie, without gaps, and what to wait for then."""
    sources = [call.input.bind(call)]
    sources += [sources[0] if o is call.input else o.bind(call) for o in call.inputs[1:]]
    targets = []
    for output in call.outputs:
        output.check_writable()
        target = sources[0] if output is call.input else output.bind(call)
        if len(target.shape) != 1 or not dense(target):
            raise errors.InvalidArgument("out has gaps, or not one dimension")
        targets.append(target)
    if all(map(dense, sources)):
        return sources, targets, call._wait
    if any(source.overlaps(target) for source in sources for target in targets):
        raise errors.InvalidArgument("out is memory of an array with gaps")
    copies, wait = call._copied(sources, list(range(len(call.input.shape))))
    return copies, targets, wait
