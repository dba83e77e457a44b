"""Text to program: built by the driver, kept on disk as the driver's binary.

Non-goals: the text. Invariants: a binary is loaded only for the same text, options, device and
driver; one the driver refuses is built anew; a failure shows the user's line and the driver's log.
"""

from __future__ import annotations

import re
from typing import Any

from unisycl.backends.cfamily import departures, logs
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cfamily.signs import meet
from unisycl.backends.opencl.discovery.traits import ROUNDED_DIVISION, Traits, language
from unisycl.backends.opencl.errors import translated
from unisycl.backends.opencl.interop import sources
from unisycl.backends.opencl.session import Session
from unisycl.backends.opencl.text import declarations
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.errors import BuildError, errc, exception
from unisycl.ir import visit
from unisycl.ir.nodes import Check, Kernel
from unisycl.passes.shared import lockstep
from unisycl.process import disk_cache

_WHOLE = r"^(?:<kernel>|input\.cl):(\d+)"
"""A line of the whole text, as NVIDIA's and Oclgrind's compilers name it."""
_WORDS = {"-O0": ("-cl-opt-disable",), "-g": ("-g",), "-ffast-math": (
    "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations")}
"""What the options of kernels are in OpenCL C; other levels are what a compiler does anyway."""
_OPTIMISED = frozenset(("-O1", "-O2", "-O3", "-ffast-math"))
_ROUGH = frozenset(("-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"))
_MAKE_NEGATIONS = frozenset(("-cl-no-signed-zeros", *_ROUGH))
"""With these a difference may become a negation (``Quirks.shared_negations``)."""


def options(traits: Traits, quirks: Quirks, kernel: Kernel | None = None) -> str:
    """Return the options a program is built with: those of all, and those its kernel asks for."""
    words = [f"-cl-std={language(traits)}"]
    said = dict(kernel.traits) if kernel is not None else {}
    asked = said.get("options", ())
    given = tuple(map(str, said.get("compiler_options", ())))
    if (traits.number_of("single_fp_config") & ROUNDED_DIVISION and "-ffast-math" not in asked
            and _ROUGH.isdisjoint(given)):
        words.append("-cl-fp32-correctly-rounded-divide-sqrt")
    if (quirks.wrong_optimiser and _OPTIMISED.isdisjoint(map(str, asked))) or (
            kernel is not None and _misread(quirks, kernel)):
        words.append("-cl-opt-disable")
    for word in map(str, asked):
        if word.startswith("-march=") and word != "-march=native" and kernel is not None:
            raise BuildError(errc.build, f"kernel '{kernel.name}': {word} is nothing to "
                             f"'{traits.name}', whose compiler knows its processor; leave it out, "
                             "or write -march=native")
        # Compilers for cards need not know -g.
        if word == "-g" and (traits.kind != "cpu" or quirks.no_line_tables):
            continue
        plain = quirks.shared_negations and kernel is not None and meet(kernel)
        words += [w for w in _WORDS.get(word, ()) if not (plain and w in _MAKE_NEGATIONS)]
    if not _MAKE_NEGATIONS.isdisjoint(given) and quirks.shared_negations and kernel is not None \
            and meet(kernel):
        given = tuple(w for w in given if w not in _MAKE_NEGATIONS)
    return " ".join([*words, *(w for w in given if w not in words)])


def _misread(quirks: Quirks, kernel: Kernel) -> bool:
    """Say whether the optimiser takes items of a kernel that part ways for going together."""
    if quirks.first_decides and (
            lockstep.needed(kernel) or kernel.checks or visit.contains(kernel.body, Check)):
        return True
    return quirks.shared_counters and departures.found(kernel)


