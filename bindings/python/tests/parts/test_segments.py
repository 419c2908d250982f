"""Reductions of segments beside reduce() of each segment alone."""

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def lengths(count=300):
    random = np.random.default_rng(9)
    return np.where(random.random(count) < 0.05, 9000, random.integers(0, 40, count))


def offsets_of(lengths, dtype=np.uint32):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype)


def alone(x, offsets, *args, **options):
    parts = [x[a:b] for a, b in zip(offsets[:-1], offsets[1:])]
    return np.array([bifold.reduce(part, *args, **options) for part in parts])


@pytest.mark.parametrize("bounds", [np.uint32, np.uint64])
def test_the_bits_of_each_segment_alone(bounds):
    offsets = offsets_of(lengths(), bounds)
    x = np.random.default_rng(3).standard_normal(offsets[-1]).astype(np.float32)
    sums = bifold.segmented_reduce(x, offsets)
    assert sums.dtype == x.dtype and type(sums) is np.ndarray
    np.testing.assert_array_equal(sums, alone(x, offsets))
    np.testing.assert_array_equal(
        bifold.segmented_reduce(x, offsets, "maximum", np.float32(0.5)),
        alone(x, offsets, "maximum", np.float32(0.5)),
    )


def test_a_map_with_its_index_and_scalars():
    offsets = offsets_of([3, 0, 5000, 1])
    x = np.arange(offsets[-1], dtype=np.int32)
    found = bifold.segmented_reduce(
        x, offsets, map="i == 0 ? by * x : 0", scalars={"by": np.int32(2)}
    )
    np.testing.assert_array_equal(found, [0, 0, 6, 10006])


def test_device_arrays_bounds_and_faults(queue):
    x = np.arange(100, dtype=np.int32)
    begins, ends = np.array([5, 90, 20], np.uint64), np.array([8, 200, 10], np.uint64)
    given = [bifold.to_device(one, queue) for one in (x, begins, ends)]
    out, faults = bifold.empty(3, np.int32, queue), bifold.empty(1, np.uint64, queue)
    found = bifold.segmented_reduce(given[0], given[1], out=out, ends=given[2], faults=faults)
    assert found is out
    np.testing.assert_array_equal(out.get(), [18, x[90:].sum(), 0])
    assert faults.get()[0] == 2


def test_views_with_gaps_and_no_segments(queue):
    x = np.arange(1000, dtype=np.float64).reshape(20, 50)
    given = bifold.to_device(x, queue)
    offsets = bifold.to_device(offsets_of([7, 13]), queue)
    found = bifold.segmented_reduce(given[:, ::7], offsets)
    flat = x[:, ::7].ravel()
    np.testing.assert_array_equal(found.get(), [flat[:7].sum(), flat[7:20].sum()])
    assert bifold.segmented_reduce(x, np.zeros(1, np.uint32)).shape == (0,)


def test_what_is_refused(queue):
    x, offsets = np.ones(10, np.float32), np.array([0, 4, 10], np.uint32)
    refused = [
        (lambda: bifold.segmented_reduce(x, offsets.astype(np.int64)), "uint32 or uint64"),
        (lambda: bifold.segmented_reduce(x, offsets[:0]), "empty"),
        (lambda: bifold.segmented_reduce(x, offsets, ends=offsets[1:]), "3 offsets"),
        (lambda: bifold.segmented_reduce(x, offsets, out=np.ones(3, np.float32)), "not 2"),
        (lambda: bifold.segmented_reduce(x, offsets, faults=np.zeros(1, np.uint32)), "uint64"),
    ]
    for call, words in refused:
        with pytest.raises(bifold.InvalidArgument, match=words):
            call()
