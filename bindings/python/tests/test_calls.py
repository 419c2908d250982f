"""Reduce and scan of arrays of the host and of the package's own."""

import numpy as np
import pytest
from patience import PATIENCE

import bifold

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def needs_f64(device, dtype):
    if np.dtype(dtype) == np.float64 and not device.capabilities.f64:
        pytest.skip("the device has no f64")


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_reduces_and_scans_as_numpy_does(device, queue, dtype):
    needs_f64(device, dtype)
    x = np.arange(1, 2001).astype(dtype) % 7
    total = bifold.reduce(x, queue=queue)
    assert total == x.sum(dtype=dtype)
    assert type(total) is np.dtype(dtype).type
    running = bifold.inclusive_scan(x, queue=queue)
    assert running.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(running, x.cumsum(dtype=dtype))
    before = bifold.exclusive_scan(x, queue=queue)
    np.testing.assert_array_equal(before[1:], running[:-1])
    assert before[0] == 0


@pytest.mark.parametrize(
    ("op", "ufunc"),
    [
        ("plus", np.add),
        ("multiplies", np.multiply),
        ("minimum", np.minimum),
        ("maximum", np.maximum),
        ("bit_and", np.bitwise_and),
        ("bit_or", np.bitwise_or),
        ("bit_xor", np.bitwise_xor),
        ("logical_and", np.logical_and),
        ("logical_or", np.logical_or),
    ],
)
def test_every_operator_by_name(op, ufunc):
    x = np.random.default_rng(1).integers(0, 9, 300).astype(np.uint32)
    assert bifold.reduce(x, op) == ufunc.reduce(x)
    np.testing.assert_array_equal(bifold.inclusive_scan(x, op=op)[:3], ufunc.accumulate(x)[:3])


def test_the_initial_value_is_folded_in_once():
    x = np.arange(5, dtype=np.int32)
    assert bifold.reduce(x, init=100) == 110
    np.testing.assert_array_equal(bifold.inclusive_scan(x, init=100), 100 + x.cumsum())
    np.testing.assert_array_equal(bifold.exclusive_scan(x, init=100), [100, 100, 101, 103, 106])


def test_the_dtype_of_accumulation():
    x = np.full(1000, 100, np.int8)
    assert bifold.reduce(x) == np.int8(100000 % 256 - 256)
    assert bifold.reduce(x, dtype=np.int32) == 100000
    assert bifold.reduce(x, init=np.int64(0)).dtype == np.int64
    assert bifold.inclusive_scan(x, dtype="i8")[-1] == 100000
    wide = bifold.inclusive_scan(x, np.empty(1000, np.float32), accumulate=np.int8)
    assert wide[1] == -56


def test_float16_is_accumulated_in_float32():
    x = (np.arange(1, 4001) % 7).astype(np.float16) / 4
    running = x.astype(np.float32).cumsum(dtype=np.float32)
    total = bifold.reduce(x)
    assert total.dtype == np.float16
    assert total == np.float16(running[-1])
    assert bifold.reduce(x, dtype=np.float32) == running[-1]
    assert bifold.reduce(x, init=np.float16(0.5)) == np.float16(running[-1] + 0.5)
    np.testing.assert_array_equal(bifold.inclusive_scan(x), running.astype(np.float16))
    wide = bifold.exclusive_scan(x, dtype=np.float32, init=1)
    np.testing.assert_array_equal(wide[1:], 1 + running[:-1])
    assert bifold.transform_reduce(x, "x * x") == np.float16((x.astype(np.float32) ** 2).sum())
    with pytest.raises(bifold.InvalidArgument, match="accumulated"):
        bifold.inclusive_scan(x, accumulate=np.float16)
    with pytest.raises(bifold.InvalidArgument, match="no field may be f16"):
        bifold.struct_type("Halves", np.dtype([("x", np.float16)]))


