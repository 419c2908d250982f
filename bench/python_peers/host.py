#!/usr/bin/env python3
"""Measures what the host spends on a warm call of bifold from Python, beside the C interface.

  host.py --include include --library libbifold.so > host.csv
  host.py --device opencl:cpu ...

A time is that of one call of a batch, in microseconds: the median of several batches, and what the
quickest one took. Devices are waited for between batches, outside of the times. `interface` rows
are loops in C, compiled by the program itself: what no binding can be faster than. Arrays of CuPy
and PyTorch are measured where these are installed and the device is one of CUDA's. `jax` rows are
compiled programs of one call, whose arrays JAX makes; that of `x + 1` is XLA's alone.
"""
import argparse
import csv
import ctypes
import importlib
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

COLUMNS = 10  # Of the matrix that calls along an axis take.
LOOPS = r"""
#include <bifold/bifold.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

typedef bifold_status (*call)(bifold_queue*, bifold_view, bifold_view, const bifold_operator*,
                              const void*, const bifold_options*);
typedef bifold_status (*plan_run)(const bifold_plan*, bifold_queue*, bifold_view, bifold_view,
                                  const void*, const bifold_options*);
typedef bifold_status (*blocking)(bifold_queue*, bifold_view, const bifold_operator*, bifold_type,
                                  const void*, void*, const bifold_options*);

double calls(call run, bifold_queue* queue, const bifold_view* views, const bifold_operator* op,
             const bifold_options* options, int count) {
  const double start = now();
  for (int i = 0; i < count; ++i) {
    if (run(queue, views[0], views[1], op, NULL, options) != BIFOLD_OK) return -1;
  }
  return (now() - start) / count;
}

double runs(plan_run run, const bifold_plan* plan, bifold_queue* queue, const bifold_view* views,
            int count) {
  const double start = now();
  for (int i = 0; i < count; ++i) {
    if (run(plan, queue, views[0], views[1], NULL, NULL) != BIFOLD_OK) return -1;
  }
  return (now() - start) / count;
}

double waits(blocking run, bifold_queue* queue, const bifold_view* views,
             const bifold_operator* op, int count) {
  char result[64];
  const double start = now();
  for (int i = 0; i < count; ++i) {
    if (run(queue, views[0], op, views[0].type, NULL, result, NULL) != BIFOLD_OK) return -1;
  }
  return (now() - start) / count;
}

bifold_status make_plan(bifold_status (*create)(const bifold_device*, const bifold_reduce_shape*,
                                                bifold_plan**),
                        const bifold_device* device, const bifold_operator* op, bifold_type type,
                        bifold_plan** plan) {
  const bifold_reduce_shape shape = {
      .struct_size = sizeof shape, .op = op, .input = type, .accumulator = type};
  return create(device, &shape, plan);
}
"""


def compiled(include):
    """The loops in C."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "loops.c", pathlib.Path(folder) / "loops.so"
        source.write_text(LOOPS)
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", f"-I{include}", "-o", made, source], check=True)
        loops = ctypes.CDLL(str(made))
    for name in ("calls", "runs", "waits"):
        getattr(loops, name).restype = ctypes.c_double
    return loops


def of_interface(bifold, loops, queue, x, y, one):
    """The library's functions in a loop in C."""
    library = importlib.import_module("bifold._base.native").library()
    structs = importlib.import_module("bifold._base.structs")

    def views(*arrays):
        return (type(x._span()[1]) * 2)(*(array._span()[1] for array in arrays))

    def at(name):
        return ctypes.cast(getattr(library, name), ctypes.c_void_p)

    def calls(name, views, options, n):
        return loops.calls(at(name), on, views, plus, ctypes.byref(options) if options else None, n)

    def along(*lines):
        options = structs.Options()
        options.struct_size = ctypes.sizeof(options)
        structs.put_lines(options, *lines)
        return options

    on = ctypes.c_void_p(queue.handle)
    plus = ctypes.c_void_p(library.bifold_builtin_operator(0))
    rows, columns = len(x) // COLUMNS, COLUMNS
    into, through, sums = views(x, one), views(x, y), views(x, y[:rows])
    of_rows = along((rows, columns, 1, columns, 1, 0), (rows, 1, 1, 1, 1, 0))
    of_columns = along((1, rows, columns, 0, columns, 1), None)
    plan = ctypes.c_void_p()
    status = loops.make_plan(
        at("bifold_reduce_plan_create"), ctypes.c_void_p(queue.device.handle), plus, into[0].type,
        ctypes.byref(plan))
    assert status == 0
    return {
        "reduce_into": lambda n: calls("bifold_reduce_into", into, None, n),
        "reduce_into, axis": lambda n: calls("bifold_reduce_into", sums, of_rows, n),
        "reduce_into, a plan": lambda n: loops.runs(at("bifold_plan_run"), plan, on, into, n),
        "inclusive_scan": lambda n: calls("bifold_inclusive_scan", through, None, n),
        "inclusive_scan, axis": lambda n: calls("bifold_inclusive_scan", through, of_columns, n),
        "reduce": lambda n: loops.waits(at("bifold_reduce"), on, into, plus, n),
    }


def timed(call):
    """A function of how many calls a batch has, which gives the time of one."""

    def batch(count):
        start = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - start) / count * 1e6

    return batch


