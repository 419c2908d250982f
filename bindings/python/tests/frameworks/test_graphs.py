"""Calls that go into CUDA graphs, over the stand-in driver, which computes nothing: what is
captured, what is refused meanwhile, and what the stream does afterwards."""

import ctypes
import gc
import sys
import threading

import numpy as np
import pytest
from cuda_driver import Graph, N
from exporters import DlpackExporter, InterfaceExporter
from repeats import known
from test_cuda_stand_in import count, driver, launches, library  # noqa: F401
from test_repeated_cuda import _Tensor, _torch, current

import bifold
from bifold._arrays import cuda

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("driver")


class Application:
    """Arrays on a stream, a plan that scans them, and scratch memory for it."""

    def __init__(self, driver):  # noqa: F811
        self.driver, self.stream = driver, driver.stream()
        self.x, self.out = self.array(), self.array()
        self.device = bifold.open_device("cuda:0")
        self.queue = bifold.Queue.adopt_cuda(self.stream, self.device)
        self.plan = bifold.Plan.inclusive_scan(self.device, "i4")
        nbytes = self.plan.workspace_bytes(N)
        self.workspace = bifold.Workspace(self.array(nbytes, np.uint8))

    def array(self, n=N, dtype=np.int32):
        nbytes = n * np.dtype(dtype).itemsize
        return InterfaceExporter(self.driver.memory(nbytes), n, dtype, stream=self.stream)

    def synchronize(self):
        self.driver.cuStreamSynchronize(ctypes.c_void_p(self.stream))

    def launched(self, call):
        """How many kernels a call brings to the device."""
        self.synchronize()

        def both():
            call()
            self.synchronize()

        return launches(self.driver, both)

    @property
    def last(self):
        """The event that the next call on the stream waits for."""
        return cuda.queue_of(0, self.stream).turn.last

    def close(self):
        self.synchronize()
        for handle in (self.plan, self.workspace, self.queue, self.device):
            handle.close()


@pytest.fixture
def app(driver):  # noqa: F811
    made = Application(driver)
    yield made
    made.close()


@pytest.fixture(params=["a new stream", "a stream with earlier work", "a known call"])
def begun(request, app):
    """The application has done that before the capture."""
    times = {"a new stream": 0, "a stream with earlier work": 1, "a known call": 3}[request.param]
    for _ in range(times):
        app.plan(app.x, app.out)
        app.plan(app.x, app.out, workspace=app.workspace)
    return app


@pytest.mark.parametrize("prepared", [False, True])
def test_a_captured_call_runs_with_each_launch(begun, prepared):
    app = begun
    alone = app.launched(lambda: app.plan(app.x, app.out))
    if prepared:
        app.workspace.prepare()
        app.synchronize()
    with Graph(app.driver, app.stream) as graph:
        before = count(app.driver, "launches")
        for _ in range(2):
            assert app.plan(app.x, app.out, workspace=app.workspace) is app.out
        assert graph.capturing
    assert count(app.driver, "launches") == before and graph.nodes >= 2 * alone > 0
    gc.collect()
    for _ in range(3):
        assert app.launched(graph.launch) == 2 * alone
        # The stream's own calls go between.
        assert app.launched(lambda: app.plan(app.x, app.out)) == alone
    graph.close()


def test_functions_are_captured_too(begun):
    app, one = begun, begun.array(1)
    bifold.inclusive_scan(app.x, app.out)
    bifold.reduce_into(app.x, one)
    with Graph(app.driver, app.stream) as graph:
        for _ in range(3):
            bifold.inclusive_scan(app.x, app.out, workspace=app.workspace)
            bifold.reduce_into(app.x, one, workspace=app.workspace)
        assert graph.capturing
    assert app.launched(graph.launch) >= 6
    assert app.launched(lambda: bifold.inclusive_scan(app.x, app.out)) > 0
    graph.close()


def test_calls_with_a_workspace_take_no_turns(app):
    app.plan(app.x, app.out)
    last = app.last
    for _ in range(3):
        app.plan(app.x, app.out, workspace=app.workspace)
    assert app.last == last != 0
    app.plan(app.x, app.out)
    assert app.last != last


