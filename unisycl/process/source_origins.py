"""Where the text of a code object may be: files, archives, cells, prompts, timers, ``exec``.

Non-goals: finding functions in a text; saying whether it is the right one (``frontend.source``).
Invariant: nothing is run, and nothing is read that Python would not have read: regular files, and
archives by the loader of their module.
"""

from __future__ import annotations

import linecache
import operator
import os
import stat
import sys
import tokenize
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

from unisycl.process import executed_texts

_HISTORY = 1000
_CARRIED = "<dynamic-code>"  # cloudpickle's, from 3.1.3 on
_TRAILING = 40  # lines that a statement may go on behind the last one its function's code has
_MOST_JOINED = 4
_last_joined: list[tuple[list[str], int, str]] = []
_is_ended = operator.methodcaller("endswith", "\n")
_FRAMES = {"timeit": ("src",), "IPython.core.magics.execution": ("stmt", "setup", "expr", "cell")}
"""Modules that compile texts of the user's, and the variables in which they hold them."""


def candidates(code: CodeType, space: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that a code object may come from, likeliest first.

    ``space`` are the globals of its function.
    """
    name = code.co_filename
    yield from _lines(name)
    yield from executed_texts.texts(name)
    yield from _loaded(name, space)
    argv = sys.orig_argv
    if name == "<string>" and "-c" in argv[:-1]:
        yield argv[argv.index("-c") + 1]
    if name.startswith("<stdin"):
        yield from _standard_input(code)
        yield from _statements(_history(), code)
    yield from _typed(code)
    yield from _running()
    if name.startswith("<"):
        yield from _of_module(space)


def advice(name: str) -> str:
    """Return why there is no text under a name, and the way out."""
    if name.startswith("<stdin"):
        return ("it came through a pipe, which Python reads only once; save it in a file and run "
                "that, or hand it over as python -c \"$(cat <<'EOF' ... EOF)\"")
    if name.startswith(("<magic-timeit", "<timed ")):
        return "define the function in a cell of its own, and time the launch only"
    if name == _CARRIED:
        return ("cloudpickle carried the function, and the file of its module is not here; make a "
                "kernel with @unisycl.kernel, which takes its text along")
    if name.startswith("<"):
        return ("define the function in a file or in a notebook cell, or call "
                "unisycl.remember_exec() before its text, not a syntax tree, is given to exec()")
    if _is_irregular(name):
        return "it is no regular file, and can be read only once; save it in a file and run that"
    if os.path.exists(name):  # noqa: PTH110 - any string at all
        return "the file holds another text; start Python again, or import the module anew"
    return ("there is no such file, and kernels are compiled from their text: put it beside the "
            "compiled .pyc; or call unisycl.remember_exec() before its text is given to exec(); of "
            "a pickled function, make a kernel with @unisycl.kernel, which takes its text along")


def _lines(name: str) -> Iterator[str]:
    """Yield the text of a file or cell: as it was when it was last looked at, and as it is now."""
    if _is_irregular(name):
        return
    before = linecache.cache.get(name)
    linecache.checkcache(name)
    lines = linecache.getlines(name)
    if lines:
        yield _joined(lines)
    if before is not None and len(before) == 4 and before[2] is not lines:
        yield _joined(before[2])


def _joined(lines: list[str]) -> str:
    """Return lines as a text; some tools leave their ends away. The last texts are kept."""
    for known, count, text in _last_joined:
        if known is lines and count == len(lines):
            return text
    whole = all(map(_is_ended, lines[:-1]))
    text = ("" if whole else "\n").join(lines)
    _last_joined[:] = [(lines, len(lines), text), *_last_joined[:_MOST_JOINED - 1]]
    return text


def _is_irregular(name: str) -> bool:
    """Say whether a name is that of a pipe or a device, which may block and gives nothing twice."""
    try:
        return not stat.S_ISREG(os.stat(name).st_mode)  # noqa: PTH116 - any string at all
    except (OSError, ValueError):
        return False


def _loaded(name: str, space: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text that the loader of a function's module has, as that of a zip archive."""
    spec = space.get("__spec__")
    loader = space.get("__loader__") or getattr(spec, "loader", None)
    source = getattr(loader, "get_source", None)
    if source is None or name.startswith("<") or _is_irregular(name):
        return
    for module in (getattr(spec, "name", None), space.get("__name__")):
        try:
            text = source(module) if module else None
        except (ImportError, OSError, SyntaxError, ValueError):
            continue
        if isinstance(text, str):
            yield text


def _of_module(space: Mapping[str, Any]) -> Iterator[str]:
    """Yield the file of a function's module: cloudpickle names no file in the code it carries."""
    name = space.get("__file__")
    if isinstance(name, str) and name.endswith(".py"):
        yield from _lines(name)


def _standard_input(code: CodeType) -> Iterator[str]:
    """Yield what a file that is the standard input holds; its position stays where it is."""
    try:
        about = os.fstat(0)
        if not stat.S_ISREG(about.st_mode):
            return
        data = os.pread(0, about.st_size, 0)
        lines = iter(data.splitlines(keepends=True))
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
        text = data.decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError, AttributeError):
        return
    yield text
    yield from _statements(text.splitlines(), code)


def _history() -> list[str]:
    """Return the last lines of the interactive session, as typed."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    lines = [readline.get_history_item(i) or "" for i in range(max(1, count - _HISTORY), count + 1)]
    return "\n".join(lines).split("\n")


def _statements(lines: list[str], code: CodeType) -> Iterator[str]:
    """Yield stretches that may be the statement a prompt compiled by itself, the latest first."""
    last = max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno)
    word = "lambda" if code.co_name == "<lambda>" else code.co_name
    for k in range(len(lines) - 1, -1, -1):
        if not lines[k][:1].strip() or not any(word in line for line in lines[k:k + last]):
            continue
        for end in range(k + last, min(k + last + _TRAILING, len(lines)) + 1):
            if end == len(lines) or lines[end][:1].strip():
                yield "\n".join(lines[k:end]) + "\n"
                if end >= k + last + 1:
                    break


def _typed(code: CodeType) -> Iterator[str]:
    """Yield what Python 3.13 and later note of a statement typed at the prompt."""
    known = getattr(linecache, "_getlines_from_code", None)
    lines = known(code) if known is not None else ()
    if lines:
        yield _joined(list(lines))


def _running() -> Iterator[str]:
    """Yield the texts that timers on the stack are running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        spec = frame.f_globals.get("__spec__")
        wanted = _FRAMES.get(getattr(spec, "name", frame.f_globals.get("__name__")) or "")
        if wanted:
            known = {**vars(frame.f_locals["self"]), **frame.f_locals} \
                if hasattr(frame.f_locals.get("self"), "__dict__") else frame.f_locals
            yield from (known[w] for w in wanted if isinstance(known.get(w), str))
        frame = frame.f_back
