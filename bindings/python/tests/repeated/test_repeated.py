"""Calls that were made before: they go to the library directly, and are never taken for others."""

import gc
import inspect
import pickle
import pydoc
import weakref

import numpy as np
import pytest
from patience import PATIENCE
from repeats import FUNCTIONS, N, known
from test_processes import answered, in_a_fork
from threads import run_threads

import bifold

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4"])
def test_repeated_calls_do_not_reach_the_package(queue, made, dtype):
    host = (np.arange(N) % 7).astype(dtype)
    x = bifold.to_device(host, queue)
    out, one = bifold.empty(N, dtype, queue), bifold.empty(1, dtype, queue)
    assert all(r is one for r in known(made, lambda: bifold.reduce_into(x, one)))
    assert one.get()[0] == host.sum(dtype=dtype)
    assert all(r is out for r in known(made, lambda: bifold.inclusive_scan(x, out)))
    np.testing.assert_array_equal(out.get(), host.cumsum(dtype=dtype))
    known(made, lambda: bifold.exclusive_scan(x, out=out, init=1))
    np.testing.assert_array_equal(out.get(), 1 + host.cumsum(dtype=dtype) - host)
    for total in known(made, lambda: bifold.reduce(x)):
        assert total == host.sum(dtype=dtype) and type(total) is np.dtype(dtype).type


def test_what_calls_are_told_apart_by(queue, made):
    host = np.random.default_rng(1).integers(0, 7, (10, 100), np.int32)
    x = bifold.to_device(host, queue)
    longest = bifold.Operator("last", "b", dtype="i4")
    expected = {
        "plain": (lambda: bifold.reduce(x), host.sum()),
        "dtype": (lambda: bifold.reduce(x, dtype=np.int64), host.sum()),
        "other dtype": (lambda: bifold.reduce(x, dtype=np.float32), host.sum()),
        "same dtype": (lambda: bifold.reduce(x, dtype=np.dtype("f4")), host.sum()),
        "named dtype": (lambda: bifold.reduce(x, dtype="f4"), host.sum()),
        "op": (lambda: bifold.reduce(x, "maximum"), 6),
        "own op": (lambda: bifold.reduce(x, longest), host[-1, -1]),
        "init": (lambda: bifold.reduce(x, init=5), 5 + host.sum()),
        "other init": (lambda: bifold.reduce(x, init=6), 6 + host.sum()),
        "variant": (lambda: bifold.reduce(x, variant="catanzaro"), host.sum()),
        "order": (lambda: bifold.reduce(x, order="any"), host.sum()),
        "axis": (lambda: bifold.reduce(x, axis=0).get(), host.sum(0)),
        "axes": (lambda: bifold.reduce(x, axis=(0, 1)).get(), host.sum()),
        "keepdims": (
            lambda: bifold.reduce(x, axis=0, keepdims=True).get(),
            host.sum(0, keepdims=True),
        ),
        "map": (lambda: bifold.transform_reduce(x, "x + 1"), (host + 1).sum()),
        "other map": (lambda: bifold.transform_reduce(x, "x + 2"), (host + 2).sum()),
        "pairs": (lambda: bifold.transform_reduce(x, "x * y", y=x), (host * host).sum()),
        "scan": (lambda: bifold.inclusive_scan(x).get(), host.cumsum()),
        "reverse": (
            lambda: bifold.inclusive_scan(x, reverse=True).get(),
            host.ravel()[::-1].cumsum()[::-1],
        ),
        "scan axis": (lambda: bifold.inclusive_scan(x, axis=1).get(), host.cumsum(1)),
        "slices": (lambda: bifold.reduce(x[:, ::2]), host[:, ::2].sum()),
        "part": (lambda: bifold.reduce(x[2:5]), host[2:5].sum()),
        "next part": (lambda: bifold.reduce(x[3:6]), host[3:6].sum()),
        "every other": (lambda: bifold.reduce(x[0, :66:2]), host[0, :66:2].sum()),
        "every third": (lambda: bifold.reduce(x[0, :99:3]), host[0, :99:3].sum()),
        "columns": (lambda: bifold.inclusive_scan(x[:, 1], axis=0).get(), host[:, 1].cumsum()),
        "backward": (lambda: bifold.inclusive_scan(x[0, ::-1]).get(), host[0, ::-1].cumsum()),
    }
    dtypes = {"dtype": "i8", "other dtype": "f4", "same dtype": "f4", "named dtype": "f4"}
    for _ in range(3):
        for name, (call, value) in expected.items():
            result = call()
            np.testing.assert_array_equal(result, value, err_msg=name)
            assert "dtype" not in name or result.dtype == dtypes[name], name
    # Copies on the device want the package, as arrays without a single stride do.
    assert len(made) <= 2 * len(expected)


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("on_device", [True, False])
def test_repeated_reductions_of_everyday_use(queue, made, on_device, start):
    bifold.reduce(np.ones(3, np.float32))  # The class of arrays is known.
    host = np.random.default_rng(2).integers(-50, 50, N).astype(np.float32)
    x = bifold.to_device(host, queue) if on_device else host
    x, host = x[start:], host[start:]
    least, most = int(host.argmin()), int(host.argmax())
    assert known(made, lambda: bifold.argmin(x)) == [(host[least], least)] * 4
    found = known(made, lambda: bifold.argmax(x))
    assert found == [bifold.Indexed(host[most], most)] * 4
    assert type(found[-1]) is bifold.Indexed and type(found[-1].index) is int
    ends = known(made, lambda: bifold.minmax(x))
    assert ends == [bifold.MinMax(host.min(), host.max())] * 4
    assert type(ends[-1]) is bifold.MinMax and type(ends[-1].maximum) is np.float32
    for limit in (0, 40):
        counts = known(made, lambda limit=limit: bifold.count_if(x, f"x > {limit}"))
        assert counts == [(host > limit).sum()] * 4 and type(counts[-1]) is int
    above = bifold.Map("x > 40 ? 1 : 0")
    assert known(made, lambda: bifold.count_if(x, above)) == counts
    product = (host * host).sum()
    assert known(made, lambda: bifold.inner_product(x, x)) == [product] * 4
    more = known(made, lambda: bifold.inner_product(x, x, 8, dtype=np.float32))
    assert more == [8 + product] * 4
    assert known(made, lambda: bifold.sum_compensated(x)) == [host.sum()] * 4
    assert known(made, lambda: bifold.sum_compensated(x, 5.0)) == [5 + host.sum()] * 4


