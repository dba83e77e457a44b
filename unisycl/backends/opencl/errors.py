"""OpenCL's status codes as errors of unisycl.

Non-goals: when something is an error. Invariant: the message names the routine and the status.
"""

from __future__ import annotations

from typing import Any

from unisycl.base.errors import BuildError, FollowingError, NativeError, errc, exception

_NAMES = {
    -1: "DEVICE_NOT_FOUND", -2: "DEVICE_NOT_AVAILABLE", -3: "COMPILER_NOT_AVAILABLE",
    -4: "MEM_OBJECT_ALLOCATION_FAILURE", -5: "OUT_OF_RESOURCES", -6: "OUT_OF_HOST_MEMORY",
    -7: "PROFILING_INFO_NOT_AVAILABLE", -9: "IMAGE_FORMAT_MISMATCH",
    -10: "IMAGE_FORMAT_NOT_SUPPORTED", -11: "BUILD_PROGRAM_FAILURE",
    -14: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", -15: "COMPILE_PROGRAM_FAILURE",
    -17: "LINK_PROGRAM_FAILURE", -30: "INVALID_VALUE", -33: "INVALID_DEVICE",
    -34: "INVALID_CONTEXT", -36: "INVALID_COMMAND_QUEUE", -38: "INVALID_MEM_OBJECT",
    -42: "INVALID_BINARY", -43: "INVALID_BUILD_OPTIONS", -46: "INVALID_KERNEL_NAME",
    -48: "INVALID_KERNEL", -49: "INVALID_ARG_INDEX", -50: "INVALID_ARG_VALUE",
    -51: "INVALID_ARG_SIZE", -52: "INVALID_KERNEL_ARGS", -53: "INVALID_WORK_DIMENSION",
    -54: "INVALID_WORK_GROUP_SIZE", -55: "INVALID_WORK_ITEM_SIZE", -56: "INVALID_GLOBAL_OFFSET",
    -57: "INVALID_EVENT_WAIT_LIST", -58: "INVALID_EVENT", -61: "INVALID_BUFFER_SIZE",
    -63: "INVALID_GLOBAL_WORK_SIZE", -9999: "an illegal read or write (NVIDIA)",
}
_CODES = {-4: errc.memory_allocation, -5: errc.memory_allocation, -6: errc.memory_allocation,
          -61: errc.memory_allocation, -53: errc.nd_range, -54: errc.nd_range, -55: errc.nd_range,
          -56: errc.nd_range, -63: errc.nd_range, -3: errc.build, -11: errc.build,
          -15: errc.build, -17: errc.build, -43: errc.build, -7: errc.profiling,
          **dict.fromkeys((-49, -50, -51, -52), errc.kernel_argument)}
FAILED_BEFORE = -14
"""The status of a command that did not run because another one, which it waits for, failed."""


def is_shortage(status: int) -> bool:
    """Say whether a status means that there is not enough memory."""
    return _CODES.get(status) is errc.memory_allocation


def status_name(status: int) -> str:
    """Return what OpenCL calls a status."""
    return f"{_NAMES.get(status, 'an error')} ({status})"


def device_error(what: str, status: int) -> exception:
    """Return the error of a call that gave a status."""
    code = _CODES.get(status, errc.runtime)
    text = f"{what}: OpenCL reports {status_name(status)}{_advice(code)}"
    if code is errc.build:
        return BuildError(code, text)
    kind = FollowingError if status == FAILED_BEFORE else NativeError
    return kind(code, text, native_code=status)


def _advice(code: errc) -> str:
    if code is errc.memory_allocation:
        return "; use smaller buffers, less local memory, or fewer at a time"
    return "; use a smaller work-group" if code is errc.nd_range else ""


def translated(what: str, error: Any) -> exception:
    """Return an error of PyOpenCL as one of ours; the caller raises it from the original."""
    return device_error(what, int(getattr(error, "code", 0)))
