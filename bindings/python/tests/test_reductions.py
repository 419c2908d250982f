"""Extremes, counts, products, compensated sums, several results."""

import numpy as np
import pytest
from exporters import DlpackExporter

import bifold

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes_of_every_dtype(device, queue, dtype):
    if dtype == "f8" and not device.capabilities.f64:
        pytest.skip("the device has no f64")
    x = np.random.default_rng(7).integers(1, 100, (30, 100)).astype(dtype)
    low, high = bifold.argmin(x, queue=queue), bifold.argmax(x)
    assert low == (x.min(), x.argmin()) and high == (x.max(), x.argmax())
    assert type(low.value) is np.dtype(dtype).type and type(low.index) is int
    both = bifold.minmax(x)
    assert both == (x.min(), x.max())
    assert type(both.minimum) is np.dtype(dtype).type


def test_extremes_order_nan_and_zeros():
    x = np.float32([3, np.nan, -1, 0.0, -0.0, np.nan])
    assert bifold.argmin(x).index == 1 and bifold.argmax(x).index == 1
    assert np.isnan(bifold.argmax(x).value) and np.isnan(bifold.minmax(x).minimum)
    zeros = x[3:5]
    low, high = bifold.argmin(zeros), bifold.argmax(zeros)
    assert (low.index, high.index) == (1, 0)
    assert np.signbit(low.value) and not np.signbit(high.value)


def test_extremes_of_nothing():
    none = np.empty(0, np.int16)
    assert bifold.argmin(none) == (32767, bifold.NO_INDEX)
    assert bifold.argmax(none) == (-32768, bifold.NO_INDEX)
    assert bifold.minmax(none) == (32767, -32768)


@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4"])
def test_indices_alone(queue, dtype):
    x = np.random.default_rng(9).integers(1, 100, (30, 100)).astype(dtype)
    given, index = bifold.to_device(x, queue), bifold.empty((), np.int64, queue)
    assert bifold.argmin_into(given, index) is index and index.get() == x.argmin()
    assert bifold.argmax_into(given[:, 1:50], index).get() == x[:, 1:50].argmax()
    for axis in (0, 1):
        rows = np.zeros(x.shape[1 - axis], np.uint64)
        np.testing.assert_array_equal(bifold.argmin_into(x, rows, axis=axis), x.argmin(axis))
        kept = bifold.empty(np.expand_dims(rows, axis).shape, np.int64, queue)
        bifold.argmax_into(given, kept, axis=axis, keepdims=True)
        np.testing.assert_array_equal(kept.get(), np.expand_dims(x.argmax(axis), axis))
    assert bifold.argmin_into(given[:0], index, done=bifold.Event()).get() == -1
    for wrong, why in ((np.zeros(3, np.int64), "shape"), (np.zeros(1, np.int32), "u64 or i64")):
        with pytest.raises(bifold.InvalidArgument, match=why):
            bifold.argmax_into(x, wrong)


def test_first_places():
    x = np.arange(-1000, 5000, dtype=np.int32).reshape(60, 100)
    assert bifold.find_if(x, "x > 0") == 1001
    assert bifold.find_if(x) == 0
    for limit in (17, 4000, 17):
        found = bifold.find_if(x, "x > limit && i % 2 == 0", scalars={"limit": np.int32(limit)})
        assert found == np.flatnonzero((x.ravel() > limit) & (np.arange(6000) % 2 == 0))[0]
    assert bifold.find_if(x, bifold.Map("x > 4999")) is None
    assert bifold.find_if(x[:0]) is None
    assert bifold.find_if(x.T, "x == 0") == np.flatnonzero(x.T.ravel() == 0)[0]
    for has, limit in ((True, 4998), (False, 4999)):
        above = bifold.Map("x > limit", {"limit": "int32"})
        given = {"scalars": {"limit": np.int32(limit)}}
        assert bifold.any(x, above, **given) is has
        assert bifold.none(x, above, **given) is not has
        assert bifold.all(x, bifold.Map("x <= limit", {"limit": "int32"}), **given) is not has
    assert bifold.all(np.ones(3)) and not bifold.all(np.zeros(3)) and bifold.all(np.ones(0))
    assert not bifold.any(np.zeros(3)) and bifold.none(np.zeros(3), "x")
    with pytest.raises(bifold.InvalidArgument):
        bifold.any(x, "x > y")


