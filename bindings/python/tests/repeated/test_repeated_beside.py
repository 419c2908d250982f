"""Repeated calls with values beside their arrays, with many results, and after foreign events."""

import threading
import time

import numpy as np
import pytest
from patience import PATIENCE
from repeats import N, known

import bifold

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("device")

HOST = np.arange(N, dtype=np.int32) % 7


@pytest.fixture(params=["own", "host"])
def there(request, queue):
    """Makes arrays of a kind; and what brings them back."""
    if request.param == "host":
        bifold.reduce(HOST)  # The class is known.
        return np.copy, np.asarray
    return lambda array: bifold.to_device(array, queue), lambda array: array.get()


def test_totals_do_not_reach_the_package(made, there):
    here, back = there
    x, out, total = here(HOST), here(HOST), here(np.zeros(1, np.int32))
    for init in (None, 5):
        known(made, lambda init=init: bifold.inclusive_scan(x, out, init=init, total=total))
        assert back(total)[0] == HOST.sum() + (init or 0)
    # Another total, and other sizes.
    more = here(np.zeros(1, np.int32))
    bifold.inclusive_scan(here(HOST[:10].copy()), here(HOST[:10].copy()), total=more)
    assert not made and back(more)[0] == HOST[:10].sum()
    assert bifold.inclusive_scan(x, out) is out and len(made) == 1


def test_a_total_of_another_shape_is_another_call(queue, made):
    x, out, total = (bifold.to_device(a, queue) for a in (HOST, HOST, HOST[:1]))
    known(made, lambda: bifold.inclusive_scan(x, out, total=total))
    with pytest.raises(bifold.InvalidArgument, match="total has shape"):
        bifold.inclusive_scan(x, out, total=bifold.to_device(HOST[:2], queue))
    rows = x.reshape(10, 100)
    for _ in range(3):
        sums = bifold.empty(10, np.int32, queue)
        bifold.inclusive_scan(rows, out.reshape(10, 100), axis=1, total=sums)
        np.testing.assert_array_equal(sums.get(), HOST.reshape(10, 100).sum(1))


def test_totals_that_share_memory_are_refused(queue, made):
    host = HOST.copy()
    x, out = bifold.to_device(HOST, queue), HOST.copy()
    bifold.reduce(host)
    known(made, lambda: bifold.inclusive_scan(host, out, total=np.zeros(1, np.int32)))
    for _ in range(2):
        with pytest.raises(bifold.InvalidArgument, match="overlap"):
            bifold.inclusive_scan(host, out, total=host[5:6])
        with pytest.raises(bifold.InvalidArgument, match="overlap"):
            bifold.inclusive_scan(host, out, total=out[-1:])
    known(made, lambda: bifold.inclusive_scan(x, total=bifold.empty(1, np.int32, queue)))
    for _ in range(2):
        with pytest.raises(bifold.InvalidArgument, match="overlap"):
            bifold.inclusive_scan(x, total=x[5:6])


def test_initial_values_on_the_device_do_not_reach_the_package(queue, made):
    x, out = bifold.to_device(HOST, queue), bifold.empty(N, np.int32, queue)
    init, one = bifold.to_device(np.int32([4]), queue), bifold.empty(1, np.int32, queue)
    known(made, lambda: bifold.exclusive_scan(x, out, init=init))
    np.testing.assert_array_equal(out.get(), 4 + HOST.cumsum() - HOST)
    init.set([5])
    bifold.exclusive_scan(x, out, init=init)
    assert out.get()[0] == 5 and not made
    known(made, lambda: bifold.reduce_into(x, one, init=init))
    assert one.get()[0] == HOST.sum() + 5
    # It may be the result, and accumulates then.
    one.set([0])
    known(made, lambda: bifold.reduce_into(x, one, init=one))
    assert one.get()[0] == 4 * HOST.sum()
    rows, starts = x.reshape(10, 100), bifold.to_device(np.arange(10, dtype=np.int32), queue)
    known(made, lambda: bifold.inclusive_scan(rows, out.reshape(10, 100), init=starts, axis=1))
    expected = HOST.reshape(10, 100).cumsum(1) + np.arange(10)[:, None]
    np.testing.assert_array_equal(out.get().reshape(10, 100), expected)
    # Those of the host are read each time.
    start = np.int32([1])
    for value in (1, 2, 3):
        start[0] = value
        assert bifold.exclusive_scan(x, out, init=start).get()[0] == value


def test_an_initial_value_that_is_the_input_is_another_call(queue, made):
    x, out = bifold.to_device(np.int32([3]), queue), bifold.empty(1, np.int32, queue)
    for _ in range(3):
        for init, expected in ((None, 0), (x, 3), (0, 0)):
            bifold.exclusive_scan(x, out, init=init, axis=0)
            assert out.get()[0] == expected
    assert len(made) == 3


