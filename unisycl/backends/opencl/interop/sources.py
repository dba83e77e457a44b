"""Programs of the user's own: from a text in OpenCL C or SPIR-V, or made by PyOpenCL.

Non-goals: kernels that are Python functions (``programs``). Invariant: a text that does not compile
raises ``BuildError`` with the driver's log.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.interop.pyopencl_objects import ForeignKernel
from unisycl.backends.opencl.launch.failed_calls import guarded, is_loss
from unisycl.backends.opencl.session import Session
from unisycl.base.enums import bundle_state, source_language
from unisycl.base.errors import BuildError, UsageError, errc


class BuiltSource:
    """A program for one device: the names of its kernels, its log, and the kernels."""

    def __init__(self, session: Session, program: Any, device: Any) -> None:
        cl = session.cl
        self._session, self._device = session, device
        self._program = program
        self.native = program if isinstance(program, cl.Program) else cl.Program(program)
        self.names = names_of(cl, program)
        self.log = log_of(cl, program, device)

    @guarded("a kernel of a program")
    def kernel(self, name: str) -> ForeignKernel:
        """Return a kernel of its own, whose arguments nobody else sets."""
        return ForeignKernel(self._session, self._device,
                             self._session.cl.Kernel(self._program, name))


def names_of(cl: Any, program: Any) -> tuple[str, ...]:
    """Return the names of a program's kernels.

    Of one without any Intel's 2026.2 knows no names, and PyOpenCL crashes on NVIDIA's 580.159.
    """
    try:
        if not program.get_info(cl.program_info.NUM_KERNELS):
            return ()
        return tuple(n for n in program.get_info(cl.program_info.KERNEL_NAMES).split(";") if n)
    except cl.Error as error:
        if is_loss(error):
            raise
        return ()


def log_of(cl: Any, program: Any, device: Any) -> str:
    """Return what the driver said of a build."""
    try:
        return str(program.get_build_info(device, cl.program_build_info.LOG)).strip()
    except cl.Error:
        return ""


def compiles(traits: Traits, language: source_language) -> bool:
    """Say whether a device takes programs in a language."""
    if language is source_language.opencl:
        return True
    return language is source_language.spirv and traits.has("cl_khr_il_program")


def build(session: Session, device: Any, traits: Traits,
          wanted: tuple[source_language, str | bytes, tuple[str, ...]]) -> BuiltSource:
    """Return a program built of a text with these options."""
    language, text, words = wanted
    cl = session.cl
    if not compiles(traits, language):
        raise UsageError(errc.invalid, f"'{traits.name}' compiles no {language.name}")
    program = None
    try:
        program = _made(session, traits, device, language, text)
        program._build(" ".join(words).encode(), [device])
    except cl.Error as error:
        if is_loss(error):
            raise
        log = (log_of(cl, program, device) if program is not None else "") or str(error)
        raise BuildError(errc.build, f"the source was refused by the compiler of "
                         f"'{traits.name}'. Its log:\n{log}") from None
    return BuiltSource(session, program, device)


class Library:
    """A compiled program of the user's own that kernels are linked with, by its number."""

    def __init__(self, native: Any) -> None:
        self.native = native
        self.number = next(_numbers)
        libraries[self.number] = self


_numbers = itertools.count(1)
libraries: dict[int, Library] = {}
"""All there are: what was linked with one stays in use."""


def library(cl: Any, context: Any, given: Any) -> int | None:
    """Return the number of a program; None if it is of another context."""
    native = plain(cl, given)
    known = next((x for x in libraries.values() if x.native == native), None)
    if known is None:
        native = cl._cl._Program.from_int_ptr(native.int_ptr, retain=True)
        if native.get_info(cl.program_info.CONTEXT) != context:
            return None
        known = Library(native)
    return known.number


_EMPTY = "__kernel void nothing(void) {}"


