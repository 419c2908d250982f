"""Initial values and totals, one for each line."""

import numpy as np
import pytest

import bifold

SHAPE = (5, 33, 4)


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def integers(shape, seed=3):
    return np.random.default_rng(seed).integers(-50, 50, shape).astype(np.int32)


def lines_of(shape, axis):
    return shape[:axis] + shape[axis + 1 :]


def placed(values, queue, how):
    """The same values on the host, on the device, or between others there."""
    if how == "host":
        return values
    if how == "device":
        return bifold.to_device(values, queue)
    wide = np.full((*values.shape, 3), 77, values.dtype)
    wide[..., 1] = values
    return bifold.to_device(wide, queue)[..., 1]


def read(x):
    return x.get() if isinstance(x, bifold.Array) else x


@pytest.mark.parametrize(("axis", "how"), [(0, "host"), (1, "gaps"), (2, "device")])
def test_each_line_has_an_initial_value(queue, axis, how):
    x = integers(SHAPE)
    there = bifold.to_device(x, queue)
    starts = integers(lines_of(SHAPE, axis), seed=4)
    init = placed(starts, queue, how)
    sums = bifold.reduce(there, init=init, axis=axis)
    np.testing.assert_array_equal(sums.get(), x.sum(axis) + starts)
    kept = bifold.reduce(there, "maximum", init, axis=axis, keepdims=True)
    np.testing.assert_array_equal(np.squeeze(kept.get(), axis), np.maximum(x.max(axis), starts))
    scanned = bifold.inclusive_scan(there, init=init, axis=axis)
    wide = np.expand_dims(starts, axis)
    np.testing.assert_array_equal(scanned.get(), x.cumsum(axis) + wide)
    squares = bifold.transform_reduce(there, "x * x", init=init, axis=axis)
    np.testing.assert_array_equal(squares.get(), (x * x).sum(axis) + starts)
    products = bifold.inner_product(there, there, init, axis=axis)
    np.testing.assert_array_equal(products, (x * x).sum(axis) + starts)
    many = bifold.reduce_many(there, [bifold.Reduction("plus", init=init), "minimum"], axis=axis)
    np.testing.assert_array_equal(many[0], x.sum(axis) + starts)


@pytest.mark.parametrize(
    ("axis", "how"), [(0, "device"), (1, "gaps"), (2, "host"), (None, "gaps"), (None, "host")]
)
def test_each_line_leaves_a_total(queue, axis, how):
    x = integers(SHAPE)
    there = bifold.to_device(x, queue)
    shape = (1,) if axis is None else lines_of(SHAPE, axis)
    wanted = x.sum(axis) + 7
    for scan in (bifold.inclusive_scan, bifold.exclusive_scan):
        for reverse in (False, True):
            total = placed(np.zeros(shape, np.int32), queue, how)
            scan(there, init=7, axis=axis, reverse=reverse, total=total)
            np.testing.assert_array_equal(read(total), wanted)
    total = placed(np.zeros(shape, np.int32), queue, how)
    out = bifold.transform_inclusive_scan(x, "x * x", axis=axis, total=total, queue=queue)
    np.testing.assert_array_equal(read(total), (x * x).sum(axis))
    np.testing.assert_array_equal(out, (x * x).cumsum(axis))


@pytest.mark.parametrize("seed", range(6))
def test_random_views_with_both(queue, seed):
    random = np.random.default_rng(seed)
    whole = integers(tuple(random.choice([1, 2, 3, 5, 8], 5)), seed)
    steps = tuple(slice(None, None, random.choice([1, 2, -1])) for _ in range(5))
    x, there = whole[steps], bifold.to_device(whole, queue)[steps]
    if seed % 3 == 0:
        x, there = x.T, there.T
    for axis in range(5):
        starts = integers(lines_of(x.shape, axis), seed + 1)
        init = placed(starts.T, queue, "gaps" if seed % 2 else "device").T
        total = placed(np.zeros(starts.shape[::-1], np.int32), queue, "device").T
        scanned = bifold.inclusive_scan(there, init=init, total=total, axis=axis)
        wanted = x.cumsum(axis) + np.expand_dims(starts, axis)
        np.testing.assert_array_equal(scanned.get(), wanted)
        np.testing.assert_array_equal(total.get(), x.sum(axis) + starts)


def test_results_accumulate_call_by_call(queue):
    x = integers((30, 20))
    there, out = bifold.to_device(x, queue), bifold.to_device(np.arange(20, dtype="i4"), queue)
    for _ in range(3):
        bifold.reduce_into(there, out, init=out, axis=0)
    np.testing.assert_array_equal(out.get(), 3 * x.sum(0) + np.arange(20))


def test_several_axes_and_copies(queue):
    x = integers((4, 5, 6))
    there = bifold.to_device(x, queue)
    starts = np.arange(5, dtype=np.int32)
    # No single stride leads through both axes.
    sums = bifold.reduce(there, init=starts, axis=(0, 2))
    np.testing.assert_array_equal(sums.get(), x.sum((0, 2)) + starts)
    last = bifold.Operator("last", "b", dtype="i4")
    ends = bifold.reduce(there[:, :0], last, starts[:4][:, None] + np.zeros(6, "i4"), axis=1)
    np.testing.assert_array_equal(ends.get(), np.repeat(starts[:4], 6).reshape(4, 6))


