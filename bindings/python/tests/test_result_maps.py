"""Result maps: what is stored is made of the accumulator."""

import numpy as np
import pytest

import bifold

pytest_plugins = "repeats"


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


MEAN = np.dtype([("sum", "f4"), ("count", "f4")])
STEP = np.dtype([("slope", "f4"), ("shift", "f4")])


def means():
    bifold.struct_type("Mean", MEAN)
    return bifold.Operator.fieldwise(MEAN, ["plus", "plus"])


def steps():
    bifold.struct_type("Step", STEP)
    text = "make_Step(b.slope * a.slope, b.slope * a.shift + b.shift)"
    return bifold.Operator("steps", text, (1, 0), STEP)


def test_reductions(queue):
    x = np.arange(100, 5100, dtype=np.int32)
    assert bifold.reduce(x, dtype=np.float32, accumulate=np.int64, result_map="s / 8.0") == (
        np.float32(x.sum() / 8)
    )
    mean = bifold.transform_reduce(
        x, "make_Mean(x, 1)", means(), dtype=np.float32, result_map="s.sum / s.count"
    )
    assert type(mean) is np.float32
    np.testing.assert_allclose(mean, x.mean())
    out = np.zeros(1, np.float16)
    assert bifold.reduce_into(x, out, result_map="s / 1e6f", init=1) is out
    np.testing.assert_allclose(out, (x.sum() + 1) / 1e6, rtol=1e-3)
    # An initial value is an accumulator.
    empty = np.empty(0, np.float32)
    start = bifold.transform_reduce(
        empty, "make_Mean(x, 1)", means(), (6, 4), dtype="f8", result_map="s.sum / s.count"
    )
    assert start == 1.5 and type(start) is np.float64


def test_lines(queue):
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    starts = bifold.to_device(np.array([(i, 1) for i in range(4)], MEAN), queue)
    out = bifold.empty(4, np.float32, queue)
    x = bifold.to_device(host, queue)
    bifold.transform_reduce_into(
        x, out, "make_Mean(x, 1)", means(), starts, axis=1, result_map="s.sum / s.count"
    )
    np.testing.assert_allclose(out.get(), (host.sum(1) + np.arange(4)) / 7, rtol=1e-6)


def test_calls_that_are_repeated_have_their_own_texts(queue, made):
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    x, out = bifold.to_device(host, queue), bifold.empty(4, np.float32, queue)
    starts = bifold.to_device(np.arange(4.0), queue)
    before = bifold.reduce_into.known
    for turn in range(3):
        for text, factor in (("s * 0.5", 0.5), ("s * 4.0", 4)):
            bifold.reduce_into(
                x, out, "plus", starts, axis=1, accumulate=np.float64, result_map=text
            )
            np.testing.assert_array_equal(out.get(), (host.sum(1) + np.arange(4)) * factor)
        assert bifold.reduce_into.known == before + 2
        assert len(made) == 2, turn


def test_scans(queue):
    x = np.random.default_rng(3).uniform(-1, 1, 3000).astype(np.float32)
    op = steps()
    total = np.zeros(1, STEP)
    whole = bifold.transform_inclusive_scan(x, "make_Step(0.5f, x)", op=op, init=(1, 2))
    shifts = bifold.transform_inclusive_scan(
        x,
        "make_Step(0.5f, x)",
        np.zeros(3000, np.float32),
        op,
        (1, 2),
        result_map="s.shift",
        total=total,
    )
    np.testing.assert_array_equal(shifts, whole["shift"])
    assert total[0] == whole[-1]
    # The recurrence itself, in float64.
    want, state = np.empty(3000), 2.0
    for i, value in enumerate(x):
        want[i] = state = 0.5 * state + value
    np.testing.assert_allclose(shifts, want, rtol=1e-5, atol=1e-6)
    before = bifold.exclusive_scan(
        x, dtype=np.float16, accumulate=np.float32, init=3, result_map="s * 2.0f", reverse=True
    )
    plain = bifold.exclusive_scan(x, init=3, reverse=True)
    np.testing.assert_array_equal(before, (plain * 2).astype(np.float16))


def test_plans(queue):
    x = np.arange(1000, dtype=np.int32)
    plan = bifold.Plan.reduce(queue, np.int32, out=np.float32, accumulate="i8", result_map="s / 4")
    out = np.zeros(1, np.float32)
    assert plan(x, out, init=2**40)[0] == np.float32((x.sum() + 2**40) // 4)
    running = bifold.Plan.inclusive_scan(
        queue, np.int32, out=np.float64, accumulate=np.int32, result_map="s * 0.5"
    )
    np.testing.assert_array_equal(running(x, np.zeros(1000)), x.cumsum() * 0.5)


def test_what_does_not_fit_is_refused():
    x = np.ones(3, np.float32)
    with pytest.raises(bifold.InvalidArgument, match='column 5: "x" is no word of texts'):
        bifold.reduce(x, result_map="s + x")
    with pytest.raises(bifold.InvalidArgument, match="result map.*is no field of Mean"):
        bifold.transform_reduce(x, "make_Mean(x, 1)", means(), result_map="s.total")
    with pytest.raises(bifold.InvalidArgument, match="result_map must be an expression's text"):
        bifold.inclusive_scan(x, result_map=7)
    with pytest.raises(bifold.InvalidArgument, match="f16 is rounded from f32 or f64"):
        bifold.reduce(x, dtype=np.float16, result_map="(i32)s")
