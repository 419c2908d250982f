"""Orders, operators without identity, maps of indices and of two arrays, maps before scans."""

import numpy as np
import pytest
from exporters import DlpackExporter

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


@pytest.fixture(scope="module")
def about_one():
    """Every multiplication of them rounds, so each order has bits of its own."""
    return np.random.default_rng(5).uniform(0.999, 1.001, 50021).astype(np.float32)


def last(dtype=np.int32):
    return bifold.Operator("last", "b", dtype=dtype)


def product_in_order():
    """In source text, and of it nothing says that it commutes: rows that serve others keep order v1
    anyway, and on GPUs all quick ones do."""
    return bifold.Operator("product", "a * b", 1, "f4")


def test_order_v1_is_the_default(device, about_one):
    product = product_in_order()
    in_v1 = bifold.reduce(about_one, product)
    in_any = bifold.reduce(about_one, product, order="any")
    assert (in_v1 != in_any) == (device.info.kind == "cpu")
    assert bifold.reduce(about_one, product, order="v1") == in_v1
    assert bifold.transform_reduce(about_one, "x", product, order="any") == in_any
    row = "chunks" if device.info.kind == "cpu" else "order_v1_ordered_single"
    assert bifold.reduce(about_one, product, variant=row) == in_any
    out = np.zeros(1, np.float32)
    bifold.reduce_into(about_one, out, product, order="any")
    assert out[0] == in_any
    bifold.transform_reduce_into(about_one, out, "x", product)
    assert out[0] == in_v1


def test_orders_of_scans(about_one):
    product = product_in_order()
    in_v1 = bifold.inclusive_scan(about_one, op=product)
    in_any = bifold.inclusive_scan(about_one, op=product, order="any")
    assert (in_v1 != in_any).any()
    np.testing.assert_allclose(in_v1, in_any, rtol=1e-4)
    np.testing.assert_array_equal(bifold.inclusive_scan(about_one, op="multiplies"), in_v1)
    for scan in (bifold.exclusive_scan, bifold.inclusive_scan):
        passes = scan(about_one, op="multiplies", variant="reduce_then_scan")
        np.testing.assert_allclose(scan(about_one, op="multiplies"), passes, rtol=1e-4)


def test_operators_without_identity():
    x = np.arange(10, 5010, dtype=np.int32)
    assert bifold.reduce(x, last()) == 5009
    np.testing.assert_array_equal(bifold.inclusive_scan(x, op=last()), x)
    before = bifold.exclusive_scan(x, op=last(), init=7)
    assert before[0] == 7
    np.testing.assert_array_equal(before[1:], x[:-1])
    least = bifold.Operator("least", "a < b ? a : b", None, "f4", commutativity="commutative")
    assert bifold.reduce(x.astype(np.float32), least) == 10
    none = np.empty(0, np.int32)
    assert bifold.reduce(none, last(), init=3) == 3
    with pytest.raises(bifold.InvalidArgument, match="no identity"):
        bifold.reduce(none, last())
    with pytest.raises(bifold.InvalidArgument, match="no identity"):
        bifold.exclusive_scan(x, op=last())
    with pytest.raises(bifold.InvalidArgument, match="identity"):
        bifold.identity(last(), np.int32)
    with pytest.raises(bifold.Unsupported, match="pads with the operator's identity"):
        bifold.reduce(x, last(), variant="ordered")
    with pytest.raises(bifold.InvalidArgument, match="dtype is not given"):
        bifold.Operator("last", "b")


def test_maps_know_the_index():
    x = np.zeros(5000, np.int8)
    assert bifold.transform_reduce(x, "i + x", dtype=np.uint64) == np.arange(5000).sum()
    places = bifold.transform_inclusive_scan(x, "i", dtype=np.uint64)
    np.testing.assert_array_equal(places, np.arange(5000).cumsum())


