"""Arguments of a kernel by name, and kernels with some of them chosen beforehand.

Non-goals: keywords inside kernels (the front end has those), types. Invariant: what a launch is
given is what it would be given by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unisycl.base.annotations import signature_of
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call


def by_position(kernel: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[
        Any, ...]:
    """Return the arguments of a launch in their order; ``errc.invalid`` for a name it lacks."""
    if not named:
        return arguments
    label = getattr(kernel, "__name__", type(kernel).__name__)
    names = [*signature_of(kernel.function).parameters][1:]  # the index comes first
    unknown = [name for name in named if name not in names]
    if unknown:
        raise UsageError(errc.invalid, f"kernel '{label}' has no argument '{unknown[0]}'; it has "
                         f"{', '.join(names) or 'none'}")
    twice = [name for name in names[:len(arguments)] if name in named]
    if twice:
        raise UsageError(errc.invalid, f"kernel '{label}': the argument '{twice[0]}' is given by "
                         "position and by name")
    rest = names[len(arguments):]
    while rest and rest[-1] not in named:  # defaults, or what the launch says is missing
        rest.pop()
    missing = [name for name in rest if name not in named]
    if missing:
        raise UsageError(errc.invalid, f"kernel '{label}': the argument '{missing[0]}' is missing; "
                         f"it comes before '{rest[-1]}'")
    return (*arguments, *(named[name] for name in rest))


@ends_at_call
class partial_kernel:
    """A kernel with some arguments chosen: what ``kernel.partial`` returns.

    ``launch`` and ``bind`` are the kernel's, and take the arguments that are left.
    """

    __slots__ = ("kernel", "named")

    def __init__(self, kernel: Any, named: Mapping[str, Any]) -> None:
        self.kernel = kernel
        self.named = dict(named)

    def partial(self, **named: Any) -> partial_kernel:
        """Return the kernel with further arguments chosen; later ones replace earlier ones."""
        return partial_kernel(self.kernel, {**self.named, **named})

    def launch(self, queue: Any, space: Any, *arguments: Any, depends_on: Any = (),
               **named: Any) -> Any:
        """Return the event of a launch, as ``kernel.launch`` does."""
        return self.kernel.launch(queue, space, *arguments, depends_on=depends_on,
                                  **{**self.named, **named})

    def bind(self, queue: Any, space: Any, *arguments: Any, **named: Any) -> Any:
        """Return a launch to be submitted many times, as ``kernel.bind`` does."""
        return self.kernel.bind(queue, space, *arguments, **{**self.named, **named})

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function as ordinary Python."""
        return self.kernel(*arguments, **{**self.named, **named})

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.named.items())
        return f"{self.kernel!r} with {chosen}"
