"""Programs from a text of the user's own: OpenCL C, or SPIR-V.

Non-goals: kernels that are Python functions (``programs``). Invariant: a text that does not compile
raises ``BuildError`` with the driver's log.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.opencl.foreign import ForeignKernel
from unisycl.backends.opencl.session import Session
from unisycl.backends.opencl.traits import Traits
from unisycl.base.enums import source_language
from unisycl.base.errors import BuildError, UsageError, errc


class BuiltSource:
    """A program for one device: the names of its kernels, its log, and the kernels."""

    def __init__(self, session: Session, program: Any, device: Any) -> None:
        cl = session.cl
        self._session = session
        self._program = program
        found = program.get_info(cl.program_info.KERNEL_NAMES)
        self.names = tuple(n for n in found.split(";") if n)
        self.log = log_of(cl, program, device)

    def kernel(self, name: str) -> ForeignKernel:
        """Return a kernel of its own, whose arguments nobody else sets."""
        return ForeignKernel(self._session.api, self._session.cl.Kernel(self._program, name))


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
        program = _made(cl, session.context, language, text)
        program._build(" ".join(words).encode(), [device])
    except cl.Error as error:
        log = (log_of(cl, program, device) if program is not None else "") or str(error)
        raise BuildError(errc.build, f"the source was refused by the compiler of "
                         f"'{traits.name}'. Its log:\n{log}") from None
    return BuiltSource(session, program, device)


def _made(cl: Any, context: Any, language: source_language, text: str | bytes) -> Any:
    """Return a program that is not built yet."""
    if language is source_language.spirv:
        return cl._cl._create_program_with_il(
            context, text if isinstance(text, bytes) else text.encode("latin-1"))
    return cl._cl._Program(context, text)
