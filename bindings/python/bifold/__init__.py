"""Reduction and scan (prefix sum) on any device that CUDA or OpenCL reaches.

>>> import bifold, numpy
>>> bifold.reduce(numpy.arange(10))
45
>>> bifold.inclusive_scan(numpy.array([3, 1, 2]))
array([3, 4, 6])

Arrays of NumPy are copied to the device and back. Arrays of PyOpenCL, of CuPy and of everything
else that has ``__cuda_array_interface__`` or ``__dlpack__`` are worked on in place, on their own
queue or stream. Calls release the interpreter's lock.
"""

from ._base import interpreter  # noqa: F401 - First of all: it may refuse.

# isort: split
from ._accumulations import Accumulation
from ._algorithms import (
    exclusive_scan,
    inclusive_scan,
    reduce,
    reduce_into,
    release_adopted,
    transform_exclusive_scan,
    transform_inclusive_scan,
    transform_reduce,
    transform_reduce_into,
)
from ._arrays.memory import Array, empty, from_opencl, to_device
from ._base.devices import (
    BackendInfo,
    Capabilities,
    Device,
    DeviceInfo,
    backends,
    devices,
    open_device,
)
from ._base.errors import (
    BackendFailure,
    BuildFailure,
    DeviceLost,
    Error,
    InvalidArgument,
    OutOfMemory,
    Timeout,
    Unavailable,
    Unsupported,
    WrongType,
)
from ._base.log import set_log
from ._base.native import load_library, version
from ._base.operators import Map, Operator, identity
from ._base.queues import Event, Queue, default_queue, elapsed
from ._base.types import struct_type
from ._group_plans import GroupPlan
from ._groups import Group, even_split
from ._many import Reduction, reduce_many
from ._parts.keys import reduce_by_key, run_length_encode, unique_by_key
from ._parts.segments import segmented_reduce
from ._parts.selections import partition, select, select_flagged, select_index, unique
from ._plans import Plan
from ._recurrences import associative_scan, linear_recurrence
from ._reductions import (
    NO_INDEX,
    Indexed,
    MinMax,
    argmax,
    argmin,
    count_if,
    inner_product,
    minmax,
    sum_compensated,
)
from ._searches import all, any, argmax_into, argmin_into, find_if, none
from ._statistics import (
    cumulative_logsumexp,
    logsumexp,
    mean,
    norm,
    variance,
    variance_mean,
)
from ._workspaces import Workspace

__all__ = [
    "NO_INDEX",
    "Accumulation",
    "Array",
    "BackendFailure",
    "BackendInfo",
    "BuildFailure",
    "Capabilities",
    "Device",
    "DeviceInfo",
    "DeviceLost",
    "Error",
    "Event",
    "Group",
    "GroupPlan",
    "Indexed",
    "InvalidArgument",
    "Map",
    "MinMax",
    "Operator",
    "OutOfMemory",
    "Plan",
    "Queue",
    "Reduction",
    "Timeout",
    "Unavailable",
    "Unsupported",
    "Workspace",
    "WrongType",
    "all",
    "any",
    "argmax",
    "argmax_into",
    "argmin",
    "argmin_into",
    "associative_scan",
    "backends",
    "count_if",
    "cumulative_logsumexp",
    "default_queue",
    "devices",
    "elapsed",
    "empty",
    "even_split",
    "exclusive_scan",
    "find_if",
    "from_opencl",
    "identity",
    "inclusive_scan",
    "inner_product",
    "linear_recurrence",
    "load_library",
    "logsumexp",
    "mean",
    "minmax",
    "none",
    "norm",
    "open_device",
    "partition",
    "reduce",
    "reduce_by_key",
    "reduce_into",
    "reduce_many",
    "release_adopted",
    "run_length_encode",
    "segmented_reduce",
    "select",
    "select_flagged",
    "select_index",
    "set_log",
    "struct_type",
    "sum_compensated",
    "to_device",
    "transform_exclusive_scan",
    "transform_inclusive_scan",
    "transform_reduce",
    "transform_reduce_into",
    "unique",
    "unique_by_key",
    "variance",
    "variance_mean",
    "version",
]

# Messages and pickles name bifold, not the module that a class is written in.
for _public in map(globals().get, __all__):
    if isinstance(_public, type):
        _public.__module__ = __name__


def __getattr__(name: str) -> str:
    # Asked for only when it is wanted: it loads the library.
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
