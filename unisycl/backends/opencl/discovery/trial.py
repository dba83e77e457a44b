"""Whether a device can build a kernel of one line; one that cannot is a problem, not a device.

A compiler may not know the processor it runs on, or lack a file: the driver then lists devices that
run nothing. Drivers for processors finish compiling when a kernel is launched, so there it is run,
too. Non-goals: whether results of other kernels are right (``quirks``). Invariant: what only fails
at present, for lack of memory or because somebody else has the device, is nobody's problem here.
"""

from __future__ import annotations

import re
from typing import Any

from unisycl.backends.opencl.discovery.traits import Traits, language

SOURCE = "__kernel void one_line(__global int *out) { out[get_global_id(0)] = 42; }"
_COUNT = 4
_LINES = 20
_NO_BUILD = (-3, -11, -15, -17, -42, -43)
"""The status codes of a compiler that is missing, or that fails."""
_OLDER = re.compile("unknown target CPU")
_ADVICE = ("; this compiler is older than the processor: a newer PoCL may know it, as Debian's and "
           "Ubuntu's pocl-opencl-icd does from 3.1 on; from that version on POCL_LLVM_CPU_NAME, "
           "x86-64-v3 say, names another processor")


def failure(cl: Any, device: Any, traits: Traits) -> str:
    """Return why a device builds no kernel, with the compiler's whole log; '' if it does."""
    if traits.numbers.get("compiler_available") == 0:
        return ""  # it takes binaries
    try:
        context = cl.Context([device])
        program = cl._cl._Program(context, SOURCE)
    except Exception:  # noqa: BLE001 - the device is taken: whoever uses it is told
        return ""
    try:
        program._build(f"-cl-std={language(traits)}".encode(), [device])
    except Exception as error:  # noqa: BLE001 - PyOpenCL's classes differ between versions
        return _cannot_build(cl, device, program, error)
    if traits.kind != "cpu":
        return ""
    try:
        return _run(cl, context, device, program)
    except Exception as error:  # noqa: BLE001 - whatever it is, no kernel runs
        return f"it does not run a kernel of one line: {_text(error)}"


def _cannot_build(cl: Any, device: Any, program: Any, error: Exception) -> str:
    if getattr(error, "code", _NO_BUILD[0]) not in _NO_BUILD:
        return ""
    try:
        log = str(program.get_build_info(device, cl.program_build_info.LOG))
    except Exception:  # noqa: BLE001 - then there is none
        log = ""
    lines = [" ".join(line.split()) for line in log.replace("\0", "").splitlines() if line.strip()]
    if len(lines) > _LINES:
        lines[_LINES:] = [f"... {len(lines) - _LINES} more lines"]
    told = " | ".join(lines)
    return (f"it cannot build a kernel of one line: {_text(error)}"
            f"{f'; its log: {told}' if told else ''}{_ADVICE if _OLDER.search(log) else ''}")


def _run(cl: Any, context: Any, device: Any, program: Any) -> str:
    """Run the kernel; return what is wrong with what it wrote."""
    out = bytearray(4 * _COUNT)
    queue = cl.CommandQueue(context, device)
    memory = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, len(out))
    kernel = cl.Kernel(program, "one_line")
    kernel.set_arg(0, memory)
    cl.enqueue_nd_range_kernel(queue, kernel, (_COUNT,), None)
    cl.enqueue_copy(queue, out, memory)
    queue.finish()
    found = list(memoryview(out).cast("i"))
    return "" if found == [42] * _COUNT else f"a kernel that stores 42 stores {found}"


def _text(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