def test_maps_of_two_arrays(queue):
    random = np.random.default_rng(6)
    x = random.integers(-50, 50, (50, 60)).astype(np.int16)
    y = random.integers(-50, 50, (50, 60))
    expected = (x * y).sum()
    assert bifold.transform_reduce(x, "x * y", y=y, dtype=np.int64) == expected
    assert bifold.transform_reduce(x.T, "x * y", y=y.T, init=np.int64(5)) == expected + 5
    assert bifold.transform_reduce(y, "x * y", y=y) == (y * y).sum()
    apart = bifold.transform_reduce(x, "x < y ? y - x : x - y", "maximum", y=y, dtype=np.int64)
    assert apart == abs(x - y).max()
    out = np.zeros(1, np.int64)
    assert bifold.transform_reduce_into(x, out, "x * y", y=y) is out
    assert out[0] == expected
    exported = DlpackExporter(y)
    assert bifold.transform_reduce(x, "x * y", y=exported, dtype=np.int64) == expected
    assert exported.deleted == 1
    with bifold.Queue(queue.device) as other:
        x_there = bifold.to_device(x.ravel(), queue)
        y_there = bifold.to_device(y.ravel(), other)
        total = bifold.empty(1, np.int64, queue)
        bifold.transform_reduce_into(x_there, total, "x * y", y=y_there)
        assert total.get()[0] == expected
        assert bifold.transform_reduce(x_there, "x * y", y=y.ravel(), init=np.int64(0)) == expected


def test_a_map_before_a_scan(queue):
    x = np.arange(-100, 3000, dtype=np.int32)
    squares = (x.astype(np.int64) ** 2).cumsum()
    wide = bifold.transform_inclusive_scan(x, "(i64)x * x", dtype=np.int64)
    np.testing.assert_array_equal(wide, squares)
    before = bifold.transform_exclusive_scan(x, bifold.Map("(i64)x * x"), init=np.int64(9))
    assert before[0] == 9
    np.testing.assert_array_equal(before[1:], squares[:-1] + 9)
    there = bifold.to_device(x, queue)
    assert bifold.transform_inclusive_scan(there, "x & 1", there) is there
    np.testing.assert_array_equal(there.get(), (x & 1).cumsum())


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("order must be .*, not 'fast'", lambda: bifold.reduce(np.ones(3), order="fast")),
        ("order must be", lambda: bifold.transform_inclusive_scan(np.ones(3), "x", order=1)),
        ("y has shape", lambda: bifold.transform_reduce(np.ones(3), "x * y", y=np.ones(4))),
        ("y has shape", lambda: bifold.transform_reduce(np.ones(4), "x", y=np.ones((2, 2)))),
        ("y", lambda: bifold.transform_reduce(np.ones(3), "x * y")),
        ("y", lambda: bifold.transform_exclusive_scan(np.ones(3), "x * y")),
        ("booleans", lambda: bifold.transform_reduce(np.ones(3), "x", y=np.ones(3, bool))),
        ("y must be an array", lambda: bifold.transform_reduce(np.ones(3), "x", y=object())),
    ],
)
def test_what_is_wrong_is_refused_by_name(message, call):
    with pytest.raises(bifold.InvalidArgument, match=message):
        call()


def test_an_array_of_no_dimension_goes_to_the_device_and_back(queue):
    there = bifold.to_device(np.array(5, np.int32), queue)
    assert there.shape == () and there.get() == 5
    assert bifold.reduce(there, init=2) == 7


def test_bfloat16_is_accumulated_as_float32(queue):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    host = np.random.default_rng(4).integers(-9, 9, (30, 70)).astype(bfloat16)
    wide = host.astype(np.float32)
    for x in (host, bifold.to_device(host, queue)):
        total = bifold.reduce(x, init=0.5, queue=queue)
        assert type(total) is bfloat16 and total == (wide.sum() + 0.5).astype(bfloat16)
        out = bifold.inclusive_scan(x, axis=1, queue=queue)
        assert out.dtype == bfloat16
        out = out if x is host else out.get()
        np.testing.assert_array_equal(out, wide.cumsum(1).astype(bfloat16))
        found = bifold.argmax(x, queue=queue)
        assert found.value == wide.max() and found.index == wide.argmax()
    totals = np.zeros(30, np.float32)
    bifold.inclusive_scan(host, axis=1, init=np.ones(30, bfloat16), total=totals, queue=queue)
    np.testing.assert_array_equal(totals, wide.sum(1) + 1)
    assert bifold.reduce(host, dtype=np.float64, queue=queue) == wide.sum()
    with pytest.raises(bifold.InvalidArgument, match="bfloat16"):
        bifold.reduce(host, init=2**200, queue=queue)
    with pytest.raises(bifold.InvalidArgument, match="does not hold"):
        bifold.reduce(np.ones(3, np.int32), init=bfloat16(0.5), dtype=np.int32, queue=queue)
