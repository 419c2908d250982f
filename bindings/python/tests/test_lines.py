"""How shapes, strides and axes fold to lines, by indices alone: no device."""

import itertools
import math

import numpy as np
import pytest

from bifold._base import lines
from bifold._base.lines import Along, Lines


def random_view(random, dimensions):
    """A view of a numbered array by slices, negative ones included, transposes and broadcasts."""
    shape = [int(random.integers(1, 5)) for _ in range(dimensions)]
    x = np.arange(math.prod(shape)).reshape(shape)
    x = x[tuple(slice(None, None, int(random.choice([1, 1, 2, -1, -2]))) for _ in shape)]
    x = x.transpose(random.permutation(dimensions))
    if random.random() < 0.3:
        x = np.broadcast_to(x, (int(random.integers(0, 4)), *x.shape))
    return x


def strides(x):
    return tuple(stride // x.itemsize for stride in x.strides)


def first_of(x):
    """The index of a view's first element in the array that it is a view of."""
    return x.flat[0] if x.size else 0


def reached(part, first):
    """The elements of each line that the library would touch, in the order of the lines."""
    wanted = part.lines
    start = first + part.offset
    zero = start - lines.reach(wanted.steps)[0]
    found = [
        [
            zero + o * wanted.outer_stride + k * wanted.stride + i * wanted.inner_stride
            for k in range(wanted.length)
        ]
        for o in range(wanted.outer)
        for i in range(wanted.inner)
    ]
    touched = [index for line in found for index in line]
    if touched:
        assert (min(touched), max(touched)) == (start, start + part.count - 1)
    else:
        assert part.count == 0
    return found


@pytest.mark.parametrize("seed", range(200))
def test_lines_of_random_views_reach_what_numpy_does(seed):
    random = np.random.default_rng(seed)
    x = random_view(random, int(random.integers(1, 6)))
    axis = int(random.integers(x.ndim))
    rest = [d for d in range(x.ndim) if d != axis]
    # A second array of the same shape, which lies otherwise.
    y = np.arange(x.size).reshape(x.shape[::-1]).T[(slice(None, None, -1),) * x.ndim]
    arrays = [
        Along(tuple(strides(a)[d] for d in rest), a.shape[axis], strides(a)[axis]) for a in (x, y)
    ]
    calls = lines.parts([x.shape[d] for d in rest], arrays)
    pairs = []
    for call in calls:
        both = [reached(part, first_of(a)) for part, a in zip(call, (x, y))]
        assert len(both[0]) == len(both[1])
        pairs += [tuple(map(tuple, pair)) for pair in zip(*both)]
    both = [
        np.moveaxis(a, axis, -1).reshape(math.prod(a.shape[d] for d in rest), a.shape[axis])
        for a in (x, y)
    ]
    wanted = [tuple(tuple(map(int, line)) for line in pair) for pair in zip(*both)]
    assert sorted(pairs) == sorted(wanted)


@pytest.mark.parametrize("seed", range(100))
def test_axes_fold_where_one_stride_leads_from_element_to_element(seed):
    random = np.random.default_rng(seed)
    x = random_view(random, int(random.integers(1, 5)))
    axes = sorted(random.permutation(x.ndim)[: int(random.integers(0, x.ndim + 1))].tolist())
    extents = [x.shape[a] for a in axes]
    found = lines.fold_axes(extents, [[strides(x)[a] for a in axes]])
    if x.size == 0:
        assert found is None or found[0] == math.prod(extents)
        return
    line = x.transpose([*axes, *(d for d in range(x.ndim) if d not in axes)])
    line = line.reshape(math.prod(extents), -1)
    steps = np.diff(line[:, 0])
    if len(set(steps.tolist())) > 1:
        assert found is None
    elif len(line) > 1:
        assert found == (len(line), [steps[0]])
    else:
        assert found == (1, [1])


def test_dense_matrices_are_rows_and_columns():
    rows = Along((70,), 70, 1)
    assert lines.parts([30], [rows])[0][0].lines == Lines(30, 70, 1, 70, 1, 0)
    columns = Along((1,), 30, 70)
    assert lines.parts([70], [columns])[0][0].lines == Lines(1, 30, 70, 0, 70, 1)
    middle = Along((12, 1), 3, 4)
    assert lines.parts([5, 4], [middle])[0][0].lines == Lines(5, 3, 4, 12, 4, 1)
    whole = lines.parts([], [Along((), 7, 1)])[0][0]
    assert whole.lines.plain and whole.count == 7


@pytest.mark.parametrize("axis", range(4))
def test_a_dense_array_is_one_call_along_every_axis(axis):
    shape = (3, 4, 5, 6)
    of = lines.c_strides(shape)
    rest = [d for d in range(4) if d != axis]
    array = Along(tuple(of[d] for d in rest), shape[axis], of[axis])
    assert len(lines.parts([shape[d] for d in rest], [array])) == 1


def test_what_does_not_merge_is_a_call_for_each_index_of_the_shortest_dimension():
    of = lines.c_strides((10, 20, 30, 40))
    array = Along(tuple(2 * stride for stride in of[:3]), 7, 1)
    assert len(lines.parts([4, 9, 8], [array])) == 4


@pytest.mark.parametrize("seed", range(100))
def test_arrays_that_overlap_themselves(seed):
    random = np.random.default_rng(seed)
    shape = random.integers(1, 4, 3).tolist()
    of = random.integers(-6, 7, 3).tolist()
    places = [
        sum(i * s for i, s in zip(index, of))
        for index in itertools.product(*(range(extent) for extent in shape))
    ]
    if len(set(places)) < len(places):
        assert lines.may_overlap_itself(shape, of)
    assert not lines.may_overlap_itself(shape, lines.c_strides(shape))
    assert not lines.may_overlap_itself(shape, [-2 * s for s in lines.c_strides(shape)])
