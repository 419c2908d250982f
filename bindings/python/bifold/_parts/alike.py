"""What calls on parts of an array do alike."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .._arrays.memory import download
from .._arrays.operands import HostOperand, check_hosts_apart
from .._axes import flat_view
from .._base import errors, structs, types
from .._base.operators import Map, OperatorLike, handle_of
from .._base.queues import Event
from .._calls import Call
from .._starts import address_of


def outputs_of(**given: Any) -> tuple[Any, ...] | None:
    """The outputs of a call, whose last one is their number; None if there are none."""
    missing = [one is None for one in given.values()]
    if all(missing):
        return None
    if any(missing):
        raise errors.InvalidArgument(
            f"{', '.join(given)} go together: a call without them waits for their number"
        )
    return tuple(given.values())[:-1]


def kept_of(call: Call, name: str = "kept") -> structs.View:
    """Where the number of those that are kept goes, which the user calls `name`."""
    if call.total is None:
        return structs.View(call.temporary(8).handle, types.type_of(np.dtype(np.uint64)), 0, 1)
    operand = call.total.operand
    if operand.size != 1 or operand.dtype not in (np.uint32, np.uint64):
        raise errors.InvalidArgument(
            f"{name} has shape {operand.shape} and elements of {operand.dtype}: "
            "one of uint32 or uint64 is wanted"
        )
    operand.check_writable()
    check_hosts_apart(operand, call.inputs)
    return flat_view(operand.bind(call), 1)


def check_on_device(call: Call, *names: str) -> None:
    """InvalidArgument for outputs whose number of elements the host would not know."""
    for output, name in zip(call.outputs, names):
        if isinstance(output, HostOperand):
            raise errors.InvalidArgument(
                f"{name} is memory of the host: a call without outputs gives arrays of its own"
            )


def number_at(call: Call, place: structs.View) -> int:
    """The number that a call leaves there, once it has."""
    count = np.empty(1, np.uint64)
    download(call.queue, place, count)
    return int(count[0])


def options_of(call: Call) -> structs.Options:
    """The options of a call with scalars, whose types are known, and with a count."""
    options = call.settings.options()
    if call.scalars is not None:
        call.scalars.put(call, options, (None,))
    if call.count is not None:
        options.count_from = ctypes.pointer(call.count.view(call))
    return options


def enqueue_reduction(
    call: Call,
    op: OperatorLike,
    mapped: Map | None,
    carry: np.ndarray | None,
    views: list[structs.View],
    options: structs.Options,
    wait: list[Event],
) -> None:
    """One reduction of the library, into as many results as the options say."""
    function = f"bifold_{'reduce' if mapped is None else 'transform_reduce'}_into"
    handles = (handle_of(op), *(() if mapped is None else (mapped.handle,)))
    arguments = (*handles, address_of(carry))
    call.finish(call.enqueue(function, views, arguments, options, wait, call.wants_done))
