"""Backends and devices."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from . import native, structs
from .arguments import checked
from .handles import Handle, put
from .kinds import of_opencl

_KINDS = ("gpu", "cpu", "accelerator")


@dataclass(frozen=True)
class BackendInfo:
    """A backend, and why it has no device where it has none."""

    name: str
    available: bool
    reason: str
    version: str


@dataclass(frozen=True)
class DeviceInfo:
    """A device; `selector` opens it, `index` counts over all platforms of its backend."""

    selector: str
    backend: str
    name: str
    vendor: str
    platform: str
    driver: str
    index: int
    kind: str


@dataclass(frozen=True)
class Capabilities:
    """What a device can do. Sizes are in bytes; 0 where the driver does not tell."""

    global_bytes: int
    max_allocation_bytes: int
    local_bytes: int
    cache_bytes: int
    compute_units: int
    max_group_size: int
    subgroup_width: int
    f64: bool
    f16: bool
    atomics64: bool
    unified_memory: bool
    architecture: str


def _sized(struct: ctypes.Structure) -> Any:
    struct.struct_size = ctypes.sizeof(struct)
    return struct


def _members(struct: ctypes.Structure) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, *_ in struct._fields_[1:]:
        value = getattr(struct, name)
        members[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return members


def _device_info(struct: structs.DeviceInfo) -> DeviceInfo:
    members = _members(struct)
    members["kind"] = _KINDS[members["kind"]]
    return DeviceInfo(**members)


def _listed(what: str, struct: type[ctypes.Structure]) -> Iterator[Any]:
    # The texts of an entry live as long as the list.
    entries = put(f"bifold_{what}_list_create")
    library = native.library()
    try:
        for index in range(getattr(library, f"bifold_{what}_list_size")(entries)):
            info = _sized(struct())
            native.call(f"bifold_{what}_list_get", entries, index, ctypes.byref(info))
            yield info
    finally:
        getattr(library, f"bifold_{what}_list_destroy")(entries)


def backends() -> list[BackendInfo]:
    """Every backend that the library knows. A missing driver is no failure."""
    return [BackendInfo(**_members(i)) for i in _listed("backend", structs.BackendInfo)]


def devices() -> list[DeviceInfo]:
    """Every device of every available backend. Opens none of them."""
    return [_device_info(i) for i in _listed("device", structs.DeviceInfo)]


class Device(Handle):
    """An open device: a context, its capabilities, its compiled kernels. Threads may share it."""

    _destructor = "bifold_device_destroy"
    _made_by = "bifold.open_device(selector) opens one, adopt_cuda() and adopt_opencl() adopt one"
    _copied_by = "open_device() opens it again, in another process by its info.selector"

    def _hold(self, handle: int) -> None:
        super()._hold(handle)
        info = _sized(structs.DeviceInfo())
        native.call("bifold_device_get_info", handle, ctypes.byref(info))
        self.info = _device_info(info)

    @property
    def capabilities(self) -> Capabilities:
        """What the device can do."""
        found = _sized(structs.Capabilities())
        native.call("bifold_device_get_capabilities", self.handle, ctypes.byref(found))
        return Capabilities(**_members(found))

    @classmethod
    @checked
    def adopt_cuda(cls, context: int) -> Device:
        """A device that works in a CUcontext of the application's, given as a number.

        The context must outlive everything made from the device. Arrays of CuPy, Numba and PyTorch
        live in the primary context, which open_device() opens.

        Raises:
            InvalidArgument: it is no context.
            Unavailable: there is no CUDA driver.
        """
        return cls._of(put("bifold_cuda_adopt_device", context, None))

    @classmethod
    @checked(context=of_opencl("Context"), device=of_opencl("Device"))
    def adopt_opencl(cls, context: Any, device: Any) -> Device:
        """A device of a pyopencl.Context, which is retained. Adopt once and keep it.

        Raises:
            InvalidArgument: the device is not one of the context's.
        """
        return cls._of(put("bifold_opencl_adopt_device", context.int_ptr, device.int_ptr, None))

    def __repr__(self) -> str:
        return f"<bifold.Device {self.info.selector}: {self.info.name}>"


@checked
def open_device(
    selector: str = "",
    *,
    cache: Literal["disk", "memory"] = "disk",
    cache_directory: str | os.PathLike[str] | None = None,
    cache_limit_bytes: int | None = None,
    cache_programs: int | None = None,
    tuning_file: str | os.PathLike[str] | None = None,
) -> Device:
    """Opens a device.

    Args:
        selector: ``"cuda:0"``, ``"gpu"``, ``"opencl:cpu"``, ``"opencl:nvidia"``. ``""``: what
            ``$BIFOLD_DEVICE`` names, else the first GPU, else the first CPU.
        cache: whether compiled kernels are kept on disk, or in memory only, which
            ``BIFOLD_CACHE_DISABLE=1`` in the environment makes of either.
        cache_directory: where on disk; ``$BIFOLD_CACHE_DIR`` or the user's cache by default. Used
            where it is the user's own and nobody else can write to it.
        cache_limit_bytes: what the folder may grow to; 256 MiB by default.
        cache_programs: how many are kept in memory; 1024 by default. Of those made once half as
            many are there, the least recently used go, but none of a plan or a CUDA graph.
        tuning_file: what ``bifold-bench tune`` measured on such a device; the one that it installed
            beside the kernels by default. One that cannot be used is ignored with a warning in
            the log.

    Raises:
        Unavailable: there is no such device; the message gives every backend's reason.
        InvalidArgument: the selector cannot be read, or names several devices.
    """
    options = _sized(structs.DeviceOptions())
    options.no_disk_cache = cache == "memory"
    if cache_directory is not None:
        options.cache_directory = os.fsencode(cache_directory)
    if cache_limit_bytes is not None:
        options.cache_limit_bytes = cache_limit_bytes
    if cache_programs is not None:
        options.cache_programs = cache_programs
    if tuning_file is not None:
        options.tuning_file = os.fsencode(tuning_file)
    return Device._of(put("bifold_device_open", selector.encode(), ctypes.byref(options)))
