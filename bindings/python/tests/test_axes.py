"""Reductions and scans along axes, of views of any layout, and scans from the end."""

import math

import numpy as np
import pytest

import bifold
from bifold import _many
from bifold._base import native

SHAPES = [(7, 5), (3, 4, 5), (40, 33), (1, 9), (9, 1), (0, 3), (3, 0), (130, 3), (3, 1025)]
VIEWS = {
    "dense": lambda a: a,
    "transposed": lambda a: a.T,
    "backward": lambda a: a[::-1],
    "all backward": lambda a: a[(slice(None, None, -1),) * a.ndim],
    "gaps": lambda a: a[..., ::2],
    "part": lambda a: a[1:, :-1],
    "turned part": lambda a: a[::2, 1:].T,
}


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def integers(shape, dtype=np.int32):
    return np.random.default_rng(11).integers(-50, 50, shape).astype(dtype)


def floats(shape):
    """Every addition of them rounds, so each order has bits of its own."""
    return np.random.default_rng(12).uniform(0.1, 1, shape).astype(np.float32)


def bits(x):
    return np.ascontiguousarray(x).view(f"u{x.itemsize}")


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_integers_are_numpys_along_every_axis(queue, shape, view):
    whole = integers(shape)
    x, there = view(whole), view(bifold.to_device(whole, queue))
    assert there.shape == x.shape and (there.strides == x.strides or x.size == 0)
    np.testing.assert_array_equal(there.get(), x)
    for axis in range(-1, x.ndim):
        sums = bifold.reduce(there, axis=axis)
        assert isinstance(sums, bifold.Array) and sums.queue is queue
        np.testing.assert_array_equal(sums.get(), x.sum(axis, dtype=np.int32))
        np.testing.assert_array_equal(bifold.reduce(x, axis=axis), x.sum(axis, dtype=np.int32))
        kept = bifold.reduce(there, axis=axis, init=7, keepdims=True)
        np.testing.assert_array_equal(kept.get(), x.sum(axis, keepdims=True) + 7)
        scanned = bifold.inclusive_scan(there, axis=axis)
        np.testing.assert_array_equal(scanned.get(), x.cumsum(axis))
    assert bifold.reduce(there) == x.sum()
    np.testing.assert_array_equal(bifold.inclusive_scan(there).get(), x.cumsum())


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_line_has_the_bits_that_it_has_alone(queue, view):
    whole = floats((37, 1300))
    x, there = view(whole), view(bifold.to_device(whole, queue))
    for axis in (0, 1):
        lines = [np.ascontiguousarray(line) for line in np.moveaxis(x, axis, -1)]
        sums = bifold.reduce(there, axis=axis).get()
        alone = np.array([bifold.reduce(line, queue=queue) for line in lines])
        np.testing.assert_array_equal(bits(sums), bits(alone))
        scanned = bifold.exclusive_scan(there, axis=axis, reverse=True, init=0.5).get()
        alone = np.array([bifold.exclusive_scan(line, reverse=True, init=0.5) for line in lines])
        np.testing.assert_array_equal(bits(np.moveaxis(scanned, axis, -1)), bits(alone))


def test_a_scan_from_the_end_is_one_of_a_reversed_copy_with_its_operands_exchanged():
    x = floats(5001)
    forward = bifold.Operator("forward", "a * 0.5f + b", dtype="f4")
    swapped = bifold.Operator("swapped", "b * 0.5f + a", dtype="f4")
    back = bifold.inclusive_scan(x, op=forward, reverse=True, init=2)
    wanted = bifold.inclusive_scan(x[::-1].copy(), op=swapped, init=2)[::-1]
    np.testing.assert_array_equal(bits(back), bits(wanted))
    ends = bifold.exclusive_scan(np.arange(5, dtype=np.int32), reverse=True, init=100)
    np.testing.assert_array_equal(ends, [110, 109, 107, 104, 100])
    squares = bifold.transform_inclusive_scan(np.int32([1, 2, 3]), "x * x", reverse=True)
    np.testing.assert_array_equal(squares, [14, 13, 9])


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 2), (-1, 0), (0, 1, 2), ()], ids=str)
def test_several_axes_are_one_line_in_c_order(queue, axes):
    whole = integers((6, 8, 10))
    last = bifold.Operator("last", "b", dtype="i4")
    for view in VIEWS.values():
        x, there = view(whole), view(bifold.to_device(whole, queue))
        np.testing.assert_array_equal(read(bifold.reduce(there, axis=axes)), x.sum(axes))
        ends = tuple(-1 if d in [a % 3 for a in axes] else slice(None) for d in range(3))
        np.testing.assert_array_equal(read(bifold.reduce(there, last, axis=axes)), x[ends])
        kept = bifold.reduce(there, axis=axes, keepdims=True)
        np.testing.assert_array_equal(kept.get(), x.sum(axes, keepdims=True))
    assert type(bifold.reduce(whole, axis=(0, 1, 2))) is np.int32
    assert bifold.reduce(whole, keepdims=True).shape == (1, 1, 1)


