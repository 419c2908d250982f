"""Gives every public callable of the package wrong arguments, one at a time.

A program of its own, as a crash is one of the answers that it is for.

    python3 wrong_arguments.py [LIBRARY]

A line of JSON for each call: its name, the parameter, the value, the classes of what was raised and
its text. A line with the first three comes before it, so the last one names what ended the program.
"""

import inspect
import json
import sys

import numpy as np

import bifold

# What takes anything by design: results as the library gives them, and what is raised.
RECORDS = (
    bifold.BackendInfo,
    bifold.Capabilities,
    bifold.DeviceInfo,
    bifold.Indexed,
    bifold.MinMax,
)


def callables():
    """Name, function and parameters of all that users call, methods and constructors included."""
    for name in bifold.__all__:
        thing = getattr(bifold, name)
        if inspect.isclass(thing):
            if thing in RECORDS or issubclass(thing, BaseException):
                continue
            yield name, thing
            for label, _ in inspect.getmembers(thing, callable):
                inherited = hasattr(tuple, label) or hasattr(object, label)
                if not label.startswith("_") and not inherited:
                    yield f"{name}.{label}", label
        elif callable(thing):
            yield name, thing


def examples(queue, context, commands, buffer):
    """What is right, by parameter; by function and parameter where that differs."""
    x = np.arange(4, dtype=np.float32)
    return {
        "x": x,
        "y": x,
        "out": np.zeros(4, np.float32),
        "reduce_into.out": np.zeros(1, np.float32),
        "argmin_into.out": np.zeros(1, np.int64),
        "argmax_into.out": np.zeros(1, np.int64),
        "transform_reduce_into.out": np.zeros(1, np.float32),
        "mean.out": np.zeros(1, np.float32),
        "variance.out": np.zeros(1, np.float32),
        "norm.out": np.zeros(1, np.float32),
        "logsumexp.out": np.zeros(1, np.float32),
        "map": "x",
        "predicate": "x > 0",
        "op": "plus",
        "dtype": np.float32,
        "struct_type.dtype": np.dtype([("a", "f4"), ("b", "f4")]),
        "ddof": 1,
        "Operator.fieldwise.dtype": np.dtype([("a", "f4"), ("b", "f4")]),
        "operators": ["plus", "plus"],
        "name": "Wrong",
        "expression": "a + b",
        "Map.expression": "x",
        "identity": np.float32(0),
        "reductions": ["plus"],
        "buffer": buffer,
        "queue": queue,
        "Queue.adopt_opencl.queue": commands,
        "device": queue.device,
        "Device.adopt_opencl.context": context,
        "Device.adopt_opencl.device": context.devices[0],
        "earlier": queue.record(),
        "later": queue.record(),
        "level": "off",
        "n": 4,
        "ranks": 2,
        "scan": True,
        "axis": 0,
        "keepdims": False,
        "reverse": True,
        "shape": (2, 2),
        "Array.set.values": x,
        "Array.fill.value": 1,
        "stream": 1,
        "memory": bifold.empty(64, np.uint8, queue),
        "group": bifold.Group(1),
        "counts": 4,
        "saved": b"",
        "offsets": np.array([0, 1, 3, 3, 4], np.uint32),
    }


def wrong_values(queue):
    closed = bifold.Queue(queue.device)
    closed.close()
    closed_array = bifold.to_device(np.ones(4, np.float32), queue)
    closed_array.close()
    closed_event = queue.record()
    closed_event.close()
    closed_map = bifold.Map("x")
    closed_map.close()
    closed_operator = bifold.Operator("closed", "a + b", np.float32(0))
    closed_operator.close()
    closed_device = bifold.Device.adopt_opencl(queue.native.context, queue.native.device)
    closed_device.close()
    return {
        "None": None,
        "int": 7,
        "negative": -7,
        "float": 0.5,
        "str": "nonsense",
        "empty str": "",
        "null": "a\0b",
        "bytes": b"bytes",
        "object": object(),
        "class": np.float32,
        "list": [object()],
        "empty list": [],
        "dict": {"a": 1},
        "function": len,
        "scalar": np.float32(2.5),
        "bool": True,
        "queue": queue,
        "closed queue": closed,
        "closed array": closed_array,
        "closed event": closed_event,
        "closed map": closed_map,
        "closed operator": closed_operator,
        "closed device": closed_device,
        "strings": ["a", "b"],
        "module": np,
    }


