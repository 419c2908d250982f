"""Scalars: values that texts name and calls bring."""

import pickle

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


BAND = np.dtype([("low", "f4"), ("high", "f4")])


def test_numbers_are_of_the_elements_kind(queue):
    x = np.linspace(-1, 1, 3001, dtype=np.float32)
    for limit in (-0.5, 0.1, np.float32(0.1), np.float64(0.25), 0, 1, np.int8(0)):
        text = "x > limit ? 1 : 0"
        got = bifold.transform_reduce(x, text, dtype="i8", scalars={"limit": limit})
        assert got == np.count_nonzero(x > limit), limit
    n = np.arange(-50, 50, dtype=np.int16)
    assert bifold.count_if(n, "x % k == 0", scalars={"k": 7}) == np.count_nonzero(n % 7 == 0)
    assert bifold.count_if(n, "x > k", scalars={"k": 1.5}) == 48
    per_row = bifold.count_if(n.reshape(10, 10), "x > k", scalars={"k": 3}, axis=1)
    np.testing.assert_array_equal(per_row, np.count_nonzero(n.reshape(10, 10) > 3, axis=1))
    with pytest.raises(bifold.InvalidArgument, match="k"):
        bifold.count_if(n, "x > k", scalars={"k": 70_000})


def test_scans_and_result_maps(queue):
    x = bifold.to_device(np.arange(1, 1001, dtype=np.int64), queue)
    for k in (3, -4):
        out = bifold.transform_inclusive_scan(
            x, "x * k", result_map="s + d * k", scalars={"k": k, "d": np.int64(7)}
        )
        np.testing.assert_array_equal(out.get(), np.cumsum(np.arange(1, 1001) * k) + 7 * k)
        out = bifold.exclusive_scan(x, result_map="s / d", scalars={"d": np.int64(k)})
        want = np.concatenate([[0], np.cumsum(np.arange(1, 1000))])
        np.testing.assert_array_equal(out.get(), np.trunc(want / k).astype(np.int64))
    assert bifold.reduce(x, result_map="s * k", scalars={"k": 2}) == 1001000


def test_maps_and_operators_declare_dtypes(queue):
    bifold.struct_type("Band", BAND)
    within = bifold.Map("band.low < x && x < band.high ? step : 0", {"band": BAND, "step": "uint8"})
    x = np.arange(100, dtype=np.float32)
    for low, high, w in ((3, 9, 2), (50, 99, 200)):
        got = bifold.transform_reduce(
            x, within, dtype="u4", scalars={"band": (low, high), "step": w}
        )
        assert got == (high - low - 1) * w
    again = pickle.loads(pickle.dumps(within))
    assert bifold.transform_reduce(x, again, dtype="u4", scalars={"band": (0, 2), "step": 1}) == 1
    capped = bifold.Operator(
        "capped", "min(a + b, cap)", 0, "i4", commutativity="commutative", scalars={"cap": "i4"}
    )
    capped = pickle.loads(pickle.dumps(capped))
    n = np.ones(500, np.int32)
    assert [bifold.reduce(n, capped, scalars={"cap": cap}) for cap in (10, 499, 1000)] == [
        *(10, 499, 500)
    ]


def test_device_memory_is_read_when_the_call_runs(queue):
    host = np.arange(1000, dtype=np.float32)
    x = bifold.to_device(host, queue)
    limit = bifold.to_device(np.array([10], np.float32), queue)
    out = bifold.empty(1, np.uint64, queue)
    for value in (10, 700):
        limit.set(np.array([value], np.float32))
        bifold.transform_reduce_into(x, out, "x > limit", scalars={"limit": limit})
        assert out.get()[0] == np.count_nonzero(host > value)
    with pytest.raises(bifold.InvalidArgument, match="limit"):
        bifold.transform_reduce_into(x, out, "x > limit", scalars={"limit": x})


def test_what_does_not_fit_is_refused(queue):
    x = np.arange(10, dtype=np.float32)
    for text, scalars, why in (
        ("x > limit", {}, "limit"),
        ("x > limit", {"limit": 1, "other": 2}, "other"),
        ("x > max", {"max": 1}, "function"),
        ("x", {"x": 1}, "operand"),
    ):
        with pytest.raises(bifold.InvalidArgument, match=why):
            bifold.transform_reduce(x, text, scalars=scalars)
    with pytest.raises(bifold.WrongType, match="scalars"):
        bifold.transform_reduce(x, "x", scalars=[1])
    with pytest.raises(bifold.WrongType, match="scalars"):
        bifold.Map("x + k", {"k": 1})


def test_plans_take_other_values_with_each_call(queue):
    plan = bifold.Plan.reduce(
        queue,
        np.float32,
        map="x > limit ? 1 : 0",
        out="u8",
        result_map="s + more",
        scalars={"limit": "f4", "more": "u8"},
    )
    host = np.linspace(-1, 1, 5000, dtype=np.float32)
    x = bifold.to_device(host, queue)
    out = bifold.empty(1, np.uint64, queue)
    for limit, more in ((0.5, 0), (-0.25, 3), (0.75, 2**40)):
        plan(x, out, scalars={"limit": limit, "more": more})
        assert out.get()[0] == np.count_nonzero(host > np.float32(limit)) + more
    with pytest.raises(bifold.InvalidArgument, match="limit"):
        plan(x, out, scalars={"more": 1})
    scan = bifold.Plan.inclusive_scan(queue, np.int32, map=bifold.Map("x * k", {"k": "i4"}))
    n = bifold.to_device(np.arange(100, dtype=np.int32), queue)
    for k in (2, -3):
        out = bifold.empty(100, np.int32, queue)
        np.testing.assert_array_equal(
            scan(n, out, scalars={"k": k}).get(), np.cumsum(np.arange(100) * k)
        )


def test_known_calls_see_other_values(queue):
    """Those that are made without the package."""
    host = np.arange(1000, dtype=np.float32)
    x = bifold.to_device(host, queue)
    for kind in (float, np.float32, int):
        known = bifold.count_if.known
        for step in range(6):
            limit = kind(step * 100 + 0.5)
            assert bifold.count_if(x, "x > limit + 1", scalars={"limit": limit}) == (
                np.count_nonzero(host > np.float32(limit) + 1)
            )
        assert bifold.count_if.known == known + 1
    # What the type does not hold is for the package to refuse.
    n = bifold.to_device(np.arange(100, dtype=np.uint8), queue)
    for _ in range(2):
        assert bifold.count_if(n, "x > k", scalars={"k": 50}) == 49
        with pytest.raises(bifold.InvalidArgument, match="k"):
            bifold.count_if(n, "x > k", scalars={"k": 256})
