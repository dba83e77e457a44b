"""Tracebacks of errors: the program's own lines, without ours between and below them.

What users call ends so in one of two ways. ``@ends_at_call`` is for functions and whole classes;
what programs call for every launch, wait or element has ``except exception`` around its body, with
``shorten`` and a bare ``raise`` in it, which costs nothing until something is raised.

Non-goals: the text of errors. Invariants: an error keeps its type, its causes and every frame that
is not ours; an ``InternalError``, and any error of others, is shown whole.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from unisycl.base import settings
from unisycl.base.errors import InternalError, exception

_Public = TypeVar("_Public", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parents[1]
_OURS = tuple(f"{_PACKAGE / room}{os.sep}" for room in (
    "api", "backends", "base", "compat12", "frontend", "ir", "lang", "observe", "oneapi", "passes",
    "process", "runtime"))
_PYTHON = (f"{Path(os.__file__).resolve().parent}{os.sep}", "<frozen ")
_SPECIAL = frozenset(("__init__", "__call__", "__getitem__", "__setitem__", "__len__", "__iter__",
                      "__add__", "__sub__", "__enter__", "__exit__", "__array__", "__dlpack__",
                      "__reduce__"))

RAISED = (exception, KeyboardInterrupt)
"""What ends at the program's line: what is told to it, and Ctrl-C while it waits."""


def shorten(error: BaseException) -> None:
    """Take the frames of unisycl out of the traceback of an error that is about to be raised again.

    To be followed by a bare ``raise``, which adds no frame. ``UNISYCL_TRACEBACK=full`` leaves all.
    """
    if settings.TRACEBACK.get().strip() == "full":
        return
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and not isinstance(at, InternalError) and id(at) not in seen:
        seen.add(id(at))
        at.with_traceback(_users(at.__traceback__))
        context = at.__context__
        if at.__cause__ is None and context is not None and _users(context.__traceback__) is None:
            at.__suppress_context__ = True  # how we found out, and nothing the program did
        at = at.__cause__


def _users(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames that are ours, and those of Python's that we called."""
    kept: list[TracebackType] = []
    ours = False
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        ours = name.startswith(_OURS) or (ours and name.startswith(_PYTHON)
                                          and "site-packages" not in name)
        if not ours:
            kept.append(trace)
        trace = trace.tb_next
    made: TracebackType | None = None
    for one in reversed(kept):
        made = TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return made


def ends_at_call(public: _Public) -> _Public:
    """Let what a function, or the methods of a class, raise end at the line that called.

    Methods that end so by themselves, by ``shorten``, stay as they are.
    """
    if isinstance(public, type):
        for name, member in list(vars(public).items()):
            if name in _SPECIAL or not name.startswith("_"):
                covered = _member(member)
                if covered is not member:
                    setattr(public, name, covered)
        return public
    return _function(public)  # type: ignore[return-value]


def _member(member: Any) -> Any:
    if isinstance(member, staticmethod | classmethod):
        inner = _member(member.__func__)
        return member if inner is member.__func__ else type(member)(inner)
    if not isinstance(member, FunctionType) or inspect.isgeneratorfunction(member):
        return member
    done = hasattr(member, "__wrapped__") or "shorten" in member.__code__.co_names
    return member if done else _function(member)


def _function(public: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(public)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return public(*args, **named)
        except RAISED as error:
            shorten(error)
            raise
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is None:  # the arguments do not fit
                error.with_traceback(None)
            raise
    return call