@pytest.mark.parametrize("on_device", [True, False])
def test_arrays_without_gaps_may_have_any_size(queue, made, on_device):
    def here(array):
        return bifold.to_device(array, queue) if on_device else array

    def there(array):
        return array.get() if on_device else array

    x, one = here(np.arange(N, dtype=np.int32)), here(np.zeros(1, np.int32))
    bifold.reduce(x)
    functions = {
        "reduce": lambda x: bifold.reduce(x),
        "reduce_into": lambda x: there(bifold.reduce_into(x, one))[0],
        "pairs": lambda x: bifold.transform_reduce(x, "x - x + y", y=x),
        "scan": lambda x: there(bifold.inclusive_scan(x))[-1],
        "scan into": lambda x: there(bifold.inclusive_scan(x, here(np.zeros(x.size, np.int32))))[
            -1
        ],
        "maximum": lambda x: bifold.argmax(x).index,
    }
    for call in functions.values():
        call(x)
    made.clear()
    for shape in [(2,), (5, 3), (N,), (3, 1, N), (50 * N,), (7,)]:
        host = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        array = here(host)
        for name, call in functions.items():
            total = host.sum(dtype=np.int32)
            assert call(array) == (host.size - 1 if name == "maximum" else total), (name, shape)
        assert there(bifold.inclusive_scan(array)).shape == (host.size,)
        if len(shape) == 2:
            assert bifold.reduce(array.T) == total
            made.clear()
    assert not made
    single = here(np.full(1, 4, np.int32))
    assert [call(single) for call in functions.values()] == [4, 4, 4, 4, 4, 0]
    made.clear()
    nothing = here(np.zeros(0, np.int32))
    assert (bifold.reduce(nothing), there(bifold.inclusive_scan(nothing)).size) == (0, 0)
    assert len(made) == 2


def test_shapes_that_do_not_go_together_are_refused_when_any_size_is_known(queue, made):
    def of(*shape):
        return bifold.to_device(np.ones(shape, np.int32), queue)

    x, out, one = of(12), of(12), of(1)
    known(made, lambda: bifold.inclusive_scan(x, out))
    known(made, lambda: bifold.reduce_into(x, one))
    known(made, lambda: bifold.transform_reduce(x, "x * y", y=out))
    known(made, lambda: bifold.reduce(x))
    for call in (
        lambda: bifold.inclusive_scan(x, of(11)),
        lambda: bifold.inclusive_scan(x, one),
        lambda: bifold.inclusive_scan(x, of(3, 4)),
        lambda: bifold.inclusive_scan(of(3, 4), of(3, 4)),
        lambda: bifold.reduce_into(x, out),
        lambda: bifold.reduce_into(x, of(2)),
        lambda: bifold.transform_reduce(x, "x * y", y=of(11)),
        lambda: bifold.transform_reduce(x, "x * y", y=of(3, 4)),
        lambda: bifold.transform_reduce(x, "x * y", y=of(12, 1)),
        lambda: bifold.transform_reduce(of(4, 3), "x * y", y=of(3, 4)),
    ):
        for _ in range(2):
            with pytest.raises(bifold.InvalidArgument, match="shape"):
                call()
    assert bifold.reduce(x, keepdims=True).shape == (1,)
    assert bifold.reduce(of(3, 4), keepdims=True).shape == (1, 1)
    assert bifold.inclusive_scan(of(3, 4), axis=0).shape == (3, 4)
    assert bifold.reduce_into(of(3, 4), of(1, 1)).get()[0, 0] == 12
    assert bifold.inclusive_scan(of(1), one) is one
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        bifold.inclusive_scan(of(1), bifold.to_device(np.int32(0), queue))


