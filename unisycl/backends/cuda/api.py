"""The functions of NVIDIA's driver that this backend calls, through ctypes.

A call by name checks its result; the few that are called for every launch are there as they are,
for arguments that were made ctypes' own before: that halves what a call costs. Non-goals: what the
calls are for. Invariants: a call that fails raises, but for those whose names begin with ``try_``;
nothing else in the package knows how a function of CUDA's is declared.
"""

from __future__ import annotations

import ctypes
from typing import Any

from unisycl.backends.cuda.errors import device_error

_P, _S, _I, _U = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint
_A = ctypes.c_uint64  # an address of a device's
_T = ctypes.c_char_p
_F = ctypes.c_float
_B, _H = ctypes.c_ubyte, ctypes.c_ushort

_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "cuInit": (_U,),
    "cuDriverGetVersion": (_P,),
    "cuDeviceGetCount": (_P,),
    "cuDeviceGet": (_P, _I),
    "cuDeviceGetName": (_T, _I, _I),
    "cuDeviceGetUuid_v2": (_P, _I),
    "cuDeviceGetAttribute": (_P, _I, _I),
    "cuDeviceTotalMem_v2": (_P, _I),
    "cuDeviceGetPCIBusId": (_T, _I, _I),
    "cuDevicePrimaryCtxRetain": (_P, _I),
    "cuCtxSetCurrent": (_P,),
    "cuCtxPushCurrent_v2": (_P,),
    "cuCtxPopCurrent_v2": (_P,),
    "cuCtxSynchronize": (),
    "cuStreamCreate": (_P, _U),
    "cuStreamCreateWithPriority": (_P, _U, _I),
    "cuCtxGetStreamPriorityRange": (_P, _P),
    "cuStreamDestroy_v2": (_P,),
    "cuStreamWaitEvent": (_P, _P, _U),
    "cuStreamSynchronize": (_P,),
    "cuStreamGetCtx": (_P, _P),
    "cuEventCreate": (_P, _U),
    "cuEventDestroy_v2": (_P,),
    "cuEventRecord": (_P, _P),
    "cuEventSynchronize": (_P,),
    "cuEventElapsedTime": (_P, _P, _P),
    "cuMemAlloc_v2": (_P, _S),
    "cuMemFree_v2": (_A,),
    "cuMemAllocAsync": (_P, _S, _P),
    "cuMemFreeAsync": (_A, _P),
    "cuMemHostAlloc": (_P, _S, _U),
    "cuMemFreeHost": (_P,),
    "cuMemAllocManaged": (_P, _S, _U),
    "cuMemHostRegister_v2": (_A, _S, _U),
    "cuMemHostUnregister": (_A,),
    "cuMemGetInfo_v2": (_P, _P),
    "cuDeviceGetDefaultMemPool": (_P, _I),
    "cuMemPoolSetAttribute": (_P, _I, _P),
    "cuMemPoolTrimTo": (_P, _S),
    "cuMemPoolSetAccess": (_P, _P, _S),
    "cuDeviceCanAccessPeer": (_P, _I, _I),
    "cuDeviceGetP2PAttribute": (_P, _I, _I, _I),
    "cuCtxEnablePeerAccess": (_P, _U),
    "cuCtxDisablePeerAccess": (_P,),
    "cuMemcpyPeerAsync": (_A, _P, _A, _P, _S, _P),
    "cuMemcpyAsync": (_A, _A, _S, _P),
    "cuMemcpy2DAsync_v2": (_P, _P),
    "cuMemsetD8Async": (_A, _B, _S, _P),
    "cuMemsetD16Async": (_A, _H, _S, _P),
    "cuMemsetD32Async": (_A, _U, _S, _P),
    "cuMemPrefetchAsync": (_A, _S, _I, _P),
    "cuMemAdvise": (_A, _S, _I, _I),
    "cuPointerGetAttribute": (_P, _I, _A),
    "cuModuleLoadData": (_P, _P),
    "cuModuleUnload": (_P,),
    "cuModuleGetFunction": (_P, _P, _T),
    "cuFuncGetAttribute": (_P, _I, _P),
    "cuFuncSetAttribute": (_P, _I, _I),
    "cuGraphCreate": (_P, _U),
    "cuGraphDestroy": (_P,),
    "cuGraphAddKernelNode_v2": (_P, _P, _P, _S, _P),
    "cuGraphInstantiateWithFlags": (_P, _P, ctypes.c_ulonglong),
    "cuGraphExecKernelNodeSetParams_v2": (_P, _P, _P),
    "cuGraphAddMemcpyNode": (_P, _P, _P, _S, _P, _P),
    "cuGraphAddMemsetNode": (_P, _P, _P, _S, _P, _P),
    "cuGraphExecMemcpyNodeSetParams": (_P, _P, _P, _P),
    "cuGraphExecMemsetNodeSetParams": (_P, _P, _P, _P),
    "cuGraphExecDestroy": (_P,),
    "cuGraphLaunch": (_P, _P),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (_P, _P, _I, _S),
    "cuMemGetAllocationGranularity": (_P, _P, _I),
    "cuMemAddressReserve": (_P, _S, _S, _A, ctypes.c_ulonglong),
    "cuMemAddressFree": (_A, _S),
    "cuMemCreate": (_P, _S, _P, ctypes.c_ulonglong),
    "cuMemRelease": (ctypes.c_ulonglong,),
    "cuMemMap": (_A, _S, _S, ctypes.c_ulonglong, ctypes.c_ulonglong),
    "cuMemUnmap": (_A, _S),
    "cuMemSetAccess": (_A, _S, _P, _S),
    "cuTexObjectCreate": (_P, _P, _P, _P),
    "cuTexObjectDestroy": (ctypes.c_ulonglong,),
}
_LATER: dict[str, tuple[Any, ...]] = {
    "cuLinkCreate_v2": (_U, _P, _P, _P),
    "cuLinkAddData_v2": (_P, _I, _P, _S, _T, _U, _P, _P),
    "cuLinkAddFile_v2": (_P, _I, _T, _U, _P, _P),
    "cuLinkComplete": (_P, _P, _P),
    "cuLinkDestroy": (_P,),
    "cuGraphConditionalHandleCreate": (_P, _P, _P, _U, _U),
    "cuGraphAddNode_v2": (_P, _P, _P, _P, _S, _P),
}
"""What drivers for CUDA 12.3 and newer have; ``cuLink...`` all, but ours that are none."""
_QUICK = {
    "cuLaunchKernel": (_P, _U, _U, _U, _U, _U, _U, _U, _P, _P, _P),
    "cuLaunchKernelEx": (_P, _P, _P, _P),
    "cuLaunchCooperativeKernel": (_P, _U, _U, _U, _U, _U, _U, _U, _P, _P),
    "cuEventQuery": (_P,),
    "cuStreamQuery": (_P,),
    "cuEventRecord": (_P, _P),
    "cuCtxSetCurrent": (_P,),
    "cuCtxPushCurrent_v2": (_P,),
    "cuCtxPopCurrent_v2": (_P,),
}
OLDEST = 12000
"""CUDA 12.0: the driver's version as ``cuDriverGetVersion`` gives it."""


