"""What is refused, and how it is said; what is neither copied nor pickled."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bifold

cl = pytest.importorskip("pyopencl")

# How a message says what is wanted where it does not name the parameter.
WANTED = re.compile(
    "must be|element types are|no element type|name it first|is no array of elements|ravel"
    "|cannot receive a result|there are plus|it is no struct|selector|a compensated sum is"
    "|1 to 8 fields|y has shape"
)


def test_every_parameter_of_every_callable_refuses_what_it_does_not_take(backend, request):
    backend("opencl")
    library = request.config.getoption("--bifold-library")
    program = Path(__file__).with_name("wrong_arguments.py")
    ended = subprocess.run(
        [sys.executable, program, *([library] if library else [])], capture_output=True, text=True
    )
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert (ended.returncode, lines[-1:]) == (0, ["end"]), f"{lines[-1:]}\n{ended.stderr}"
    answers = [line for line in lines[:-1] if len(line) == 5]
    assert len({name for name, *_ in answers}) > 35 and len(answers) > 3000
    odd = [
        f"{name}({parameter}={value}): {kinds[:1]} {text}"
        for name, parameter, value, kinds, text in answers
        if "Error" not in kinds or not (parameter in text or WANTED.search(text))
    ]
    assert not odd, "\n".join(odd)
    wrong_types = {"None", "object", "class", "dict", "function", "bytes", "module"}
    mild = [
        f"{name}({parameter}={value}): {kinds[:1]} {text}"
        for name, parameter, value, kinds, text in answers
        if value in wrong_types and "TypeError" not in kinds
    ]
    assert not mild, "\n".join(mild)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ('devices are numbered within a backend, as "cuda:0"', lambda: bifold.open_device(0)),
        ("its selector is", lambda: bifold.open_device(bifold.devices()[0])),
        ("its selector is", lambda: bifold.Queue(bifold.devices()[0])),
        ("open_device.selector. opens one", lambda: bifold.Device("cuda:0")),
        ("to_device.. and bifold.from_opencl.. make arrays", lambda: bifold.Array([1, 2])),
        (r"bifold.Queue\(\) makes one of it", lambda: bifold.reduce([1], queue="opencl:cpu")),
        ("one alone is given as .one.", lambda: bifold.reduce([1], wait=bifold.Event())),
        ("decode.. makes it one", lambda: bifold.Map(b"x + 1")),
        ("its dtype is wanted", lambda: bifold.empty(3, np.ones(3))),
        ("not the class float32", lambda: bifold.reduce(np.float32)),
        ("null character", lambda: bifold.open_device("opencl\0:gpu")),
        ("field's name", lambda: bifold.struct_type("Null", [("a\0b", "f4")])),
        ("not None", lambda: bifold.identity("plus", None)),
        ("missing 1 required positional argument: 'x'", lambda: bifold.reduce()),
        ("unexpected keyword argument 'axes'", lambda: bifold.reduce([1], axes=0)),
        ("tuple.. makes it one", lambda: bifold.reduce([1], axis=[0])),
        ("axis must be an axis, a number", lambda: bifold.inclusive_scan([1], axis=(0,))),
        ("axis 1 of an array of 1 dim", lambda: bifold.argmin([1], axis=1)),
        ("keepdims must be True or False", lambda: bifold.reduce([1], keepdims=1)),
        ("positional arguments", lambda: bifold.identity("plus", "f4", 0)),
    ],
)
def test_a_refusal_says_what_to_do(message, call):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_a_refused_type_is_every_kind_of_error_that_it_may_be_caught_as():
    with pytest.raises(bifold.WrongType) as caught:
        bifold.open_device(0)
    for kind in (bifold.Error, bifold.InvalidArgument, TypeError, ValueError):
        assert isinstance(caught.value, kind)
    assert caught.value.category == "invalid_argument"
    # Pools of processes hand errors on.
    again = pickle.loads(pickle.dumps(bifold.BuildFailure("why", backend="opencl", log="there")))
    assert (type(again), str(again), again.backend) == (bifold.BuildFailure, "why", "opencl")
    assert again.log == "there"


@pytest.fixture
def handles(device):
    with bifold.open_device(device.info.selector) as opened, bifold.Queue(opened) as queue:
        x = bifold.to_device(np.ones(3, np.float32), queue)
        plan, workspace = bifold.Plan.reduce(queue, "f4"), bifold.Workspace(x)
        yield [queue, opened, x, queue.record(), bifold.Event(), plan, workspace]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_handles_are_neither_copied_nor_pickled(handles, copied):
    for handle in handles:
        for holder in (handle, [handle]):
            if holder is not handle and copied is copy.copy:
                continue
            name = f"{type(handle).__name__} is neither copied nor pickled: "
            with pytest.raises(TypeError, match=name + ".*(again|another|get|other)"):
                copied(holder)
        assert isinstance(handle, bifold.Event) or not handle.closed


def test_every_object_says_what_it_is_even_when_it_is_closed(handles):
    texts = bifold.Map("x"), bifold.Operator("last", "b", dtype="f4")
    pair = bifold.struct_type("Shown", np.dtype([("a", "f4"), ("b", "f4")]))
    both = bifold.Operator.fieldwise(pair, ["plus", "plus"])
    for thing in (*handles[::-1], *texts, both):
        said = repr(thing)
        assert f"bifold.{type(thing).__name__}" in said
        thing.close()
        assert repr(thing) == said
    for thing in (bifold.backends()[0], bifold.devices()[0], bifold.Reduction("plus")):
        assert type(thing).__name__ in repr(thing)
    for function in (bifold.reduce, bifold.Plan.__call__):
        assert repr(function)


def test_operators_and_maps_are_copied_and_pickled_by_their_texts(queue):
    pair = bifold.struct_type("Pickled", np.dtype([("least", "f4"), ("most", "f4")]))
    operators = {
        bifold.Operator("last", "b", dtype="f4"): 3,
        bifold.Operator("sum", "a + b", np.float32(0), commutativity="commutative"): 6,
        bifold.Operator.fieldwise(pair, ["minimum", "maximum"]): (1, 3),
        bifold.Operator("wide", "make_Pickled(a.least, b.most)", dtype=pair): (1, 3),
    }
    x = np.float32([1, 2, 3])
    for op, expected in operators.items():
        for copied in (copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))):
            again = copied(op)
            assert again is not op and repr(again) == repr(op) and again.dtype == op.dtype
            text = "make_Pickled(x, x)" if op.dtype == pair else "x"
            assert tuple(np.atleast_1d(bifold.transform_reduce(x, text, again).tolist())) == (
                tuple(np.atleast_1d(expected))
            )
            again.close()
            assert not op.closed
            with pytest.raises(bifold.InvalidArgument, match="closed"):
                copied(again)
    identity = np.zeros(1, np.int32)
    op = bifold.Operator("sum", "a + b", identity, np.int32)
    identity[0] = 5
    for same in (op, copy.copy(op), pickle.loads(pickle.dumps(op))):
        assert bifold.identity(same, np.int32) == 0
    pickled = pickle.dumps([bifold.Map("x * 2"), *operators])
    assert b"bifold" in pickled and b"bifold." not in pickled
    doubled = pickle.loads(pickled)[0]
    assert doubled.expression == "x * 2" and bifold.transform_reduce(x, doubled) == 12
    doubled.close()
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        copy.copy(doubled)


def test_a_process_that_knows_no_struct_takes_operators_of_it(backend, request):
    backend("opencl")
    pair = bifold.struct_type("Sent", np.dtype([("a", "i4"), ("b", "i4")]))
    sent = pickle.dumps(bifold.Operator.fieldwise(pair, ["plus", "maximum"]))
    library = request.config.getoption("--bifold-library")
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
import pickle, bifold, numpy
{f"bifold.load_library({library!r})" if library else ""}
op = pickle.loads({sent!r})
print(bifold.reduce(numpy.ones(5, op.dtype), op))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "(5, 1)\n", ended.stderr


def test_arrays_of_a_device_are_copied_to_the_host_by_get_alone(queue):
    x = bifold.to_device(np.arange(3, dtype=np.float32), queue)
    for use in (np.asarray, np.sum, lambda a: np.ones(3) + a, lambda a: np.array([a, a])):
        with pytest.raises(TypeError, match=r"get\(\) copies"):
            use(x)
    for use in (bifold.to_device, x.set):
        with pytest.raises(bifold.WrongType, match=r"get\(\) copies"):
            use(x)
    np.testing.assert_array_equal(x.get(), [0, 1, 2])
    x.close()
    with pytest.raises(bifold.InvalidArgument, match="x must be an array.*closed"):
        bifold.reduce(x)
    with pytest.raises(bifold.InvalidArgument, match="this Array is closed"):
        x.get()


@pytest.fixture
def commands(backend):
    backend("opencl")
    return cl.CommandQueue(cl.Context(cl.get_platforms()[0].get_devices()[:1]))


def test_a_command_queue_does_wherever_an_array_is_to_live(commands):
    host = np.arange(8, dtype=np.int32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(commands.context, flags, hostbuf=host)
    x = bifold.from_opencl(buffer, np.int32, commands)
    assert x.queue.native == commands and bifold.reduce(x) == 28
    assert bifold.to_device(host, commands).queue is x.queue
    assert bifold.empty(3, "f4", commands).queue is x.queue
    with bifold.Queue("opencl:0") as own:
        with pytest.raises(bifold.InvalidArgument, match="another context"):
            bifold.from_opencl(buffer, np.int32, own)


def test_objects_of_pyopencl_are_not_taken_for_one_another(commands):
    # All of them have an int_ptr, behind which drivers find what they do not expect.
    context, device = commands.context, commands.device
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    for message, call in [
        ("context must be", lambda: bifold.Device.adopt_opencl(device, context)),
        ("device must be", lambda: bifold.Device.adopt_opencl(context, context)),
        ("queue must be", lambda: bifold.Queue.adopt_opencl(context)),
        ("event must be", lambda: bifold.Event.adopt_opencl(buffer)),
        ("buffer must be", lambda: bifold.from_opencl(context, "f4", commands)),
        ("is no open event", lambda: bifold.reduce([1.0], wait=[buffer])),
        ("queue must be", lambda: bifold.reduce([1.0], queue=context)),
        ("from_opencl.. makes one", lambda: bifold.reduce(buffer)),
    ]:
        with pytest.raises(bifold.WrongType, match=message):
            call()


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i1", 127), ("i1", -128), ("i1", 3.0), ("u1", True), ("u8", 2**64 - 1), ("i8", -(2**63)),
        ("f4", 2**24), ("f4", 2**100), ("f4", 0.1), ("f4", np.float64(0.5)), ("f4", float("inf")),
        ("f4", float("nan")), ("f8", np.float32(0.1)), ("f2", 0.1), ("i4", np.array([7])),
    ],
)  # fmt: skip
def test_values_that_a_dtype_holds(dtype, value):
    from bifold._base import types

    made = types.value_of(value, np.dtype(dtype), "init")
    assert made.dtype == np.dtype(dtype) and made.shape == (1,)
    assert repr(made[0]) == repr(np.dtype(dtype).type(np.squeeze(value)))


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i1", 128), ("i1", 1000), ("i4", 1.9), ("i4", float("nan")), ("i4", float("inf")),
        ("u1", -1), ("u8", -1), ("u8", 2**64), ("u8", 2.0**64), ("i8", 2.0**63), ("i8", 2**63),
        ("f4", 2**24 + 1), ("f4", 1e300), ("f4", np.float64(0.1)), ("f8", 2**53 + 1), ("f2", 7e4),
        ("f8", 2**63 - 1), ("f4", 10**60), ("f4", 1j), ("f4", np.ma.masked), ("i4", np.ones(2)),
        ("f4", np.datetime64(1, "s")), ("f4", np.str_("1")), ("i4", (1,)), ("f4", 10**400),
    ],
)  # fmt: skip
def test_values_that_a_dtype_does_not_hold_are_refused(queue, dtype, value):
    x = bifold.empty(2, dtype if dtype != "f8" else "f4", queue)
    with pytest.raises(bifold.InvalidArgument, match="init"):
        bifold.reduce(x, init=value, dtype=dtype)
    with pytest.raises(bifold.InvalidArgument, match="init"):
        bifold.inclusive_scan(x, init=value, dtype=dtype)
    if dtype != "f8":
        with pytest.raises(bifold.InvalidArgument, match="value"):
            x.fill(value)


def test_structs_are_made_of_numbers_that_their_fields_hold(queue):
    point = bifold.struct_type("Counted", np.dtype([("n", "i4"), ("x", "f4")]))
    x = bifold.empty(3, point, queue)
    x.fill((7, 0.5))
    x.fill(np.zeros((), point))
    assert x.get().tolist() == [(0, 0)] * 3
    for value in [(1.9, 0.0), (1, 1e300), (1,), (1, 2, 3), 0, np.zeros(2, point), ("1", 2)]:
        with pytest.raises(bifold.InvalidArgument, match="value"):
            x.fill(value)


def test_elements_of_an_array_are_not_changed_on_their_way(queue):
    x = bifold.empty(2, np.int8, queue)
    x.set([-3, 4.0])
    assert x.get().tolist() == [-3, 4]
    for values in ([1.5, 2], [1, 300], [1j, 2], ["1", "2"], np.ma.masked_less([1, 2], 2)):
        with pytest.raises(bifold.InvalidArgument, match="values|mask"):
            x.set(values)
    y = bifold.empty(2, np.float32, queue)
    y.set([0.1, float("nan")])
    assert y.get()[0] == np.float32(0.1)
    with pytest.raises(bifold.InvalidArgument, match="values"):
        y.set([1.0, 1e300])
    with pytest.raises(bifold.InvalidArgument, match="mask"):
        bifold.to_device(np.ma.masked_less([1, 2], 2), queue)


def test_sizes_have_64_bits(queue):
    with pytest.raises(bifold.OutOfMemory, match="18446744073709551616 bytes"):
        bifold.empty(2**61, np.float64, queue)
    with pytest.raises(bifold.InvalidArgument, match="n must be"):
        bifold.empty(2**64 + 1, np.int8, queue)
    with pytest.raises(bifold.InvalidArgument, match="cache_limit_bytes"):
        bifold.open_device("", cache_limit_bytes=2**64)
    queue.finish(10**400)  # Longer than any limit: none.


def test_paths_are_taken_as_pythons_own_functions_take_them(device, tmp_path):
    selector = device.info.selector
    for path in (tmp_path, str(tmp_path), os.fsencode(tmp_path)):
        bifold.open_device(selector, cache_directory=path).close()
    with pytest.raises(bifold.InvalidArgument, match="null character"):
        bifold.open_device(selector, cache_directory=f"{tmp_path}\0x")
