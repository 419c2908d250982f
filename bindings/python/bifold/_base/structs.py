"""The structs of the C interface, as ctypes sees them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    c_bool,
    c_char_p,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)


class ErrorDetails(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("status", c_int32),
        ("message", c_char_p),
        ("backend", c_char_p),
        ("call", c_char_p),
        ("native_code", c_int64),
        ("native_name", c_char_p),
        ("log", c_char_p),
        ("source", c_char_p),
    ]


class Field(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int32), ("offset", c_size_t)]


class BackendInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("reason", c_char_p),
        ("version", c_char_p),
        ("available", c_bool),
    ]


class DeviceInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("selector", c_char_p),
        ("backend", c_char_p),
        ("name", c_char_p),
        ("vendor", c_char_p),
        ("platform", c_char_p),
        ("driver", c_char_p),
        ("index", c_uint32),
        ("kind", c_int32),
    ]


class DeviceOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("cache_directory", c_char_p),
        ("cache_limit_bytes", c_uint64),
        ("no_disk_cache", c_bool),
        ("tuning_file", c_char_p),
        ("cache_programs", c_uint64),
    ]


class Capabilities(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("global_bytes", c_uint64),
        ("max_allocation_bytes", c_uint64),
        ("local_bytes", c_uint64),
        ("cache_bytes", c_uint64),
        ("compute_units", c_uint32),
        ("max_group_size", c_uint32),
        ("subgroup_width", c_uint32),
        ("f64", c_bool),
        ("f16", c_bool),
        ("atomics64", c_bool),
        ("unified_memory", c_bool),
        ("architecture", c_char_p),
    ]


class View(ctypes.Structure):
    _fields_ = [
        ("buffer", c_void_p),
        ("type", c_int32),
        ("offset", c_uint64),
        ("count", c_uint64),
    ]


class QueueOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("timing", c_bool)]


class Lines(ctypes.Structure):
    _fields_ = [
        ("outer", c_uint64),
        ("length", c_uint64),
        ("inner", c_uint64),
        ("outer_stride", c_int64),
        ("stride", c_int64),
        ("inner_stride", c_int64),
    ]


class ScalarType(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int32)]


class Scalar(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int32),
        ("value", c_void_p),
        ("from", POINTER(View)),
    ]


class Segments(ctypes.Structure):
    _fields_ = [("begins", View), ("ends", View), ("faults", POINTER(View))]


class Keys(ctypes.Structure):
    _fields_ = [("keys", View), ("unique", View), ("runs", View), ("equality", c_void_p)]


class Output(ctypes.Structure):
    _fields_ = [
        ("view", View),
        ("result_map", c_char_p),
        ("scalars", POINTER(ScalarType)),
        ("scalar_count", c_size_t),
    ]


class OutputShape(ctypes.Structure):
    _fields_ = [
        ("type", c_int32),
        ("result_map", c_char_p),
        ("scalars", POINTER(ScalarType)),
        ("scalar_count", c_size_t),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("wait", POINTER(c_void_p)),
        ("wait_count", c_size_t),
        ("done", POINTER(c_void_p)),
        ("workspace", c_void_p),
        ("variant", c_char_p),
        ("accumulate", POINTER(c_int32)),
        ("count_from", POINTER(View)),
        ("init_from", POINTER(View)),
        ("total", POINTER(View)),
        ("order", c_int32),
        ("lines", POINTER(Lines)),
        ("output_lines", POINTER(Lines)),
        ("second_lines", POINTER(Lines)),
        ("lines_from", POINTER(View)),
        ("reverse", c_int32),
        ("result_map", c_char_p),
        ("result_map_scalars", POINTER(ScalarType)),
        ("result_map_scalar_count", c_size_t),
        ("scalars", POINTER(Scalar)),
        ("scalar_count", c_size_t),
        ("more_outputs", POINTER(Output)),
        ("more_output_count", c_size_t),
        ("more_inputs", POINTER(View)),
        ("more_input_count", c_size_t),
        ("segments", POINTER(Segments)),
        ("keys", POINTER(Keys)),
    ]


class Reduction(ctypes.Structure):
    _fields_ = [
        ("op", c_void_p),
        ("map", c_void_p),
        ("init", c_void_p),
        ("result", c_void_p),
        ("type", c_int32),
    ]


class Message(ctypes.Structure):
    _fields_ = [
        ("from", c_uint32),
        ("to", c_uint32),
        ("bytes", c_void_p),
        ("size", c_size_t),
    ]


# `user`, then what the header says.
ALL_GATHER = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_size_t, c_uint64)
EXCHANGE = ctypes.CFUNCTYPE(
    c_int32, c_void_p, POINTER(Message), c_size_t, POINTER(Message), c_size_t, c_uint64
)
RELEASE = ctypes.CFUNCTYPE(None, c_void_p)


class Transport(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("size", c_uint32),
        ("local_ranks", POINTER(c_uint32)),
        ("local_rank_count", c_size_t),
        ("deadline", c_uint64),
        ("user", c_void_p),
        ("all_gather", ALL_GATHER),
        ("exchange", EXCHANGE),
        ("release", RELEASE),
    ]


class Share(ctypes.Structure):
    _fields_ = [("queue", c_void_p), ("count", c_uint64)]


class AccumulationOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("piece_bytes", c_uint64)]


class Slice(ctypes.Structure):
    _fields_ = [("queue", c_void_p), ("input", View), ("second", POINTER(View))]


class ScanSlice(ctypes.Structure):
    _fields_ = [
        ("queue", c_void_p),
        ("input", View),
        ("output", View),
        ("total", POINTER(View)),
    ]


def put_lines(
    options: Options,
    lines: tuple[int, ...],
    output: tuple[int, ...] | None,
    second: tuple[int, ...] | None = None,
) -> None:
    """Where the arrays of a call lie."""
    options.lines = ctypes.pointer(Lines(*lines))
    if output is not None:
        options.output_lines = ctypes.pointer(Lines(*output))
    if second is not None:
        options.second_lines = ctypes.pointer(Lines(*second))


def put_outputs(options: Options, views: list[View], texts: Sequence[str | None]) -> None:
    """The outputs beside a call's."""
    if views:
        encoded = [None if text is None else text.encode() for text in texts]
        outputs = [Output(view, text) for view, text in zip(views, encoded)]
        options.more_outputs = (Output * len(outputs))(*outputs)
        options.more_output_count = len(outputs)


