"""Puts the driver that is none where the backend takes NVIDIA's from.

Non-goals: undoing it elsewhere than in ``installed``. Invariant: nothing of the real driver or its
compiler is touched.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tests.cuda_fake.kernels import Kernels
from tests.cuda_fake.library import FakeCuda
from unisycl.backends import registry
from unisycl.backends.cuda.api import Api
from unisycl.backends.cuda.discovery import library
from unisycl.backends.cuda.discovery.card import cards
from unisycl.backends.cuda.driver import CudaDriver, drivers_of
from unisycl.backends.cuda.launch import arguments
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text import deciding
from unisycl.backends.device import printing

_DECIDES = b"what decides"


def put(fake: FakeCuda) -> tuple[Kernels, list[tuple[Any, str, Any]]]:
    """Have the backend compile for a fake; return its kernels, and what was there before."""
    kernels = Kernels(fake)
    pack = arguments.Signature.pack

    def packed(self: Any, launch: Any, call: Any) -> Any:
        made = pack(self, launch, call)
        kernels.packed(launch, call, made)
        return made

    before = [(arguments.Signature, "pack", pack),
              (compiler, "compile_kernel", compiler.compile_kernel),
              (compiler, "problem", compiler.problem), (deciding, "code", deciding.code),
              (printing, "take", printing.take)]
    printing.take = kernels.take
    arguments.Signature.pack = packed  # type: ignore[method-assign]
    compiler.compile_kernel = kernels.compile  # type: ignore[assignment]
    compiler.problem = lambda: ""  # type: ignore[assignment]
    fake.kernels[_DECIDES] = fake.decides
    deciding.code = lambda target: _DECIDES
    return kernels, before


def driver(fake: FakeCuda) -> CudaDriver:
    """Return the driver of the first card of a fake."""
    api = Api(fake)
    library.initialise(api)
    return drivers(api)[0]


def drivers(api: Api) -> list[CudaDriver]:
    """Return the drivers of all cards."""
    found, _ = cards(api)
    return drivers_of(api, found)


@contextlib.contextmanager
def all_installed(fake: FakeCuda) -> Iterator[list[CudaDriver]]:
    """Have each card of a fake be a device for a while: 'card0' and so on."""
    _, before = put(fake)
    api = Api(fake)
    library.initialise(api)
    made = drivers(api)
    for k, one in enumerate(made):
        registry.use(f"card{k}", one)
    try:
        yield made
    finally:
        for where, name, value in before:
            setattr(where, name, value)
        for k in range(len(made)):
            registry.unuse(f"card{k}")
            registry.BACKENDS.pop(f"card{k}")


@contextlib.contextmanager
def installed(fake: FakeCuda) -> Iterator[tuple[CudaDriver, Kernels]]:
    """Have a fake be the device 'cuda' for a while."""
    kernels, before = put(fake)
    made = driver(fake)
    registry.use("cuda", made)
    try:
        yield made, kernels
    finally:
        for where, name, value in before:
            setattr(where, name, value)
        registry.unuse("cuda")