class IpcHandle(ctypes.Structure):
    """``CUipcMemHandle``, which is given by value."""

    _fields_ = (("reserved", ctypes.c_ubyte * 64),)


_FUNCTIONS.update({
    "cuIpcGetMemHandle": (_P, _A),
    "cuIpcOpenMemHandle_v2": (_P, IpcHandle, _U),
    "cuIpcCloseMemHandle": (_A,),
})


class Copy2D(ctypes.Structure):
    """``CUDA_MEMCPY2D``."""

    _fields_ = (
        ("srcXInBytes", _S), ("srcY", _S), ("srcMemoryType", _I), ("srcHost", _P),
        ("srcDevice", _A), ("srcArray", _P), ("srcPitch", _S),
        ("dstXInBytes", _S), ("dstY", _S), ("dstMemoryType", _I), ("dstHost", _P),
        ("dstDevice", _A), ("dstArray", _P), ("dstPitch", _S),
        ("WidthInBytes", _S), ("Height", _S))


class Copy3D(ctypes.Structure):
    """``CUDA_MEMCPY3D``."""

    _fields_ = (
        ("srcXInBytes", _S), ("srcY", _S), ("srcZ", _S), ("srcLOD", _S), ("srcMemoryType", _I),
        ("srcHost", _P), ("srcDevice", _A), ("srcArray", _P), ("reserved0", _P), ("srcPitch", _S),
        ("srcHeight", _S),
        ("dstXInBytes", _S), ("dstY", _S), ("dstZ", _S), ("dstLOD", _S), ("dstMemoryType", _I),
        ("dstHost", _P), ("dstDevice", _A), ("dstArray", _P), ("reserved1", _P), ("dstPitch", _S),
        ("dstHeight", _S),
        ("WidthInBytes", _S), ("Height", _S), ("Depth", _S))


class Fill(ctypes.Structure):
    """``CUDA_MEMSET_NODE_PARAMS``."""

    _fields_ = (("dst", _A), ("pitch", _S), ("value", _U), ("elementSize", _U), ("width", _S),
                ("height", _S))


class PitchedResource(ctypes.Structure):
    """``CUDA_RESOURCE_DESC`` of rows in memory (``res.pitch2D``)."""

    _fields_ = (
        ("resType", _I), ("devPtr", _A), ("format", _I), ("numChannels", _U), ("width", _S),
        ("height", _S), ("pitchInBytes", _S), ("rest", _I * 22), ("flags", _U))


class TextureDesc(ctypes.Structure):
    """``CUDA_TEXTURE_DESC``."""

    _fields_ = (
        ("addressMode", _I * 3), ("filterMode", _I), ("flags", _U), ("maxAnisotropy", _U),
        ("mipmapFilterMode", _I), ("mipmapLevelBias", _F), ("minMipmapLevelClamp", _F),
        ("maxMipmapLevelClamp", _F), ("borderColor", _F * 4), ("reserved", _I * 12))