def put_inputs(options: Options, views: list[View]) -> None:
    """The arrays that a function takes beside its own."""
    if views:
        options.more_inputs = (View * len(views))(*views)
        options.more_input_count = len(views)


class KeyShape(ctypes.Structure):
    _fields_ = [
        ("keys", c_int32),
        ("unique", c_int32),
        ("runs", c_int32),
        ("equality", c_void_p),
    ]


class ReduceShape(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("op", c_void_p),
        ("map", c_void_p),
        ("variant", c_char_p),
        ("input", c_int32),
        ("accumulator", c_int32),
        ("on_device", c_uint32),
        ("second", POINTER(c_int32)),
        ("order", c_int32),
        ("result", POINTER(c_int32)),
        ("lines", c_uint64),
        ("result_map", c_char_p),
        ("result_map_scalars", POINTER(ScalarType)),
        ("result_map_scalar_count", c_size_t),
        ("scalars_on_device", c_uint32),
        ("more_outputs", POINTER(OutputShape)),
        ("more_output_count", c_size_t),
        ("more_inputs", POINTER(c_int32)),
        ("more_input_count", c_size_t),
        ("segments", POINTER(c_int32)),
        ("segment_faults", c_uint64),
        ("keys", POINTER(KeyShape)),
    ]


class ScanShape(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("op", c_void_p),
        ("variant", c_char_p),
        ("input", c_int32),
        ("output", c_int32),
        ("accumulator", c_int32),
        ("kind", c_int32),
        ("on_device", c_uint32),
        ("map", c_void_p),
        ("order", c_int32),
        ("lines", c_uint64),
        ("reverse", c_uint64),
        ("result_map", c_char_p),
        ("result_map_scalars", POINTER(ScalarType)),
        ("result_map_scalar_count", c_size_t),
        ("scalars_on_device", c_uint32),
        ("more_outputs", POINTER(OutputShape)),
        ("more_output_count", c_size_t),
        ("more_inputs", POINTER(c_int32)),
        ("more_input_count", c_size_t),
    ]


class SelectShape(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("predicate", c_void_p),
        ("variant", c_char_p),
        ("input", c_int32),
        ("output", c_int32),
        ("kept", c_int32),
        ("on_device", c_uint32),
        ("flags", POINTER(c_int32)),
        ("rejected", c_int32),
        ("first_of_runs", c_uint32),
        ("indices", c_uint32),
        ("scalars_on_device", c_uint32),
        ("values", POINTER(c_int32)),
        ("stored_values", POINTER(c_int32)),
    ]
