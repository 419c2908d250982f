"""Calls of the library on tensors of CUDA, and on arrays that are tensors of the CPU.

All of them write to an output, and are repeated without the package once they were made by it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .._arrays import cuda
from .._arrays.operands import HostOperand, Operand
from .._axes import axes_of
from .._base import types
from .._base.operators import Map, OperatorLike, handle_of
from .._base.queues import Queue
from .._calls import Call
from .._reduce import reduce_to_array
from .._repeated import MAP_INTO, Repeated, repeated
from .._scans import Scan, scan
from .._searches import find_to_array
from .._settings import Settings
from .._starts import PLAIN
from .._workspaces import Workspace


class TensorOperand(cuda.DlpackOperand):
    """A tensor of CUDA, of any type that PyTorch has numbers of."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor, tensor.get_device())

    def exported(self) -> torch.Tensor:
        # DLPack's versions differ in what they know of these two.
        if self.array.dtype is torch.bool:
            return self.array.view(torch.uint8)
        return self.array.view(torch.int16) if self.array.dtype is torch.bfloat16 else self.array

    def prepare(self, call: Call) -> None:
        super().prepare(call)
        if self.array.dtype is torch.bfloat16:
            self.dtype = types.BFLOAT16


@functools.cache
def _maker(kind: torch.dtype) -> Callable[[Any, tuple[int, ...]], Any]:
    # An empty tuple takes PyTorch twice as long as an empty list.
    return lambda tensor, shape: tensor.new_empty([*shape], dtype=kind)


class NewOperand(TensorOperand):
    """An output that was made for the call."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor)
        self.made = _maker(tensor.dtype)


def _operand(x: Any) -> Operand:
    if isinstance(x, Operand):
        return x
    return HostOperand(x) if isinstance(x, np.ndarray) else TensorOperand(x)


def _settings(queue: Queue | None, workspace: Workspace | None) -> Settings:
    return Settings(None, "v1", queue, (), workspace=workspace)


@repeated
def reduce_into(
    x: Any,
    out: Any,
    op: str,
    *,
    axis: int | tuple[int, ...] | None,
    keepdims: bool,
    queue: Queue | None,
    workspace: Workspace | None = None,
) -> None:
    """A reduction along axes, or of all elements."""
    settings, axes = _settings(queue, workspace), (axis,) if isinstance(axis, int) else axis
    source, target = _operand(x), _operand(out)
    reduce_to_array(source, None, target, op, None, None, settings, axis=axes, keepdims=keepdims)


@repeated
def find_into(
    x: Any,
    out: Any,
    least: bool,
    *,
    axis: int | tuple[int, ...] | None,
    keepdims: bool,
    queue: Queue | None,
    workspace: Workspace | None = None,
) -> None:
    """The indices of the least or greatest elements along axes, or among all elements."""
    settings, axes = _settings(queue, workspace), (axis,) if isinstance(axis, int) else axis
    find_to_array(_operand(x), _operand(out), least, settings, axis=axes, keepdims=keepdims)


@repeated
def scan_into(
    x: Any,
    out: Any,
    op: str,
    *,
    axis: int | None,
    reverse: bool,
    queue: Queue | None,
    workspace: Workspace | None = None,
) -> None:
    """An inclusive scan along an axis, or of all elements into as many."""
    source = _operand(x)
    target = source if out is x else _operand(out)
    how = Scan("inclusive", axis, reverse, PLAIN, None, None)
    scan(how, source, target, op, None, None, None, _settings(queue, workspace))


def into_new(
    function: Any, x: torch.Tensor, out: torch.Tensor, *arguments: Any, **named: Any
) -> None:
    """One of these with an output that was made for the call, which whoever called may learn."""
    function.__wrapped__(x, NewOperand(out), *arguments, **named)


@repeated
def scan_both_into(
    x: Any,
    out: Any,
    out_beside: Any,
    op: OperatorLike,
    map: Map,
    result_maps: tuple[str, str],
    *,
    axis: int,
    reverse: bool,
    queue: Queue | None,
    workspace: Workspace | None = None,
) -> None:
    """An inclusive scan with an operator and a map of structs, of which two arrays get a part."""
    outputs = (_operand(out), _operand(out_beside))
    with Call(_operand(x), _settings(queue, workspace), out=outputs) as call:
        call.run(
            "bifold_transform_inclusive_scan",
            handle_of(op),
            map.handle,
            None,
            axes=axes_of((axis,), len(call.input.shape)),
            scan=True,
            reverse=reverse,
            result_map=result_maps,
            repeated=Repeated(MAP_INTO, op, map),
        )
