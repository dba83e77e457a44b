"""``python -m bench.large_kernels``: what compiling kernels of many small functions takes.

Kernels of 10 to 80 functions, each called once: straight-line ones, ones that return early, and
ones with branches and loops; processor time of a first launch where the compiler is loaded, and
LLVM's part of it. Non-goals: how fast they are. Invariant: nothing comes from a cache.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.compile import jit

KINDS = {"straight": """
    z = x * F(0.5) + y * F({k}.25)
    u = z * x - y
    v = z * u + F({k})
    w = max(u, v) * z
    return w * u + v * z
""", "returns": """
    if x > F({k}):
        return x * F(0.5)
    if y < F({k}):
        return y + F(1)
    return x + y
""", "mixed": """
    z = x * F(0.5) + y * F({k}.25)
    if z > F({k}):
        z = sycl.sqrt(z) + F(1)
        if y > z:
            z -= y * F(0.125)
    elif z < F(-1):
        z = -z
    for j in range(m):
        z += a[(j + {k}) % 64] * x
        if z > F(1000):
            z = F(0)
    return z
"""}
_llvm = 0.0


def program(kind: str, count: int) -> str:
    """Return a module with a kernel of so many functions."""
    parts = ["import numpy as np\nimport unisycl as sycl\nF = np.float32\n"]
    parts += [f"def f{k}(x, y, m, a):{KINDS[kind].format(k=k)}" for k in range(count)]
    parts += ["def big(i, a, b, m):\n    x, y = a[i], b[i]\n"]
    parts += [f"    x = x + f{k}(x, y, m, a)\n    y = y - x * F(0.01)\n" for k in range(count)]
    return "".join(parts) + "    b[i] = x + y\n"


def kernel_of(text: str, name: str, folder: str) -> Any:
    """Return the kernel of a module that is written to a folder."""
    file = Path(folder) / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.big


def watch_llvm() -> None:
    """Have the time counted that goes into LLVM."""
    made = jit._to_object

    def counted(*given: Any, **named: Any) -> bytes:
        global _llvm
        begin = time.process_time()
        try:
            return made(*given, **named)
        finally:
            _llvm += time.process_time() - begin
    jit._to_object = counted


def first(i: Any, a: Any) -> None:
    """Have the compiler loaded."""
    a[i] = 1


def main() -> None:
    """Print the table."""
    global _llvm
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=40, help="functions of the largest kernel")
    most = parser.parse_args().most
    watch_llvm()
    a, b = np.ones((2, 64), np.float32)
    print(f"{'':10}{'functions':>10}{'lines':>7}{'seconds':>9}{'LLVM':>7}")
    with tempfile.TemporaryDirectory(prefix="unisycl-bench-") as folder:
        os.environ["UNISYCL_CACHE"] = folder
        queue = sycl.queue(sycl.cpu_selector_v)
        queue.parallel_for(64, first, a).wait()
        for kind in KINDS:
            for count in (n for n in (10, 20, 40, 80) if n <= most):
                text = program(kind, count)
                kernel = kernel_of(text, f"{kind}{count}", folder)
                _llvm, begin = 0.0, time.process_time()
                queue.parallel_for(64, kernel, a, b, 4).wait()
                took = time.process_time() - begin
                lines = text.count("\n")
                print(f"{kind:10}{count:10}{lines:7}{took:9.2f}{_llvm:7.2f}", flush=True)


if __name__ == "__main__":
    main()
