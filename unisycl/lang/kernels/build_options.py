"""Options of the compiler: for one kernel, a bundle of kernels, or a source text.

Non-goals: carrying them out; each device does that. Invariant: an option that is not known is
refused before anything is compiled, except in a source text, whose compiler knows its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.kernel_properties import Trait

LEVELS = ("-O0", "-O1", "-O2", "-O3")
KNOWN = (*LEVELS, "-march=NAME", "-ffast-math", "-g")


class build_options(Trait):
    """Options for the compiler, as one string each.

    As a property of a kernel or its launch, or of ``compile`` and ``build`` of a kernel bundle:
    ``-O0`` to ``-O3`` (2 if left out), ``-march=NAME`` (native, or a level of x86-64 that this
    processor has), ``-ffast-math`` (sums may be reordered, divisions multiplied, signs of zero
    lost; float32 functions as ``fast_math=True``), ``-g`` (lines in the machine code). Others raise
    ``errc.invalid``. For a source bundle they go to that language's compiler as they are.

    Example:
        >>> build_options("-O3", "-ffast-math").words
        ['-O3', '-ffast-math']
    """

    name = "options"
    __slots__ = ("words",)

    @ends_at_call
    def __init__(self, *words: str | Iterable[str]) -> None:
        several = [word if isinstance(word, list | tuple) else (word,) for word in words]
        self.words = [w for some in several for w in some]
        for w in self.words:
            if not isinstance(w, str):
                raise UsageError(errc.invalid, f"build_options: {w!r} is a {type(w).__name__}; "
                                 "give each option as a string")
        super().__init__(tuple(self.words))

    def checked(self) -> tuple[str, ...]:
        """Return the options, each kind once; ``errc.invalid`` for any unknown to kernels."""
        found: dict[str, str] = {}
        for word in self.words:
            kind = "-O" if word in LEVELS else "-march" if word.startswith("-march=") else word
            if kind not in ("-O", "-march", "-ffast-math", "-g") or word == "-march=":
                raise UsageError(errc.invalid, f"build_options: kernels have no option {word!r}; "
                                 f"known are {', '.join(KNOWN)}")
            if found.setdefault(kind, word) != word:
                raise UsageError(errc.invalid, f"build_options: {found[kind]} and {word} "
                                 "contradict each other; give one of them")
        return tuple(found[kind] for kind in sorted(found))


class compiler_options(Trait):
    """Options for the compiler of a device that has one of its own, each as that spells it."""

    name = "compiler_options"
    __slots__ = ()
