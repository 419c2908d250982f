"""The table of functions that ctypes calls, against the C headers."""

import ctypes
import re
from pathlib import Path

import pytest

from bifold import _plans
from bifold._base import errors, native, operators, structs
from bifold._base.kinds import ORDERS

HEADERS = Path(__file__).parents[3] / "include" / "bifold"

# What other functions do as well.
LEFT_OUT = re.compile(
    r"bifold_(status_name|copy|buffer_size|cuda_(record|adopt_current_device)"
    r"|group_plan_reduce_into|mean|variance|norm|logsumexp)$"
)

INTEGERS = {
    "bool": ctypes.c_bool,
    "double": ctypes.c_double,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
}
CALLBACKS = {"bifold_log_callback": native.LOG_CALLBACK}
STRUCTS = {
    "bifold_error": structs.ErrorDetails,
    "bifold_field": structs.Field,
    "bifold_backend_info": structs.BackendInfo,
    "bifold_device_info": structs.DeviceInfo,
    "bifold_device_options": structs.DeviceOptions,
    "bifold_capabilities": structs.Capabilities,
    "bifold_view": structs.View,
    "bifold_queue_options": structs.QueueOptions,
    "bifold_lines": structs.Lines,
    "bifold_options": structs.Options,
    "bifold_output": structs.Output,
    "bifold_segments": structs.Segments,
    "bifold_keys": structs.Keys,
    "bifold_key_shape": structs.KeyShape,
    "bifold_output_shape": structs.OutputShape,
    "bifold_reduction": structs.Reduction,
    "bifold_scalar": structs.Scalar,
    "bifold_scalar_type": structs.ScalarType,
    "bifold_reduce_shape": structs.ReduceShape,
    "bifold_scan_shape": structs.ScanShape,
    "bifold_select_shape": structs.SelectShape,
    "bifold_transport": structs.Transport,
    "bifold_message": structs.Message,
    "bifold_share": structs.Share,
    "bifold_accumulation_options": structs.AccumulationOptions,
    "bifold_slice": structs.Slice,
    "bifold_scan_slice": structs.ScanSlice,
}


@pytest.fixture(scope="module")
def text():
    headers = [*sorted(HEADERS.glob("c_*.h")), *sorted(HEADERS.glob("*/c_*.h"))]
    headers.append(HEADERS / "bifold.h")
    whole = "".join(path.read_text() for path in headers)
    return re.sub(r"/\*.*?\*/", "", whole, flags=re.S)


@pytest.fixture(scope="module")
def functions(text):
    found = re.findall(r"BIFOLD_API\s+([^;]*?)\b(bifold_\w+)\(([^;]*?)\);", text, flags=re.S)
    assert len(found) > 80
    return {
        name: (" ".join(result.split()), [" ".join(a.split()) for a in arguments.split(",")])
        for result, name, arguments in found
    }


def plain(declaration, aliases):
    """The ctypes type of a parameter or a member."""
    words = [w for w in re.findall(r"\w+|\*", declaration) if w != "const"]
    stars = words.count("*")
    base = words[0]
    base = aliases.get(base, base)
    if stars == 0:
        return {**INTEGERS, **STRUCTS, **CALLBACKS}[base]
    if stars == 1 and base in INTEGERS:
        return ctypes.POINTER(INTEGERS[base])
    if stars == 1 and base in STRUCTS:
        return ctypes.POINTER(STRUCTS[base])
    if stars == 1 and base == "char":
        return ctypes.c_char_p
    return ctypes.c_void_p if stars == 1 else ctypes.POINTER(ctypes.c_void_p)


@pytest.fixture(scope="module")
def aliases(text):
    return dict((new, old) for old, new in re.findall(r"typedef (\w+) (bifold_\w+);", text))


def test_every_function_is_declared_as_the_header_has_it(functions, aliases):
    declared = {**native.CALLS, **{n: a for n, (_, a) in native.OTHERS.items()}}
    wanted = {n for n in functions if not LEFT_OUT.match(n)}
    assert set(declared) == wanted
    for name, arguments in declared.items():
        result, parameters = functions[name]
        kinds = [] if parameters == ["void"] else [plain(p, aliases) for p in parameters]
        assert arguments == kinds, name
        assert (name in native.CALLS) == (result == "bifold_status"), name


def test_every_struct_has_the_headers_members(text, aliases):
    for name, struct in STRUCTS.items():
        body = re.search(rf"typedef struct {name} {{(.*?)}} {name};", text, flags=re.S).group(1)
        members = [" ".join(m.split()) for m in body.split(";") if m.strip()]
        assert len(struct._fields_) == len(members)
        for (label, kind), member in zip(struct._fields_, members):
            callback = re.fullmatch(r"(\w+) ?\(\*(\w+)\)\((.*)\)", member)
            if callback is None:
                assert label == re.findall(r"\w+", member)[-1]
                assert kind == plain(member.rsplit(label, 1)[0], aliases), f"{name}.{label}"
                continue
            result, named, parameters = callback.groups()
            assert label == named
            assert kind._restype_ == (None if result == "void" else plain(result, aliases))
            assert list(kind._argtypes_) == [plain(p, aliases) for p in parameters.split(", ")]


def test_the_numbers_are_the_headers(text):
    def numbered(pattern):
        return [name.lower() for name in re.findall(pattern, text)]

    names = re.search(r"enum {\s*BIFOLD_PLUS.*?}", text, flags=re.S).group(0)
    assert re.findall(r"BIFOLD_(\w+)", names) == [o.upper() for o in operators.BUILTIN]
    orders = re.search(r"enum {\s*BIFOLD_ORDER_V1.*?}", text, flags=re.S).group(0)
    assert re.findall(r"BIFOLD_ORDER_(\w+)", orders) == [o.upper() for o in ORDERS]
    values = dict(re.findall(r"BIFOLD_(COUNT_U32|COUNT_U64|INIT|TOTAL) = (\d+)", text))
    assert {name.upper(): str(bit) for name, bit in _plans.ON_DEVICE.items()} == values
    kinds = re.search(r"enum {\s*BIFOLD_INCLUSIVE.*?}", text, flags=re.S).group(0)
    found = [kind.lower() for kind in re.findall(r"BIFOLD_(\w+)", kinds)]
    assert [f"{kind}_scan" for kind in found] == list(_plans.KINDS)
    listed = re.search(r"enum {\s*BIFOLD_OK = 0.*?}", text, flags=re.S).group(0)
    statuses = dict(re.findall(r"BIFOLD_(\w+) = (\d+)", listed))
    assert statuses.pop("OK") == "0"
    assert {int(n): s.lower() for s, n in statuses.items()} == {
        number: kind.category for number, kind in errors.BY_STATUS.items()
    }
    types = re.search(r"enum {\s*(BIFOLD_I8.*?)}", text, flags=re.S).group(1)
    builtin = "i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16 complex64 complex128".split()
    assert numbered(r"BIFOLD_(B?[IUF]\d+|COMPLEX\d+)\b")[: len(types.split(","))] == builtin