def build(session: Session, device: Any, traits: Traits, quirks: Quirks, kernel: Kernel,
          source: Source) -> Any:
    """Return the program of a text, from disk if it is there."""
    words = options(traits, quirks, kernel)
    linked = dict(kernel.traits).get("linked", ())
    if linked:
        return _link(session, device, kernel, source, words, [
            sources.libraries[int(n)].native for n in linked])
    if quirks.own_cache:
        head = declarations.head(traits.library, source.text) if quirks.reads_all else ""
        return (_with_head(session, device, head, source, words) if head else None) or _build(
            session, device, kernel, source, words)
    key = disk_cache.key_of("opencl-program-1", source.text, words, traits.platform,
                            traits.platform_version, traits.name, traits.driver_version)
    binary = disk_cache.load(key)
    if binary is not None:
        program = _load(session, device, binary)
        if program is not None:
            return program
    program = _build(session, device, kernel, source, words)
    _keep(session, program, device, key)
    return program


def most_items(session: Session, kernel: Any, device: Any, traits: Traits) -> int:
    """Return how many items a work-group of a kernel may have; 0 where nobody knows.

    Runtimes for processors only advise: Intel's says 1 and runs 8192 (2026.2).
    """
    cl = session.cl
    if traits.kind == "cpu":
        return 0
    try:
        most = int(kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device))
    except cl.Error:
        return 0
    return session.limit(most)


def _load(session: Session, device: Any, binary: bytes) -> Any:
    cl = session.cl
    try:
        program = cl._cl._Program(session.context, [device], [binary])
        program._build(b"", [device])
    except cl.Error:
        return None
    return program


def binary_of(session: Session, program: Any, device: Any) -> bytes:
    """Return what a program is for a device, as the driver keeps it; nothing if it does not."""
    cl = session.cl
    try:
        devices = program.get_info(cl.program_info.DEVICES)
        binaries = program.get_info(cl.program_info.BINARIES)
    except cl.Error:
        return b""
    return next((bytes(b) for where, b in zip(devices, binaries, strict=False)
                 if where == device and b), b"")


def _keep(session: Session, program: Any, device: Any, key: str) -> None:
    binary = binary_of(session, program, device)
    if binary:
        disk_cache.save(key, binary)


def _with_head(session: Session, device: Any, head: str, source: Source, words: str) -> Any:
    """Return the program of a text with declarations of its own; None if it is not built so."""
    cl = session.cl
    program = cl._cl._Program(session.context, head + source.text)
    try:
        program._build(f"{words} {declarations.WITHOUT}".encode(), [device])
    except cl.Error:
        return None
    return program


def _build(session: Session, device: Any, kernel: Kernel, source: Source, words: str) -> Any:
    cl = session.cl
    program = cl._cl._Program(session.context, source.text)
    try:
        program._build(words.encode(), [device])
    except cl.Error as error:
        raise _failure(cl, program, device, kernel, source, error) from None
    return program


def _link(session: Session, device: Any, kernel: Kernel, source: Source, words: str,
          others: list[Any]) -> Any:
    """Return a program of a text and of others that were compiled before."""
    cl = session.cl
    program = cl._cl._Program(session.context, source.text)
    try:
        program.compile(f"{words} {sources.APART}".encode(), [device], [])
        return cl._cl._Program.link(session.context, [program, *others], b"", [device])
    except cl.Error as error:
        raise _failure(cl, program, device, kernel, source, error) from None


def _failure(cl: Any, program: Any, device: Any, kernel: Kernel, source: Source,
             error: Any) -> exception:
    """Return the error of a build: the user's line where the log names one, and the log."""
    try:
        log = program.get_build_info(device, cl.program_build_info.LOG).strip()
    except cl.Error:
        log = ""
    if not log:
        return translated(f"building kernel '{kernel.name}'", error)
    return logs.failure(kernel, f"the compiler of '{device.name.strip()}'", log,
                        _renamed(source.text, log))


def _renamed(text: str, log: str) -> str:
    """Return a log with the places that ``#line`` gives, where a compiler does not heed it."""
    def place(found: re.Match[str]) -> str:
        file, line = "", 0
        for row in text.splitlines()[:int(found[1])]:
            told = re.match(r'#line (\d+)(?: "(.*)")?$', row)
            if told:
                file, line = told[2] or file, int(told[1]) - 1
            else:
                line += 1
        return f"{file}:{line}" if file else found[0]
    return re.sub(_WHOLE, place, log, flags=re.MULTILINE)