class Access(ctypes.Structure):
    """``CUmemAccessDesc``, its ``CUmemLocation`` in two fields."""

    _fields_ = (("type", _I), ("id", _I), ("flags", _I))


class AllocationProp(ctypes.Structure):
    """``CUmemAllocationProp``, its ``CUmemLocation`` in two fields."""

    _fields_ = (("type", _I), ("requestedHandleTypes", _I), ("place", _I), ("id", _I),
                ("win32HandleMetaData", _P), ("allocFlags", _A))


class LaunchConfig(ctypes.Structure):
    """``CUlaunchConfig``: groups and items in C's order, dynamic memory, where it runs."""

    _fields_ = (
        ("gridDimX", _U), ("gridDimY", _U), ("gridDimZ", _U),
        ("blockDimX", _U), ("blockDimY", _U), ("blockDimZ", _U),
        ("sharedMemBytes", _U), ("hStream", _P), ("attrs", _P), ("numAttrs", _U))


class KernelNode(ctypes.Structure):
    """``CUDA_KERNEL_NODE_PARAMS_v2``."""

    _fields_ = (
        ("func", _P), ("gridDimX", _U), ("gridDimY", _U), ("gridDimZ", _U),
        ("blockDimX", _U), ("blockDimY", _U), ("blockDimZ", _U),
        ("sharedMemBytes", _U), ("kernelParams", _P), ("extra", _P), ("kern", _P), ("ctx", _P))


class ConditionalNode(ctypes.Structure):
    """``CUgraphNodeParams`` of a conditional node; ``graphs`` is where CUDA put its bodies."""

    _fields_ = (
        ("type", _I), ("reserved0", _I * 3),
        ("handle", _A), ("kind", _I), ("size", _U), ("graphs", _P), ("context", _P),
        ("rest", ctypes.c_longlong * 25), ("reserved2", ctypes.c_longlong))


class Api:
    """The functions of one library. Thread-safe, as the driver is.

    Raises ``AttributeError`` with the name of a function that the library lacks: it is too old.
    """

    def __init__(self, library: Any) -> None:
        self._functions = {}
        for name, types in _FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, _I
            self._functions[name] = function
        for name, types in _LATER.items():
            function = getattr(library, name, None)
            if function is not None:
                function.argtypes, function.restype = types, _I
                self._functions[name] = function
        quick = {name: library[name] for name in _QUICK}
        for function in quick.values():
            function.restype = _I  # without types: the arguments are ctypes' own already
        self.try_launch = quick["cuLaunchKernel"]
        self.try_launch_prepared = quick["cuLaunchKernelEx"]
        self.try_launch_together = quick["cuLaunchCooperativeKernel"]
        self.try_query = quick["cuEventQuery"]
        self.try_idle = quick["cuStreamQuery"]
        self.try_record = quick["cuEventRecord"]
        self.try_make_current = quick["cuCtxSetCurrent"]
        self.try_push = quick["cuCtxPushCurrent_v2"]
        self.try_pop = quick["cuCtxPopCurrent_v2"]

    def has(self, name: str) -> bool:
        """Say whether the library has a function that not every driver has."""
        return name in self._functions

    def attempt(self, name: str, *args: Any) -> int:
        """Call a function; return its result, which is 0 if all went well."""
        return int(self._functions[name](*args))

    def call(self, name: str, *args: Any) -> None:
        """Call a function; raise our error if it fails."""
        result = self._functions[name](*args)
        if result:
            raise device_error(name, int(result))

    def address(self, name: str, *args: Any) -> int:
        """Call a function that stores a handle or an address first of all; return that."""
        out = ctypes.c_uint64()
        self.call(name, ctypes.byref(out), *args)
        return out.value

    def address_last(self, name: str, *args: Any) -> int:
        """Call a function that stores a handle or an address last of all; return that."""
        out = ctypes.c_uint64()
        self.call(name, *args, ctypes.byref(out))
        return out.value

    def number(self, name: str, *args: Any) -> int:
        """Call a function that stores an ``int`` first of all; return that."""
        out = ctypes.c_int()
        self.call(name, ctypes.byref(out), *args)
        return out.value

    def text(self, name: str, *args: Any) -> str:
        """Call a function that stores a text of at most 255 bytes first of all; return that."""
        out = ctypes.create_string_buffer(256)
        self.call(name, out, 256, *args)
        return out.value.decode(errors="replace").strip()

    def memory_info(self) -> tuple[int, int]:
        """Return how many bytes of the current context's device are free, and how many it has."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def priorities(self) -> tuple[int, int]:
        """Return the numbers of the least and the most urgent streams of the current context."""
        least, most = ctypes.c_int(), ctypes.c_int()
        self.call("cuCtxGetStreamPriorityRange", ctypes.byref(least), ctypes.byref(most))
        return least.value, most.value

    def milliseconds(self, start: Any, stop: Any) -> float:
        """Return the time between two events."""
        out = _F()
        self.call("cuEventElapsedTime", ctypes.byref(out), start, stop)
        return out.value


def handle(value: int) -> ctypes.c_void_p:
    """Return a handle for a function that takes arguments as ctypes' own."""
    return ctypes.c_void_p(value)
