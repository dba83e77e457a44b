"""The native pool and a kernel, compiled for 64-bit Arm and run under QEMU.

``python -m tests.arm`` needs qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross (Debian).
Non-goals: speed, and Python there: a program in C starts the pool and gives it its jobs.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

from unisycl.backends.base import Geometry
from unisycl.backends.cpu.compile import jit, options
from unisycl.backends.cpu.compile.target import Machine, binding
from unisycl.backends.cpu.driver import make_driver
from unisycl.backends.cpu.emit.widths import is_scalar
from unisycl.backends.cpu.making import text_of
from unisycl.backends.cpu.pool import pool
from unisycl.backends.cpu.variants import ANY
from unisycl.frontend import specialize

TRIPLE = "aarch64-unknown-linux-gnu"
TOOLS = ("qemu-aarch64", "aarch64-linux-gnu-gcc")
N, TILE = 1000003, 4096


def axpy(i, y, x):
    y[i] = y[i] + np.float32(3) * x[i]


def machine() -> Machine:
    """Return a processor with what all of 64-bit Arm have."""
    llvm = binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    made = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="generic")
    return Machine(TRIPLE, str(made.target_data), "generic", "", 128)


def run(folder: Path) -> str:
    """Compile, link and run; return what was printed."""
    arm, kernel = machine(), specialize.specialize(axpy, "range", 1, (
        np.zeros(1, np.float32), np.zeros(1, np.float32))).kernel
    with mock.patch.object(platform, "machine", return_value="aarch64"):
        source, level = pool.text()
    (folder / "pool.o").write_bytes(jit._to_object(source, loops=False, level=level, on=arm))
    with options.compiling_for(arm):
        module, parts = text_of(kernel, ANY)
        (folder / "kernel.o").write_bytes(jit._to_object(
            module.text(), loops=is_scalar(kernel, parts.lanes), level=2, on=arm))
    slots = ["0"] * parts.layout.count
    head = [N, *(Geometry("range", (N,), (), (0,)).offset or (0,)), TILE]
    slots[:len(head)] = map(str, head)
    for at, name in zip(parts.layout.params, "yx", strict=True):
        slots[at:at + 2] = [f"(int64_t){name}", str(N)]
    words = [TOOLS[1], "-O1", "-static", "-pthread", f"-DBLOCK={','.join(slots)}",
             f"-DUNITS={-(-N // TILE)}", str(Path(__file__).with_suffix(".c")),
             str(folder / "pool.o"), str(folder / "kernel.o"), "-lm", "-o", str(folder / "program")]
    subprocess.run(words, check=True)
    ran = subprocess.run([TOOLS[0], str(folder / "program")], capture_output=True, text=True,
                         timeout=300, check=False)
    return f"{ran.stdout}{ran.stderr}status {ran.returncode}"


def missing() -> list[str]:
    """Return the tools that are not here."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


if __name__ == "__main__":
    make_driver()
    if missing():
        sys.exit(f"missing: {', '.join(missing())}")
    with tempfile.TemporaryDirectory() as place:
        print(run(Path(place)))