def of_package(bifold, place, x, y, one):
    plan = bifold.Plan.reduce(place, numpy.int32)
    both = ["plus", "maximum"]
    rows = len(x) // COLUMNS
    matrix, scanned = (a[:rows * COLUMNS].reshape((rows, COLUMNS)) for a in (x, y))
    sums = y[:rows]
    return {
        "reduce_into": timed(lambda: bifold.reduce_into(x, one)),
        "reduce_into, axis": timed(lambda: bifold.reduce_into(matrix, sums, axis=1)),
        "reduce_into, a plan": timed(lambda: plan(x, one)),
        "inclusive_scan": timed(lambda: bifold.inclusive_scan(x, y)),
        "inclusive_scan, axis": timed(lambda: bifold.inclusive_scan(matrix, scanned, axis=0)),
        "inclusive_scan, total": timed(lambda: bifold.inclusive_scan(x, y, total=one)),
        "reduce": timed(lambda: bifold.reduce(x)),
        "reduce_many": timed(lambda: bifold.reduce_many(x, both)),
    }


def arrays_of_opencl(queue, n):
    """Arrays of PyOpenCL and their queue, or None."""
    try:
        cl, array = importlib.import_module("pyopencl"), importlib.import_module("pyopencl.array")
    except ImportError as error:
        print(f"pyopencl is left out: {error}", file=sys.stderr)
        return None
    device = queue.record().to_opencl().context.devices[0]
    commands = cl.CommandQueue(cl.Context([device]))
    made = [array.zeros(commands, size, numpy.int32) for size in (n, n, 1)]
    return made, commands.finish


def arrays_of_cuda(name, n):
    """Arrays of CuPy or tensors of PyTorch and how to wait for them, or None."""
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None
    if name == "torch":
        made = [module.zeros(size, dtype=module.int32, device="cuda") for size in (n, n, 1)]
        return made, module.cuda.synchronize
    made = [module.zeros(size, module.int32) for size in (n, n, 1)]
    return made, module.cuda.get_current_stream().synchronize


def of_jax(on_cuda, n):
    """Programs of JAX and how to wait for them, or None."""
    try:
        jax, calls = importlib.import_module("jax"), importlib.import_module("bifold.jax")
        device = jax.devices("cuda" if on_cuda else "cpu")[0]
    except (ImportError, RuntimeError) as error:
        print(f"jax is left out: {error}", file=sys.stderr)
        return None
    x = jax.device_put(numpy.ones(n, numpy.int32), device)
    last = [x]

    def program(function):
        compiled = jax.jit(function)

        def run():
            last[0] = compiled(x)

        return timed(run)

    programs = {"reduce_into": calls.sum, "inclusive_scan": calls.cumsum, "x + 1": lambda x: x + 1}
    made = {call: program(function) for call, function in programs.items()}
    return made, lambda: last[0].block_until_ready()


def of_tensors(functions, x):
    """PyTorch's functions, and those with its signatures."""
    matrix = x[:len(x) // COLUMNS * COLUMNS].reshape(-1, COLUMNS)
    return {
        "sum": timed(lambda: functions.sum(x)),
        "sum, axis": timed(lambda: functions.sum(matrix, 1)),
        "argmax": timed(lambda: functions.argmax(x)),
        "cumsum": timed(lambda: functions.cumsum(x, 0)),
        "cumsum, axis": timed(lambda: functions.cumsum(matrix, 0)),
        "cummax": timed(lambda: functions.cummax(x, 0)),
    }


def contenders(bifold, loops, device, n):
    """Kinds of array: their calls, and how to wait for the device."""
    queue = bifold.Queue(device)
    x = bifold.to_device(numpy.ones(n, numpy.int32), queue)
    y, one = bifold.empty(n, numpy.int32, queue), bifold.empty(1, numpy.int32, queue)
    yield "interface", of_interface(bifold, loops, queue, x, y, one), queue.finish
    yield "bifold", of_package(bifold, queue, x, y, one), queue.finish
    host = [numpy.ones(size, numpy.int32) for size in (n, n, 1)]
    yield "numpy", of_package(bifold, queue, *host), queue.finish
    on_cuda = queue.device.info.backend == "cuda"
    for name in ("cupy", "torch") if on_cuda else ("pyopencl",):
        found = arrays_of_cuda(name, n) if on_cuda else arrays_of_opencl(queue, n)
        if found:
            place = queue if on_cuda else found[0][0].queue
            yield name, of_package(bifold, place, *found[0]), found[1]
        if found and name == "torch":
            for functions in ("torch", "bifold.torch"):
                made = of_tensors(importlib.import_module(functions), found[0][0])
                yield f"{functions}'s functions", made, found[1]
    programs = of_jax(on_cuda, n)
    if programs:
        yield "jax", *programs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="", help="a selector of bifold.open_device()")
    parser.add_argument("--library", help="libbifold.so, where it lies apart from the package")
    parser.add_argument("--include", default="include", help="the folder of bifold/bifold.h")
    parser.add_argument("-n", type=int, default=1000, help="elements of an array")
    parser.add_argument("--calls", type=int, default=100, help="of a batch")
    parser.add_argument("--batches", type=int, default=31)
    arguments = parser.parse_args()
    bifold = importlib.import_module("bifold")
    bifold.load_library(arguments.library)
    loops = compiled(arguments.include)
    out = csv.writer(sys.stdout)
    out.writerow(["arrays", "call", "median_us", "least_us"])
    for name, calls, wait in contenders(bifold, loops, arguments.device, arguments.n):
        for call, batch in calls.items():
            times = []
            for _ in range(arguments.batches + 2):
                wait()
                times.append(batch(arguments.calls))
            wait()
            times = times[2:]
            out.writerow([name, call, f"{statistics.median(times):.2f}", f"{min(times):.2f}"])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
