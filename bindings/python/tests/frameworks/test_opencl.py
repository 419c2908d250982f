"""PyOpenCL's arrays, buffers, queues and events, used in place."""

import ast
import gc
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from pages import examples
from threads import run_threads

import bifold

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")


@pytest.fixture(scope="module")
def context(backend):
    backend("opencl")
    found = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    return cl.Context(found[:1])


@pytest.fixture
def commands(context):
    return cl.CommandQueue(context)


@pytest.fixture
def unordered(context):
    return cl.CommandQueue(
        context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )


def test_arrays_reduce_and_scan_on_their_own_queue(commands):
    x = cl_array.arange(commands, 1000, dtype=np.int32)
    assert bifold.reduce(x) == 499500
    y = bifold.inclusive_scan(x, dtype=np.int64)
    assert type(y) is cl_array.Array
    assert y.queue == commands and y.context == commands.context and y.dtype == np.int64
    np.testing.assert_array_equal(y.get(), np.arange(1000).cumsum())
    z = cl_array.empty_like(x)
    assert bifold.exclusive_scan(x, z) is z
    np.testing.assert_array_equal(z.get()[1:], y.get()[:-1])
    total = cl_array.zeros(commands, 1, np.int32)
    assert bifold.reduce_into(x, total).get()[0] == 499500


def test_offsets_are_honoured_in_input_and_output(commands):
    host = np.arange(100, dtype=np.float32)
    x = cl_array.to_device(commands, host)
    assert bifold.reduce(x[7:20]) == host[7:20].sum()
    y = cl_array.zeros(commands, 100, np.float32)
    bifold.inclusive_scan(x[7:20], y[50:63])
    expected = np.zeros(100, np.float32)
    expected[50:63] = host[7:20].cumsum()
    np.testing.assert_array_equal(y.get(), expected)


def test_in_place_and_overlap(commands):
    x = cl_array.to_device(commands, np.ones(100, np.int32))
    assert bifold.inclusive_scan(x, x) is x
    np.testing.assert_array_equal(x.get(), np.arange(1, 101))
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.inclusive_scan(x[:50], x[25:75])


def test_any_shape_and_layout_reduces_and_scans_in_c_order(commands):
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    x = cl_array.to_device(commands, host)
    last = bifold.Operator("last", "b", dtype="i4")
    for view in (lambda a: a, lambda a: a[:, ::2], lambda a: a.T, lambda a: a[:, 1:3]):
        assert bifold.reduce(view(x), last) == view(host).ravel()[-1]
        assert bifold.argmax(view(x)) == (view(host).max(), view(host).argmax())
        np.testing.assert_array_equal(bifold.inclusive_scan(view(x)).get(), view(host).cumsum())
        for axis in (0, 1):
            sums = bifold.reduce(view(x), axis=axis)
            assert type(sums) is cl_array.Array
            np.testing.assert_array_equal(sums.get(), view(host).sum(axis))
            scanned = bifold.inclusive_scan(view(x), axis=axis)
            np.testing.assert_array_equal(scanned.get(), view(host).cumsum(axis))
    bifold.inclusive_scan(x[0], x.ravel()[12:][::2])
    np.testing.assert_array_equal(x.get()[2:].ravel()[::2], host[0].cumsum())
    np.testing.assert_array_equal(x.get()[2:].ravel()[1::2], host[2:].ravel()[1::2])


def test_scans_along_an_axis_in_place_and_overlap(commands):
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    x = cl_array.to_device(commands, host)
    assert bifold.inclusive_scan(x, x, axis=0) is x
    np.testing.assert_array_equal(x.get(), host.cumsum(0))
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.inclusive_scan(x[:2], x[1:3], axis=1)
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.reduce_into(x, x[0], axis=0)


def test_an_offset_that_is_no_whole_element_is_refused(commands):
    base = cl_array.zeros(commands, 64, np.uint8)
    crooked = cl_array.Array(commands, (4,), np.float32, data=base.base_data, offset=6)
    with pytest.raises(bifold.InvalidArgument, match="byte 6"):
        bifold.reduce(crooked)