def test_nothing_reduces_to_the_identity_and_scans_to_nothing():
    none = np.empty(0, np.float32)
    assert bifold.reduce(none) == 0
    assert bifold.reduce(none, "minimum") == np.inf
    assert bifold.reduce(none, init=3) == 3
    assert bifold.inclusive_scan(none).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floating_sums_of_nothing_are_plus_zero(device, dtype):
    needs_f64(device, dtype)
    zeros = np.full(3, -0.0, dtype)
    minus = dtype(-0.0)
    assert not np.signbit(bifold.reduce(zeros[:0]))
    assert np.signbit(bifold.reduce(zeros[:0], init=minus)) and np.signbit(bifold.reduce(zeros))
    scanned = bifold.exclusive_scan(zeros)
    assert list(np.signbit(scanned)) == [False, True, True]
    assert np.signbit(bifold.exclusive_scan(zeros, init=minus)).all()
    assert np.signbit(bifold.inclusive_scan(zeros)).all()
    assert not np.signbit(bifold.inner_product(zeros[:0], zeros[:0]))
    if dtype is np.float16:
        return  # What follows computes in the dtype.
    assert not np.signbit(bifold.sum_compensated(zeros[:0]))
    several = bifold.reduce_many(zeros[:0], ["plus", bifold.Reduction("plus", init=minus)])
    assert list(np.signbit(several)) == [False, True]


def test_any_shape_and_layout_of_the_host_reduces_in_its_order():
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    last = bifold.Operator("last", "b == -1 ? a : b", np.int32(-1))
    assert bifold.reduce(x, last) == 23
    assert bifold.reduce(x[:, ::-1, ::2]) == x[:, ::-1, ::2].sum()
    assert bifold.reduce(x.T, last) == 23
    assert bifold.reduce(np.int32(7)) == 7
    assert bifold.reduce([1, 2, 3]) == 6


def test_outputs_of_the_host():
    x = np.arange(10, dtype=np.int32)
    out = np.zeros(20, np.int64)
    assert bifold.inclusive_scan(x, out[::2]).base is out
    np.testing.assert_array_equal(out[::2], x.cumsum())
    assert not out[1::2].any()
    assert bifold.inclusive_scan(x, x) is x
    np.testing.assert_array_equal(x, np.arange(10).cumsum())
    result = np.zeros((), np.int64)
    assert bifold.reduce_into(x, result) is result
    assert result == x.sum()


def test_a_map_in_front_of_a_reduction():
    x = np.arange(10, dtype=np.int32)
    assert bifold.transform_reduce(x, "x * x") == 285
    halves = bifold.transform_reduce(x, bifold.Map("x * 0.5f"), init=np.float32(0))
    assert halves == 22.5
    result = np.zeros(1, np.int32)
    bifold.transform_reduce_into(x, result, "x & 1")
    assert result[0] == 5


def test_an_operator_that_does_not_commute_keeps_the_order():
    affine = bifold.Operator(
        "affine",
        "(((a >> 16) * (b >> 16)) << 16) | (((a & 0xffff) * (b >> 16) + (b & 0xffff)) & 0xffff)",
        np.uint32(0x10000),
    )
    x = np.random.default_rng(2).integers(0, 2**32, 500, np.uint32)
    expected, mask = [], 0xFFFF
    a = 0x10000
    for b in x.tolist():
        slope = (a >> 16) * (b >> 16) & mask
        a = slope << 16 | ((a & mask) * (b >> 16) + (b & mask)) & mask
        expected.append(a)
    assert bifold.reduce(x, affine) == expected[-1]
    np.testing.assert_array_equal(bifold.inclusive_scan(x, op=affine), expected)


def test_structs():
    extent = bifold.struct_type("Extent", np.dtype([("low", "f4"), ("high", "f4")]))
    hull = bifold.Operator.fieldwise(extent, ["minimum", "maximum"])
    samples = np.array([3, -1, 4], np.float32)
    found = bifold.transform_reduce(samples, "make_Extent(x, x)", hull)
    assert (found["low"], found["high"]) == (-1, 4)
    widest = bifold.Operator("widest", "a.high - a.low < b.high - b.low ? b : a", (0, 0), extent)
    x = np.array([(1, 2), (5, 9), (0, 3)], extent)
    assert tuple(bifold.reduce(x, widest)) == (5, 9)
    assert tuple(bifold.reduce(x, hull, init=(-7, 0))) == (-7, 9)
    assert tuple(bifold.identity(hull, extent)) == (np.inf, -np.inf)


def test_structs_with_gaps_have_the_layout_of_c():
    pair = bifold.struct_type("Pair", np.dtype([("n", "i2"), ("x", "i8")], align=True))
    both = bifold.Operator.fieldwise(pair, ["plus", "maximum"])
    x = np.zeros(100, pair)
    x["n"], x["x"] = 1, np.arange(100)
    assert tuple(bifold.reduce(x, both)) == (100, 99)
    with pytest.raises(bifold.InvalidArgument, match="C puts it at 8"):
        bifold.struct_type("Packed", [("n", "i2"), ("x", "i8")])
    with pytest.raises(bifold.InvalidArgument, match="is the element type Pair already"):
        bifold.struct_type("Other", pair)