def read(x):
    return x.get() if isinstance(x, bifold.Array) else x


def test_what_makes_no_single_call_is_served_by_several(queue):
    whole = integers((4, 6, 8, 10, 3))
    x, there = (a[::2, ::2, ::2, ::3] for a in (whole, bifold.to_device(whole, queue)))
    done = bifold.Event()
    for axis in range(x.ndim):
        out = bifold.empty(x.shape, np.int32, queue)
        assert bifold.inclusive_scan(there, out, axis=axis, done=done) is out
        done.wait(60)
        np.testing.assert_array_equal(out.get(), x.cumsum(axis))
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        sums = bifold.reduce_into(there, bifold.empty(shape, np.int32, queue), axis=axis)
        np.testing.assert_array_equal(sums.get(), x.sum(axis))
    bifold.inclusive_scan(there, there, axis=1)
    whole[::2, ::2, ::2, ::3] = x.cumsum(1)
    np.testing.assert_array_equal(there[...].get(), x)
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.inclusive_scan(there[:, :2], there[:, 1:], axis=3)
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.reduce_into(there, there[..., 0], axis=4)


@pytest.mark.parametrize("seed", range(25))
def test_random_views_of_four_dimensions(queue, seed):
    random = np.random.default_rng(seed)
    shape = tuple(random.choice([1, 2, 3, 5, 8, 33], 4))
    whole, target = integers(shape), np.full(shape, 77, np.int32)
    there, into = bifold.to_device(whole, queue), bifold.to_device(target, queue)
    steps = tuple(slice(None, None, random.choice([1, 2, 3, -1, -2])) for _ in range(4))
    x, view = whole[steps], there[steps]
    for axis in range(4):
        sums = bifold.reduce(view, axis=axis)
        np.testing.assert_array_equal(sums.get(), x.sum(axis, dtype=np.int32))
        bifold.inclusive_scan(view, into[steps], axis=axis)
        target[steps] = x.cumsum(axis)
        np.testing.assert_array_equal(into.get(), target)  # Gaps as they were.
        # The output lies otherwise than the input.
        turned = bifold.inclusive_scan(view.T, bifold.empty(x.T.shape, "i4", queue), axis=axis)
        np.testing.assert_array_equal(turned.get(), x.T.cumsum(axis))


def test_outputs_with_gaps_keep_what_is_between(queue):
    x = integers((30, 20))
    there = bifold.to_device(x, queue)
    into = bifold.to_device(np.full((30, 60), -7, np.int32), queue)
    bifold.inclusive_scan(there, into[:, ::-3], axis=0)
    wanted = np.full((30, 60), -7, np.int32)
    wanted[:, ::-3] = x.cumsum(0)
    np.testing.assert_array_equal(into.get(), wanted)
    bifold.reduce_into(there, into[0, 1::3], axis=0)
    wanted[0, 1::3] = x.sum(0)
    np.testing.assert_array_equal(into.get(), wanted)
    out = np.zeros((20, 60), np.int32)
    assert bifold.inclusive_scan(x.T, out[:, ::2], axis=1).base is out
    np.testing.assert_array_equal(out[:, ::2], x.T.cumsum(1))
    assert not out[:, 1::2].any()


def test_broadcast_views_are_read(queue):
    x = np.broadcast_to(integers(33), (20, 33))
    y = integers((20, 33))
    np.testing.assert_array_equal(bifold.inclusive_scan(x, axis=0), x.cumsum(0))
    np.testing.assert_array_equal(bifold.transform_reduce(x, "x * y", y=y, axis=1), (x * y).sum(1))


