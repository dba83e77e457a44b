"""What a compiler of C says of a kernel's text, as an error that shows the user's line.

Non-goals: getting the log. Invariant: the whole log is not shown, but its errors come first.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily import foreign
from unisycl.base.errors import BuildError, errc
from unisycl.ir.nodes import Kernel

_LINES = 12
_TOLD = re.compile(r"(?:^|[ :])(error|warning|note|remark): |(exception|failed)\b", re.IGNORECASE)
"""How compilers begin what they tell of a place, or of none."""
_CODE = re.compile(r" *[0-9]* \|")
"""How Clang begins a line of the program."""


def failure(kernel: Kernel, whose: str, log: str, named: str = "") -> BuildError:
    """Return the error of a build: the user's line where the log names one, and the log.

    Args:
        kernel: what was compiled.
        whose: the compiler, as in "NVIDIA's compiler".
        log: what it said.
        named: the same with the user's files in place of the text's lines.
    """
    named = named or log
    lines = errors_first(log)
    shown = "\n".join(lines[:_LINES])
    more = f"\n... {len(lines) - _LINES} more lines" if len(lines) > _LINES else ""
    return BuildError(errc.build, f"{_user_line(kernel, named)}kernel '{kernel.name}' was refused "
                      f"by {whose}{_foreign_line(kernel, named)}. Its log:\n{shown}{more}")


def errors_first(log: str) -> list[str]:
    """Return the lines of a log, those that belong to an error before those about warnings."""
    errors: list[str] = []
    others: list[str] = []
    into = others
    for line in log.splitlines():
        told = None if _CODE.match(line) else _TOLD.search(line)
        if told and told[1] != "note":  # a note belongs to what it follows
            into = others if told[1] in ("warning", "remark") else errors
        into.append(line)
    return errors + others


def _foreign_line(kernel: Kernel, log: str) -> str:
    """Return the first line that a log names of a text that came with the kernel; '' if none."""
    for function in foreign.called(kernel):
        found = re.search(re.escape(function.label) + r"[:(](\d+)", log)
        lines = function.source.splitlines()
        if found and 0 < int(found[1]) <= len(lines):
            return (f" because of line {found[1]} of {function.label}:\n"
                    f"    {lines[int(found[1]) - 1].strip()}\nThat is the {function.language} of "
                    f"'{function.name}'")
    return ""


def _user_line(kernel: Kernel, log: str) -> str:
    """Return ``file:line: `` of the first place in the user's file that a log names."""
    if kernel.span is None:
        return ""
    file = kernel.span.file.name
    found = re.search(re.escape(file) + r"[:(](\d+)", log)
    line = int(found[1]) if found else kernel.span.line
    return f"{file}:{line}: "
