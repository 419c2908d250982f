"""bifold.torch on tensors of CUDA, over stand-ins for its driver and its compiler.

They run kernels on the CPU. PyTorch itself works on the same memory as on the CPU's.
"""

import ctypes
import gc

import pytest
from cuda_driver import Driver, Graph
from exporters import DlpackExporter

import bifold
from bifold import _calls
from bifold._arrays import cuda

torch = pytest.importorskip("torch")
pytest.register_assert_rewrite("tensors")

# ruff: noqa: E402
import tensors
from tensors import ALL, EXTREMES, PAIRS, PLACES, SCANS, TOTALS, own

import bifold.torch as functions
from bifold.torch import _state

current = {"stream": 0}
exported = []  # Capsules do not keep what they were made by.


class Tensor(torch.Tensor):
    """As PyTorch's of CUDA: its memory is the driver's."""

    driver = None
    is_cuda, is_cpu = True, False

    def get_device(self):
        return 0

    def new_empty(self, shape, dtype=None):
        return made(shape, dtype or self.dtype)

    def clone(self, memory_format=None):
        return self.new_empty(self.shape).copy_(self.host())

    def to(self, kind, memory_format=None):
        return self.new_empty(self.shape, kind).copy_(self.host())

    def host(self):
        """What is there when all work is done."""
        Tensor.driver.cuCtxSynchronize()
        return self.as_subclass(torch.Tensor).clone()

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None, **newer):
        array = self.as_subclass(torch.Tensor).numpy()
        exported.append(DlpackExporter(array, (2, 0), self.data_ptr()))
        return exported[-1].__dlpack__(stream=stream, **newer)

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        if function is torch.empty_like:
            return made(arguments[0].shape, (named or {}).get("dtype") or arguments[0].dtype)
        return super().__torch_function__(function, types, arguments, named or {})


Tensor.__module__, Tensor.__qualname__ = "torch", "Tensor"


def made(shape, kind):
    """A tensor without content."""
    plain = torch.empty(shape, dtype=kind)
    nbytes = max(plain.numel() * plain.element_size(), 1)
    memory = (ctypes.c_char * nbytes).from_address(Tensor.driver.memory(nbytes))
    if plain.numel() == 0:
        return plain.as_subclass(Tensor)
    return torch.frombuffer(memory, dtype=kind).view(plain.shape).as_subclass(Tensor)


def on_cuda(x):
    return made(x.shape, x.dtype).copy_(x)


@pytest.fixture(scope="module", autouse=True)
def driver(backend):
    try:
        library = ctypes.CDLL("libcuda.so.1")
        library.fake_cuda_count.restype = ctypes.c_int64
        ctypes.CDLL("libnvrtc.so")
    except (OSError, AttributeError):
        pytest.skip("no stand-ins for CUDA's driver and compiler in the library path")
    if torch.version.cuda:
        pytest.skip("this PyTorch brings a compiler of its own")
    backend("cuda")
    Tensor.driver = Driver(library, 1)
    misuses = library.fake_cuda_count(b"misuses")
    with pytest.MonkeyPatch.context() as patched:
        function = "_cuda_getCurrentRawStream"
        patched.setattr(torch._C, function, lambda _: current["stream"], raising=False)
        patched.setattr(_state, "Tensor", Tensor)
        yield Tensor.driver
    bifold.release_adopted()
    gc.collect()
    Tensor.driver.close()
    assert library.fake_cuda_count(b"misuses") == misuses


@pytest.fixture(autouse=True)
def default_stream():
    yield
    current["stream"] = 0


def compare(name, x, *arguments, **named):
    found = own(name)(on_cuda(x), *arguments, **named)
    wanted = tensors.expected(name, x, *arguments, **named)
    if name in PAIRS:
        found = functions.Extremes(*(one.host() for one in found))
    else:
        found = found.host()
    tensors.assert_same(found, wanted)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sum", torch.bool),
        ("sum", torch.complex64),
        ("amax", torch.bfloat16),
        ("argmax", torch.int32),
        ("cumsum", torch.bfloat16),
        ("cummax", torch.float32),
    ],
    ids=str,
)
def test_results(name, kind):
    x = tensors.values(kind, (3, 50))
    for _ in range(2):
        compare(name, x, 1)
        compare(name, x[0], 0)
    if name not in SCANS + PAIRS:
        compare(name, x)


def test_layouts_and_outputs():
    x = tensors.values(torch.int32, (4, 6))
    y = on_cuda(x)
    assert torch.equal(functions.cumsum(y.T, 0).host(), x.T.cumsum(0))
    assert torch.equal(functions.sum(y[:, ::2], 0, True).host(), x[:, ::2].sum(0, True))
    out = made((4, 1), torch.int32)
    assert functions.amax(y, 1, True, out=out) is out
    assert torch.equal(out.host(), x.amax(1, True))
    assert torch.equal(functions.cumsum(y[0, 0], 0).host(), x[0, 0].long())
    assert functions.cumsum(y[:0], 1).shape == (0, 6)
    assert torch.equal(functions.sum(y[:0], 0).host(), torch.zeros(6).long())