def test_arrays_in_device_memory(queue):
    x = bifold.to_device(np.arange(100, dtype=np.int32), queue)
    done = bifold.Event()
    y = bifold.inclusive_scan(x, done=done)
    assert isinstance(y, bifold.Array) and y.queue is queue
    done.wait(PATIENCE)
    assert done.complete()
    np.testing.assert_array_equal(y.get(), np.arange(100).cumsum())
    y.fill(3)
    assert bifold.reduce(y) == 300
    assert bifold.inclusive_scan(np.ones(100, np.int32), x) is x
    assert x.get()[-1] == 100
    with bifold.empty(1, np.int64, queue) as result:
        assert bifold.reduce_into(x, result).get()[0] == 5050
        with pytest.raises(bifold.InvalidArgument, match="shape"):
            result.set([1, 2])


def test_arrays_of_two_queues_are_ordered(device, queue):
    with bifold.Queue(device) as other:
        x = bifold.to_device(np.ones(100000, np.int32), queue)
        y = bifold.empty(100000, np.int32, other)
        for _ in range(5):
            bifold.inclusive_scan(x, y, queue=queue)
            assert y.get()[-1] == 100000  # On the other queue.
            y.fill(0)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("booleans", lambda: bifold.reduce(np.ones(3, bool))),
        ("byte order", lambda: bifold.reduce(np.ones(3, ">i4"))),
        ("elements of datetime64", lambda: bifold.reduce(np.zeros(3, "M8[s]"))),
        ("name it first", lambda: bifold.reduce(np.zeros(3, [("a", "i4")]))),
        ("mask", lambda: bifold.reduce(np.ma.masked_less(np.ones(3), 0))),
        ("x must be an array", lambda: bifold.reduce(object())),
        ("no operator 'sum'", lambda: bifold.reduce(np.ones(3), "sum")),
        ("op must be the name", lambda: bifold.reduce(np.ones(3), sum)),
        ("out has shape", lambda: bifold.inclusive_scan(np.ones(3), np.ones(4))),
        ("not one element", lambda: bifold.reduce_into(np.ones(3), np.ones(2))),
        ("not float32", lambda: bifold.inclusive_scan(np.ones(3), np.ones(3), dtype="f4")),
        ("init 300 ", lambda: bifold.reduce(np.ones(3, np.int8), init=300)),
        ("init 0.5 ", lambda: bifold.reduce(np.ones(3, np.int8), init=0.5)),
        ("init nan ", lambda: bifold.reduce(np.ones(3, np.int8), init=float("nan"))),
        ("init must be a number", lambda: bifold.reduce(np.ones(3, np.int8), init="1")),
        ("2 elements, not one", lambda: bifold.reduce(np.ones(3), init=np.ones(2))),
        ("queue must be a", lambda: bifold.reduce(np.ones(3), queue=3)),
        ("is no open event", lambda: bifold.reduce(np.ones(3), wait=[3])),
        ("only its copy", lambda: bifold.inclusive_scan(np.ones(3), [1.0, 2.0, 3.0])),
        ("bit", lambda: bifold.reduce(np.ones(3, np.float32), "bit_and")),
        ("variant", lambda: bifold.reduce(np.ones(3, np.float32), variant="fastest")),
    ],
)
def test_what_is_wrong_is_refused_by_name(message, call):
    with pytest.raises(bifold.InvalidArgument, match=message) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert caught.value.category == "invalid_argument"


def test_read_only_outputs_are_refused():
    out = np.ones(3)
    out.flags.writeable = False
    with pytest.raises(bifold.InvalidArgument, match="read-only"):
        bifold.inclusive_scan(np.ones(3), out)


def test_a_text_with_an_unknown_word_is_refused_with_the_word_and_its_column():
    with pytest.raises(bifold.InvalidArgument, match='column 5: "nowhere"'):
        bifold.transform_reduce(np.ones(3, np.float32), "x + nowhere")


def test_a_variant_by_name():
    x = np.arange(1000, dtype=np.int32)
    assert bifold.reduce(x, variant="catanzaro") == x.sum()
