"""Repeated calls on PyOpenCL's arrays: their events, queues and offsets."""

import gc
import time

import numpy as np
import pytest
from repeats import N, known
from test_opencl import cl, cl_array, commands, context, unordered  # noqa: F401

import bifold

pytest_plugins = "repeats"


@pytest.fixture
def arrays(commands):  # noqa: F811
    """Input, output, one result, of a class that is known."""
    host = np.arange(N, dtype=np.int32)
    x, out = cl_array.to_device(commands, host), cl_array.zeros(commands, N, np.int32)
    bifold.reduce(x)
    return x, out, cl_array.zeros(commands, 1, np.int32)


def test_repeated_calls_do_not_reach_the_package(arrays, made):
    x, out, one = arrays
    expected = np.arange(N).cumsum()
    assert all(r is out for r in known(made, lambda: bifold.inclusive_scan(x, out)))
    np.testing.assert_array_equal(out.get(), expected)
    assert all(r is one for r in known(made, lambda: bifold.reduce_into(x, one)))
    assert one.get()[0] == expected[-1]
    assert known(made, lambda: bifold.reduce(x)) == [expected[-1]] * 4
    for result in known(made, lambda: bifold.inclusive_scan(x)):
        assert type(result) is cl_array.Array and result.queue == x.queue
        np.testing.assert_array_equal(result.get(), expected)
    # Another part of the memory.
    known(made, lambda: bifold.reduce(x[:10]))
    for stop in (17, 18, N):
        assert bifold.reduce(x[7:stop]) == np.arange(7, stop).sum() and not made
    known(made, lambda: bifold.reduce(x[::2]))
    assert bifold.reduce(x[1::2]) == np.arange(1, N, 2).sum() and not made
    assert bifold.reduce(x[: N // 2]) == np.arange(N // 2).sum() and not made


def test_a_known_call_waits_for_events_and_leaves_one(context, unordered, made):  # noqa: F811
    x = cl_array.to_device(unordered, np.ones(N, np.int32))
    out = cl_array.zeros(unordered, N, np.int32)
    x.finish(), out.finish()
    bifold.inclusive_scan(x, out)
    known(made, lambda: bifold.inclusive_scan(x, out))
    for gated in (x, out):
        x.finish(), out.finish()
        gate = cl.UserEvent(context)
        twos = np.full(N, 2, np.int32)
        copied = cl.enqueue_copy(
            unordered, gated.base_data, twos, is_blocking=False, wait_for=[gate]
        )
        gated.add_event(copied)
        try:
            bifold.inclusive_scan(x, out)
            unordered.flush()
            time.sleep(0.05)
            status = out.events[-1].command_execution_status
        finally:
            gate.set_status(cl.command_execution_status.COMPLETE)
        assert not made and len(out.events) == 1  # It stands for those before.
        assert status != cl.command_execution_status.COMPLETE
        assert out.get()[-1] == 2 * N


def test_a_known_call_follows_others_on_its_queue(context, commands, made):  # noqa: F811
    # In order, without waiting for what they have left to the arrays; yet after a gate of another.
    a, b, c = (cl_array.to_device(commands, np.ones(N, np.int32)) for _ in range(3))
    chain = [(a, b), (b, c), (c, b)]
    for x, out in 2 * chain:
        bifold.inclusive_scan(x, out)
    commands.finish()
    a.fill(1).finish()
    gate = cl.UserEvent(context)
    twos = np.full(N, 2, np.int32)
    other = cl.CommandQueue(context)
    copied = cl.enqueue_copy(other, a.base_data, twos, is_blocking=False, wait_for=[gate])
    other.flush()
    a.add_event(copied)
    made.clear()
    for x, out in chain:
        bifold.inclusive_scan(x, out)
    assert not made and len(b.events) == len(c.events) == 1
    commands.flush()
    gate.set_status(cl.command_execution_status.COMPLETE)
    expected = np.full(N, 2, np.int32).cumsum(dtype=np.int32)
    expected = expected.cumsum(dtype=np.int32).cumsum(dtype=np.int32)
    np.testing.assert_array_equal(b.get(), expected)


def test_an_event_that_the_caller_forgets_is_waited_for(context, commands, made):  # noqa: F811
    events, forgets = [], []

    def allocated(nbytes):
        if forgets:
            events.clear()
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, nbytes)

    host = np.ones(N, np.int32)
    x = cl_array.to_device(commands, host, allocator=allocated)
    for kept in [True] * 3 + [False] * 30:
        commands.finish()
        events.append(cl.enqueue_marker(commands))
        forgets[:] = [] if kept else [True]
        result = bifold.inclusive_scan(x, wait=events)
    assert len(made) < 10 and result.get()[-1] == N


def test_memory_that_an_array_exchanges_meanwhile_is_kept(context, commands, made):  # noqa: F811
    arrays = []

    def allocated(nbytes):
        for x in arrays:
            x.base_data = cl.Buffer(context, cl.mem_flags.READ_WRITE, nbytes)
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, nbytes)

    for number in range(20):
        x = cl_array.to_device(commands, np.full(N, number, np.int32), allocator=allocated)
        x.finish()
        arrays[:] = [x] if number > 2 else []
        assert bifold.inclusive_scan(x).get()[-1] == number * N
        arrays.clear()
    assert len(made) < 5


