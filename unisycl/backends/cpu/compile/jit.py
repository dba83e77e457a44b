"""From LLVM text to code that can be called: from the disk cache, or optimised and linked.

LLVM itself is loaded only where the cache has nothing. Non-goals: what the text says. Invariant: a
cached entry was made from exactly this text, for this processor, by this compiler.
"""

from __future__ import annotations

import functools
import itertools
import re
import threading
from typing import Any, Protocol

from unisycl.backends.cpu.compile.code import Code
from unisycl.backends.cpu.compile.elf import Image, LinkError, link
from unisycl.backends.cpu.compile.target import Machine, binding, compiler_version, machine
from unisycl.base.errors import InternalError, errc
from unisycl.process import disk_cache, packages

_FORMAT = "2"
LINKED = b"I"
"""How code begins that needs no LLVM any more."""
LIGHT = -1
"""The level of code whose masks nest so deeply that LLVM's combining of instructions, which follows
them again and again, would take minutes."""
LIGHTEST = -2
"""The level where hundreds of masks nest: variables stay in memory, for which registers are found
in a time that grows with the code; for values it grows with the square."""

_USUAL = 2
_MODULE = re.compile(r"^(?:define internal|declare (?!.* @llvm\.)|head\d)", re.MULTILINE)
"""What tells a text that is to be optimised as a module: functions that are called, of its own or
of a library, and loops of a kernel."""

_numbers = itertools.count()
_lock = threading.Lock()


class Loaded(Protocol):
    """Code in memory; it stays there as long as this lives."""

    addresses: dict[str, int]


@functools.cache
def _llvm() -> Any:
    """Return llvmlite's binding, ready to make code for this machine."""
    llvm = binding()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _target_machine(level: int, found: Machine) -> Any:
    return _llvm().Target.from_triple(found.triple).create_target_machine(
        cpu=found.cpu, features=found.features, opt=1 if level < 0 else level, reloc="pic",
        codemodel="small")


@functools.cache
def _session() -> Any:
    """Return LLVM's own linker, for objects that ours does not do."""
    return _llvm().create_lljit_compiler(_target_machine(2, machine()))


def _parse(text: str) -> Any:
    try:
        module = _llvm().parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise InternalError(errc.build, f"the CPU backend made invalid LLVM IR: {error}\n"
                            "please report this with the kernel") from error
    return module


def optimise(text: str, *, loops: bool = False, level: int = 2,
             on: Machine | None = None) -> Any:
    """Return the optimised module; ``loops`` lets LLVM vectorise scalar loops."""
    llvm = _llvm()
    module = _parse(text)
    if not level:
        return module
    if level < 0:
        return _lightly(module, level, on or machine())
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = loops
    options.slp_vectorization = loops
    options.loop_interleaving = loops
    builder = llvm.create_pass_builder(_target_machine(level, on or machine()), options)
    if level == _USUAL and not loops and _MODULE.search(text) is None:
        _alone(module, builder)
    else:
        builder.getModulePassManager().run(module, builder)
    return module


def _alone(module: Any, builder: Any) -> None:
    """Optimise functions that call nothing and have no loops of a kernel, each by itself.

    What LLVM does for modules is as much again, and finds next to nothing in vector code. Of that,
    loops over vectors are repeated here. Around a kernel's own loops it would move more out.
    """
    passes = builder.getFunctionPassManager()
    passes.add_loop_unroll_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _lightly(module: Any, level: int, on: Machine) -> Any:
    """Return a module of deeply nested masks, with what takes time along with its size only."""
    llvm = _llvm()
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    if level == LIGHT:
        passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.run(module, llvm.create_pass_builder(
        _target_machine(level, on), llvm.create_pipeline_tuning_options(speed_level=1)))
    return module


def _to_object(text: str, *, loops: bool, level: int, on: Machine | None = None) -> bytes:
    """Return a module as an object; level 0 leaves the code as it was written."""
    with _lock:
        module = optimise(text, loops=loops, level=level, on=on)
        return bytes(_target_machine(level, on or machine()).emit_object(module))


def to_assembly(text: str, *, loops: bool = False, level: int = 2,
                on: Machine | None = None) -> str:
    """Return the assembly of a module, for people."""
    with _lock:
        module = optimise(text, loops=loops, level=level, on=on)
        return str(_target_machine(level, on or machine()).emit_assembly(module))


def to_llvm(text: str, *, loops: bool = False, level: int = 2, on: Machine | None = None) -> str:
    """Return the optimised LLVM IR of a module, for people."""
    with _lock:
        return str(optimise(text, loops=loops, level=level, on=on))


def entry_of(text: str, *, loops: bool = False, level: int = 2, on: Machine | None = None,
             shipped: bool = False) -> str:
    """Return the name of the cache entry for the code of a module.

    ``shipped``: as a process asks for it that has no compiler.
    """
    return disk_cache.key_of("code", _FORMAT, "" if shipped else compiler_version(),
                             *(on or machine()).key,
                             str(loops), str(level), text)


def recall(entry: str, names: tuple[str, ...]) -> Loaded | None:
    """Return the code that an entry holds; None if it is gone."""
    kept = disk_cache.load(entry)
    return None if kept is None else placed(kept, names)


def load(text: str, names: tuple[str, ...], *, loops: bool = False, level: int = 2,
         on: Machine | None = None) -> Loaded:
    """Return the code of a module with the addresses of its functions ``names``."""
    key = entry_of(text, loops=loops, level=level, on=on)
    found = recall(key, names)
    if found is not None:
        return found
    kept = None if compiler_version() else packages.code(key)
    if kept is None:
        kept = made(text, loops=loops, level=level, on=on)
        disk_cache.save(key, kept)
    return placed(kept, names)


def made(text: str, *, loops: bool = False, level: int = 2, on: Machine | None = None) -> bytes:
    """Return the code of a module as it is kept: linked, or an object that only LLVM can link."""
    image = _to_object(text, loops=loops, level=level, on=on)
    try:
        return LINKED + link(image).to_bytes()
    except LinkError:
        return b"O" + image


def placed(kept: bytes, names: tuple[str, ...]) -> Loaded:
    """Put linked code, or an object only LLVM can link, into memory."""
    return Code(Image.from_bytes(kept[1:])) if kept[:1] == LINKED else _Object(kept[1:], names)


class _Object:
    """An object linked by LLVM."""

    def __init__(self, image: bytes, names: tuple[str, ...]) -> None:
        builder = _llvm().JITLibraryBuilder().add_current_process().add_object_img(image)
        for name in names:
            builder.export_symbol(name)
        with _lock:
            self._tracker = builder.link(_session(), f"kernel{next(_numbers)}")
        self.addresses: dict[str, int] = {name: self._tracker[name] for name in names}
