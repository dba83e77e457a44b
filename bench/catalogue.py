"""Which benchmarks there are, in the order they run, and the file each is in.

Non-goals: running them. Invariant: a name here is a key of its file's ``BENCHMARKS``.
"""

from __future__ import annotations

import importlib

from bench.harness import Benchmark

_FILES = {
    "stream": [f"stream_{which}_{tag}" for tag in ("f32", "f64")
               for which in ("copy", "mul", "add", "triad", "dot")],
    "mandelbrot": ["mandelbrot"],
    "nbody": ["nbody"],
    "matmul": ["matmul", "matmul_tiled"],
    "stencil": ["stencil", "stencil_tiled"],
    "black_scholes": ["black_scholes"],
    "reductions": ["tree_reduction", "group_reduction", "sum_reduction"],
    "scan": ["scan"],
    "histogram": ["histogram"],
    "transpose": ["transpose", "transpose_tiled"],
    "sparse": ["spmv", "gather", "scatter"],
    "launch": ["launch_usm", "launch_buffer", "launch_pipelined", "launch_host", "launch_bound"],
    "task_graph": ["tasks_independent", "tasks_dependent", "graph_replay"],
    "start_up": ["cold_compile", "warm_start", "import_time", "installed_size", "peak_memory"],
}
_FILE_OF = {name: file for file, names in _FILES.items() for name in names}
NAMES = tuple(_FILE_OF)
NOT_KERNELS = frozenset(n for file in ("launch", "task_graph", "start_up") for n in _FILES[file])


def load(name: str) -> Benchmark:
    """Return a benchmark by name."""
    found = importlib.import_module(f"bench.{_FILE_OF[name]}").BENCHMARKS[name]
    assert isinstance(found, Benchmark)
    return found


def expand(given: list[str]) -> list[str]:
    """Return the names meant: a benchmark's, or a file's for all in it; KeyError if unknown."""
    out: list[str] = []
    for name in given:
        for one in [name] if name in _FILE_OF else _FILES.get(name, [name]):
            if one not in _FILE_OF:
                raise KeyError(one)
            if one not in out:
                out.append(one)
    return out