def check_options(session: Session, device: Any, traits: Traits, words: tuple[str, ...]) -> None:
    """Build a program of nothing with options; ``BuildError`` where the compiler refuses them."""
    for word in words:
        if word.startswith("-cl-std"):
            raise BuildError(errc.build, f"the option '{word}' names a language; kernels of Python "
                             f"are written in what '{traits.name}' speaks best. Leave it out")
    build(session, device, traits, (source_language.opencl, _EMPTY, words))


def _made(session: Session, traits: Traits, device: Any, language: source_language,
          text: str | bytes) -> Any:
    """Return a program that is not built yet."""
    if language is not source_language.spirv:
        return session.cl._cl._Program(session.context, text)
    module = text if isinstance(text, bytes) else text.encode("latin-1")
    if re.match(r"OpenCL (1|2\.0)", traits.platform_version):  # it is the extension's function
        return session.api.program_of_il(device.platform, session.context, module)
    return session.cl._cl._create_program_with_il(session.context, module)


_OBJECTS = (1, 2)  # CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, _LIBRARY
_EXECUTABLE = 4
_NOT_BUILT = -1  # CL_BUILD_NONE
APART = "-DUNISYCL_OBJECT"
"""PoCL 3.0 keeps what was compiled and what was built of one text with equal options in one folder
of its cache, where the second finds code of the first: 'undefined symbol: _Z13get_global_idj'."""
_ORDER = tuple(bundle_state)


class TakenProgram:
    """A program made elsewhere that is no executable; ``BuiltSource`` is one that is."""

    names: tuple[str, ...] = ()

    def __init__(self, cl: Any, program: Any, log: str) -> None:
        self.native = cl.Program(program)
        self.log = log


def take(session: Session, device: Any, name: str,
         wanted: tuple[Any, bundle_state]) -> TakenProgram | BuiltSource | None:
    """Return a program in a state, compiled, linked or built as far as that needs.

    None for one of another context; ``errc.invalid`` for a state before the one it is in (SYCL
    2020 App. C.7.1).
    """
    cl, (given, state) = session.cl, wanted
    native = cl._cl._Program.from_int_ptr(plain(cl, given).int_ptr, retain=True)
    if native.get_info(cl.program_info.CONTEXT) != session.context:
        return None
    have = _state_of(cl, native, device)
    if _ORDER.index(state) < _ORDER.index(have):
        raise UsageError(errc.invalid, f"make_kernel_bundle: the program is in state {have.name} "
                         f"for '{name}', and cannot go back to {state.name}")
    program = native
    try:
        if state is not have and state is bundle_state.object:
            native.compile(APART.encode(), [device], [])
        elif state is not have and have is bundle_state.input:
            native._build(b"", [device])
        elif state is not have:
            program = cl._cl._Program.link(session.context, [native], b"", [device])
    except cl.Error as error:
        if is_loss(error):
            raise
        raise BuildError(errc.build, f"the program was refused by the compiler of '{name}'. Its "
                         f"log:\n{log_of(cl, native, device) or error}") from None
    if state is bundle_state.executable:
        return BuiltSource(session, program, device)
    return TakenProgram(cl, program, log_of(cl, program, device))


def plain(cl: Any, native: Any) -> Any:
    """Return PyOpenCL's inner object of a program; it has none before that is asked for."""
    if not isinstance(native, cl.Program):
        return native
    if native._prg is None:
        native._prg = cl._cl._Program(native._context, native._source)
    return native._prg


def _state_of(cl: Any, native: Any, device: Any) -> bundle_state:
    """Return what has been done to a program for a device.

    Oclgrind 21.10 says any type of a program for which nothing was done: what has no binary and
    was never built is source.
    """
    kind = native.get_build_info(device, cl.program_build_info.BINARY_TYPE)
    if kind not in (*_OBJECTS, _EXECUTABLE):
        return bundle_state.input
    if (native.get_build_info(device, cl.program_build_info.STATUS) == _NOT_BUILT
            and not any(native.get_info(cl.program_info.BINARY_SIZES))):
        return bundle_state.input
    return bundle_state.object if kind in _OBJECTS else bundle_state.executable