def test_arrays_of_other_queues_are_other_calls(device, arrays, made):
    x, out, _ = arrays
    known(made, lambda: bifold.inclusive_scan(x, out))
    with bifold.Queue(device) as other:
        y = bifold.to_device(np.ones(N, np.int32), other)
        for _ in range(3):
            made.clear()
            bifold.inclusive_scan(y, out)  # Waits for the queue of its output, and that for it.
            assert len(made) == 1
            assert out.get()[-1] == N
        mine = bifold.empty(N, np.int32, other)
        known(made, lambda: bifold.inclusive_scan(y, mine))
        assert mine.get()[-1] == N
        known(made, lambda: bifold.inclusive_scan(x, out, queue=x.queue))
        made.clear()
        bifold.inclusive_scan(x, out, queue=other)
        assert len(made) == 1


def test_a_fork_is_refused_by_a_known_call(arrays, made):
    x, out, _ = arrays
    known(made, lambda: bifold.inclusive_scan(x, out))
    answer, code = in_a_fork(lambda: answered(lambda: bifold.inclusive_scan(x, out)))
    assert answer[0] == "DeviceLost" and code == 0
    known(made, lambda: bifold.inclusive_scan(x, out))


def test_what_is_closed_is_refused_by_a_known_call(device, arrays, made):
    x, _, one = arrays
    last = bifold.Operator("last", "b", dtype="i4")
    map = bifold.Map("x + 1")
    calls = {
        "Operator is closed": (last, lambda: bifold.reduce_into(x, one, last)),
        "Map is closed": (map, lambda: bifold.transform_reduce_into(x, one, map)),
        "out must be": (one, lambda: bifold.reduce_into(x, one)),
        "x must be": (x, lambda: bifold.reduce(x)),
    }
    for _, call in calls.values():
        known(made, call)
    for message, (closed, call) in calls.items():
        closed.close()
        for _ in range(2):
            with pytest.raises(bifold.InvalidArgument, match=message.split()[0]) as caught:
                call()
            assert "closed" in str(caught.value)
    with bifold.Queue(device) as queue:
        y = bifold.to_device(np.ones(N, np.int32), queue)
        known(made, lambda: bifold.reduce(y))
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        bifold.reduce(y)


def test_an_operator_in_the_place_of_a_forgotten_one_is_another_one(arrays):
    x = arrays[0]
    for constant in range(30):
        op = bifold.Operator(f"constant_{constant}", str(constant), dtype="i4")
        assert [bifold.reduce(x, op) for _ in range(3)] == [constant] * 3
        del op
    for constant in range(30):
        map = bifold.Map(f"{constant}")
        assert [bifold.transform_reduce(x, map) for _ in range(3)] == [constant * N] * 3
        del map


def test_a_known_call_keeps_nothing_alive(device, made):
    def calls():
        queue = bifold.Queue(device)
        x = bifold.to_device(np.ones(N, np.int32), queue)
        last = bifold.Operator("last", "b", dtype="i4")
        known(made, lambda: bifold.reduce(x, last))
        known(made, lambda: bifold.inclusive_scan(x))
        return [queue._finalizer, x._buffer._finalizer, last._finalizer]

    owners = calls()
    gc.collect()
    assert not any(owner.alive for owner in owners)


def test_failures_of_a_known_call_are_the_librarys(queue, made):
    memory = bifold.to_device(np.ones(400, np.int32), queue)
    x = memory[:100]
    known(made, lambda: bifold.inclusive_scan(x, memory[100:200]))
    for _ in range(2):
        with pytest.raises(bifold.InvalidArgument, match="overlap") as caught:
            bifold.inclusive_scan(x, memory[50:150])
        assert caught.value.category == "invalid_argument"
    assert not made
    known(made, lambda: bifold.inclusive_scan(x, memory[200:300]))
    assert memory[200:300].get()[-1] == 100