def test_known_calls_are_captured_as_others_are(app, made):
    known(made, lambda: app.plan(app.x, app.out, workspace=app.workspace))
    made.clear()
    with Graph(app.driver, app.stream) as graph:
        app.plan(app.x, app.out, workspace=app.workspace)
    assert not made
    assert app.launched(graph.launch) > 0
    graph.close()


def test_tensors_of_pytorch_are_captured(app, made, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", _torch)
    monkeypatch.setitem(current, "torch", app.stream)
    x, out = _Tensor(app.driver.memory()), _Tensor(app.driver.memory())
    nbytes = app.plan.workspace_bytes(N)
    memory = _Tensor(app.driver.memory(nbytes), nbytes, dtype=np.uint8)
    with bifold.Workspace(memory) as workspace:
        app.plan(x, out)
        with Graph(app.driver, app.stream) as graph:
            for _ in range(3):
                app.plan(x, out, workspace=workspace)
            made.clear()
            app.plan(x, out, workspace=workspace)
            assert graph.capturing and not made
        # They were told the stream that is theirs already.
        assert {*x.streams, *out.streams, *memory.streams} == {app.stream}
        assert app.launched(graph.launch) >= 4
        assert app.launched(lambda: app.plan(x, out)) > 0
        graph.close()


def test_what_a_graph_cannot_hold_is_refused_and_the_capture_goes_on(begun):
    app, one = begun, begun.array(1)
    app.plan(app.x, app.out)
    other = InterfaceExporter(app.driver.memory(), N, stream=app.driver.stream())
    earlier = bifold.Event()
    bifold.inclusive_scan(other, other, done=earlier)
    gaps = InterfaceExporter(
        app.driver.memory(), 0, shape=(10, 40), strides=(400, 8), stream=app.stream
    )
    whole = bifold.Plan.reduce(app.device, "i4", strided=True)
    sums = bifold.Plan.inclusive_scan(app.device, "i4", axis=1, on_device=["total"])
    rows = InterfaceExporter(app.driver.memory(), 0, shape=(10, 100), stream=app.stream)
    apart = InterfaceExporter(app.driver.memory(), 0, shape=(10,), strides=(8,), stream=app.stream)
    exported = DlpackExporter(np.zeros(N, np.int32), (2, 0), app.driver.memory())
    with_memory = {"workspace": app.workspace}
    calls = {
        "a call without a workspace": lambda: app.plan(app.x, app.out),
        "a call without": lambda: bifold.inclusive_scan(app.x, app.out),
        "cannot wait for an event from outside": lambda: app.plan(
            app.x, app.out, wait=[earlier], **with_memory
        ),
        "event from outside": lambda: app.plan(other, app.out, queue=app.queue, **with_memory),
        "a call that copies arrays": lambda: whole(gaps, one, **with_memory),
        "that copies arrays": lambda: sums(rows, rows, total=apart, **with_memory),
        "copies": lambda: app.plan(app.x, np.zeros(N, np.int32), **with_memory),
        "copies arrays": lambda: app.plan(np.zeros(N, np.int32), app.out, queue=app.queue),
        "captured": lambda: bifold.reduce(app.x),
        "is captured": app.workspace.prepare,
        "captured in": app.queue.finish,
        "planning the first call": lambda: bifold.exclusive_scan(
            exported, app.out, "maximum", queue=app.queue, **with_memory
        ),
    }
    with Graph(app.driver, app.stream) as graph:
        for message, call in calls.items():
            for _ in range(2):
                with pytest.raises(bifold.Unsupported, match=message):
                    call()
                assert graph.capturing, message
        app.plan(app.x, app.out, workspace=app.workspace)
    with Graph(app.driver, app.stream) as alone:
        app.plan(app.x, app.out, workspace=app.workspace)
    assert graph.nodes == alone.nodes > 0
    assert app.launched(graph.launch) == app.launched(alone.launch)
    for message in ("a call without a workspace", "a call without"):
        assert app.launched(calls[message]) > 0
    graph.close(), alone.close()


def test_results_for_the_host_are_refused_by_known_calls_too(app, made):
    host = np.zeros(N, np.int32)
    app.plan(app.x, host, queue=app.queue)  # The classes are new.
    known(made, lambda: app.plan(app.x, host, queue=app.queue))
    with Graph(app.driver, app.stream) as graph:
        for _ in range(2):
            with pytest.raises(bifold.Unsupported, match="captured"):
                app.plan(app.x, host, queue=app.queue, workspace=app.workspace)
            assert graph.capturing
    assert graph.nodes == 0
    graph.close()


def test_arrays_of_the_host_are_refused_by_known_calls_too(app, made):
    # Lines, which need no scratch memory.
    host, out = np.ones((100, 10), np.int32), app.array(100)
    bifold.reduce_into(host, out, axis=1)  # The classes are new.
    known(made, lambda: bifold.reduce_into(host, out, axis=1))
    with Graph(app.driver, app.stream) as graph:
        for _ in range(2):
            with pytest.raises(bifold.Unsupported, match="captured"):
                bifold.reduce_into(host, out, axis=1)
            assert graph.capturing
    assert graph.nodes == 0
    graph.close()


def test_calls_without_scratch_memory_need_no_workspace(begun):
    app = begun
    plan = bifold.Plan.reduce(app.device, "i4", axis=1)
    x = InterfaceExporter(app.driver.memory(), 0, shape=(100, 10), stream=app.stream)
    out = app.array(100)
    assert plan.workspace_bytes((100, 10)) == 0
    with Graph(app.driver, app.stream) as graph:
        for _ in range(3):
            before = app.last
            plan(x, out)
            # What was captured is nothing that others could wait for.
            assert app.last == before and graph.capturing
    for _ in range(2):
        assert app.launched(graph.launch) >= 3
        assert app.launched(lambda: plan(x, out)) > 0
        assert app.last
        assert app.launched(lambda: app.plan(app.x, app.out)) > 0
    graph.close()


def test_completions_inside_a_graph(begun):
    app, done = begun, bifold.Event()
    with Graph(app.driver, app.stream) as graph:
        app.plan(app.x, app.out, workspace=app.workspace, done=done)
        with pytest.raises(bifold.Unsupported, match="captured"):
            done.complete()
        app.plan(app.out, app.out, workspace=app.workspace, wait=[done])
        assert graph.capturing
    assert app.launched(graph.launch) > 0
    assert app.launched(lambda: app.plan(app.x, app.out)) > 0
    graph.close()


def test_a_graph_outlives_queues(app, made):
    with bifold.Queue.adopt_cuda(app.stream, app.device) as queue:
        known(made, lambda: app.plan(app.x, app.out, queue=queue))
        with Graph(app.driver, app.stream) as graph:
            app.plan(app.x, app.out, queue=queue, workspace=app.workspace)
    bifold.release_adopted()
    gc.collect()
    # The stand-in refuses a launch that would touch memory that was given back.
    for _ in range(2):
        assert app.launched(graph.launch) > 0
    graph.close()


def test_arrays_of_the_package_on_an_adopted_stream(app):
    queue = app.queue
    x, out = bifold.to_device(np.ones(N, np.int32), queue), bifold.empty(N, np.int32, queue)
    plan = bifold.Plan.inclusive_scan(queue, "i4")
    workspace = bifold.Workspace(bifold.empty(plan.workspace_bytes(N), np.uint8, queue))
    plan(x, out)
    with Graph(app.driver, app.stream) as graph:
        with pytest.raises(bifold.Unsupported, match="without a workspace"):
            plan(x, out)
        plan(x, out, workspace=workspace)
        for call in (x.get, lambda: x.set(np.zeros(N, np.int32)), queue.trim):
            with pytest.raises(bifold.Unsupported, match="captured"):
                call()
        x.fill(2)
        assert graph.capturing
    assert app.launched(graph.launch) > 0 and app.launched(lambda: plan(x, out)) > 0
    graph.close()
    for handle in (plan, workspace, x, out, workspace.memory):
        handle.close()


def test_other_streams_go_on_during_a_capture(app):
    other, failures = Application(app.driver), []
    for each in (app, other):
        each.plan(each.x, each.out)

    def work():
        try:
            for _ in range(10):
                other.plan(other.x, other.out)
            other.synchronize()
        except BaseException as failure:
            failures.append(failure)

    with Graph(app.driver, app.stream, mode=2) as graph:  # Other threads' waits are theirs.
        thread = threading.Thread(target=work)
        thread.start()
        app.plan(app.x, app.out, workspace=app.workspace)
        thread.join()
        assert graph.capturing
    assert not failures and app.launched(graph.launch) > 0
    graph.close()
    other.close()