def test_halves_are_accumulated_as_float32(queue):
    x = integers((3, 50)).astype(np.float16)
    starts, total = np.float16([0.5, 1, 2]), np.zeros(3, np.float32)
    out = bifold.inclusive_scan(x, axis=1, init=starts, total=total, queue=queue)
    wide = x.astype(np.float32).cumsum(1) + starts[:, None]
    np.testing.assert_array_equal(out, wide.astype(np.float16))
    np.testing.assert_array_equal(total, wide[:, -1])
    total = np.zeros(3, np.float64)
    bifold.inclusive_scan(x, axis=1, init=starts, total=total, accumulate="f8", queue=queue)
    np.testing.assert_array_equal(total, wide[:, -1])


@pytest.mark.parametrize(("how", "dtype"), [("host", "u4"), ("device", "u8"), ("gaps", "u4")])
def test_a_count_is_read_when_the_call_runs(queue, how, dtype):
    x = integers((6, 50))
    there, one = bifold.to_device(x, queue), bifold.empty(1, np.int32, queue)
    for count, expected in ((0, 0), (1, 1), (77, 77), (300, 300), (301, 300)):
        given = placed(np.full(1, count, dtype), queue, how)
        bifold.reduce_into(there, one, init=5, count_from=given)
        assert one.get()[0] == 5 + x.ravel()[:expected].sum()
        out = bifold.to_device(np.full(300, -1, np.int32), queue)
        bifold.inclusive_scan(there, out, count_from=given)
        np.testing.assert_array_equal(out.get()[:expected], x.ravel()[:expected].cumsum())
        assert (out.get()[expected:] == -1).all()
    # Of each line, also where lines are copied or lie across each other.
    given = placed(np.full(1, 20, dtype), queue, how)
    sums = bifold.transform_reduce_into(
        there, bifold.empty(6, np.int32, queue), "x * x", axis=1, count_from=given
    )
    np.testing.assert_array_equal(sums.get(), (x[:, :20] ** 2).sum(1))
    out = bifold.to_device(np.full((6, 50), -1, np.int32), queue)
    bifold.exclusive_scan(there[::-1], out, axis=1, count_from=given)
    np.testing.assert_array_equal(out.get()[:, 1:20], x[::-1, :19].cumsum(1))
    assert (out.get()[:, 20:] == -1).all()


def test_an_initial_value_is_read_when_the_call_runs(queue):
    x = integers(300)
    there, carry = bifold.to_device(x, queue), bifold.to_device(np.int32([7]), queue)
    for _ in range(3):
        bifold.reduce_into(there, carry, init=carry)
    assert carry.get()[0] == 7 + 3 * x.sum()
    out = bifold.inclusive_scan(there, init=carry)
    np.testing.assert_array_equal(out.get(), x.cumsum() + carry.get()[0])


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("count_from has shape", lambda x: bifold.inclusive_scan(x, count_from=np.zeros(2, "u4"))),
        ("uint32 or uint64", lambda x: bifold.inclusive_scan(x, count_from=np.zeros(1, "i4"))),
        ("init has shape", lambda x: bifold.reduce(x, init=np.zeros(5, "i4"), axis=0)),
        ("init has shape", lambda x: bifold.inclusive_scan(x, init=np.zeros((3, 4), "i4"), axis=0)),
        ("not one", lambda x: bifold.reduce(x, init=np.zeros(4, "i4"))),
        ("not one", lambda x: bifold.inclusive_scan(x, init=np.zeros(4, "i4"))),
        ("int32", lambda x: bifold.reduce(x, init=np.full(4, 0.5), axis=0, dtype="i4")),
        ("int32", lambda x: bifold.inclusive_scan(x, axis=0, total=np.zeros(4, "i8"))),
        ("total has shape", lambda x: bifold.inclusive_scan(x, axis=0, total=np.zeros(3, "i4"))),
        ("total has shape", lambda x: bifold.inclusive_scan(x, total=np.zeros(3, "i4"))),
        ("read-only", lambda x: bifold.inclusive_scan(x, axis=0, total=fixed())),
        ("overlap", lambda x: total_within(x)),
        ("overlap", lambda x: total_within(x, slice(None, None, 2))),
        ("overlap", lambda x: bifold.inclusive_scan(x, axis=1, total=x[:, 0])),
        ("no element|init", lambda x: bifold.sum_compensated(x / 2, np.zeros(4), axis=0)),
    ],
)
def test_what_is_wrong_is_refused_by_name(message, call):
    with pytest.raises(bifold.InvalidArgument, match=message):
        call(integers((3, 4)))


def fixed():
    values = np.zeros(4, np.int32)
    values.flags.writeable = False
    return values


def total_within(x, part=np.s_[:]):
    with bifold.Queue(bifold.open_device()) as queue:
        there = bifold.to_device(np.repeat(x, 2, 1), queue)
        bifold.inclusive_scan(there[:, :4], there[:, :4], axis=0, total=there[0][part][:4])
