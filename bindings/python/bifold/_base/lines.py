"""Where the lines of a call lie: shapes, strides and axes become what the library takes.

Nothing here knows a device. Extents and strides are in elements.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple


class Lines(NamedTuple):
    """The library's description of many lines, as bifold_lines has it."""

    outer: int
    length: int
    inner: int
    outer_stride: int
    stride: int
    inner_stride: int

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Extent and stride along each of the three indices."""
        return (
            (self.outer, self.outer_stride),
            (self.length, self.stride),
            (self.inner, self.inner_stride),
        )

    @property
    def plain(self) -> bool:
        """Whether these are the elements of one array without gaps."""
        return self.outer == self.inner == 1 and (self.stride == 1 or self.length <= 1)

    @property
    def side_by_side(self) -> bool:
        """Whether first elements of lines follow each other without gaps."""
        if self.outer * self.inner <= 1:
            return True
        if self.inner == 1:
            return self.outer_stride == 1
        return self.inner_stride == 1 and (self.outer == 1 or self.outer_stride == self.inner)


class Part(NamedTuple):
    """What one array contributes to a call of the library.

    Attributes:
        offset: elements from the array's first one to the lowest one of the lines.
        count: elements from there to behind the highest one.
        lines: where they lie.
    """

    offset: int
    count: int
    lines: Lines


class Along(NamedTuple):
    """An array, as its lines see it.

    Attributes:
        batch: its strides along the dimensions that number the lines.
        length: how many elements a line has.
        stride: of a line.
    """

    batch: tuple[int, ...]
    length: int
    stride: int


def reach(steps: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The lowest element, seen from the first one, and how many there are to the highest one."""
    if any(extent == 0 for extent, _ in steps):
        return 0, 0
    reaches = [(extent - 1) * stride for extent, stride in steps]
    return sum(r for r in reaches if r < 0), sum(abs(r) for r in reaches) + 1


def c_strides(shape: Sequence[int], step: int = 1) -> tuple[int, ...]:
    """The strides of an array whose elements lie one behind the other in C order.

    They are in elements, or in bytes where `step` is how many an element has.
    """
    strides = []
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def are_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements lie one behind the other, in C order."""
    wanted = zip(shape, strides, c_strides(shape))
    return 0 in shape or all(n == 1 or stride == dense for n, stride, dense in wanted)


def may_overlap_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements may share their memory. Rare layouts are taken for such that do."""
    if 0 in shape:
        return False
    end = 0
    for stride, extent in sorted((abs(s), e) for s, e in zip(strides, shape) if e > 1):
        if stride <= end:
            return True
        end += (extent - 1) * stride
    return False


def fold_axes(
    extents: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[int, list[int]] | None:
    """The length of a line over some axes in C order, and its stride in each of several arrays.

    None where no single stride leads from an element to the next one. `strides` has those along the
    axes for each array.
    """
    length = math.prod(extents)
    if length <= 1:
        return length, [1 for _ in strides]
    axes = [axis for axis, extent in enumerate(extents) if extent > 1]
    for outer, inner in zip(axes, axes[1:]):
        if any(of[outer] != extents[inner] * of[inner] for of in strides):
            return None
    return length, [of[axes[-1]] for of in strides]


def _merged(batch: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Dimensions, each an extent and a stride for every array, as few as they can be."""
    batch = [dimension for dimension in batch if dimension[0] != 1]
    for outer, inner in itertools.permutations(range(len(batch)), 2):
        extent = batch[inner][0]
        if all(a == extent * b for a, b in zip(batch[outer][1:], batch[inner][1:])):
            both = (batch[outer][0] * extent, *batch[inner][1:])
            # In the place of the slower one, so that the order of lines stays.
            rest = [d for i, d in enumerate(batch) if i not in (outer, inner)]
            rest.insert(min(outer, inner), both)
            return _merged(rest)
    return batch


def parts(extents: Sequence[int], arrays: Sequence[Along]) -> list[tuple[Part, ...]]:
    """The calls that lines take, mostly one: what each array contributes to each of them.

    Line k of an array belongs to line k of every other one. Lines that lie along two dimensions at
    most, when what can be merged is merged, are one call; all others are one for each index of the
    shortest dimensions.
    """
    if 0 in extents:
        batch = [(0, *(0 for _ in arrays))]
    else:
        columns = zip(extents, *(array.batch for array in arrays))
        batch = _merged([tuple(column) for column in columns])
    kept = sorted(sorted(range(len(batch)), key=lambda d: -batch[d][0])[:2])
    looped = [batch[d] for d in range(len(batch)) if d not in kept]
    both = [batch[d] for d in kept]
    both.sort(key=lambda d: -abs(d[1]))  # The first array's smaller stride is the inner one.
    one = (1, *(0 for _ in arrays))
    if len(both) == 1 and abs(both[0][1]) < abs(arrays[0].stride):
        both.insert(0, one)
    outer, inner = (*both, one, one)[:2]
    calls = []
    for index in itertools.product(*(range(d[0]) for d in looped)):
        call = []
        for number, array in enumerate(arrays, 1):
            lines = Lines(
                outer[0], array.length, inner[0], outer[number], array.stride, inner[number]
            )
            low, count = reach(lines.steps)
            start = sum(i * d[number] for i, d in zip(index, looped))
            call.append(Part(start + low, count, lines))
        calls.append(tuple(call))
    return calls
