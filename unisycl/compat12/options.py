"""The options of SYCL 1.2's programs, which are those of OpenCL's compilers (§3.7.2.6).

Non-goals: carrying them out. Invariants: where a device has such a compiler, it decides which
options there are; elsewhere the list of OpenCL 1.2 §5.6.4 and §5.6.5 does.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from unisycl.base.errors import BuildError, errc
from unisycl.lang.kernels.build_options import compiler_options
from unisycl.lang.kernels.kernel_properties import Traits
from unisycl.runtime.devices.devices import DeviceState

_FASTER = ("-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math")
_MATH = ("-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-finite-math-only", *_FASTER)
_COMPILING = frozenset((
    *_MATH, "-cl-single-precision-constant", "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable", "-cl-mad-enable", "-cl-kernel-arg-info", "-cl-strict-aliasing", "-w",
    "-Werror", "-g"))
_LINKING = frozenset((*_MATH, "-cl-no-signed-zeroes"))
_OURS = {"-cl-opt-disable": "-O0", "-g": "-g", **dict.fromkeys(_FASTER, "-ffast-math")}
"""What some are to devices that compile by themselves; the others permit what these do not use."""


def traits_of(options: str, devices: Iterable[DeviceState]) -> Traits:
    """Return what kernels are compiled with; ``errc.build`` for options that a device lacks."""
    words = tuple(_joined(options))
    if not words:
        return ()
    own = False
    for state in devices:
        if state.driver.adopt.options(words) is None:
            own = True
            _check("compile", words, _COMPILING, state)
    if own:
        found = tuple(sorted({_OURS[w] for w in words if w in _OURS}))
        return (("options", found),) if found else ()
    return ((compiler_options.name, words),)


def check_linking(options: str, devices: Iterable[DeviceState]) -> None:
    """Refuse options that no linker has (``errc.build``); known options have no effect."""
    words = tuple(_joined(options))
    for state in devices:
        _check("link", words, _LINKING, state)


def _check(what: str, words: tuple[str, ...], known: frozenset[str], state: DeviceState) -> None:
    for word in words:
        if word not in known and not (what == "compile" and word[:2] in ("-D", "-I")):
            raise BuildError(errc.build, f"program: '{state.name}' has no option '{word}' to "
                             f"{what} kernels; known are {', '.join(sorted(known))}"
                             f"{', -D NAME[=VALUE], -I FOLDER' if what == 'compile' else ''}")


def _joined(options: str) -> Iterator[str]:
    """Yield the options one by one, each with what belongs to it."""
    words = iter(shlex.split(options))
    for word in words:
        if word in ("-D", "-I"):
            after = next(words, None)
            if after is None:
                raise BuildError(errc.build, f"program: the option '{word}' needs a word behind it")
            word += after
        yield word
