"""Reduces and scans an array of each library that is installed: NumPy, PyOpenCL, CuPy, PyTorch.

    python3 first_calls.py

The device is the best one, or what $BIFOLD_DEVICE names. Arrays of CuPy and tensors of PyTorch are
worked on where they are.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

import bifold


def installed(name: str) -> Any:
    """A module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name}: not installed")
        return None


def show(library: str, x: Any) -> None:
    """The calls are the same for all arrays; results are arrays of the same kind."""
    total = bifold.reduce(x)
    running = bifold.inclusive_scan(x)
    place = bifold.argmax(running).index
    print(f"{library}: total {total}, running sums in {type(running)}, greatest at {place}")


def main() -> None:
    host = np.arange(1, 1001, dtype=np.int32)
    show("numpy", host)
    # Without another library: arrays of bifold's own stay on the device, too.
    show("bifold", bifold.to_device(host))

    cl, cl_array = installed("pyopencl"), installed("pyopencl.array")
    if cl and cl_array:
        commands = cl.CommandQueue(cl.create_some_context(interactive=False))
        show("pyopencl", cl_array.to_device(commands, host))

    on_cuda = bifold.default_queue().device.info.backend == "cuda"
    cupy = installed("cupy") if on_cuda else None
    if cupy:
        show("cupy", cupy.asarray(host))
    torch = installed("torch") if on_cuda else None
    if torch:
        show("torch", torch.from_numpy(host).to("cuda"))


main()
