"""Repeated calls on the host's arrays, which are brought to the device and back."""

import threading

import numpy as np
import pytest
from exporters import DlpackExporter
from repeats import N, known
from test_processes import ended_program, in_a_fork
from threads import run_threads

import bifold
from bifold import _core

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture
def host(made):
    """An array of the host, of a class that is known."""
    bifold.reduce(np.ones(3, np.int32))
    return np.arange(N, dtype=np.int32)


def test_repeated_calls_on_the_hosts_arrays(host, made):
    out, one = np.zeros(N, np.int32), np.zeros((), np.int32)
    assert known(made, lambda: bifold.reduce(host)) == [host.sum()] * 4
    assert all(r is one for r in known(made, lambda: bifold.reduce_into(host, one)))
    assert one == host.sum()
    for add in range(3):
        x = host + np.int32(add)  # In other memory.
        out[:] = 0
        if add > 0:
            assert bifold.inclusive_scan(x, out) is out
        else:
            known(made, lambda x=x: bifold.inclusive_scan(x, out))
        np.testing.assert_array_equal(out, x.cumsum())
    results = known(made, lambda: bifold.inclusive_scan(host))
    assert len({r.ctypes.data for r in results}) == len(results)
    for result in results:
        np.testing.assert_array_equal(result, host.cumsum())
    matrix = host.reshape(10, 100)
    for result in known(made, lambda: bifold.reduce(matrix, axis=1)):
        np.testing.assert_array_equal(result, matrix.sum(1))
    for result in known(made, lambda: bifold.transform_reduce(host, "x * y", y=host)):
        assert result == (host * host).sum(dtype=np.int32)
    for result in known(made, lambda: bifold.transform_reduce(host, "x + y", y=out)):
        assert result == (host + out).sum(dtype=np.int32)
    known(made, lambda: bifold.transform_reduce_into(host, one, "x + y", y=out))
    assert one == (host + out).sum(dtype=np.int32)
    for _ in range(3):
        assert isinstance(bifold.reduce(matrix, axis=(0, 1)), np.int32)


def test_what_calls_on_the_hosts_arrays_are_told_apart_by(host, made):
    out = np.zeros(N, np.int32)
    known(made, lambda: bifold.inclusive_scan(host, out))
    for other in (host.astype(np.uint32), host.astype(">i4"), host[:-1]):
        with pytest.raises(bifold.InvalidArgument):
            bifold.inclusive_scan(other, out, dtype=other.dtype)
    assert bifold.reduce(host[::2]) == host[::2].sum()
    backward = host[::-1]
    for _ in range(3):
        np.testing.assert_array_equal(bifold.inclusive_scan(backward, out), backward.cumsum())
    made.clear()
    twice = host.copy()
    known(made, lambda: bifold.inclusive_scan(twice, twice), 1)
    np.testing.assert_array_equal(twice, host.cumsum().cumsum())
    out.flags.writeable = False
    with pytest.raises(bifold.InvalidArgument, match="read-only"):
        bifold.inclusive_scan(host, out)
    made.clear()
    bifold.inclusive_scan(out, twice)  # It may be read.
    assert not made


def test_inputs_of_the_host_may_have_gaps(host, made):
    matrix = host.reshape(10, -1)
    for x in (host[::2], host[::-1], matrix.T, np.broadcast_to(host[:7], (3, 7))):
        assert known(made, lambda x=x: bifold.reduce(x)) == [x.sum()] * 4
        known(made, lambda x=x: bifold.inclusive_scan(x))
        np.testing.assert_array_equal(bifold.inclusive_scan(x), x.cumsum())
        for result in known(made, lambda x=x: bifold.reduce(x, axis=0, keepdims=True)):
            np.testing.assert_array_equal(result, x.sum(0, keepdims=True))
    # Outputs are written where they are.
    whole, out = np.zeros(2 * N, np.int32), np.zeros(N, np.int32)
    for _ in range(3):
        bifold.inclusive_scan(host, whole[::2])
        np.testing.assert_array_equal(whole[::2], host.cumsum())
        bifold.inclusive_scan(whole[::2], whole[::2])
        np.testing.assert_array_equal(whole[::2], host.cumsum(dtype=np.int32).cumsum())
        assert not whole[1::2].any()
    known(made, lambda: bifold.inclusive_scan(host, out, total=np.zeros(1, np.int32)))
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.inclusive_scan(whole[::2], out, total=whole[-2:-1])


