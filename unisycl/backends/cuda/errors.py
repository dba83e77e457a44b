"""CUDA's result codes as errors of unisycl.

Non-goals: when something is an error. Invariant: the message names the routine and the result.
"""

from __future__ import annotations

from unisycl.base.errors import BuildError, NativeError, errc, exception

SUCCESS, NOT_READY, OUT_OF_MEMORY = 0, 600, 2
_NAMES = {
    1: "INVALID_VALUE", 2: "OUT_OF_MEMORY", 3: "NOT_INITIALIZED", 4: "DEINITIALIZED",
    34: "STUB_LIBRARY", 36: "CALL_REQUIRES_NEWER_DRIVER", 46: "DEVICE_UNAVAILABLE",
    100: "NO_DEVICE", 101: "INVALID_DEVICE", 102: "DEVICE_NOT_LICENSED", 200: "INVALID_IMAGE",
    201: "INVALID_CONTEXT", 209: "NO_BINARY_FOR_GPU", 214: "ECC_UNCORRECTABLE",
    218: "INVALID_PTX", 220: "NVLINK_UNCORRECTABLE", 222: "UNSUPPORTED_PTX_VERSION",
    226: "CONTAINED", 300: "INVALID_SOURCE", 304: "OPERATING_SYSTEM", 400: "INVALID_HANDLE",
    401: "ILLEGAL_STATE", 500: "NOT_FOUND", 600: "NOT_READY", 700: "ILLEGAL_ADDRESS",
    701: "LAUNCH_OUT_OF_RESOURCES", 702: "LAUNCH_TIMEOUT", 709: "CONTEXT_IS_DESTROYED",
    710: "ASSERT", 712: "HOST_MEMORY_ALREADY_REGISTERED", 714: "HARDWARE_STACK_ERROR",
    715: "ILLEGAL_INSTRUCTION",
    716: "MISALIGNED_ADDRESS", 717: "INVALID_ADDRESS_SPACE", 718: "INVALID_PC",
    719: "LAUNCH_FAILED", 720: "COOPERATIVE_LAUNCH_TOO_LARGE", 800: "NOT_PERMITTED",
    801: "NOT_SUPPORTED", 802: "SYSTEM_NOT_READY", 803: "SYSTEM_DRIVER_MISMATCH",
    804: "COMPAT_NOT_SUPPORTED_ON_DEVICE", 805: "MPS_CONNECTION_FAILED",
    806: "MPS_RPC_FAILURE", 807: "MPS_SERVER_NOT_READY", 808: "MPS_MAX_CLIENTS_REACHED",
    809: "MPS_MAX_CONNECTIONS_REACHED", 810: "MPS_CLIENT_TERMINATED", 908: "TIMEOUT",
    999: "UNKNOWN",
}
_CODES = {2: errc.memory_allocation, 701: errc.nd_range, 720: errc.nd_range,
          200: errc.build, 209: errc.build, 218: errc.build, 222: errc.build, 300: errc.build,
          801: errc.feature_not_supported}
_UNKNOWN_CODE = (200, 209, 218, 222)
_LASTING = frozenset((4, 46, 214, 220, 226, 304, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719,
                      807, 810, 999))
"""Results after which a context does nothing any more: each later call gives the same."""


def result_name(result: int) -> str:
    """Return what CUDA calls a result."""
    name = _NAMES.get(result)
    return f"CUDA_ERROR_{name} ({result})" if name else f"an error ({result})"


def is_lasting(result: int) -> bool:
    """Say whether a result means that the device is lost to this process."""
    return result in _LASTING


def device_error(what: str, result: int) -> exception:
    """Return the error of a call that gave a result."""
    code = _CODES.get(result, errc.runtime)
    text = f"{what}: CUDA reports {result_name(result)}{_advice(code, result)}"
    if code is errc.build:
        return BuildError(code, text)
    return NativeError(code, text, native_code=result)


def _advice(code: errc, result: int) -> str:
    if code is errc.memory_allocation:
        return "; use smaller buffers, or fewer at a time"
    if code is errc.nd_range:
        return "; use a smaller work-group, less local memory, or fewer work-groups"
    if result in _UNKNOWN_CODE:
        return ("; the driver does not know such code: where NVIDIA's compiler (nvidia-cuda-nvrtc) "
                "is of a newer CUDA than the driver, install one that is not, or a newer driver")
    if result == 700:
        return ("; the kernel read or wrote where no memory is: look for an index out of range, "
                "or memory that was freed (debug on the cpu or host device finds the line)")
    return ""
