"""Selections: what a predicate or flags keep, indices, chains, and what is refused."""

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def numbers(shape, dtype=np.int32):
    return np.random.default_rng(5).integers(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "f4", "f2", "u8", "c8"])
def test_what_a_predicate_keeps(dtype):
    x = numbers((70, 300), dtype)
    found = bifold.select(x, "x.re > 50" if dtype == "c8" else "x > 50")
    assert found.dtype == x.dtype and type(found) is np.ndarray
    np.testing.assert_array_equal(found, x[x.real > 50])
    assert bifold.select(x, "0").shape == (0,)
    np.testing.assert_array_equal(bifold.select(x[:0], "1"), x[:0].ravel())


def test_structs_and_indices_in_a_predicate():
    x = np.zeros(5000, np.dtype([("key", "i2"), ("value", "f4")], align=True))
    x["key"] = numbers(5000)
    bifold.struct_type("SelectedPair", x.dtype)
    np.testing.assert_array_equal(
        bifold.select(x, "x.key > 9 && i % 2 == 0"), x[::2][x["key"][::2] > 9]
    )


def test_indices_of_what_is_not_zero(queue):
    x = numbers((50, 60)) % 3
    np.testing.assert_array_equal(bifold.select_index(x), np.flatnonzero(x))
    assert bifold.select_index(x).dtype == np.uint64
    given = bifold.to_device(x, queue)
    few, kept = bifold.empty(10, np.uint32, queue), bifold.empty(1, np.uint32, queue)
    assert bifold.select_index(given, "x == 2", few, kept) is few
    places = np.flatnonzero(x == 2)
    assert kept.get()[0] == len(places)
    np.testing.assert_array_equal(few.get(), places[:10])


def test_flags(queue):
    x, flags = numbers(9000), numbers(9000, np.uint8) % 2
    np.testing.assert_array_equal(bifold.select_flagged(x, flags), x[flags != 0])
    given, marks = bifold.to_device(x, queue), bifold.to_device(flags, queue)
    found = bifold.select_flagged(given, marks)
    assert isinstance(found, bifold.Array)
    np.testing.assert_array_equal(found.get(), x[flags != 0])
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        bifold.select_flagged(x, flags[:-1])


def test_views_with_gaps(queue):
    x = numbers((80, 90))
    given = bifold.to_device(x, queue)
    for view in (np.s_[:, ::3], np.s_[::-1], np.s_[5:50, 7]):
        want = x[view]
        np.testing.assert_array_equal(bifold.select(x[view], "x > 70"), want[want > 70])
        np.testing.assert_array_equal(bifold.select(given[view], "x > 70").get(), want[want > 70])
    transposed = bifold.select(given.T, "x > 70").get()
    np.testing.assert_array_equal(transposed, x.T[x.T > 70])


def test_chains_wait_for_nothing(queue):
    x = numbers(40_000)
    given = bifold.to_device(x, queue)
    first, second = (bifold.empty(x.shape, x.dtype, queue) for _ in range(2))
    kept, fewer = bifold.empty(1, np.uint32, queue), bifold.empty(1, np.uint64, queue)
    for limit in (20, 60):
        bifold.select(given, "x > limit", first, kept, scalars={"limit": limit})
        bifold.select(first, "x % 2 == 0", second, fewer, count_from=kept)
        want = x[(x > limit) & (x % 2 == 0)]
        assert fewer.get()[0] == len(want)
        np.testing.assert_array_equal(second.get()[: len(want)], want)
    done = bifold.Event()
    bifold.select(given, "x < 5", given, kept, done=done)
    done.wait()
    np.testing.assert_array_equal(given.get()[: (x < 5).sum()], x[x < 5])


def test_partitions(queue):
    x = numbers((30, 100))
    flat = x.ravel()
    front, behind = flat[flat > 40], flat[flat <= 40]
    for reverse, rest in ((False, behind), (True, behind[::-1])):
        found, count = bifold.partition(x, "x > 40", reverse=reverse)
        assert count == len(front)
        np.testing.assert_array_equal(found, np.concatenate([front, rest]))
    given, out = bifold.to_device(flat, queue), bifold.empty(flat.shape, x.dtype, queue)
    kept = bifold.empty(1, np.uint64, queue)
    assert bifold.partition(given, "x > 40", out, kept) is out and kept.get()[0] == len(front)
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.partition(given, "1", given, kept)


def test_first_elements_of_runs():
    x = np.sort(numbers(9000))
    np.testing.assert_array_equal(bifold.unique(x), np.unique(x))
    tens = bifold.unique(x, "x / 10 == y / 10")
    np.testing.assert_array_equal(tens // 10, np.unique(x // 10))


def test_what_is_refused(queue):
    x = numbers(100)
    given, kept = bifold.to_device(x, queue), bifold.empty(1, np.uint32, queue)
    for call, why in (
        (lambda: bifold.select(given, "1", given), "go together"),
        (lambda: bifold.select(given, "1", None, kept), "go together"),
        (lambda: bifold.select(x, "1", np.empty(100, np.int32), kept), "of the host"),
        (lambda: bifold.select(given, "1", given[::2], kept), "gaps"),
        (lambda: bifold.select(given, "1", given, bifold.empty(2, np.uint32, queue)), "kept"),
        (lambda: bifold.select(given, "1", given, bifold.empty(1, np.int32, queue)), "kept"),
        (lambda: bifold.select_index(given, "1", given, kept), "u32 or u64"),
        (lambda: bifold.select(given, "y > 1"), "y"),
    ):
        with pytest.raises(bifold.InvalidArgument, match=why):
            call()
    with pytest.raises(bifold.WrongType):
        bifold.select(given, 3)