def test_scalars_of_numpy_are_initial_values(queue, made):
    x = bifold.to_device(HOST, queue)
    for init in (np.int32(5), np.int64(5), np.float64(5), np.int32(6)):
        results = known(made, lambda init=init: bifold.reduce(x, init=init))
        assert results == [HOST.sum() + init] * 4
        assert results[-1].dtype == results[0].dtype == init.dtype


def test_lengths_do_not_reach_the_package(made, there):
    here, back = there
    x, one = here(HOST), here(np.zeros(1, np.int32))
    for dtype in (np.uint32, np.uint64):
        count = here(np.array([10], dtype))
        known(made, lambda count=count: bifold.reduce_into(x, one, count_from=count))
        assert back(one)[0] == HOST[:10].sum()
    other = here(np.array([20], np.uint64))
    bifold.reduce_into(x, one, count_from=other)
    assert back(one)[0] == HOST[:20].sum() and not made
    with pytest.raises(bifold.InvalidArgument, match="count_from has elements of int32"):
        bifold.reduce_into(x, one, count_from=here(np.array([20], np.int32)))


def test_reduce_many_does_not_reach_the_package(made, there):
    x = there[0](HOST)
    made.clear()
    squares = bifold.Map("x * x")
    cases = [
        (["plus", "minimum", "maximum"], (HOST.sum(), 0, 6)),
        (("plus", "minimum"), (HOST.sum(), 0)),
        ([bifold.Reduction("plus", "x * x"), "maximum"], ((HOST * HOST).sum(), 6)),
        ([bifold.Reduction("plus", squares, 5)], ((HOST * HOST).sum() + 5,)),
        ([bifold.Reduction("plus", squares, 6)], ((HOST * HOST).sum() + 6,)),
        ([bifold.Reduction("plus", dtype=np.float32)], (np.float32(HOST.sum()),)),
    ]
    for _ in range(2):
        for wanted, expected in cases:
            found = [bifold.reduce_many(x, wanted) for _ in range(3)]
            assert found == [expected] * 3
            assert type(found[-1]) is tuple
            assert [type(v) for v in found[-1]] == [type(v) for v in found[0]]
    assert len(made) == len(cases)
    squares.close()
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        bifold.reduce_many(x, cases[3][0])
    with pytest.raises(bifold.InvalidArgument):
        bifold.reduce_many(x, [])


def test_an_array_whose_attributes_change_is_another_one(queue, device, made):
    x = bifold.to_device(HOST, queue)
    known(made, lambda: bifold.reduce(x))
    with bifold.Queue(device) as other:
        x.queue = other
        assert bifold.reduce(x) == HOST.sum() and len(made) == 1
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        bifold.reduce(x)


def test_an_event_that_becomes_another_calls_is_waited_for_as_it_was(device):
    if device.info.backend != "opencl":
        pytest.skip("events of PyOpenCL are for OpenCL")
    cl = pytest.importorskip("pyopencl")
    with bifold.Queue(device) as gated, bifold.Queue(device) as free:
        x, y = bifold.to_device(HOST, gated), bifold.to_device(HOST, free)
        context = gated.record().to_opencl().context
        for _ in range(5):
            gate, done, begun = cl.UserEvent(context), bifold.Event(), threading.Event()
            bifold.inclusive_scan(x, x, wait=[gate], done=done)

            def wait(done=done, begun=begun):
                begun.set()
                done.wait(PATIENCE)

            thread = threading.Thread(target=wait)
            thread.start()
            begun.wait()
            time.sleep(0.01)
            bifold.inclusive_scan(y, y, done=done)
            done.wait(PATIENCE)
            assert thread.is_alive()
            gate.set_status(cl.command_execution_status.COMPLETE)
            thread.join()


def test_events_of_pyopencl_are_waited_for(device, made):
    if device.info.backend != "opencl":
        pytest.skip("events of PyOpenCL are for OpenCL")
    cl = pytest.importorskip("pyopencl")
    with bifold.Queue(device) as queue:
        x, out = bifold.to_device(HOST, queue), bifold.empty(N, np.int32, queue)
        context = queue.record().to_opencl().context
        bifold.inclusive_scan(x, out)
        for kind in (list, tuple):
            gates = [cl.UserEvent(context) for _ in range(3)]
            for gate in gates[1:]:
                gate.set_status(cl.command_execution_status.COMPLETE)
            if kind is list:  # The class of events is new.
                bifold.inclusive_scan(x, out, wait=gates[1:])
                made.clear()
            done = bifold.Event()
            bifold.inclusive_scan(x, out, wait=kind([bifold.Event(), *gates]), done=done)
            with pytest.raises(bifold.Timeout):
                done.wait(0.05)
            gates[0].set_status(cl.command_execution_status.COMPLETE)
            done.wait(PATIENCE)
            assert not made
        with pytest.raises(bifold.WrongType, match="no open event"):
            bifold.inclusive_scan(x, out, wait=[gates[0], context])