def test_wrong_arguments_are_refused_when_others_are_known(arrays, made):
    x, out, one = arrays
    known(made, lambda: bifold.reduce_into(x, one))
    known(made, lambda: bifold.inclusive_scan(x, out))
    for call in (
        lambda: bifold.reduce_into(x),
        lambda: bifold.reduce_into(x, one, out=one),
        lambda: bifold.reduce_into(x, one, other=1),
        lambda: bifold.reduce_into(x, one, "plus", None, 0),
        lambda: bifold.reduce_into(x, one, axis=True),
        lambda: bifold.inclusive_scan(x, out, axis=(0,)),
        lambda: bifold.inclusive_scan(x, out, reverse=0),
        lambda: bifold.inclusive_scan(x, one),
        lambda: bifold.inclusive_scan(x, out, wait=[3]),
        lambda: bifold.inclusive_scan(x, out, done=3),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_completions_waits_and_totals_of_known_calls(arrays, made):
    x, out, one = arrays
    known(made, lambda: bifold.inclusive_scan(x, out))
    done = bifold.Event()
    for _ in range(3):
        assert bifold.inclusive_scan(x, out, wait=[bifold.Event(), done], done=done) is out
        assert not done.empty
    assert not made
    done.wait(PATIENCE)
    assert done.complete()
    done.close()
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        bifold.inclusive_scan(x, out, wait=(done,))
    bifold.inclusive_scan(x, out, done=done)
    assert not done.closed
    bifold.inclusive_scan(x, out, wait=[done], total=one)
    assert one.get()[0] == np.arange(N).sum()


def test_a_known_call_waits_for_events(device, arrays, made):
    x, out, _ = arrays
    known(made, lambda: bifold.inclusive_scan(x, out))
    if device.info.backend != "opencl":
        return
    cl = pytest.importorskip("pyopencl")
    gate = cl.UserEvent(x.queue.record().to_opencl().context)
    done = bifold.Event()
    bifold.inclusive_scan(x, out, wait=[bifold.Event.adopt_opencl(gate)], done=done)
    assert not made
    with pytest.raises(bifold.Timeout):
        done.wait(0.05)
    gate.set_status(cl.command_execution_status.COMPLETE)
    done.wait(PATIENCE)


def test_only_the_last_calls_are_known(queue, made):
    x = bifold.to_device(np.ones(700, np.int32), queue)[::2]
    for n in range(2, 302):
        assert bifold.reduce(x[:n]) == n
    assert bifold.reduce.known == 256
    made.clear()
    assert bifold.reduce(x[:301]) == 301 and not made
    assert bifold.reduce(x[:2]) == 2 and made


def test_memory_stays_as_it_is(arrays):
    x, _, one = arrays

    def calls(count):
        for _ in range(count // 1000):
            for _ in range(1000):
                bifold.reduce_into(x, one)
            x.queue.finish()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    before = calls(20_000)
    assert calls(100_000) - before < 4 << 20
    assert bifold.reduce_into.known == 1


def test_threads_repeat_calls_on_queues_of_their_own(device):
    def work(seed):
        with bifold.Queue(device) as queue:
            host = np.random.default_rng(seed).integers(0, 100, 3000 + seed % 3).astype(np.int32)
            x = bifold.to_device(host, queue)
            out = bifold.empty(len(host), np.int32, queue)
            for _ in range(50):
                assert bifold.reduce(x) == host.sum()
                bifold.inclusive_scan(x, out)
            np.testing.assert_array_equal(out.get(), host.cumsum())

    run_threads(work)


def test_functions_are_what_they_were():
    for function in FUNCTIONS:
        assert callable(function) and function
        assert "x" in inspect.signature(function).parameters
        assert function.__doc__
        assert f"{function.__name__}(" in pydoc.plain(pydoc.render_doc(function))
        assert pickle.loads(pickle.dumps(function)) is function
        assert weakref.ref(function)() is function
        assert getattr(bifold, function.__name__) is function


def test_a_dtype_whose_fields_are_renamed_is_another_one(queue, made):
    kind = np.dtype([("a", "i4"), ("b", "i4")])
    bifold.struct_type("renamed", kind)
    op = bifold.Operator.fieldwise(kind, ["plus", "maximum"])
    x = bifold.to_device(np.ones(N, kind), queue)
    for _ in range(3):
        assert bifold.reduce(x, op)["a"] == N
    x.dtype.names = ("p", "q")
    with pytest.raises(bifold.InvalidArgument, match="name it first"):
        bifold.reduce(x, op)


def test_texts_are_told_apart_by_what_they_say(queue, made):
    x = bifold.to_device(np.arange(N, dtype=np.int32), queue)
    for factor in (2, 3, 2, 3):
        text = "".join(["x * ", str(factor)])  # Another object each time.
        assert bifold.transform_reduce(x, text) == factor * x.get().sum()
    assert len(made) == 2