def test_empty_arrays(commands):
    x = cl_array.empty(commands, 0, np.int32)
    assert bifold.reduce(x, init=5) == 5
    assert bifold.inclusive_scan(x).shape == (0,)


def test_structs_of_the_host_and_of_the_device(commands):
    point = bifold.struct_type("Point", np.dtype([("x", "f4"), ("y", "f4")]))
    host = np.zeros(50, point)
    host["x"], host["y"] = 1, np.arange(50)
    sums = bifold.Operator.fieldwise(point, ["plus", "maximum"])
    x = cl_array.to_device(commands, host)
    assert tuple(bifold.reduce(x, sums)) == (50, 49)
    assert bifold.inclusive_scan(x, op=sums).get()["x"][9] == 10


def test_host_arrays_meet_device_arrays(commands):
    host = np.arange(10, dtype=np.int32)
    out = cl_array.zeros(commands, 10, np.int32)
    assert bifold.inclusive_scan(host, out) is out
    np.testing.assert_array_equal(out.get(), host.cumsum())
    back = np.zeros(10, np.int32)
    bifold.exclusive_scan(out, back)
    np.testing.assert_array_equal(back[1:], host.cumsum().cumsum()[:-1])
    assert bifold.reduce(host, queue=commands) == 45


def test_two_arrays_and_maps_before_scans(context, commands):
    host = np.arange(1000, dtype=np.int32)
    x = cl_array.to_device(commands, host)
    y = cl_array.to_device(commands, host.astype(np.int64) + 1)
    expected = (host * (host + 1)).sum()
    assert bifold.transform_reduce(x, "x * y", y=y, init=np.int64(0)) == expected
    assert bifold.inner_product(x[3:10], y[3:10], dtype=np.int64) == 3 * 4 + sum(
        k * (k + 1) for k in range(4, 10)
    )
    assert bifold.transform_reduce(host, "x * y", y=y, dtype=np.int64) == expected
    total = cl_array.zeros(commands, 1, np.int64)
    assert bifold.transform_reduce_into(x, total, "x * y", y=y).get()[0] == expected
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.transform_reduce_into(y[1:2], y[:1], "x * y", y=y[:1])
    running = bifold.transform_inclusive_scan(x, "x * x", dtype=np.int64)
    assert type(running) is cl_array.Array
    np.testing.assert_array_equal(running.get(), (host.astype(np.int64) ** 2).cumsum())


def test_the_second_arrays_events_are_waited_for(context, unordered):
    x = cl_array.to_device(unordered, np.ones(1000, np.int32))
    y = cl_array.zeros(unordered, 1000, np.int32)
    y.finish()
    threes = np.full(1000, 3, np.int32)
    gate = cl.UserEvent(context)
    y.add_event(cl.enqueue_copy(unordered, y.base_data, threes, is_blocking=False, wait_for=[gate]))
    total = cl_array.zeros(unordered, 1, np.int32)
    bifold.transform_reduce_into(x, total, "x * y", y=y)
    unordered.flush()
    done = total.events[-1]
    time.sleep(0.05)
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert total.get()[0] == 3000


def test_reductions_of_arrays_on_their_own_queue(commands):
    x = cl_array.to_device(commands, np.float32([4, 1, 1, 9]))
    assert bifold.argmin(x[1:]) == (1, 0)
    assert bifold.argmax(x) == (9, 3)
    assert bifold.minmax(x) == (1, 9)
    assert bifold.count_if(x, "x == 1.0f") == 2
    assert bifold.sum_compensated(x) == 15
    assert bifold.reduce_many(x, ["plus", "minimum"]) == (15, 1)


