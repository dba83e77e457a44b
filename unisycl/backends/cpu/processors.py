"""What the kinds of processors that the native CPU may be differ in, besides what LLVM knows.

Non-goals: what one processor has (``compile.target``). Invariant: what is not here is refused.
"""

from __future__ import annotations

import platform

MACHINES = {
    "x86_64": (202, "declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": (98, "declare void @llvm.aarch64.isb(i32)", "call void @llvm.aarch64.isb(i32 15)"),
}
"""A processor -> its futex system call, and what waits a moment in LLVM IR."""


def futex_number() -> int:
    """Return the number of the futex system call on this machine."""
    return MACHINES[platform.machine()][0]
