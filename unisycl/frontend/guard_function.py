"""One quick function that asks all guards of a kernel and fetches its arguments.

A launch follows a handful of paths and asks a handful of questions; calling a closure for each
costs more than the rest of the launch. So their text is put together once for each kernel, out of
the paths alone: names of our own, and keys by ``repr``. Invariant: the answer is that of asking
every guard by itself (``guards.unchanged``), then fetching every parameter.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, TypeAlias

from unisycl.frontend import captures, guards
from unisycl.frontend.paths import Meeting, Path, Question
from unisycl.lang.kernels.specialization import constant_of

Match: TypeAlias = Callable[[Any, tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...] | None]
"""From (callable, arguments, reductions) to the kernel's raw arguments; None: another kernel."""


def matcher(code: Any, asked: Iterable[tuple[Path, Question]],
            params: Iterable[Path]) -> Match:
    """Return the function for a kernel whose root has the code object ``code``."""
    text = _Text(code)
    for path, test in asked:
        if isinstance(test, Meeting):
            text.ask_meeting(text.value(path), text.value(test.other), met=test.met)
        else:
            text.ask(text.value(path), test)
    fetched = [text.value(path) for path in params]
    source = "\n".join([
        "def match(function, arguments, reductions):", "    try:", *text.lines,
        f"        return ({''.join(name + ', ' for name in fetched)})",
        "    except _UNBOUND:", "        return None"])
    exec(_compiled(source), text.names)  # noqa: S102 - made of our own words above
    made: Match = text.names["match"]
    return made


@functools.lru_cache(maxsize=256)
def _compiled(source: str) -> CodeType:
    """Return the code of a text; kernels with as many arguments of the same sorts have one."""
    return compile(source, "<string>", "exec")


class _Text:
    """The body being written, the objects it names, and the paths that have a name already."""

    def __init__(self, code: Any) -> None:
        self.code = code
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"_UNBOUND": guards.UNBOUND, "_follow": captures.follow,
                                      "_constant": constant_of}
        self._known: dict[Path, str] = {(): "function"}

    def bind(self, obj: Any) -> str:
        """Return a name for an object."""
        name = f"c{len(self.names)}"
        self.names[name] = obj
        return name

    def value(self, path: Path) -> str:
        """Return the name of what a path leads to; the step is taken once."""
        name = self._known.get(path)
        if name is None:
            step, key = path[-1]
            expression = self._step(self.value(path[:-1]), step, key, len(path) == 1)
            name = self._known[path] = f"v{len(self._known)}"
            self.lines.append(f"        {name} = {expression}")
        return name

    def _step(self, owner: str, step: str, key: Any, first: bool) -> str:
        if step == "arg":
            return f"arguments[{key!r}]"
        if step == "constant":
            return f"_constant(arguments, {self.bind(key)})"
        if step == "object":
            return self.bind(key)
        if step == "reduction":
            return f"reductions[{key!r}]"
        if step == "attr":
            return f"{owner}.{key}" if str(key).isidentifier() else f"getattr({owner}, {key!r})"
        if step == "free" and first and key in self.code.co_freevars:
            place = self.code.co_freevars.index(key)
            return f"{owner}.__closure__[{place}].cell_contents"
        if step == "global" and first:
            return (f"space[{key!r}] if {key!r} in (space := {owner}.__globals__) else "
                    f"_follow({owner}, 'global', {key!r})")
        return f"_follow({owner}, {step!r}, {key!r})"

    def ask(self, name: str, test: guards.Test) -> None:
        """Write one question: what is quick to ask first, the test itself where that fails."""
        quick = ""
        if isinstance(test, guards.Same):
            quick = f"{name} is not {self.bind(test.object)} and "
        elif isinstance(test, guards.OfType):
            self.lines.append(f"        if type({name}) is not {self.bind(test.kind)}: return None")
            return
        elif isinstance(test, guards.Signed31):
            quick = (f"(type({name}) is not {self.bind(int)} or not "
                     f"{test.least} <= {name} <= {test.most}) and ")
        elif isinstance(test, guards.Typed):
            kept = getattr(test.kind, "__kernel_type_at__", "__kernel_type__()")
            quick = (f"(type({name}) is not {self.bind(test.kind)} or {name}.{kept} "
                     f"is not {self.bind(test.type)}) and ")
        elif isinstance(test, guards.Coded):
            quick = f"{name}.__code__ is not {self.bind(test.code)} and "
        self.lines.append(f"        if {quick}not {self.bind(test)}({name}): return None")

    def ask_meeting(self, name: str, other: str, *, met: bool) -> None:
        """Write the question whether two names stand for one object."""
        wrong = "is not" if met else "is"
        self.lines.append(f"        if {name} {wrong} {other}: return None")