def test_exported_arrays_of_the_host(host, made):
    Exporter = type("Exporter", (DlpackExporter,), {})
    bifold.reduce(Exporter(host))  # Its class is new.
    x = Exporter(host)
    assert known(made, lambda: bifold.reduce(x)) == [host.sum()] * 4
    for result in known(made, lambda: bifold.inclusive_scan(Exporter(host[::-2]))):
        np.testing.assert_array_equal(result, host[::-2].cumsum())
    assert known(made, lambda: bifold.transform_reduce(x, "x * y", y=host))[3] == (host**2).sum()
    assert x.given_back
    assert bifold.reduce(Exporter(host.astype(np.uint32))) == host.sum()
    # Writing into a copy would be of no use, and a sign may be elsewhere.
    out = np.zeros(N, np.int32)
    known(made, lambda: bifold.inclusive_scan(x, out))
    with pytest.raises(bifold.InvalidArgument, match="only its copy"):
        bifold.inclusive_scan(x, Exporter(out, flags=2))
    made.clear()
    bifold.inclusive_scan(x, Exporter(out))
    assert len(made) == 1
    x.is_neg = lambda: True
    with pytest.raises(bifold.InvalidArgument, match="resolve_neg"):
        bifold.reduce(x)


def test_tensors_of_the_host(host, made):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(host)
    bifold.reduce(x)
    assert known(made, lambda: bifold.reduce(x)) == [host.sum()] * 4
    assert known(made, lambda: bifold.reduce(x[::2])) == [host[::2].sum()] * 4
    values = x.to(torch.float32)
    known(made, lambda: bifold.reduce(values))
    for one in (values.clone().requires_grad_(), values.to(torch.complex64).conj().imag):
        with pytest.raises(bifold.InvalidArgument, match="resolve_neg|not exported"):
            bifold.reduce(one)
    for _ in range(3):
        target = torch.zeros(N, dtype=torch.int32)
        bifold.inclusive_scan(x, target)
        np.testing.assert_array_equal(target.numpy(), host.cumsum())


def test_arrays_of_host_and_device_go_together(host, arrays, made):
    x, out, one = arrays
    back = np.zeros(N, np.int32)
    known(made, lambda: bifold.inclusive_scan(host, out))
    np.testing.assert_array_equal(out.get(), host.cumsum())
    known(made, lambda: bifold.inclusive_scan(x, back))
    np.testing.assert_array_equal(back, host.cumsum())
    known(made, lambda: bifold.reduce_into(host, one, queue=x.queue))
    assert one.get()[0] == host.sum()


def test_the_hosts_arrays_go_to_the_default_queue_of_the_thread(host, made):
    known(made, lambda: bifold.reduce(host))
    first = bifold.default_queue()

    def work(_):
        assert bifold.default_queue() is not first
        for _ in range(3):
            assert bifold.reduce(host) == host.sum()

    run_threads(work)
    assert made
    known(made, lambda: bifold.inclusive_scan(host))
    first.close()
    assert known(made, lambda: bifold.reduce(host)) == [host.sum()] * 4
    for result in known(made, lambda: bifold.inclusive_scan(host)):
        np.testing.assert_array_equal(result, host.cumsum())
    assert bifold.default_queue() is not first


def test_memory_of_the_host_is_let_go(host, made):
    def calls(count):
        for _ in range(count):
            bifold.reduce(np.ones(1 << 18, np.int32))
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    before = calls(100)
    made.clear()
    assert calls(300) - before < 16 << 20
    assert not made
    host.resize(2 * N, refcheck=False)  # Nobody holds it.


def test_an_output_that_is_the_second_input(host, made):
    x = np.arange(3, dtype=np.float32).reshape(3, 1)
    for _ in range(3):
        y = x + 1
        bifold.transform_reduce_into(x, y, "x * y", y=y, axis=1, keepdims=True)
        np.testing.assert_array_equal(y, x * (x + 1))


def test_results_of_the_host_own_their_memory(host):
    x = host.reshape(10, -1)
    for _ in range(3):
        assert bifold.reduce(x, axis=0).flags.owndata


def test_a_thread_does_not_inherit_the_queue_of_one_that_ended(host, made):
    kept, new = [], []

    def work():
        made.clear()
        bifold.reduce(host)
        new.append(len(made))
        known(made, lambda: bifold.reduce(host))
        kept.append(bifold.to_device(host))  # And with it the thread's queue.

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert new == [1, 1, 1]


def test_an_interpreter_ends_while_threads_call(device, request):
    program = f"""
import threading, time
x = numpy.ones(2_000_000, numpy.float32)
def work():
    queue = bifold.Queue({device.info.selector!r})
    while True:
        calls.append(bifold.reduce(x, queue=queue))
calls = []
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
while len(calls) < 10:
    time.sleep(0.01)
print(calls[0])
"""
    for _ in range(3):
        ended = ended_program(request, program)
        assert ended.stdout.split() == ["2000000.0"], ended.stderr
        # Drivers may fail by themselves then.
        assert "terminate called" not in ended.stderr, ended.stderr


def test_a_fork_ends_while_threads_of_its_parent_wait_for_the_interpreter(host):
    stop = threading.Event()

    def work():
        while not stop.is_set():
            bifold.reduce(host)

    def close():
        _core.close_all()
        return "closed"

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert in_a_fork(close) == ("closed", 0)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
