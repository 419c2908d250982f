"""Calls by key beside NumPy, and beside reduce() of each run alone."""

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def keys_of(count=300, dtype=np.int64):
    """Keys of runs of very different lengths, and where these begin."""
    random = np.random.default_rng(5)
    lengths = np.where(random.random(count) < 0.05, 9000, random.integers(1, 40, count))
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.repeat(np.arange(count) * 37 % 101, lengths).astype(dtype), starts


def alone(x, starts, *args, **options):
    return np.array([bifold.reduce(part, *args, **options) for part in np.split(x, starts[1:])])


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32])
def test_the_bits_of_each_run_alone(dtype):
    keys, starts = keys_of(dtype=dtype)
    x = np.random.default_rng(3).standard_normal(keys.size).astype(np.float32)
    unique, sums = bifold.reduce_by_key(keys, x)
    assert (unique.dtype, sums.dtype) == (keys.dtype, x.dtype) and type(sums) is np.ndarray
    np.testing.assert_array_equal(unique, keys[starts])
    np.testing.assert_array_equal(sums, alone(x, starts))
    _, largest = bifold.reduce_by_key(keys, x, "maximum", np.float32(0.5))
    np.testing.assert_array_equal(largest, alone(x, starts, "maximum", np.float32(0.5)))


def test_a_group_by_of_sorted_keys():
    random = np.random.default_rng(1)
    keys, x = random.integers(0, 50, 20000), random.integers(-9, 9, 20000)
    order = np.argsort(keys, kind="stable")
    unique, sums = bifold.reduce_by_key(keys[order], x[order])
    np.testing.assert_array_equal(unique, np.unique(keys))
    np.testing.assert_array_equal(sums, np.bincount(keys, x).astype(np.int64))


def test_lengths_and_first_values_of_runs():
    keys, starts = keys_of()
    unique, lengths = bifold.run_length_encode(keys)
    assert lengths.dtype == np.uint64
    np.testing.assert_array_equal(unique, keys[starts])
    np.testing.assert_array_equal(lengths, np.diff(np.append(starts, keys.size)))
    values = np.arange(keys.size, dtype=np.float64)
    firsts = bifold.unique_by_key(keys, values)
    np.testing.assert_array_equal(firsts[0], keys[starts])
    np.testing.assert_array_equal(firsts[1], starts)


def test_texts_with_scalars_and_a_count(queue):
    x = np.arange(100, dtype=np.int32)
    scalars = {"by": np.int32(10), "factor": np.int32(3)}
    same = "x / by == y / by"
    unique, sums = bifold.reduce_by_key(
        x, x, map="factor * x", equality=same, scalars=scalars, dtype=np.int64
    )
    np.testing.assert_array_equal(unique, x[::10])
    np.testing.assert_array_equal(sums, 3 * x.reshape(10, 10).sum(axis=1))
    given, count = bifold.to_device(x, queue), bifold.to_device(np.array([25], np.uint32), queue)
    of_these = {"equality": same, "scalars": {"by": np.int32(10)}, "count_from": count}
    lengths = bifold.run_length_encode(given, **of_these)[1]
    np.testing.assert_array_equal(lengths.get(), [10, 10, 5])


def test_scalars_have_the_types_that_a_map_declares():
    x = np.arange(40, dtype=np.float32)
    halved = bifold.Map("x * k", {"k": np.dtype("f8")})
    of_tens = {"scalars": {"k": 0.5, "by": np.int64(10)}, "equality": "x / by == y / by"}
    _, sums = bifold.reduce_by_key(np.arange(40), x, map=halved, dtype=np.float64, **of_tens)
    np.testing.assert_array_equal(sums, x.reshape(4, 10).sum(axis=1) / 2)


def test_device_outputs_with_room_for_fewer(queue):
    keys, starts = keys_of()
    x = np.ones(keys.size, np.int32)
    given = [bifold.to_device(one, queue) for one in (keys, x)]
    for places in (3, starts.size + 2):
        unique = bifold.to_device(np.full(places, -1), queue)
        out = bifold.to_device(np.full(places, -1, np.int32), queue)
        runs = bifold.empty(1, np.uint32, queue)
        found = bifold.reduce_by_key(*given, unique=unique, out=out, runs=runs)
        assert found[0] is unique and found[1] is out
        assert runs.get()[0] == starts.size
        stored = min(places, starts.size)
        np.testing.assert_array_equal(unique.get()[:stored], keys[starts][:stored])
        np.testing.assert_array_equal(
            out.get()[:stored], np.diff(np.append(starts, keys.size))[:stored]
        )
        assert (out.get()[stored:] == -1).all() and (unique.get()[stored:] == -1).all()
        bifold.unique_by_key(*given, unique=unique, out=out, kept=runs)
        assert runs.get()[0] == starts.size and (out.get()[:stored] == 1).all()


def test_views_with_gaps_and_no_elements(queue):
    x = np.arange(1000, dtype=np.float64).reshape(20, 50)
    keys = np.arange(1000).reshape(20, 50) // 90
    given, by = bifold.to_device(x, queue), bifold.to_device(keys, queue)
    unique, sums = bifold.reduce_by_key(by[:, ::7], given[:, ::7])
    flat, flat_keys = x[:, ::7].ravel(), keys[:, ::7].ravel()
    np.testing.assert_array_equal(unique.get(), np.unique(flat_keys))
    np.testing.assert_array_equal(sums.get(), np.bincount(flat_keys, flat))
    none = bifold.reduce_by_key(np.zeros(0, np.int32), np.zeros(0, np.float32))
    assert [one.shape for one in none] == [(0,), (0,)]


def test_what_is_refused(queue):
    x = np.ones(10, np.float32)
    keys = np.zeros(10, np.int32)
    runs = np.zeros(1, np.uint32)
    refused = [
        (lambda: bifold.reduce_by_key(keys[:9], x), "keys has shape"),
        (lambda: bifold.unique_by_key(keys, x[:9]), "x has shape"),
        (lambda: bifold.reduce_by_key(keys, x, out=x), "go together"),
        (lambda: bifold.reduce_by_key(keys, x, unique=keys, out=x, runs=runs), "of the host"),
        (lambda: bifold.run_length_encode(keys, runs=runs), "go together"),
        (lambda: bifold.unique_by_key(keys, x, kept=runs), "go together"),
        (lambda: bifold.reduce_by_key(keys, x, map="z"), "z"),
    ]
    for call, words in refused:
        with pytest.raises(bifold.InvalidArgument, match=words):
            call()