def test_only_queues_in_order_skip_what_they_left(commands, unordered):  # noqa: F811
    from bifold._base import opencl_queues

    assert opencl_queues.queue_of(commands).left is not None
    assert opencl_queues.queue_of(unordered).left is None


def test_events_that_are_complete_are_dropped(commands):  # noqa: F811
    x = cl_array.zeros(commands, N, np.int32)
    commands.finish()
    assert x.events
    bifold.reduce(x)
    assert not x.events


def test_other_queues_are_other_calls(context, arrays, made):  # noqa: F811
    x, out, _ = arrays
    known(made, lambda: bifold.inclusive_scan(x, out))
    other = cl.CommandQueue(context)
    mine, result = x.with_queue(other), cl_array.zeros(other, N, np.int32)
    bifold.inclusive_scan(mine, result)
    assert len(made) == 1 and result.events[-1].command_queue == other
    known(made, lambda: bifold.inclusive_scan(mine, result))
    known(made, lambda: bifold.inclusive_scan(x, out))
    assert out.events[-1].command_queue == x.queue
    third = cl.CommandQueue(context)
    bifold.inclusive_scan(x, out, queue=third)  # The class of queues is new.
    bifold.inclusive_scan(x, out, queue=third)
    made.clear()
    for queue in (third, other, third):
        bifold.inclusive_scan(x, out, queue=queue)
        assert out.events[-1].command_queue == queue
        assert len(made) == (queue != third)
        made.clear()
    for _ in range(3):
        bifold.release_adopted()
        known(made, lambda: bifold.inclusive_scan(x, out))
        np.testing.assert_array_equal(out.get(), np.arange(N).cumsum())
        for result in known(made, lambda: bifold.inclusive_scan(x)):
            np.testing.assert_array_equal(result.get(), np.arange(N).cumsum())


def test_offsets_that_are_no_whole_elements_are_refused(commands, made):  # noqa: F811
    memory = cl.Buffer(commands.context, cl.mem_flags.READ_WRITE, 8 * N)

    def at(offset):
        return cl_array.Array(commands, N, np.int32, data=memory, offset=offset)

    at(0).fill(1), at(4 * N).fill(2)
    bifold.reduce(at(0))
    assert known(made, lambda: bifold.reduce(at(0))) == [N] * 4
    assert bifold.reduce(at(4 * N)) == 2 * N and not made
    with pytest.raises(bifold.InvalidArgument, match="starts at byte 2"):
        bifold.reduce(at(2))


def test_memory_stays_as_it_is(arrays, made):
    x, _, one = arrays

    def calls(count):
        for _ in range(count // 500):
            for _ in range(500):
                bifold.reduce_into(x, one)
            x.queue.finish()
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    before = calls(10_000)
    made.clear()
    assert calls(20_000) - before < 4 << 20
    assert not made
