"""From LLVM text to an address: optimise, emit an object, load it.

The only module besides the pool that calls llvmlite, and not before the first kernel. Non-goals:
what the text says. Invariant: an object is loaded under a name of its own and stays loaded as long
as its ``Loaded`` lives.
"""

from __future__ import annotations

import functools
import itertools
import threading
from typing import Any

from unisycl.backends.cpu.lowerings import vector_library
from unisycl.backends.cpu.target import binding, machine
from unisycl.base.errors import InternalError, errc

_numbers = itertools.count()
_lock = threading.Lock()


@functools.cache
def _target_machine() -> Any:
    llvm = binding()
    found = machine()
    return llvm.Target.from_triple(found.triple).create_target_machine(
        cpu=found.cpu, features=found.features, opt=2, reloc="pic", codemodel="default", jit=True)


@functools.cache
def _session() -> Any:
    llvm = binding()
    if vector_library() is not None:
        llvm.load_library_permanently("libmvec.so.1")
    return llvm.create_lljit_compiler(_target_machine())


def _parse(text: str) -> Any:
    llvm = binding()
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise InternalError(errc.build, f"the CPU backend made invalid LLVM IR: {error}\n"
                            "please report this with the kernel") from error
    return module


def optimise(text: str, *, loops: bool = False) -> Any:
    """Return the optimised module; ``loops`` lets LLVM vectorise scalar loops."""
    llvm = binding()
    module = _parse(text)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = loops
    options.slp_vectorization = loops
    options.loop_interleaving = loops
    builder = llvm.create_pass_builder(_target_machine(), options)
    builder.getModulePassManager().run(module, builder)
    return module


def to_object(text: str, *, loops: bool = False) -> bytes:
    """Return the machine code of a module."""
    with _lock:
        return bytes(_target_machine().emit_object(optimise(text, loops=loops)))


def to_assembly(text: str, *, loops: bool = False) -> str:
    """Return the assembly of a module, for people."""
    with _lock:
        return str(_target_machine().emit_assembly(optimise(text, loops=loops)))


def to_llvm(text: str, *, loops: bool = False) -> str:
    """Return the optimised LLVM IR of a module, for people."""
    with _lock:
        return str(optimise(text, loops=loops))


class Loaded:
    """An object in memory: the addresses of its functions; unloaded when this is dropped."""

    def __init__(self, image: bytes, names: tuple[str, ...]) -> None:
        llvm = binding()
        builder = llvm.JITLibraryBuilder().add_current_process().add_object_img(image)
        for name in names:
            builder.export_symbol(name)
        with _lock:
            self._tracker = builder.link(_session(), f"kernel{next(_numbers)}")
        self.addresses = {name: self._tracker[name] for name in names}
