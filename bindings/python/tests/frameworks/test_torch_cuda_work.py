"""bifold.torch on a GPU: streams, graphs, threads, and what calls leave behind."""

import ctypes
import gc
import os
import threading

import pytest

from bifold import _calls

torch = pytest.importorskip("torch")
pytest.register_assert_rewrite("tensors")

# ruff: noqa: E402
import tensors
from tensors import ALL, own

import bifold.torch as functions

pytestmark = tensors.ON_A_GPU
# What would wait for ever if it waited is let go after so many seconds.
LONG = 60


def drawn(shape, seed=1):
    return tensors.values(torch.float32, shape, seed=seed).cuda()


CALLS = {
    "sum": lambda x: functions.sum(x),
    "sum of lines": lambda x: functions.sum(x, 1),
    "amax of columns": lambda x: functions.amax(x, 0),
    "sum of two": lambda x: functions.sum(x.view(40, 5, -1), (0, 2)),
    "argmax": lambda x: functions.argmax(x),
    "argmin of lines": lambda x: functions.argmin(x, 1),
    "cumsum": lambda x: functions.cumsum(x.view(-1), 0),
    "cumsum of lines": lambda x: functions.cumsum(x, 1),
    "cumprod of columns": lambda x: functions.cumprod(x, 0),
    "cummax": lambda x: torch.stack([y.double() for y in functions.cummax(x, 1)]),
}


@pytest.fixture(params=CALLS)
def call(request):
    return CALLS[request.param]


def test_another_stream(call):
    x = drawn((200, 300))
    y = x + 1
    wanted = call(y)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(3):
            z = torch.zeros_like(x)
            torch.cuda._sleep(50_000_000)
            z.copy_(y)  # What the call has to wait for.
            found = call(z)
            z.zero_()  # What has to wait for the call.
            kept = found.clone()
    stream.synchronize()
    assert torch.equal(kept, wanted)


class Gate:
    """Holds the work of a stream back until it is opened; by itself it opens after LONG seconds."""

    def __init__(self, stream):
        driver = ctypes.CDLL("libcuda.so.1")
        self.word = torch.zeros(1, dtype=torch.int32).pin_memory()
        wait = getattr(driver, "cuStreamWaitValue32_v2", None) or driver.cuStreamWaitValue32
        at_least = 0
        status = wait(
            ctypes.c_void_p(stream.cuda_stream),
            ctypes.c_uint64(self.word.data_ptr()),
            ctypes.c_uint32(1),
            ctypes.c_uint(at_least),
        )
        assert status == 0, f"cuStreamWaitValue32: {status}"
        self.too_late = threading.Event()
        self._timer = threading.Timer(LONG, self._give_up)
        self._timer.start()

    def _give_up(self):
        self.too_late.set()
        self.word[0] = 1

    def open(self):
        self._timer.cancel()
        self.word[0] = 1


def test_calls_do_not_wait_for_the_stream(call):
    x = drawn((200, 300))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        wanted = [call(x) for _ in range(5)]  # Compiles, allocates, and is known by then.
        stream.synchronize()
        del wanted[1:]
        gate = Gate(stream)
        found = [call(x) for _ in range(3)]
        behind = torch.cuda.Event()
        behind.record(stream)
        waited = gate.too_late.is_set() or behind.query()
        gate.open()
    stream.synchronize()
    assert not waited
    assert all(torch.equal(one, wanted[0]) for one in found)


def test_gradients_do_not_wait_for_the_stream():
    x = torch.rand(100, 50, device="cuda", requires_grad=True)

    def step():
        (functions.cumprod(functions.cumsum(x, 0), 1).sum() + functions.prod(x, 1).sum()).backward()

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(4):
            step()
        stream.synchronize()
        gate = Gate(stream)
        step()
        waited = gate.too_late.is_set()
        gate.open()
    stream.synchronize()
    assert not waited


@pytest.mark.parametrize("own_stream", [True, False])
def test_a_graph_is_replayed_with_other_data(call, own_stream):
    x = drawn((200, 300))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(x)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream if own_stream else None):
        found = call(x)
    for seed in (2, 3, 4):
        x.copy_(drawn((200, 300), seed=seed))
        graph.replay()
        wanted = call(x)
        torch.cuda.synchronize()
        assert torch.equal(found, wanted)


def test_calls_beside_replays():
    x = drawn((1000, 1000))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            functions.cumsum(x, 1)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        found = functions.cumsum(x, 1)
    other = torch.cuda.Stream()
    wanted = functions.cumsum(x, 1)
    torch.cuda.synchronize()
    for _ in range(50):
        with torch.cuda.stream(other):
            graph.replay()
        with torch.cuda.stream(stream):
            beside = functions.cumsum(x, 1)
        torch.cuda.synchronize()
        assert torch.equal(found, wanted) and torch.equal(beside, wanted)


def test_cuda_graphs_of_compiled_programs():
    def program(x):
        return functions.cumsum(x, 1) + functions.sum(x, 1, True)

    compiled = torch.compile(program, fullgraph=True, mode="reduce-overhead")
    for seed in range(6):
        x = drawn((64, 500), seed=seed)
        torch.testing.assert_close(compiled(x).clone(), program(x))


def test_repeated_calls_are_made_without_the_package(monkeypatch):
    x = drawn((200, 300))

    def calls():
        for call in CALLS.values():
            call(x)
        for name in ALL:
            own(name)(x.bfloat16(), 1)
            own(name)(x > 0, 0)

    calls()
    calls()
    made = []
    monkeypatch.setattr(_calls.Call, "__init__", lambda *_, **__: made.append(1))
    calls()
    assert not made


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("name", ["sum", "cumsum", "argmax", "cummax"])
def test_memory_and_handles_stay_as_they_are(name):
    x = drawn((4, 1000))
    stream = torch.cuda.Stream()

    def used():
        torch.cuda.synchronize()
        gc.collect()
        files = len(os.listdir("/proc/self/fd"))
        return torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0], files, resident()

    def calls(count):
        for on in (torch.cuda.current_stream(), stream):
            with torch.cuda.stream(on):
                for done in range(count // 2):
                    own(name)(x, 1)
                    if done % 1000 == 0:
                        on.synchronize()

    calls(5000)
    before = used()
    calls(100_000)
    behind = used()
    assert behind[0] == before[0]
    assert before[1] - behind[1] <= 4 << 20
    assert behind[2] == before[2]
    assert behind[3] - before[3] <= 16 << 20


def test_several_threads():
    x = drawn((64, 1000))
    wanted = functions.cumsum(x, 1)
    failed = []

    def run():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(200):
                if not torch.equal(functions.cumsum(x, 1), wanted):
                    failed.append(1)

    torch.cuda.synchronize()
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