def test_maps_of_two_arrays_that_lie_otherwise(queue):
    x, y = integers((40, 50)), integers((50, 40))
    there, other = bifold.to_device(x, queue), bifold.to_device(y, queue).T
    for axis in (0, 1):
        products = bifold.transform_reduce(there, "x * y", y=other, axis=axis)
        np.testing.assert_array_equal(products.get(), (x * y.T).sum(axis))
        places = bifold.transform_reduce(there, "i", axis=axis, dtype=np.uint64)
        assert (places.get() == math.comb(x.shape[axis], 2)).all()
    whole = bifold.transform_reduce(there, "x * y", y=other)  # No single stride leads through both.
    assert whole == (x * y.T).sum()


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), (1, 2)], ids=str)
def test_everyday_reductions_along_axes(queue, axis):
    x = integers((5, 40, 7), np.float16)
    there = bifold.to_device(x, queue)
    axes = axis if isinstance(axis, tuple) else (axis % 3,)
    flat = np.moveaxis(x, axes, range(-len(axes), 0))
    flat = flat.reshape(*(n for d, n in enumerate(x.shape) if d not in axes), -1)
    low, high = bifold.argmin(there, axis=axis), bifold.argmax(x, axis=axis)
    np.testing.assert_array_equal(low.index, flat.argmin(-1))
    np.testing.assert_array_equal(high.index, flat.argmax(-1))
    np.testing.assert_array_equal(low.value, x.min(axis))
    both = bifold.minmax(there, axis=axis, keepdims=True)
    np.testing.assert_array_equal(both.minimum, x.min(axis, keepdims=True))
    np.testing.assert_array_equal(both.maximum, x.max(axis, keepdims=True))
    assert both.minimum.dtype == low.value.dtype == x.dtype
    counts = bifold.count_if(there, "x > 3", axis=axis)
    np.testing.assert_array_equal(counts, (x > 3).sum(axis))
    products = bifold.inner_product(there, x, axis=axis, dtype="f4", init=2)
    np.testing.assert_array_equal(products, (x.astype("f4") ** 2).sum(axis) + 2)
    sums, halves = bifold.reduce_many(
        there, [bifold.Reduction("plus", "x", dtype="f4"), "plus"], axis=axis
    )
    np.testing.assert_array_equal(sums, x.sum(axis, dtype="f4"))
    np.testing.assert_array_equal(halves, sums.astype("f2"))


def calls_of_many(monkeypatch, x, reductions, at_once, **more):
    """The results, and how often the array was read."""
    names = []

    def counted(name, *arguments):
        names.append(name)
        return call(name, *arguments)

    call = native.call
    with monkeypatch.context() as patch:
        patch.setattr(_many, "_at_once", lambda _: at_once)
        patch.setattr(native, "call", counted)
        found = bifold.reduce_many(x, reductions, **more)
    return found, sum("reduce" in name for name in names), names.count("bifold_upload")


@pytest.mark.parametrize(
    ("of", "wanted", "reads"),
    [
        ("f4", [("plus", "x * x", 0.5), ("maximum",), ("logical_or", "x > 9", None, "u1")], 1),
        ("f2", [("plus", None, 1000.3), ("multiplies", "x / 9", None, "f4")], 1),
        ("f4", [("plus",), ("plus", None, None, "f8")], 2),
        ("f4", [("plus", None, None, "f8"), ("minimum",), ("plus", "x > 0", 3, "i2")], 1),
    ],
)
def test_several_reductions_have_the_bits_of_each(queue, monkeypatch, of, wanted, reads):
    if "f8" in (one[3:] or [""] for one in wanted) and not queue.device.capabilities.f64:
        pytest.skip("no f64")
    host = floats((5, 3, 70)).astype(of)
    reductions = [bifold.Reduction(*one) for one in wanted]
    for x, uploads in ((bifold.to_device(host, queue), 0), (host[:, ::-1], 1)):
        more = {"axis": (0, 1), "keepdims": True, "queue": queue}
        each, count, copies = calls_of_many(monkeypatch, x, reductions, False, **more)
        assert (count, copies) == (len(wanted), uploads)
        found, count, _ = calls_of_many(monkeypatch, x, reductions, True, **more)
        assert count == reads
        for one, other in zip(found, each):
            assert (one.dtype, one.shape) == (other.dtype, (1, 1, 70))
            np.testing.assert_array_equal(bits(one), bits(other))


def test_compensated_sums_along_an_axis(queue):
    x = floats((7, 4099))
    x[:, 0], x[:, -1] = 1e9, -1e9
    x[3, 5], x[4, 6], x[5] = np.nan, np.inf, -0.0
    alone = np.array([bifold.sum_compensated(line, queue=queue) for line in x])
    found = bifold.sum_compensated(bifold.to_device(x, queue), axis=1)
    np.testing.assert_array_equal(bits(found), bits(alone))
    kept = bifold.sum_compensated(x.T, 0.5, axis=0, keepdims=True)
    np.testing.assert_array_equal(
        kept[0], [bifold.sum_compensated(line, 0.5, queue=queue) for line in x]
    )


def test_integers_of_products_and_extremes_along_an_axis(queue):
    x = np.random.default_rng(1).integers(-9, 9, (6, 301)).astype(np.int8)
    products = bifold.inner_product(x, x, axis=1, dtype=np.int64)
    np.testing.assert_array_equal(products, (x.astype(np.int64) ** 2).sum(1))
    signs = bifold.inner_product(x, x[:, ::-1], axis=1, dtype=np.float32)
    np.testing.assert_array_equal(signs, (x.astype(np.int64) * x[:, ::-1]).sum(1))
    low = bifold.argmin(x, axis=0)
    assert low.value.dtype == np.int8
    np.testing.assert_array_equal(low.value, x.min(0))
    np.testing.assert_array_equal(bifold.reduce(x, "bit_xor", axis=0), np.bitwise_xor.reduce(x, 0))


