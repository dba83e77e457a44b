"""Whether a text, or a function in it, compiles to the very code that Python has loaded.

Non-goals: where texts come from. Invariants: a yes means that the tree computes what the code
computes; a text that is older or newer than the code is a no. What a test runner put in place of
assertions, and columns that Python was told to drop, make no difference.
"""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import threading
import warnings
from collections.abc import Iterator
from types import CodeType
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURES = 0
for _feature in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _feature).compiler_flag
_IGNORED = frozenset(("CACHE", "COPY_FREE_VARS", "EXTENDED_ARG", "MAKE_CELL", "NOP", "NOT_TAKEN",
                      "PRECALL", "PUSH_NULL", "RESUME",
                      "SET_FUNCTION_ATTRIBUTE"))
_FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_lock = threading.Lock()


def parse(text: str) -> ast.Module | None:
    """Return the tree of a text; None if it is no Python, or more than Python can take."""
    try:
        with _lock, warnings.catch_warnings():  # Python has said what it has to say about it
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except _FAILURES:
        return None


def compiles_to(text: str, code: CodeType) -> bool:
    """Say whether a whole text contains the very code object."""
    return code in _codes(text, code.co_filename, code.co_flags & _FUTURES)


@functools.lru_cache(maxsize=16)
def _codes(text: str, name: str, flags: int) -> frozenset[CodeType]:
    """Return every code object a text compiles to."""
    made = _compile(text, name, flags)
    return frozenset() if made is None else frozenset(_inside(made))


def _compile(what: Any, name: str, flags: int) -> CodeType | None:
    try:
        with _lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made: CodeType = compile(what, name, "exec", flags, dont_inherit=True)
    except _FAILURES:
        return None
    return made


def _inside(code: CodeType) -> Iterator[CodeType]:
    todo = [code]
    while todo:
        one = todo.pop()
        yield one
        todo += [c for c in one.co_consts if isinstance(c, CodeType)]


def is_code_of(node: Function, code: CodeType, *, lines: bool = True) -> bool:
    """Say whether a function by itself compiles to the code, wherever it stands.

    A name that is a cell here may be a global there; columns and assertions are left out. Without
    ``lines`` it may stand, or be laid out, elsewhere.
    """
    alone = _alone(node)
    made = _compile(alone, code.co_filename, code.co_flags & _FUTURES)
    if made is None:
        return False
    asserted = frozenset(
        line for part in ast.walk(node) if isinstance(part, ast.Assert)
        for line in range(part.lineno, (part.end_lineno or part.lineno) + 1)) \
        if _rewritten(code) else frozenset()
    known = _steps(code, asserted, lines)
    return any(_steps(one, asserted, lines) == known for one in _inside(made)
               if one.co_name == code.co_name and _named(one) == _named(code)
               and (not lines or one.co_firstlineno == code.co_firstlineno))


def _alone(node: Function) -> ast.Module:
    """Return a module of nothing but a function, with its decorators."""
    if isinstance(node, ast.Lambda):
        return ast.Module([ast.copy_location(ast.Expr(node), node)], [])
    return ast.Module([node], [])


def _named(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _rewritten(code: CodeType) -> bool:
    """Say whether a test runner has put its own code in place of assertions, here or further in."""
    return any(name.startswith("@") for name in (*code.co_names, *code.co_varnames)) or any(
        isinstance(inner, CodeType) and _rewritten(inner) for inner in code.co_consts)


def _steps(code: CodeType, left_out: frozenset[int], lines: bool) -> list[Any]:
    """Return what code does, step by step, in words that do not depend on where names live."""
    found: list[Any] = []
    cells = code.co_cellvars + code.co_freevars
    closing = False  # cells are gathered for a function that is made here
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions else None
        if step.opname in _IGNORED or line in left_out or step.opname.startswith("JUMP_"):
            continue
        if step.opname == "LOAD_CLOSURE" or (step.opname == "LOAD_FAST" and step.argval in cells):
            closing = True
        elif not (closing and step.opname == "BUILD_TUPLE"):
            closing = False
            found += [(line if lines else 0, *word) for word in _words(step, left_out, lines)]
    return found


def _words(step: dis.Instruction, left_out: frozenset[int],
           lines: bool) -> Iterator[tuple[Any, ...]]:
    """Yield what one instruction does; some do two things."""
    value = step.argval
    if isinstance(value, CodeType):
        yield "code", value.co_name, tuple(map(str, _steps(value, left_out, lines)))
    elif step.opcode in dis.hasname or step.opcode in dis.haslocal or step.opcode in dis.hasfree:
        names = value if isinstance(value, tuple) else (value,)
        verbs = [part for part in step.opname.split("_") if part in _VERBS] or [step.opname]
        verbs += verbs[-1:] * (len(names) - len(verbs))
        for verb, name in zip(verbs, names, strict=False):
            yield verb, _plain(str(name))
    elif step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
        yield step.opname.replace("_FORWARD", "").replace("_BACKWARD", ""),
    elif step.opname in ("LOAD_CONST", "RETURN_CONST", "LOAD_SMALL_INT"):
        yield step.opname[:4], f"{type(value).__name__} {value!r}"
    elif step.opname == "MAKE_FUNCTION":
        yield step.opname,
    else:
        yield step.opname, step.argrepr or step.arg


_VERBS = ("LOAD", "STORE", "DELETE")


def _plain(name: str) -> str:
    """Return a name without the class that a private one is mangled with."""
    private = name[:1] == "_" and name[1:2] != "_" and "__" in name
    return name[name.index("__"):] if private else name