NUMBERS = {"int", "negative", "float", "scalar", "bool"}
PATHS = {"str", "empty str", "bytes"}
# What a parameter takes of the above. Numbers are arrays of no dimension.
TAKEN = {
    "arrays": {"empty list"},
    "x": {"int", "negative", "float", "scalar", "empty list"},
    "y": {"int", "negative", "float", "scalar", "empty list"},
    "init": NUMBERS,
    "identity": NUMBERS,
    "value": NUMBERS,
    "dtype": {"class", "empty list"},
    "accumulate": {"class"},
    "wait": {"empty list"},
    "done": {"closed event"},
    "limit": {"int", "float", "scalar"},
    "n": {"int"},
    "ranks": {"int"},
    "scan": {"bool"},
    "ddof": {"int", "negative", "float", "scalar"},
    "deadline": {"int", "float", "scalar"},
    "keepdims": {"bool"},
    "reverse": {"bool"},
    "offset": {"int"},
    "cache_limit_bytes": {"int"},
    "cache_programs": {"int"},
    "scalars": {"dict"},
    "cache_directory": PATHS,
    "tuning_file": PATHS,
    "path": PATHS,
    "queue": {"queue"},
    "op": {"str", "empty str"},
    "map": {"str", "empty str"},
    "result_map": {"str", "empty str"},
    "predicate": {"str", "empty str"},
    "equality": {"str", "empty str"},
    "expression": {"str", "empty str"},
    "name": {"str", "empty str"},
    "context": {"int"},
    "event": {"int"},
    "device": {"empty str"},
    "selector": {"empty str"},
    "strided": {"bool"},
    "on_device": {"empty list"},
    "Plan.device": {"empty str", "queue"},
    "Plan.y": {"class", "empty list"},
    "Plan.out": {"class", "empty list"},
    "Plan.axis": {"int", "negative"},
    "Plan.shape": {"int"},
    "Accumulation.queue": {"empty str", "queue"},
    "Accumulation.y": {"class", "empty list"},
    "Accumulation.out": {"class", "empty list"},
    "GroupPlan.y": {"class", "empty list"},
    "GroupPlan.out": {"class", "empty list"},
    "counts": {"int"},
    "queues": {"queue"},
    "piece_bytes": {"int"},
    "saved": {"bytes"},
}


def bound(name, thing, instances):
    """The callable itself."""
    if not isinstance(thing, str):
        return thing
    owner = name.partition(".")[0]
    return getattr(instances.get(owner, getattr(bifold, owner)), thing)


def main():
    if len(sys.argv) > 1:
        bifold.load_library(sys.argv[1])
    import pyopencl as cl

    context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    commands = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    queue = bifold.Queue.adopt_opencl(commands)
    right = examples(queue, context, commands, buffer)
    bifold.struct_type("Wrong", right["struct_type.dtype"])
    instances = {
        "Queue": queue,
        "Event": queue.record(),
        "Array": bifold.to_device(right["x"], queue),
        "Map": bifold.Map("x"),
        "Operator": bifold.Operator("right", "a + b", np.float32(0)),
        "Device": queue.device,
        "Plan": bifold.Plan.reduce(queue, np.float32),
        "Workspace": bifold.Workspace(right["memory"]),
        "Group": bifold.Group(1),
        "Accumulation": bifold.Accumulation.reduce(queue, np.float32),
        "GroupPlan": bifold.GroupPlan.reduce(bifold.Group(1), 4, np.float32),
    }
    wrong = wrong_values(queue)
    for name, thing in callables():
        function = bound(name, thing, instances)
        parameters = inspect.signature(function).parameters.values()
        given = {}
        for parameter in parameters:
            if parameter.default is parameter.empty and parameter.kind < parameter.VAR_POSITIONAL:
                example = right.get(f"{name}.{parameter.name}", right.get(parameter.name))
                given[parameter.name] = example
        if name == "Operator":
            given["dtype"] = right["dtype"]
        for parameter in parameters:
            if parameter.kind == parameter.VAR_KEYWORD:
                continue
            of_class = f"{name.partition('.')[0]}.{parameter.name}"
            taken = TAKEN.get(of_class, TAKEN.get(parameter.name, set()))
            for label, value in wrong.items():
                if label in taken or (value is None and parameter.default is None):
                    continue
                case = [name, parameter.name, label]
                print(json.dumps(case), flush=True)
                if parameter.kind == parameter.VAR_POSITIONAL:
                    arguments, named = [value], {}
                else:
                    arguments, named = [], {**given, parameter.name: value}
                try:
                    answer = function(*arguments, **named)
                    said = [[], f"gave {answer!r}"]
                except BaseException as failure:
                    said = [[kind.__name__ for kind in type(failure).__mro__], str(failure)]
                print(json.dumps(case + said), flush=True)
    print(json.dumps("end"))


main()
