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


class Graph:
    """What a stream is given while it is captured, ready to be launched once that is over."""

    def __init__(self, driver, stream, mode=0):
        self.driver, self.stream, self.mode = driver, ctypes.c_void_p(stream), mode
        self._graph, self._exec = ctypes.c_void_p(), ctypes.c_void_p()

    def __enter__(self):
        self.driver.cuStreamBeginCapture_v2(self.stream, self.mode)
        return self

    def __exit__(self, *failure):
        if failure[0] is not None and not self.capturing:
            self.driver.library.cuStreamEndCapture(self.stream, ctypes.byref(self._graph))
            return
        self.driver.cuStreamEndCapture(self.stream, ctypes.byref(self._graph))
        instantiate = self.driver.cuGraphInstantiateWithFlags
        instantiate(ctypes.byref(self._exec), self._graph, ctypes.c_uint64(0))

    @property
    def capturing(self):
        """Whether the capture goes on and is valid."""
        status = ctypes.c_int()
        self.driver.cuStreamIsCapturing(self.stream, ctypes.byref(status))
        return status.value == 1

    @property
    def nodes(self):
        found = ctypes.c_size_t()
        self.driver.cuGraphGetNodes(self._graph, None, ctypes.byref(found))
        return found.value

    def launch(self):
        self.driver.cuGraphLaunch(self._exec, self.stream)

    def close(self):
        self.driver.cuGraphExecDestroy(self._exec)
        self.driver.cuGraphDestroy(self._graph)