def test_buffers(commands):
    host = np.arange(100, dtype=np.int64)
    buffer = cl.Buffer(
        commands.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=host
    )
    queue = bifold.Queue.adopt_opencl(commands)
    x = bifold.from_opencl(buffer, np.int64, queue, offset=10, n=20)
    assert bifold.reduce(x) == host[10:30].sum()
    assert bifold.reduce(bifold.from_opencl(buffer, np.int64, queue, offset=90)) == 945
    with pytest.raises(bifold.InvalidArgument, match="holds 100"):
        bifold.from_opencl(buffer, np.int64, queue, offset=90, n=11)
    with pytest.raises(bifold.InvalidArgument, match="may not write"):
        bifold.inclusive_scan(x, x)


def test_the_arrays_events_are_waited_for(context, unordered):
    x = cl_array.to_device(unordered, np.ones(1000, np.int32))
    gate = cl.UserEvent(context)
    x.add_event(
        cl.enqueue_copy(
            unordered, x.base_data, np.full(1000, 2, np.int32), is_blocking=False, wait_for=[gate]
        )
    )
    y = bifold.inclusive_scan(x)
    unordered.flush()
    done = y.events[-1]
    time.sleep(0.05)
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert y.get()[-1] == 2000


def test_outputs_carry_the_calls_event(context, unordered):
    other = cl.CommandQueue(context)
    x = cl_array.to_device(unordered, np.ones(100000, np.int32))
    y = bifold.inclusive_scan(x)
    assert y.events
    unordered.flush()
    moved = y.with_queue(other)
    assert moved.get()[-1] == 100000


def test_events_in_and_out(context, commands):
    x = cl_array.to_device(commands, np.ones(1000, np.int32))
    gate, done = cl.UserEvent(context), bifold.Event()
    bifold.inclusive_scan(x, x, wait=[gate], done=done)
    commands.flush()
    time.sleep(0.05)
    assert not done.complete()
    with pytest.raises(bifold.Timeout):
        done.wait(0.01)
    gate.set_status(cl.command_execution_status.COMPLETE)
    native = done.to_opencl()
    native.wait()
    assert done.complete()
    bifold.reduce(x, wait=[native, done, bifold.Event()])
    assert x.get()[-1] == 1000
    with pytest.raises(bifold.InvalidArgument):
        done.to_cuda()


def test_own_arrays_are_ordered_between_queues(context):
    device = bifold.Device.adopt_opencl(context, context.devices[0])
    mine, other = (bifold.Queue.adopt_opencl(cl.CommandQueue(context), device) for _ in range(2))
    x, out = (bifold.to_device(np.ones(1000, np.int32), queue) for queue in (mine, other))
    gate, done = cl.UserEvent(context), bifold.Event()
    mine.wait_for(gate)
    x.fill(2)
    bifold.inclusive_scan(x, out, queue=other, done=done)
    mine.native.flush()
    other.native.flush()
    time.sleep(0.05)
    early = done.complete()
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert not early
    assert out.get()[-1] == 2000


def test_waiting_releases_the_interpreters_lock(context, commands):
    x = cl_array.to_device(commands, np.ones(1000, np.int32))
    gate, failures = cl.UserEvent(context), []

    def reduce():
        try:
            assert bifold.reduce(x, wait=[gate]) == 1000
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=reduce, daemon=True)
    thread.start()
    time.sleep(0.05)
    assert thread.is_alive()
    gate.set_status(cl.command_execution_status.COMPLETE)
    thread.join()
    assert not failures


def test_references_to_the_contexts_objects_are_given_back(context):
    context = cl.Context(context.devices)
    commands = cl.CommandQueue(context)
    before = context.reference_count, commands.reference_count
    queue = bifold.Queue.adopt_opencl(commands)
    assert context.reference_count > before[0] and commands.reference_count > before[1]
    assert bifold.reduce(cl_array.to_device(commands, np.ones(9)), queue=queue) == 9
    queue.device.close()
    queue.close()
    gc.collect()
    # What the array brought along is another one's business.
    assert commands.reference_count == before[1]
    x = cl_array.to_device(commands, np.ones(9))
    bifold.reduce(x)
    kept = commands.reference_count
    bifold.release_adopted()
    assert commands.reference_count < kept
    assert bifold.reduce(x) == 9
    bifold.release_adopted()


