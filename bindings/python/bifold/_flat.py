"""Where arrays lie that calls take as one row of elements, in C order."""

from __future__ import annotations

from ._arrays.operands import Placed
from ._base import errors, lines, structs
from ._base.queues import Event
from ._calls import Call


def dense(place: Placed) -> bool:
    """Whether the elements of an array lie one behind the other."""
    return lines.are_dense(place.shape, place.strides)


def flat_view(place: Placed, count: int) -> structs.View:
    """The first elements of a place without gaps."""
    return place.view(lines.Part(0, count, lines.Lines(1, count, 1, 0, 1, 1)))


def flat_places(call: Call) -> tuple[list[Placed], Placed, list[Event]]:
    """Where the arrays and the output lie, without gaps, and what to wait for then."""
    sources = [call.input.bind(call)]
    sources += [sources[0] if o is call.input else o.bind(call) for o in call.inputs[1:]]
    call.target.check_writable()
    target = sources[0] if call.target is call.input else call.target.bind(call)
    if len(target.shape) != 1 or not dense(target):
        raise errors.InvalidArgument("out has gaps, or not one dimension")
    if all(map(dense, sources)):
        return sources, target, call._wait
    if any(source.overlaps(target) for source in sources):
        raise errors.InvalidArgument("out is memory of an array with gaps")
    copies, wait = call._copied(sources, list(range(len(call.input.shape))))
    return copies, target, wait
