"""A call as XLA makes it to a handler: the structs of xla/ffi/api/c_api.h, without XLA."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_void_p, sizeof

TYPES = {"int8": 2, "int32": 4, "int64": 5, "float32": 11, "complex64": 15}
_BOOL, _BUFFER, _SCALAR, _EXECUTE = 1, 1, 3, 3
_HEAD = (("struct_size", c_size_t), ("extension", c_void_p))


def _struct(name, *fields, base=_HEAD):
    return type(name, (ctypes.Structure,), {"_fields_": [*base, *fields]})


_Buffer = _struct(
    "Buffer", ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64))
)
_Operands = _struct(
    "Operands", ("size", c_int64), ("types", POINTER(c_int)), ("arrays", POINTER(c_void_p))
)
_Span = _struct("Span", ("text", c_char_p), ("length", c_size_t), base=())
_Scalar = _struct("Scalar", ("dtype", c_int), ("value", c_void_p), base=())
_Attributes = _struct(
    "Attributes",
    ("size", c_int64),
    ("types", POINTER(c_int)),
    ("names", POINTER(POINTER(_Span))),
    ("values", POINTER(c_void_p)),
)
_ErrorCreate = _struct("ErrorCreate", ("message", c_char_p), ("code", c_int))
_StreamGet = _struct("StreamGet", ("context", c_void_p), ("stream", c_void_p))
_create = ctypes.CFUNCTYPE(c_void_p, POINTER(_ErrorCreate))
_stream = ctypes.CFUNCTYPE(c_void_p, POINTER(_StreamGet))
_Api = _struct(
    "Api",
    ("version_size", c_size_t),
    ("version_extension", c_void_p),
    ("major", c_int),
    ("minor", c_int),
    ("internal", c_void_p),
    ("error_create", _create),
    ("error_message", c_void_p),
    ("error_destroy", c_void_p),
    ("register", c_void_p),
    ("stream_get", _stream),
    ("others", c_void_p * 16),
)
_Frame = _struct(
    "Frame",
    ("api", POINTER(_Api)),
    ("context", c_void_p),
    ("stage", c_int),
    ("arguments", _Operands),
    ("results", _Operands),
    ("attributes", _Attributes),
    ("future", c_void_p),
)


def _sized(made):
    made.struct_size = sizeof(made)
    return made


def _operands(kept, array):
    dtype, address, shape = array
    dims = (c_int64 * len(shape))(*shape)
    buffer = _sized(_Buffer(0, None, TYPES[dtype], address, len(shape), dims))
    kept.append((dims, buffer))
    return _sized(_Operands(0, None, 1, (c_int * 1)(_BUFFER), (c_void_p * 1)(_address(buffer))))


def _address(struct):
    return ctypes.cast(ctypes.pointer(struct), c_void_p).value


def _attributes(kept, named):
    names, values = [], []
    for name, value in sorted(named.items()):
        is_bool = isinstance(value, bool)
        number = (ctypes.c_bool if is_bool else c_int64)(value)
        scalar = _Scalar(_BOOL if is_bool else TYPES["int64"], _address(number))
        kept.append((number, scalar))
        names.append(ctypes.pointer(_Span(name.encode(), len(name))))
        values.append(_address(scalar))
    count = len(values)
    made = _Attributes(0, None, count, (c_int * count)(*[_SCALAR] * count))
    made.names, made.values = (POINTER(_Span) * count)(*names), (c_void_p * count)(*values)
    return _sized(made)


def call(capsule, stream, x, out, **attributes):
    """Calls a handler with arrays, each a dtype, an address and a shape.

    Returns:
        None, or the code and the message of the failure.
    """
    failures = []

    @_create
    def create(arguments):
        failures.append((arguments[0].code, arguments[0].message.decode()))
        return 1

    @_stream
    def get(arguments):
        arguments[0].stream = stream
        return None

    api = _sized(_Api())
    api.error_create, api.stream_get = create, get
    kept = []
    frame = _Frame(0, None, ctypes.pointer(api), None, _EXECUTE)
    frame.arguments, frame.results = _operands(kept, x), _operands(kept, out)
    frame.attributes = _attributes(kept, attributes)
    frame.struct_size = _Frame.future.offset
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    handler = ctypes.CFUNCTYPE(c_void_p, POINTER(_Frame))(pointer(capsule, None))
    failed = handler(ctypes.byref(frame))
    assert bool(failed) == bool(failures)
    return failures[0] if failures else None
