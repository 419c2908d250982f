"""Several outputs of a call, and maps of several arrays."""

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


LEADER = np.dtype([("value", "f4"), ("place", "i4")])
MAKE = "make_Leader(x, i)"
PARTS = ("s.value", "(i64)s.place")


def leaders():
    bifold.struct_type("Leader", LEADER)
    return bifold.Operator("leaders", "b.value >= a.value ? b : a", dtype=LEADER)


def expected(x):
    """Running maxima and the last places of them, along the last axis."""
    values = np.maximum.accumulate(x, -1)
    places = np.where(x >= values, np.arange(x.shape[-1]), 0)
    return values, np.maximum.accumulate(places, -1)


def numbers(shape):
    return np.random.default_rng(5).integers(-50, 50, shape).astype(np.float32)


def test_scans_into_arrays_of_the_host():
    x = numbers(5000)
    values, places = np.zeros(5000, np.float16), np.zeros(5000, np.int64)
    answer = bifold.transform_inclusive_scan(x, MAKE, (values, places), leaders(), result_map=PARTS)
    assert answer[0] is values and answer[1] is places
    want = expected(x)
    np.testing.assert_array_equal(values, want[0].astype(np.float16))
    np.testing.assert_array_equal(places, want[1])


@pytest.mark.parametrize("axis", [0, 1])
def test_lines_on_a_device(queue, axis):
    host = numbers((37, 70))
    x = bifold.to_device(host, queue)
    outs = bifold.empty((37, 70), np.float32, queue), bifold.empty((37, 70), np.int64, queue)
    bifold.transform_inclusive_scan(x, MAKE, outs, leaders(), axis=axis, result_map=PARTS)
    want = expected(host if axis == 1 else host.T)
    for out, of in zip(outs, want):
        np.testing.assert_array_equal(out.get(), of if axis == 1 else of.T)


def test_reductions(queue):
    host = numbers((40, 33))
    x = bifold.to_device(host, queue)
    outs = bifold.empty(40, np.float32, queue), bifold.empty(40, np.int64, queue)
    bifold.transform_reduce_into(x, outs, MAKE, leaders(), axis=1, result_map=PARTS)
    want = expected(host)
    for out, of in zip(outs, want):
        np.testing.assert_array_equal(out.get(), of[:, -1])


def test_scalars_of_both_outputs(queue):
    host = numbers(3000)
    x = bifold.to_device(host, queue)
    outs = bifold.empty(3000, np.float32, queue), bifold.empty(3000, np.int64, queue)
    texts = ("s.value * factor", "(i64)s.place + first")
    more = {"result_map": texts, "scalars": {"factor": 2.0, "first": np.int64(7)}}
    for _ in range(3):
        bifold.transform_inclusive_scan(x, MAKE, outs, leaders(), **more)
        values, places = expected(host)
        np.testing.assert_array_equal(outs[0].get(), values * 2)
        np.testing.assert_array_equal(outs[1].get(), places + 7)
        more["scalars"]["factor"] = 2


def test_in_place_of_the_input(queue):
    host = numbers(3000)
    x = bifold.to_device(host, queue)
    places = bifold.empty(3000, np.int64, queue)
    bifold.transform_inclusive_scan(x, MAKE, (x, places), leaders(), result_map=PARTS)
    np.testing.assert_array_equal(x.get(), expected(host)[0])
    np.testing.assert_array_equal(places.get(), expected(host)[1])


def test_what_does_not_fit_is_refused(queue):
    x = bifold.to_device(numbers(100), queue)
    outs = bifold.empty(100, np.float32, queue), bifold.empty(100, np.int64, queue)

    def refused(words, out, texts=PARTS):
        with pytest.raises(bifold.InvalidArgument, match=words):
            bifold.transform_inclusive_scan(x, MAKE, out, leaders(), result_map=texts)

    refused("1 result maps for 2 outputs", outs, "s.value")
    refused("2 result maps for 1 outputs", outs[0])
    refused("overlap", (outs[0], outs[0]), ("s.value", "s.value"))
    refused("shapes", (outs[0], bifold.empty(99, np.int64, queue)))
    with pytest.raises(bifold.InvalidArgument, match="have to lie alike"):
        wide = bifold.empty((10, 20), np.int64, queue)
        bifold.transform_inclusive_scan(
            x.reshape(10, 10),
            MAKE,
            (outs[0].reshape(10, 10), wide[:, ::2]),
            leaders(),
            axis=1,
            result_map=PARTS,
        )
    with pytest.raises(bifold.WrongType, match="a tuple of some"):
        bifold.inclusive_scan(x, outs, result_map=("s", 1))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_maps_of_several_arrays(queue, axis):
    shape = (30, 41)
    hosts = [numbers(shape).astype(np.int32) + k for k in range(4)]
    x, *others = (bifold.to_device(host, queue) for host in hosts)
    text = "x * y + z - w + (i32)i"
    out = bifold.empty(shape if axis is not None else 30 * 41, np.int32, queue)
    bifold.transform_inclusive_scan(x, text, out, y=tuple(others), axis=axis)
    mapped = hosts[0] * hosts[1] + hosts[2] - hosts[3]
    places = np.arange(mapped.size).reshape(shape) if axis is None else np.indices(shape)[axis]
    np.testing.assert_array_equal(out.get(), np.cumsum(mapped + places, axis, np.int32))
    sums = bifold.transform_reduce(x, text, y=tuple(others), axis=axis)
    sums = sums.get() if axis is not None else sums
    np.testing.assert_array_equal(sums, (mapped + places).sum(axis, np.int32))


def test_a_second_array_of_a_scan(queue):
    hosts = [numbers(2000), numbers(2000)]
    want = np.cumsum(hosts[0] * hosts[1])
    assert np.array_equal(bifold.transform_inclusive_scan(hosts[0], "x * y", y=hosts[1]), want)
    x, y = (bifold.to_device(host, queue) for host in hosts)
    for _ in range(3):
        assert np.array_equal(bifold.transform_inclusive_scan(x, "x * y", y=y).get(), want)
    np.testing.assert_array_equal(
        bifold.transform_exclusive_scan(x, "x * y", y=x).get()[1:], np.cumsum(hosts[0] ** 2)[:-1]
    )