def test_counts():
    x = np.arange(-1000, 5000, dtype=np.int32)
    assert bifold.count_if(x, "x > 0") == 4999
    assert bifold.count_if(x, bifold.Map("x > 0 && i % 2 == 0"), order="any") == 2499
    assert bifold.count_if(x[:0], "1") == 0
    assert bifold.count_if(np.float32([0.5, 2, np.nan]), "x > 1.0f") == 1


def test_products():
    x = np.arange(3000, dtype=np.int16)
    y = np.arange(3000, dtype=np.uint8)
    exact = x.astype(np.int64) @ y
    assert bifold.inner_product(x, y, dtype=np.int64) == exact
    assert bifold.inner_product(x, y, np.int64(7)) == exact + 7
    assert bifold.inner_product(x, x).dtype == np.int16
    assert bifold.inner_product(np.float32([0.5, 2]), np.float32([3, -1])) == -0.5
    assert bifold.inner_product(np.int32([-1, 3]), np.int32([2, 1]), dtype=np.float64) == 1


def test_sums_keep_what_additions_lose():
    x = np.ones(4099, np.float32)
    x[0], x[-1] = 1e9, -1e9
    assert bifold.reduce(x) != 4097
    assert bifold.sum_compensated(x) == 4097
    assert bifold.sum_compensated(x, 0.5) == 4097.5
    assert type(bifold.sum_compensated(x)) is np.float32
    assert bifold.sum_compensated(np.arange(10), dtype=np.float32) == 45


def test_several_results_of_one_reading(queue):
    x = np.random.default_rng(8).integers(-99, 100, 5000).astype(np.int16)
    squares = bifold.Reduction("plus", "(i64)x * x", init=100, dtype=np.int64)
    low, high, total, any_set = bifold.reduce_many(
        bifold.to_device(x, queue),
        ["minimum", "maximum", squares, bifold.Reduction("logical_or", dtype="u1")],
    )
    assert (low, high, any_set) == (x.min(), x.max(), 1)
    assert total == (x.astype(np.int64) ** 2).sum() + 100
    assert [type(v).__name__ for v in (low, total, any_set)] == ["int16", "int64", "uint8"]
    floats = x.astype(np.float32) / 7
    assert bifold.reduce_many(floats, ["plus"]) == (bifold.reduce(floats),)


def test_all_take_exported_arrays():
    x = DlpackExporter(np.arange(100, dtype=np.int32))
    assert bifold.argmax(x) == (99, 99)
    assert bifold.inner_product(x, x) == 328350
    assert x.given_back


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("order must be", lambda: bifold.argmin(np.ones(3), order="fast")),
        ("x must be an array", lambda: bifold.minmax(object())),
        ("struct", lambda: bifold.argmax(np.zeros(3, POINT))),
        ("y", lambda: bifold.count_if(np.ones(3), "x > y")),
        ("y has shape", lambda: bifold.inner_product(np.ones(3), np.ones(2))),
        ("y must be an array", lambda: bifold.inner_product(np.ones(3), None)),
        ("do not convert", lambda: bifold.inner_product(np.ones(3), np.ones(3), dtype="i8")),
        ("compensated sum is f32 or f64", lambda: bifold.sum_compensated(np.arange(3))),
        ("1 to 8", lambda: bifold.reduce_many(np.ones(3), [])),
        ("1 to 8", lambda: bifold.reduce_many(np.ones(3), ["plus"] * 9)),
        ("built-in", lambda: bifold.reduce_many(np.ones(3), [own_sum()])),
        ("init 0.5 ", lambda: bifold.reduce_many(np.ones(3, "i4"), [HALF])),
        ("variant", lambda: bifold.argmin(np.ones(3), variant="fastest")),
    ],
)
def test_what_is_wrong_is_refused_by_name(message, call):
    with pytest.raises(bifold.InvalidArgument, match=message):
        call()


def own_sum():
    return bifold.Operator("own", "a + b", np.float64(0))


HALF = bifold.Reduction("plus", init=0.5)
POINT = np.dtype([("x", "f4"), ("y", "f4")])


@pytest.fixture(scope="module", autouse=True)
def point():
    bifold.struct_type("PythonPoint", POINT)


def test_what_is_found_among_halves_is_one_of_them(queue):
    x = np.float16([1, -9, 9, 2])
    there = bifold.to_device(x, queue)
    for _ in range(2):
        found = bifold.argmax(there)
        assert type(found.value) is np.float16 and found == (9, 2)
        assert bifold.argmin(x, queue=queue) == (-9, 1)
        assert bifold.minmax(there) == (-9, 9)
