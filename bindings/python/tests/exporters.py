"""Objects that export memory as foreign libraries do, and count what is done with them."""

import ctypes

import numpy as np

from bifold._base import dlpack

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
# A capsule keeps the pointer to its name.
NAMES = {
    False: ctypes.create_string_buffer(b"dltensor"),
    True: ctypes.create_string_buffer(b"dltensor_versioned"),
}
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class DlpackExporter:
    """Exports memory by DLPack.

    `array` tells dtype, shape and strides, `address` where the memory is, `device` what and which.
    """

    def __init__(self, array, device=(1, 0), address=None, versioned=True, flags=0, major=1):
        self.array, self.device = array, device
        self.address = array.ctypes.data if address is None else address
        self.versioned, self.flags, self.major = versioned, flags, major
        self.deleted = 0
        self.streams = []
        self._kept = []

    @property
    def given_back(self):
        """Whether every tensor was, once. Known calls may have one that the package asks again."""
        return self.deleted == len(self.streams) > 0

    def __dlpack_device__(self):
        return self.device

    def _tensor(self):
        array = self.array
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        self._kept += [shape, strides]
        pointer = ctypes.POINTER(ctypes.c_int64)
        return dlpack._Tensor(
            # Half of the way by the pointer, half by the offset.
            self.address - 8,
            dlpack._Device(*self.device),
            array.ndim,
            CODES[array.dtype.kind],
            array.itemsize * 8,
            1,
            ctypes.cast(shape, pointer),
            ctypes.cast(strides, pointer),
            8,
        )

    def _delete(self, _):
        self.deleted += 1

    def _capsule(self, versioned):
        deleter = dlpack._DELETER(self._delete)
        function = ctypes.cast(deleter, ctypes.c_void_p).value
        if versioned:
            managed = dlpack._Versioned(self.major, 0, None, function, self.flags, self._tensor())
        else:
            managed = dlpack._Managed(self._tensor(), None, function)
        self._kept += [deleter, managed]
        name = NAMES[versioned]
        return _new(ctypes.addressof(managed), ctypes.cast(name, ctypes.c_char_p), None)

    def __dlpack__(self, *, stream=None, **newer):
        if newer and not self.versioned:
            raise TypeError(f"unexpected keyword arguments {sorted(newer)}")
        self.streams.append(stream)
        return self._capsule(self.versioned and newer.get("max_version", (0, 0)) >= (1, 0))


class InterfaceExporter:
    """Exports CUDA memory by __cuda_array_interface__."""

    def __init__(self, address, n, dtype=np.int32, **more):
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": n if isinstance(n, tuple) else (n,),
            "typestr": np.dtype(dtype).str,
            "data": (address, False),
            **more,
        }
