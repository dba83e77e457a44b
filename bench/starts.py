"""``python -m bench.starts``: what comes before the first result, and compiling, by processor time.

Fresh processes in turns: the interpreter, NumPy, unisycl, a script whose kernel is cached, and
kernels that are compiled, of twenty lines and of 365. Non-goals:
launches (``bench.launches``). Invariant: each compiling process finds an empty cache.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.fresh import ROOT

KERNEL = str(ROOT / "bench" / "cold_kernel.py")
LINES = 365
_LONG = """
import sys
import time
import numpy as np
import unisycl as sycl

def long(i, a, b):
    x = a[i]
    y = b[i]
{lines}
    b[i] = x + y

def before(i, a):
    a[i] = 1

queue = sycl.queue(sycl.cpu_selector_v)
a, b = np.ones((2, 4096), np.float32)
if len(sys.argv) > 1:
    queue.parallel_for(4096, before, a).wait()
    queue.parallel_for(1 << 20, before, np.ones(1 << 20, np.float32)).wait()
begin = time.perf_counter()
queue.parallel_for(4096, long, a, b).wait()
print(time.perf_counter() - begin)
"""
_BLOCK = """    x = x * np.float32(1.001) + y
    y = y - np.float32({k}.5) * x
    if x > y:
        x = x - y
    else:
        y = sycl.sqrt(y * y + np.float32(1))
"""


def long_kernel() -> str:
    """Return a program with a kernel of ``LINES`` lines: arithmetic, branches, square roots."""
    lines = "".join(_BLOCK.format(k=k) for k in range(LINES // _BLOCK.count("\n") + 1))
    return _LONG.format(lines="\n".join(lines.splitlines()[:LINES // 6 * 6]))


def once(command: list[str], cache: str, compiled: str) -> tuple[float, float, float]:
    """Run a process; return its wall and processor time, and the number it prints, in ms.

    ``compiled`` is the folder of what Python compiles modules to: as installed ones have it.
    """
    env = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(ROOT),
           "PYTHONPYCACHEPREFIX": compiled}
    for name in ("PYTHONDONTWRITEBYTECODE", "UNISYCL_CACHE"):  # of which nothing is to come
        env.pop(name, None)
    begin = time.perf_counter()
    with subprocess.Popen([sys.executable, *command], env=env, text=True,
                          stdout=subprocess.PIPE) as child:
        said = child.stdout.read() if child.stdout is not None else ""
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    number = float(said.split()[-1]) if said.strip() else 0.0
    return 1e3 * wall, 1e3 * (used.ru_utime + used.ru_stime), 1e3 * number


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="unisycl-bench-") as folder:
        program = Path(folder) / "long.py"
        program.write_text(long_kernel(), encoding="utf-8")
        warm = str(Path(folder) / "warm")
        ways = {"interpreter": (["-c", "pass"], warm),
                "import numpy": (["-c", "import numpy"], warm),
                "import both": (["-c", "import numpy, unisycl"], warm),
                "script, cached kernel": ([KERNEL], warm),
                "script, 20 lines, cold": ([KERNEL], ""),
                f"script, {LINES} lines, cold": ([str(program)], ""),
                "20 lines, others before": ([KERNEL, "loaded"], ""),
                f"{LINES} lines, others before": ([str(program), "loaded"], "")}
        compiled = str(Path(folder) / "compiled")
        for command, _ in ways.values():
            once(command, warm, compiled)
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
        for k in range(rounds):
            for name, (command, cache) in ways.items():
                empty = str(Path(folder) / f"cold {k} {name}")
                found[name].append(once(command, cache or empty, compiled))
    show(found)


def show(found: dict[str, list[tuple[float, float, float]]]) -> None:
    """Print medians and the least of each way, and what the bars are about."""
    print(f"{'ms of a process':26}{'wall':>9}{'least':>9}{'cpu':>9}{'least':>9}"
          f"{'first launch':>14}{'least':>9}")
    least = {}
    for name, rounds in found.items():
        columns = [sorted(column) for column in zip(*rounds, strict=True)]
        least[name] = [column[0] for column in columns]
        print(f"{name:26}" + "".join(f"{statistics.median(c):9.1f}{c[0]:9.1f}" for c in columns[:2])
              + f"{statistics.median(columns[2]):14.1f}{columns[2][0]:9.1f}")
    base, numpy, both, script, short, long, *_ = (least[name][1] for name in found)
    print(f"import unisycl beyond NumPy: {both - numpy:.1f} ms (bar 60)")
    print(f"script to the first cached kernel of `import numpy`, the least by processor time: "
          f"{script / numpy:.2f} as processes, {(script - base) / (numpy - base):.2f} beyond the "
          "interpreter (bar 2)")
    print(f"compiling, beyond the cached script: {short - script:.0f} ms for 20 lines, "
          f"{long - script:.0f} ms for {LINES}")
    short, long = [least[name][2] for name in found][-2:]
    print(f"compiling alone, where the compiler was loaded: {short:.0f} ms for 20 lines (bar 70), "
          f"{long:.0f} ms for {LINES} (bar 1000)")


if __name__ == "__main__":
    main()
