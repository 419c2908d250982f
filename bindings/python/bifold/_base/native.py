"""The C interface as ctypes sees it: where the library is, its structs, its functions."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from ctypes import (
    POINTER,
    c_bool,
    c_char_p,
    c_double,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

from .. import _core
from . import errors
from .arguments import checked
from .locks import Lock
from .structs import (
    AccumulationOptions,
    BackendInfo,
    Capabilities,
    DeviceInfo,
    DeviceOptions,
    ErrorDetails,
    Field,
    Lines,
    Options,
    QueueOptions,
    ReduceShape,
    Reduction,
    ScalarType,
    ScanShape,
    ScanSlice,
    SelectShape,
    Share,
    Slice,
    Transport,
    View,
)

NO_LIMIT = 2**64 - 1

LOG_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)

_HANDLE = c_void_p
_PUT = POINTER(c_void_p)
_REDUCE = [_HANDLE, View, _HANDLE, c_int32, c_void_p, c_void_p, POINTER(Options)]
_SCAN = [_HANDLE, View, View, _HANDLE, c_void_p, POINTER(Options)]
_TRANSFORM_SCAN = [*_SCAN[:4], _HANDLE, *_SCAN[4:]]
_PAIRS = [_HANDLE, View, View, _HANDLE, _HANDLE, c_int32, c_void_p, c_void_p, POINTER(Options)]
_ARG = [_HANDLE, View, c_void_p, POINTER(c_uint64), POINTER(Options)]
_FIND = [_HANDLE, View, View, POINTER(Options)]
_SELECT = [_HANDLE, View, View, View, _HANDLE, POINTER(Options)]
_SPLIT = [c_uint64, c_uint32, _HANDLE, c_int32, POINTER(c_uint64)]
_GROUP_ARG = [_HANDLE, POINTER(Slice), c_size_t, c_void_p, POINTER(c_uint64), POINTER(Options)]
_GROUP_FIND = [_HANDLE, c_int32, POINTER(Share), c_size_t, _PUT]

# Functions that answer with a status, and their arguments in the header's order.
CALLS: dict[str, list[type]] = {
    "bifold_last_error_details": [POINTER(ErrorDetails)],
    "bifold_set_log": [c_int32, LOG_CALLBACK, c_void_p],
    "bifold_struct_type": [c_char_p, c_size_t, POINTER(Field), c_size_t, POINTER(c_int32)],
    "bifold_operator_create": [c_char_p, c_char_p, c_int32, c_void_p, c_int32, _PUT],
    "bifold_operator_create_with_scalars": [
        *[c_char_p, c_char_p, c_int32, c_void_p, c_int32],
        *[POINTER(ScalarType), c_size_t, _PUT],
    ],
    "bifold_operator_create_fieldwise": [c_int32, POINTER(c_void_p), c_size_t, _PUT],
    "bifold_operator_identity": [_HANDLE, c_int32, c_void_p],
    "bifold_map_create": [c_char_p, _PUT],
    "bifold_map_create_with_scalars": [c_char_p, POINTER(ScalarType), c_size_t, _PUT],
    "bifold_backend_list_create": [_PUT],
    "bifold_backend_list_get": [_HANDLE, c_size_t, POINTER(BackendInfo)],
    "bifold_device_list_create": [_PUT],
    "bifold_device_list_get": [_HANDLE, c_size_t, POINTER(DeviceInfo)],
    "bifold_device_open": [c_char_p, POINTER(DeviceOptions), _PUT],
    "bifold_device_get_info": [_HANDLE, POINTER(DeviceInfo)],
    "bifold_device_get_capabilities": [_HANDLE, POINTER(Capabilities)],
    "bifold_queue_create": [_HANDLE, POINTER(QueueOptions), _PUT],
    "bifold_queue_finish": [_HANDLE, c_uint64],
    "bifold_queue_trim": [_HANDLE],
    "bifold_queue_record": [_HANDLE, _PUT],
    "bifold_queue_wait_for": [_HANDLE, POINTER(c_void_p), c_size_t],
    "bifold_buffer_create": [_HANDLE, c_uint64, _PUT],
    "bifold_upload": [_HANDLE, c_void_p, View],
    "bifold_download": [_HANDLE, View, c_void_p],
    "bifold_fill": [_HANDLE, View, c_void_p],
    "bifold_event_wait": [_HANDLE, c_uint64],
    "bifold_event_complete": [_HANDLE, POINTER(c_bool)],
    "bifold_event_elapsed": [_HANDLE, _HANDLE, POINTER(c_double)],
    "bifold_reduce": _REDUCE,
    "bifold_transform_reduce": [*_REDUCE[:3], _HANDLE, *_REDUCE[3:]],
    "bifold_transform_reduce_pairs": _PAIRS,
    "bifold_reduce_into": _SCAN,
    "bifold_transform_reduce_into": _TRANSFORM_SCAN,
    "bifold_transform_reduce_pairs_into": [*_TRANSFORM_SCAN[:3], View, *_TRANSFORM_SCAN[3:]],
    "bifold_inclusive_scan": _SCAN,
    "bifold_exclusive_scan": _SCAN,
    "bifold_transform_inclusive_scan": _TRANSFORM_SCAN,
    "bifold_transform_exclusive_scan": _TRANSFORM_SCAN,
    "bifold_linear_recurrence": [_HANDLE, View, View, View, c_void_p, POINTER(Options)],
    "bifold_argmin": _ARG,
    "bifold_argmax": _ARG,
    "bifold_minmax": [_HANDLE, View, c_void_p, c_void_p, POINTER(Options)],
    "bifold_count_if": [_HANDLE, View, _HANDLE, POINTER(c_uint64), POINTER(Options)],
    "bifold_find_if": [_HANDLE, View, _HANDLE, POINTER(c_uint64), POINTER(Options)],
    "bifold_argmin_into": _FIND,
    "bifold_argmax_into": _FIND,
    "bifold_minmax_into": _FIND,
    "bifold_count_if_into": [_HANDLE, View, View, _HANDLE, POINTER(Options)],
    "bifold_find_if_into": [_HANDLE, View, View, _HANDLE, POINTER(Options)],
    "bifold_mean_into": _FIND,
    "bifold_variance_into": [*_FIND[:3], c_double, POINTER(Options)],
    "bifold_variance_mean_into": [*_FIND[:3], View, c_double, POINTER(Options)],
    "bifold_norm_into": _FIND,
    "bifold_logsumexp_into": _FIND,
    "bifold_cumulative_logsumexp": _FIND,
    "bifold_inner_product": [_HANDLE, View, View, c_int32, c_void_p, c_void_p, POINTER(Options)],
    "bifold_sum_compensated": [_HANDLE, View, c_int32, c_void_p, c_void_p, POINTER(Options)],
    "bifold_inner_product_into": [_HANDLE, View, View, View, c_void_p, POINTER(Options)],
    "bifold_reduce_many_into": [*_FIND[:3], POINTER(Reduction), c_size_t, POINTER(Options)],
    "bifold_sum_compensated_into": [_HANDLE, View, View, c_void_p, POINTER(Options)],
    "bifold_reduce_many": [_HANDLE, View, POINTER(Reduction), c_size_t, POINTER(Options)],
    "bifold_reduce_plan_create": [_HANDLE, POINTER(ReduceShape), _PUT],
    "bifold_scan_plan_create": [_HANDLE, POINTER(ScanShape), _PUT],
    "bifold_plan_workspace_bytes": [_HANDLE, c_uint64, POINTER(c_uint64)],
    "bifold_plan_workspace_bytes_of_lines": [_HANDLE, POINTER(Lines), POINTER(c_uint64)],
    "bifold_plan_run": [_HANDLE, _HANDLE, View, View, c_void_p, POINTER(Options)],
    "bifold_plan_run_pairs": [_HANDLE, _HANDLE, View, View, View, c_void_p, POINTER(Options)],
    "bifold_select": _SELECT,
    "bifold_select_index": _SELECT,
    "bifold_partition": _SELECT,
    "bifold_partition_reversed": _SELECT,
    "bifold_unique": _SELECT,
    "bifold_unique_by_key": [_HANDLE, *[View] * 5, _HANDLE, POINTER(Options)],
    "bifold_select_flagged": [_HANDLE, View, View, View, View, POINTER(Options)],
    "bifold_select_plan_create": [_HANDLE, POINTER(SelectShape), _PUT],
    "bifold_select_plan_workspace_bytes": [_HANDLE, c_uint64, POINTER(c_uint64)],
    "bifold_select_plan_run": [
        *[_HANDLE, _HANDLE, View, POINTER(View), View, View, POINTER(Options)]
    ],
    "bifold_select_plan_run_by_key": [_HANDLE, _HANDLE, *[View] * 5, POINTER(Options)],
    "bifold_workspace_create": [View, _PUT],
    "bifold_workspace_prepare": [_HANDLE, _HANDLE],
    "bifold_workspace_release": [_HANDLE],
    "bifold_group_create": [POINTER(Transport), _PUT],
    "bifold_group_create_in_process": [c_uint32, _PUT],
    "bifold_group_reduce": [
        *[_HANDLE, POINTER(Slice), c_size_t, _HANDLE, _HANDLE, c_int32, c_void_p, c_void_p],
        POINTER(Options),
    ],
    "bifold_group_argmin": _GROUP_ARG,
    "bifold_group_argmax": _GROUP_ARG,
    "bifold_group_scan": [
        *[_HANDLE, c_int32, POINTER(ScanSlice), c_size_t, _HANDLE, _HANDLE, c_void_p],
        POINTER(Options),
    ],
    "bifold_group_reduce_plan_create": [
        *[_HANDLE, POINTER(ReduceShape), POINTER(Share), c_size_t, c_void_p, _PUT]
    ],
    "bifold_group_scan_plan_create": [
        *[_HANDLE, POINTER(ScanShape), POINTER(Share), c_size_t, c_void_p, _PUT]
    ],
    "bifold_group_argmin_plan_create": _GROUP_FIND,
    "bifold_group_argmax_plan_create": _GROUP_FIND,
    "bifold_group_minmax_plan_create": _GROUP_FIND,
    "bifold_group_count_if_plan_create": [*_GROUP_FIND[:2], _HANDLE, *_GROUP_FIND[2:]],
    "bifold_group_reduce_many_plan_create": [
        *[_HANDLE, c_int32, POINTER(Reduction), c_size_t, c_int32, POINTER(Share), c_size_t, _PUT]
    ],
    "bifold_group_plan_reduce": [_HANDLE, POINTER(Slice), c_size_t, c_void_p],
    "bifold_group_plan_scan": [_HANDLE, POINTER(ScanSlice), c_size_t],
    "bifold_group_plan_finish": [_HANDLE],
    "bifold_reduce_accumulation_create": [
        *[_HANDLE, POINTER(ReduceShape), c_void_p, POINTER(AccumulationOptions), _PUT]
    ],
    "bifold_scan_accumulation_create": [
        *[_HANDLE, POINTER(ScanShape), c_void_p, POINTER(AccumulationOptions), _PUT]
    ],
    "bifold_argmin_accumulation_create": [_HANDLE, c_int32, POINTER(AccumulationOptions), _PUT],
    "bifold_argmax_accumulation_create": [_HANDLE, c_int32, POINTER(AccumulationOptions), _PUT],
    "bifold_accumulation_feed": [_HANDLE, View, POINTER(View)],
    "bifold_accumulation_feed_host": [_HANDLE, c_void_p, c_void_p, c_uint64],
    "bifold_accumulation_feed_pairs": [_HANDLE, View, View],
    "bifold_accumulation_feed_host_pairs": [_HANDLE, c_void_p, c_void_p, c_uint64],
    "bifold_accumulation_count": [_HANDLE, POINTER(c_uint64)],
    "bifold_accumulation_value": [_HANDLE, c_void_p, POINTER(c_uint64)],
    "bifold_accumulation_save": [_HANDLE, c_void_p, c_size_t, POINTER(c_size_t)],
    "bifold_accumulation_resume": [_HANDLE, c_void_p, c_size_t],
    "bifold_even_reduce_split": _SPLIT,
    "bifold_even_scan_split": _SPLIT,
    "bifold_opencl_adopt_device": [c_void_p, c_void_p, POINTER(DeviceOptions), _PUT],
    "bifold_opencl_adopt_queue": [c_void_p, _HANDLE, _PUT],
    "bifold_opencl_adopt_buffer": [c_void_p, _PUT],
    "bifold_opencl_adopt_svm": [_HANDLE, c_void_p, c_uint64, _PUT],
    "bifold_opencl_adopt_event": [c_void_p, _PUT],
    "bifold_opencl_native_event": [_HANDLE, _PUT],
    "bifold_cuda_adopt_device": [c_void_p, POINTER(DeviceOptions), _PUT],
    "bifold_cuda_adopt_queue": [c_void_p, _HANDLE, POINTER(QueueOptions), _PUT],
    "bifold_cuda_device_index": [c_uint64, POINTER(c_uint32)],
    "bifold_cuda_adopt_buffer": [c_uint64, c_uint64, _PUT],
    "bifold_cuda_adopt_known_buffer": [c_uint64, c_uint64, _PUT],
    "bifold_cuda_adopt_event": [c_void_p, _PUT],
    "bifold_cuda_native_event": [_HANDLE, _PUT],
}

# The others: what they return, and their arguments.
OTHERS: dict[str, tuple[type | None, list[type]]] = {
    "bifold_version": (c_char_p, []),
    "bifold_last_error": (c_char_p, []),
    "bifold_type_size": (c_size_t, [c_int32]),
    "bifold_builtin_operator": (c_void_p, [c_int32]),
    "bifold_operator_destroy": (None, [_HANDLE]),
    "bifold_map_destroy": (None, [_HANDLE]),
    "bifold_backend_list_size": (c_size_t, [_HANDLE]),
    "bifold_backend_list_destroy": (None, [_HANDLE]),
    "bifold_device_list_size": (c_size_t, [_HANDLE]),
    "bifold_device_list_destroy": (None, [_HANDLE]),
    "bifold_device_destroy": (None, [_HANDLE]),
    "bifold_queue_destroy": (None, [_HANDLE]),
    "bifold_buffer_destroy": (None, [_HANDLE]),
    "bifold_event_destroy": (None, [_HANDLE]),
    "bifold_group_destroy": (None, [_HANDLE]),
    "bifold_group_plan_destroy": (None, [_HANDLE]),
    "bifold_accumulation_destroy": (None, [_HANDLE]),
    "bifold_plan_variant": (c_char_p, [_HANDLE]),
    "bifold_plan_destroy": (None, [_HANDLE]),
    "bifold_select_plan_variant": (c_char_p, [_HANDLE]),
    "bifold_select_plan_destroy": (None, [_HANDLE]),
    "bifold_workspace_destroy": (None, [_HANDLE]),
}

_lock = Lock()
_loaded: ctypes.CDLL | None = None
_addresses: dict[str, int] = {}


def _names() -> list[str]:
    """Where the library may be, in the order in which it is looked for."""
    suffix = {"darwin": "libbifold*.dylib", "win32": "bifold*.dll"}.get(
        sys.platform, "libbifold.so*"
    )
    beside = sorted(str(path) for path in Path(__file__).parents[1].glob(suffix))
    system = ctypes.util.find_library("bifold")
    return beside[:1] or ([system] if system else [])


def _check_version(library: ctypes.CDLL) -> None:
    """Before 1.0 every minor version has an interface of its own."""
    library.bifold_version.restype = c_char_p
    version = library.bifold_version().decode()
    try:
        package = metadata.version("bifold")
    except metadata.PackageNotFoundError:
        return  # Run from a source tree, where nothing was installed.
    if version.split(".")[:2] != package.split(".")[:2]:
        raise ImportError(f"the package is bifold {package}, the library found is {version}")


def _declare(library: ctypes.CDLL) -> None:
    for name, arguments in CALLS.items():
        function = getattr(library, name)
        function.restype = c_int32
        function.argtypes = arguments
    for name, (result, arguments) in OTHERS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


@checked
def load_library(path: str | os.PathLike[str] | None = None) -> None:
    """Loads libbifold, which otherwise happens at its first use.

    Args:
        path: the file. None: the one beside this package, where wheels have it, else the one that
            the system's loader knows. No environment variable is looked at.

    Raises:
        ImportError: it is not there, is no bifold, or is of another version; or another file has
            been loaded already.
    """
    global _loaded
    with _lock:
        if _loaded is not None:
            if path is not None and os.path.realpath(path) != os.path.realpath(_loaded._name):
                raise ImportError(f"bifold is loaded already, from {_loaded._name}")
            return
        names = [os.path.abspath(path)] if path is not None else _names()
        if not names:
            raise ImportError(
                "libbifold is neither beside the package bifold nor known to the system's loader; "
                "bifold.load_library(path) takes it from anywhere"
            )
        try:
            library = ctypes.CDLL(names[0])
            _check_version(library)
            _declare(library)
            for name in (*CALLS, *OTHERS):
                _addresses[name] = ctypes.cast(getattr(library, name), c_void_p).value or 0
            _core.bind(_addresses, raise_last)
        except (OSError, AttributeError) as failure:
            raise ImportError(f"{names[0]} cannot be used as libbifold: {failure}") from failure
        _loaded = library


def library() -> ctypes.CDLL:
    """The loaded library."""
    if _loaded is None:
        load_library()
    assert _loaded is not None
    return _loaded


def address_of(name: str) -> int:
    """Where a function of the library is."""
    library()
    return _addresses[name]


def bind(extension: Any) -> None:
    """Gives an extension of the package the functions of the library."""
    library()
    extension.bind(_addresses, raise_last)


def version() -> str:
    """``"MAJOR.MINOR.PATCH"`` of the library that runs."""
    return library().bifold_version().decode()


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def call(name: str, *arguments: object) -> None:
    """Calls a function of the library that answers with a status; raises what it stands for."""
    function = getattr(library(), name)
    # When the interpreter ends meanwhile, handles are left open.
    _core.begin_call()
    try:
        status = function(*arguments)
    finally:
        _core.end_call()
    if status != 0:
        raise_last(name, status)


def raise_last(name: str, status: int) -> NoReturn:
    """Raises what this thread's last call of the library stands for."""
    details = ErrorDetails()
    details.struct_size = ctypes.sizeof(details)
    if library().bifold_last_error_details(ctypes.byref(details)) != 0:
        raise errors.Error(f"{name} failed with status {status}")
    raise errors.BY_STATUS.get(status, errors.BackendFailure)(
        _text(details.message),
        backend=_text(details.backend),
        call=_text(details.call),
        native_code=details.native_code,
        native_name=_text(details.native_name),
        log=_text(details.log),
        source=_text(details.source),
    )
