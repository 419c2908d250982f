"""Scans over several arrays at once: linear recurrences and operators on tuples."""

import numpy as np
import pytest

import bifold


def steps(shape, seed=0):
    random = np.random.default_rng(seed)
    gates = random.uniform(0.9, 1.1, shape).astype(np.float32)
    return gates, random.uniform(-1, 1, shape).astype(np.float32)


def looped(gates, tokens, h0=None):
    """The recurrence along the last axis, step by step, in float64."""
    h = np.zeros(gates.shape[:-1]) if h0 is None else np.full(gates.shape[:-1], float(h0))
    every = []
    for t in range(gates.shape[-1]):
        h = gates[..., t].astype(np.float64) * h + tokens[..., t]
        every.append(h)
    return np.stack(every, axis=-1)


def test_a_recurrence_is_the_loop_forward_and_backward(queue):
    gates, tokens = steps(3000)
    near = {"rtol": 2e-4, "atol": 2e-4}
    h = bifold.linear_recurrence(gates, tokens, queue=queue)
    assert h.dtype == np.float32
    np.testing.assert_allclose(h, looped(gates, tokens), **near)
    h = bifold.linear_recurrence(gates, tokens, h0=2.5, queue=queue)
    np.testing.assert_allclose(h, looped(gates, tokens, 2.5), **near)
    h = bifold.linear_recurrence(gates, tokens, h0=2.5, reverse=True, queue=queue)
    np.testing.assert_allclose(h[::-1], looped(gates[::-1], tokens[::-1], 2.5), **near)


def test_lines_of_a_recurrence_have_the_bits_of_each_alone(queue):
    gates, tokens = steps((7, 5, 40))
    for axis in (0, 1, 2, -1):
        h = bifold.linear_recurrence(gates, tokens, axis=axis, h0=0.5, queue=queue)
        lines = [
            np.moveaxis(array, axis, -1).reshape(-1, gates.shape[axis])
            for array in (h, gates, tokens)
        ]
        for got, gate, token in zip(*lines):
            alone = bifold.linear_recurrence(gate.copy(), token.copy(), h0=0.5, queue=queue)
            assert got.tobytes() == alone.tobytes()


def test_arrays_that_lie_otherwise_and_in_place(queue):
    gates, tokens = steps((6, 50))
    want = bifold.linear_recurrence(gates, tokens, axis=1, queue=queue)
    across = np.asfortranarray(tokens)
    assert bifold.linear_recurrence(gates, across, axis=1, queue=queue).tobytes() == want.tobytes()
    back = gates[:, ::-1].copy()[:, ::-1]
    assert bifold.linear_recurrence(back, tokens, axis=1, queue=queue).tobytes() == want.tobytes()
    for taken in range(2):
        given = [gates.copy(), tokens.copy()]
        assert bifold.linear_recurrence(*given, given[taken], axis=1, queue=queue) is given[taken]
        assert given[taken].tobytes() == want.tobytes()


def test_integers_wrap_and_complex_numbers_turn(queue):
    gates = np.array([5, 6364136223846793005, 3], np.uint64)
    tokens = np.array([7, 1442695040888963407, 1], np.uint64)
    second = (7 * int(gates[1]) + int(tokens[1])) % 2**64
    want = [7, second, (second * 3 + 1) % 2**64]
    assert bifold.linear_recurrence(gates, tokens, queue=queue).tolist() == want
    turns = np.array([0, 1j, 1j], np.complex64)
    ones = np.array([1, 0, 1], np.float32)
    assert bifold.linear_recurrence(turns, ones, queue=queue).tolist() == [1, 1j, 0]
    assert bifold.linear_recurrence(ones, turns, queue=queue).tolist() == [0, 1j, 2j]


def test_what_is_no_recurrence_is_refused(queue):
    gates, tokens = steps(10)
    with pytest.raises(bifold.InvalidArgument, match="h0"):
        bifold.linear_recurrence(gates, tokens, h0=1e300, queue=queue)
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        bifold.linear_recurrence(gates, tokens[:5], queue=queue)
    with pytest.raises(bifold.InvalidArgument, match="takes no complex64"):
        bifold.linear_recurrence(
            gates.astype(np.complex64), tokens, np.empty(10, "f4"), queue=queue
        )


def scanned(arrays, function, *, reverse):
    """jax.lax.associative_scan along axis 0, element by element."""
    order = range(len(arrays[0]))[::-1] if reverse else range(len(arrays[0]))
    outputs = [np.empty_like(array) for array in arrays]
    total = None
    for i in order:
        here = tuple(array[i] for array in arrays)
        total = here if total is None else function(total, here)
        for output, value in zip(outputs, total):
            output[i] = value
    return outputs


@pytest.mark.parametrize("reverse", [False, True])
def test_tuples_scan_as_those_of_jax(queue, reverse):
    random = np.random.default_rng(1)
    arrays = (
        random.choice(np.array([-1, 1], np.int32), (300, 4)),
        random.integers(-(2**40), 2**40, (300, 4), np.int64),
    )
    got = bifold.associative_scan(
        arrays, ("b.x * a.x", "b.x * a.y + b.y"), reverse=reverse, queue=queue
    )
    want = scanned(
        arrays,
        lambda a, b: (b[0] * a[0], b[0] * a[1] + b[1]),
        reverse=reverse,
    )
    assert isinstance(got, tuple)
    for one, other in zip(got, want):
        assert one.dtype == other.dtype
        assert (one == other).all()


@pytest.mark.parametrize("reverse", [False, True])
def test_one_array_four_arrays_and_a_tuple_of_one(queue, reverse):
    x = np.random.default_rng(2).integers(0, 200, (5, 70), np.int32)
    got = bifold.associative_scan(x, "a > b ? a : b", axis=1, reverse=reverse, queue=queue)
    flipped = x[:, ::-1] if reverse else x
    want = np.maximum.accumulate(flipped, axis=1)
    assert (got == (want[:, ::-1] if reverse else want)).all()
    sums = bifold.associative_scan(x, "plus", axis=1, reverse=reverse, queue=queue)
    want = np.cumsum(flipped, axis=1)
    assert (sums == (want[:, ::-1] if reverse else want)).all()
    (alone,) = bifold.associative_scan((x,), ("a.x > b.x ? a.x : b.x",), axis=1, queue=queue)
    assert (alone == np.maximum.accumulate(x, axis=1)).all()
    four = (x.astype(np.int8), x.astype(np.float32), x, x.astype(np.uint64))
    first = bifold.associative_scan(four, ("a.x", "b.y", "a.z", "b.w"), axis=1, queue=queue)
    assert (first[0] == four[0][:, :1]).all() and (first[1] == four[1]).all()
    assert (first[2] == x[:, :1]).all() and (first[3] == four[3]).all()


def test_a_tuple_has_a_text_for_each(queue):
    with pytest.raises(bifold.InvalidArgument, match="no dimension"):
        bifold.associative_scan(3, "plus", queue=queue)
    x = np.ones(4, np.float32)
    for arrays, op in ((x, ("a",)), ((x,), "a"), ((x, x), ("a.x",))):
        with pytest.raises(bifold.InvalidArgument, match="a tuple has one for each"):
            bifold.associative_scan(arrays, op, queue=queue)