def test_lines_of_nothing_and_no_lines(queue):
    none = bifold.to_device(np.empty((3, 0), np.int32), queue)
    np.testing.assert_array_equal(bifold.reduce(none, axis=1, init=4).get(), [4, 4, 4])
    assert bifold.reduce(none, axis=0).get().shape == (0,)
    assert bifold.inclusive_scan(none, axis=0).shape == (3, 0)
    assert bifold.argmin(none, axis=1).index.tolist() == [bifold.NO_INDEX] * 3
    last = bifold.Operator("last", "b", dtype="i4")
    with pytest.raises(bifold.InvalidArgument, match="no identity"):
        bifold.reduce(none, last, axis=1)


def test_structs_along_axes(queue):
    fields = np.dtype([("low", "f4"), ("high", "f4"), ("n", "i4")])
    extent = bifold.struct_type("AxisExtent", fields)
    hull = bifold.Operator.fieldwise(extent, ["minimum", "maximum", "plus"])
    x = np.zeros((20, 12), extent)
    x["low"], x["high"], x["n"] = floats(x.shape), floats(x.shape) + 1, 1
    there = bifold.to_device(x, queue)
    for axis in (0, 1):
        found = bifold.reduce(there, hull, axis=axis).get()
        np.testing.assert_array_equal(found["high"], x["high"].max(axis))
        np.testing.assert_array_equal(found["n"], x["n"].sum(axis))
    assert bifold.reduce(there.T, hull)["n"] == 240  # Copied, as no single stride leads through.


def test_arrays_of_the_package_have_shapes_and_views(queue):
    host = integers((4, 6))
    x = bifold.to_device(host, queue)
    assert (x.shape, x.ndim, x.size, x.nbytes, len(x)) == ((4, 6), 2, 24, 96, 4)
    assert x.strides == host.strides
    keys = [0, -1, (1, 2), slice(1, 3), (slice(None), 2), (..., 1), (None, 0), (slice(3, 0, -2), 5)]
    for key in keys:
        np.testing.assert_array_equal(x[key].get(), host[key])
    for one, row in zip(x, host):
        np.testing.assert_array_equal(one.get(), row)
    np.testing.assert_array_equal(x.reshape(3, -1).T.get(), host.reshape(3, -1).T)
    np.testing.assert_array_equal(
        x.reshape((24,))[20:].reshape(2, 2).get(), [[*host[3, 2:4]], [*host[3, 4:]]]
    )
    x[1].fill(9)
    x[2].set(np.arange(6))
    np.testing.assert_array_equal(x.get()[1:3], [[9] * 6, range(6)])
    assert bifold.empty((2, 3), np.int8, queue).get().shape == (2, 3)
    with pytest.raises(bifold.InvalidArgument, match="gaps"):
        x[:, 0].fill(3)
    with pytest.raises(bifold.InvalidArgument, match="gaps"):
        x.T.set(host.T)
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        x.reshape(5, 5)
    with pytest.raises(IndexError):
        x[4]
    with pytest.raises(bifold.WrongType, match="index"):
        x[[0, 1]]
    x.close()
    assert x.T.closed


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("axis 2 of an array of 2", lambda x: bifold.reduce(x, axis=2)),
        ("axis -3 of an array", lambda x: bifold.inclusive_scan(x, axis=-3)),
        ("names one twice", lambda x: bifold.reduce(x, axis=(0, -2))),
        ("out has shape", lambda x: bifold.reduce_into(x, np.zeros(3, np.int32), axis=0)),
        ("out has shape", lambda x: bifold.inclusive_scan(x, x)),
        ("out has shape", lambda x: bifold.inclusive_scan(x, np.zeros(12), axis=0)),
        ("structs", lambda x: bifold.argmin(np.zeros((2, 2), "f4,f4"), axis=0)),
        ("do not convert", lambda x: bifold.inner_product(x / 2, x, axis=0, dtype="i8")),
        ("float32 or float64", lambda x: bifold.sum_compensated(x, axis=0)),
        ("1 to 8", lambda x: bifold.reduce_many(x, [], axis=0)),
        ("built-in", lambda x: bifold.reduce_many(x, [own_sum()], axis=0)),
        ("share their memory|overlap", lambda x: bifold.inclusive_scan(x, folded(x), axis=0)),
    ],
)
def test_what_is_wrong_is_refused_by_name(message, call):
    with pytest.raises(bifold.InvalidArgument, match=message):
        call(integers((3, 4)))


def own_sum():
    return bifold.Operator("own", "a + b", np.int32(0))


def folded(x):
    """An output whose rows are one and the same."""
    return np.lib.stride_tricks.as_strided(np.zeros(4, x.dtype), x.shape, (0, x.itemsize))
