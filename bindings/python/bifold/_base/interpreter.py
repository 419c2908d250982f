"""Refuses to be imported where the package does not work: the extension has one interpreter."""

from __future__ import annotations

_WHERE = "bifold works in the main interpreter alone, and this is a sub-interpreter"

try:
    import ctypes
except ImportError as failure:
    # Itself, in one that is isolated.
    raise ImportError(_WHERE if "subinterpreter" in str(failure) else str(failure)) from failure

_api = ctypes.pythonapi
_current = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyInterpreterState_Get", _api))
_number = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(("PyInterpreterState_GetID", _api))

if _number(_current()) != 0:
    raise ImportError(_WHERE)
