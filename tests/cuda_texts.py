"""CUDA C++ of kernels, compiled without a GPU.

``python -m tests.cuda_texts [--folder F] [--archs 80,90,100] [PYTEST ...]`` runs tests on the CPU
and makes the text of every kernel that they compile, as for a GPU; the compiler takes each with
warnings as errors. Texts that are refused stay in the folder, with the log; the last line counts.
Non-goals: running them. Invariant: a text is compiled once for each architecture.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from unisycl.backends.base import Geometry
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cfamily.kernel import Form, Source, print_kernel
from unisycl.backends.cpu.driver import CpuDriver
from unisycl.backends.cuda.text import compile
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.base.errors import UnsupportedError
from unisycl.ir import nodes as n
from unisycl.passes import pipeline
from unisycl.passes.clike import apart

STRICT = "-Werror=all-warnings"
_SMALL = 1 << 30
_MOST_ITEMS = 1024
_ROUND = 256  # items of a work-group that goes round a range


def text_of(kernel: n.Kernel, geometry: Geometry, target: Target, *, flat: bool = False,
            distinct: bool | None = None, dialect: Dialect | None = None,
            below: tuple[int, ...] | None = None) -> Source:
    """Return the text of a kernel for a launch of this geometry, padded in every dimension.

    ``distinct``: whether its memories are said not to overlap; None: as far as they may be.
    ``below``: the numbers below 0 of a launch that has small ones only; None: nobody knows.
    """
    ids = sum(geometry.global_) + sum(geometry.offset)
    small = ids < _SMALL and geometry.kind != "work_group" and not kernel.reducers
    kernel = pipeline.run(kernel, "clike", "text", pipeline.Facts(
        ids_below=_SMALL if small else 1 << 63, deepest=100, spans=small, room=48 << 10,
        named=True, few=small and below is not None, below=below or ()))
    local: tuple[int, ...] = ()
    match kernel.index_kind:
        case "nd_range":
            local = kernel.local
        case "work_group":
            local = (math.prod(kernel.local) if kernel.local else 64,)
        case "single":
            local = (1,)
        case "range" if kernel.reducers:
            local = (_ROUND,)
    views = apart.views(kernel) if distinct is None else (
        tuple(p.index for p in kernel.params) if distinct else ())
    plain = kernel.index_kind == "range" and not kernel.reducers
    return print_kernel(kernel, dialect or make_dialect(target), Form(
        tuple(range(kernel.ndim)) if plain and not flat else (), local,
        4 if kernel.index_kind == "range" and kernel.reducers else 1, (), small, (), views,
        any(geometry.offset), flat and geometry.kind in ("range", "nd_range")))


@functools.cache
def strict() -> tuple[str, ...]:
    """Return what makes errors of warnings; nothing where the compiler is too old to know it.

    A text that it warns of has a log then, which is as good.
    """
    tool = compile.compiler()
    code, _ = tool.compile("", [f"--gpu-architecture=compute_{tool.architectures[-1]}", STRICT],
                           "PTX")
    return (STRICT,) if code else ()


def refusal(kernel: n.Kernel, text: str, arch: int) -> str:
    """Return the log of a text that the compiler refuses, or warns of; '' where it is silent."""
    tool, target = compile.compiler(), Target(divmod(arch, 10))
    name, kind = compile.architecture(target, tool.architectures)
    words = compile.options(kernel, compile.exact(name, text))
    code, log = tool.compile(text, [*words, *strict()], kind)
    return log if log or not code else ""


@dataclass
class Collector:
    """A plugin of pytest that makes the text of each kernel the CPU compiles."""

    texts: dict[str, tuple[n.Kernel, str]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    test: str = ""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what the CPU compiles."""
        plain = CpuDriver.compile

        def watched(driver: CpuDriver, kernel: n.Kernel, geometry: Geometry) -> Any:
            self.note(kernel, geometry)
            return plain(driver, kernel, geometry)

        CpuDriver.compile = watched  # type: ignore[method-assign]
        try:
            yield
        finally:
            CpuDriver.compile = plain  # type: ignore[method-assign]

    def note(self, kernel: n.Kernel, geometry: Geometry) -> None:
        """Keep the text of a kernel, or what it is refused for."""
        if math.prod(kernel.local) > _MOST_ITEMS:
            self.refused[f"work-groups of more than {_MOST_ITEMS} items, which no GPU has"] += 1
            return
        try:
            text = text_of(kernel, geometry, Target((9, 0))).text
        except UnsupportedError as error:
            self.refused[str(error).partition("needs")[2] or str(error)] += 1
            return
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.texts[digest] = kernel, text
        self.where.setdefault(digest, self.test)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Remember which test runs."""
        self.test = f"{item.path.name}::{item.name}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect texts and compile them."""
    parser = argparse.ArgumentParser(prog="python -m tests.cuda_texts")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "cuda-texts")
    parser.add_argument("--archs", default="80,90,100")
    parser.add_argument("--processes", type=int, default=2)
    options, rest = parser.parse_known_args(arguments)
    collector = Collector()
    if why := compile.problem():
        print(f"no text was compiled: {why}")
        return 0
    with collector.watching():
        pytest.main(["-q", "-p", "no:cacheprovider", "--device", "cpu", *rest], [collector])
    options.folder.mkdir(parents=True, exist_ok=True)
    archs = [int(x) for x in options.archs.split(",")]
    jobs = [(digest, arch) for digest in collector.texts for arch in archs]
    failed = 0
    with ThreadPoolExecutor(options.processes) as pool:
        logs = pool.map(lambda job: refusal(*collector.texts[job[0]], job[1]), jobs)
        for (digest, arch), log in zip(jobs, logs, strict=True):
            if log:
                failed += 1
                text = f"// {collector.where[digest]}, sm_{arch}\n{collector.texts[digest][1]}"
                place = options.folder / f"{digest}_{arch}.cu"
                place.write_text(f"{text}\n/*\n{log}\n*/\n", encoding="utf-8")
                print(f"{place}: {collector.where[digest]}\n{log[:600]}")
    for what, count in collector.refused.most_common():
        print(f"not printed, {count} times: {what}")
    print(f"{len(collector.texts)} texts, {len(jobs)} compiled, {failed} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