def test_a_context_is_adopted_once(commands):
    x = cl_array.to_device(commands, np.ones(9, np.float32))
    bifold.reduce(x)
    from bifold._base import opencl_queues

    first = opencl_queues.queue_of(commands)
    assert opencl_queues.queue_of(cl.CommandQueue.from_int_ptr(commands.int_ptr)) is first
    other = opencl_queues.queue_of(cl.CommandQueue(commands.context))
    assert other is not first and other.device is first.device


def test_queues_are_taken_as_they_are_and_others_refused(context, commands):
    x = cl_array.to_device(commands, np.ones(100, np.int32))
    free = x.with_queue(None)
    assert bifold.reduce(free, queue=commands) == 100
    own = bifold.Queue("opencl")
    with pytest.raises(bifold.InvalidArgument, match="adopt_opencl"):
        bifold.inclusive_scan(x, queue=own)
    with pytest.raises(bifold.InvalidArgument, match="context"):
        bifold.reduce(x, queue=own)


def test_svm_arrays(context, commands):
    tools = pytest.importorskip("pyopencl.tools")
    if not hasattr(tools, "SVMAllocator") or "OpenCL 1" in context.devices[0].version:
        pytest.skip("no shared virtual memory, of the device or of PyOpenCL")
    allocator = tools.SVMAllocator(context, queue=commands)
    x = cl_array.to_device(commands, np.ones(100, np.int32), allocator=allocator)
    assert bifold.reduce(x[3:]) == 97
    assert bifold.inclusive_scan(x).get()[-1] == 100


def test_threads_with_a_queue_each(context):
    def work(seed):
        commands = cl.CommandQueue(context)
        host = np.random.default_rng(seed).integers(0, 100, 5000).astype(np.int32)
        x = cl_array.to_device(commands, host)
        for _ in range(10):
            assert bifold.reduce(x) == host.sum()
            assert bifold.inclusive_scan(x).get()[-1] == host.sum()

    run_threads(work)


def test_the_examples_of_the_pages(context, monkeypatch, capsys):
    monkeypatch.setenv("PYOPENCL_CTX", "0")
    package = Path(__file__).parents[2]
    first, frameworks = examples("First calls")
    (axes,) = examples("Axes")
    (readme,) = re.findall(r"```python\n(.*?)```", (package / "README.md").read_text(), flags=re.S)
    exec(readme, {})
    assert capsys.readouterr().out.split() == re.findall(r"# (\d+)", readme) * 2
    names = {}
    exec(first, names)
    said = [re.search(r"# (.*)", line)[1] for line in first.splitlines() if "# " in line]
    total, scanned, odd, highest, product, extent = capsys.readouterr().out.splitlines()
    assert (total, scanned) == ("500000500000", total) and said[0] == total
    assert said[2].endswith(odd)
    # NumPy 2 prints the value as np.int32(1000000).
    assert said[3] == re.sub(r"np\.int32\((\d+)\)", r"\1", highest)
    assert said[4] == product == str(sum(k * k for k in range(1, 1_000_001)))
    assert ast.literal_eval(said[5]) == ast.literal_eval(extent)
    # Those of other frameworks have tests of their own.
    *_, of_pyopencl, own = frameworks.split("\n\n")
    for example, kind in ((of_pyopencl, cl_array.Array), (own, bifold.Array)):
        exec(example.replace("cuda:0", "opencl"), names)
        assert isinstance(names["places"], kind)
        np.testing.assert_array_equal(names["places"].get(), np.arange(1000))
    capsys.readouterr()
    exec(axes, names)
    assert capsys.readouterr().out.splitlines() == re.findall(r"# (.*)", axes)
