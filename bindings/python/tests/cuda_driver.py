"""A CUDA application: streams and memory in the primary contexts, by the driver alone."""

import ctypes

import numpy as np

N = 1000


class Driver:
    """The calls of a CUDA application."""

    def __init__(self, library, devices=2):
        self.library = library
        self.contexts = []
        self.blocks = []
        self.streams = []
        assert library.cuInit(0) == 0
        for index in range(devices):
            context = ctypes.c_void_p()
            assert library.cuDevicePrimaryCtxRetain(ctypes.byref(context), index) == 0
            self.contexts.append(context)

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments, index=0):
            self.library.cuCtxPushCurrent_v2(self.contexts[index])
            try:
                assert function(*arguments) == 0, name
            finally:
                self.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

        return call

    def memory(self, nbytes=4 * N, index=0):
        address = ctypes.c_uint64()
        self.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(nbytes), index=index)
        self.blocks.append((address, index))
        return address.value

    def stream(self, index=0):
        stream = ctypes.c_void_p()
        self.cuStreamCreate(ctypes.byref(stream), 1, index=index)
        self.streams.append((stream, index))
        return stream.value

    def fill_later(self, address, stream, word):
        """Work that waits in the stream until somebody waits for it."""
        self.cuMemsetD32Async(
            ctypes.c_uint64(address), word, ctypes.c_size_t(N), ctypes.c_void_p(stream)
        )

    def write(self, address, array):
        """Blocks. Copies an array to the device."""
        nbytes = ctypes.c_size_t(array.nbytes)
        source = ctypes.c_void_p(array.ctypes.data)
        self.cuMemcpyHtoDAsync_v2(ctypes.c_uint64(address), source, nbytes, None)
        self.cuStreamSynchronize(None)

    def read(self, address, like):
        """Blocks. An array of the shape and dtype of another, from the device."""
        array = np.empty_like(like)
        nbytes = ctypes.c_size_t(array.nbytes)
        target = ctypes.c_void_p(array.ctypes.data)
        self.cuMemcpyDtoHAsync_v2(target, ctypes.c_uint64(address), nbytes, None)
        self.cuStreamSynchronize(None)
        return array

    def close(self):
        for stream, index in self.streams:
            self.cuStreamDestroy_v2(stream, index=index)
        for block, index in self.blocks:
            self.cuMemFree_v2(block, index=index)
        for index in range(len(self.contexts)):
            self.library.cuDevicePrimaryCtxRelease_v2(index)