def every_call(x, truths):
    found = [own(name)(x, 0) for name in ALL] + [functions.sum(x), functions.cumsum(truths, 0)]
    lines = x.view(5, 2, 5)
    for name in TOTALS + EXTREMES + PLACES:
        found += [own(name)(lines, 1), own(name)(lines, -1, True), own(name)(x, 0, True)]
    for name in TOTALS[:1] + EXTREMES:
        found += [own(name)(lines, dim, keep) for dim in ((0, 1), [1, 2]) for keep in (0, 1)]
        found.append(own(name)(lines[:, :, ::2], 0))
    return found + [
        own(name)(lines.transpose(0, 2), dim, reverse=dim > 0) for name in SCANS for dim in range(3)
    ]


@pytest.fixture
def inputs():
    return [on_cuda(tensors.values(kind, (50,))) for kind in (torch.float32, torch.bool)]


def test_repeated_calls_neither_reach_the_package_nor_wait(driver, inputs, monkeypatch):
    monkeypatch.setattr(Tensor, "host", lambda self: self.as_subclass(torch.Tensor))
    every_call(*inputs)
    every_call(*inputs)  # Of classes of arrays that are known by now.
    made_calls = []
    monkeypatch.setattr(_calls.Call, "__init__", lambda *_, **__: made_calls.append(1))
    waiting = ("cuStreamSynchronize", "cuCtxSynchronize", "cuEventSynchronize", "cuEventQuery")
    waiting += ("cuStreamQuery", "cuMemcpy", "cuMemFree", "cuModuleLoad")

    def waits():
        return [driver.library.fake_cuda_calls(name.encode()) for name in waiting]

    driver.cuCtxSynchronize()  # The stand-in does nothing before.
    before, launched = waits(), driver.library.fake_cuda_count(b"launches")
    every_call(*inputs)
    assert not made_calls
    assert waits() == before
    driver.cuCtxSynchronize()
    assert driver.library.fake_cuda_count(b"launches") >= launched + len(ALL)


def test_dimensions_and_layouts_of_known_calls():
    x = tensors.values(torch.float32, (4, 3, 6))
    y = on_cuda(x)
    for _ in range(3):
        for dim in (0, -1, (0, 1), [1, 2], (-1, 1), (0, 1, 2), ()):
            for keep in (False, True):
                for name in ("sum", "amax"):
                    compare(name, x, dim, keep)
        for dim in (0, 2, None):
            compare("argmin", x, dim)
            compare("argmin", x, dim, True)
        for view in (lambda x: x[:, 1], lambda x: x.transpose(0, 2), lambda x: x[..., ::2]):
            assert torch.equal(functions.argmax(view(y), 1).host(), view(x).argmax(1))
        found = functions.sum(y[..., ::2], (0, 1), True)
        assert torch.equal(found.host(), x[..., ::2].sum((0, 1), True))


def test_calls_are_known_whatever_the_length(inputs, monkeypatch):
    names = [name for name in ALL if name not in PAIRS]
    others = [tensors.values(torch.float32, (n,)) for n in (51, 70_000)]
    longer = [on_cuda(x) for x in others]
    for _ in range(2):
        every_call(*inputs)
    with monkeypatch.context() as patched:
        patched.setattr(_calls.Call, "__init__", lambda *_, **__: pytest.fail("it is not known"))
        found = [[own(name)(x, 0) for name in names] for x in longer]
        totals = [functions.sum(x) for x in longer]
    for x, results, total in zip(others, found, totals):
        tensors.assert_same(total.host(), tensors.expected("sum", x))
        for name, result in zip(names, results):
            tensors.assert_same(result.host(), tensors.expected(name, x, 0))


def test_the_current_stream_is_taken(driver, inputs):
    every_call(*inputs)
    x = inputs[0]
    current["stream"] = driver.stream()
    for name in ALL:
        own(name)(x, 0)
        turn = cuda.queue_of(0, current["stream"]).turn
        for _ in range(2):
            last = turn.last
            own(name)(x, 0)
            assert turn.last != last


@pytest.fixture
def captured(driver, monkeypatch):
    """Captures a call on a stream of its own, whose scratch memory lasts as long as the graph."""
    stream = driver.stream()
    monkeypatch.setattr(
        torch.cuda, "is_current_stream_capturing", lambda: current["stream"] == stream
    )

    def capture(call):
        current["stream"] = stream
        with Graph(driver, stream, mode=2) as graph:  # Relaxed: memory is the driver's.
            results = call()
            assert graph.capturing
        current["stream"] = 0
        return graph, results

    return capture


@pytest.mark.parametrize("warm", [False, True])
def test_calls_are_captured(driver, captured, warm):
    x, y = (tensors.values(torch.float32, (3, 400), seed=seed) for seed in (1, 2))
    given = on_cuda(x)

    def call():
        found = functions.sum(given), functions.cumsum(given, 1), functions.amax(given, 0)
        return *found, functions.argmax(given)

    for _ in range(3 if warm else 1):
        call()
    driver.cuCtxSynchronize()
    graph, results = captured(call)
    for content in (y, x):
        given.copy_(content)
        graph.launch()
        wanted = content.sum(), content.cumsum(1), content.amax(0), content.argmax()
        for found, one in zip(results, wanted):
            assert torch.equal(found.host(), one)
        # The stream's own calls go between.
        current["stream"] = graph.stream.value
        assert torch.equal(functions.cumsum(given, 1).host(), wanted[1])
        current["stream"] = 0
    graph.close()
