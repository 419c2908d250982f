"""Processes beside the first: forked ones are refused with what to do, new ones work."""

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import bifold

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one, which the parent has used when a child is made."""
    assert bifold.reduce(np.ones(3, np.float32)) == 3


def answered(call):
    """What a call gives, or the class and the text of what it raises."""
    try:
        return ["gave", repr(call())]
    except BaseException as failure:
        return [type(failure).__name__, str(failure)]


def in_a_fork(work):
    """What `work` gives in a child made by multiprocessing, and how the child ended."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=lambda: there.send(work()))
    child.start()
    there.close()
    try:
        # No limit of time: a child that hangs meets the one of the whole test.
        answer = here.recv()
    except EOFError:
        answer = None
    child.join()
    return answer, child.exitcode


def calls(queue, x, event):
    """What a child may try, with what its parent made and anew."""
    host = np.ones(3, np.float32)
    return {
        "reduce": lambda: bifold.reduce(x),
        "reduce of the host": lambda: bifold.reduce(host, queue=queue),
        "reduce on the default queue": lambda: bifold.reduce(host),
        "scan": lambda: bifold.inclusive_scan(x),
        "get": x.get,
        "fill": lambda: x.fill(1),
        "empty": lambda: bifold.empty(3, "f4", queue),
        "finish": queue.finish,
        "record": queue.record,
        "wait": event.wait,
        "Queue": lambda: bifold.Queue(queue.device),
        "devices": bifold.devices,
        "open_device": bifold.open_device,
        "open_device by name": lambda: bifold.open_device(queue.device.info.selector),
    }


def test_a_forked_child_is_told_what_to_do(queue):
    x = bifold.to_device(np.ones(3, np.float32), queue)
    event = queue.record()
    tried = calls(queue, x, event)
    answers, code = in_a_fork(lambda: {name: answered(call) for name, call in tried.items()})
    assert code == 0
    for name, (kind, text) in answers.items():
        assert kind == "DeviceLost", (name, kind, text)
        assert "fork" in text and "spawn" in text, (name, text)
    # The parent's own work goes on.
    assert bifold.reduce(x) == 3


def test_handles_close_in_a_forked_child(queue):
    x = bifold.to_device(np.ones(3, np.float32), queue)
    closed = [x, queue.record(), bifold.Queue(queue.device), bifold.Map("x"), queue]

    def close():
        for handle in closed:
            handle.close()
        return [handle.closed for handle in closed]

    assert in_a_fork(close) == ([True] * len(closed), 0)
    assert not any(handle.closed for handle in closed)
    assert bifold.reduce(x) == 3


def ended_program(request, program):
    """A program that has imported the package and loaded the library, when it has ended."""
    library = request.config.getoption("--bifold-library")
    start = f"""
import os, sys
sys.path[:0] = {sys.path!r}
import bifold, numpy
{f"bifold.load_library({library!r})" if library else ""}
x = numpy.ones(1000, numpy.float32)
"""
    return subprocess.run([sys.executable, "-c", start + program], capture_output=True, text=True)


def run_program(request, program):
    """What such a program prints, which ends well."""
    ended = ended_program(request, program)
    assert ended.returncode == 0 and "Traceback" not in ended.stderr, ended.stderr
    return ended.stdout.split()


def test_a_forked_child_ends_as_others_do(device, request):
    program = f"""
queue = bifold.Queue({device.info.selector!r})
there = bifold.to_device(x, queue)
done = queue.record()
print(bifold.reduce(there), flush=True)
if os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
try:
    bifold.reduce(there)
except bifold.DeviceLost:
    print("refused", flush=True)
# The interpreter's exit gives back what is alive.
"""
    assert run_program(request, program) == ["1000.0", "refused"]


def test_a_program_ends_while_a_thread_waits(device, request):
    if device.info.backend != "opencl":
        pytest.skip("no event of the user's to wait for")
    pytest.importorskip("pyopencl")
    program = f"""
import pyopencl, threading, time
queue = bifold.Queue({device.info.selector!r})
gate, done = pyopencl.UserEvent(queue.record().to_opencl().context), bifold.Event()
there = bifold.to_device(x, queue)
bifold.inclusive_scan(there, there, wait=[gate], done=done)
def wait():
    begun.set()
    done.wait(60)
begun = threading.Event()
threading.Thread(target=wait, daemon=True).start()
begun.wait()
time.sleep(0.1)
print("ended")
"""
    assert run_program(request, program) == ["ended"]


def test_locks_that_other_threads_hold_do_not_stop_a_forked_child(queue):
    from bifold._base import queues

    held, free = threading.Event(), threading.Event()

    def hold():
        with queues._lock:
            held.set()
            free.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()

    def reduce():
        queues._of_thread.__dict__.clear()  # To make a queue anew, it takes the lock.
        return answered(lambda: bifold.reduce(np.ones(3, np.float32)))

    try:
        (kind, text), code = in_a_fork(reduce)
    finally:
        free.set()
        thread.join()
    assert (kind, code) == ("DeviceLost", 0), text


def reduced(library, selector):
    """In a new process: what its own device gives."""
    if library:
        bifold.load_library(library)
    with bifold.Queue(selector) as queue:
        return float(bifold.reduce(np.arange(1000, dtype=np.float32), queue=queue))


def test_a_spawned_process_works(device, request):
    library = request.config.getoption("--bifold-library")
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.apply(reduced, (library, device.info.selector)) == 499500


def test_errors_and_results_pass_between_processes(queue):
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.apply(repr, (queue.device.info,)) == repr(queue.device.info)
        with pytest.raises(TypeError, match="bifold.Queue is neither copied nor pickled"):
            pool.apply(repr, (queue,))
        with pytest.raises(bifold.WrongType, match="selector must be"):
            pool.apply(bifold.open_device, (0,))


def test_devices_may_be_used_after_a_fork_alone(device, request):
    """The parent has imported the package and loaded the library, and used no driver."""
    program = f"""
bifold.version()
child = os.fork()
queue = bifold.Queue({device.info.selector!r})
assert bifold.reduce(x, queue=queue) == 1000
if child:
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert run_program(request, program) == ["0"]


SUB_INTERPRETER = """
import sys, _xxsubinterpreters as interpreters
sys.path[:0] = {path!r}
if {first}: import bifold
other = interpreters.create()
interpreters.run_string(other, '''
import sys
sys.path[:0] = {path!r}
try: import bifold
except ImportError as failure: print(failure, flush=True)
''')
interpreters.destroy(other)
import bifold
{load}
print(bifold.Map("x"))
"""


@pytest.mark.parametrize("first", [False, True])
def test_sub_interpreters_are_refused(first, request):
    pytest.importorskip("_xxsubinterpreters")
    library = request.config.getoption("--bifold-library")
    load = f"bifold.load_library({library!r})" if library else ""
    program = SUB_INTERPRETER.format(path=sys.path, first=first, load=load)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    said = ended.stdout.splitlines()
    assert "main interpreter alone" in said[0] and said[1:] == ["<bifold.Map x>"]
