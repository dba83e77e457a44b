"""What NumPy computes silently, told on the host device in kernels that ask for it.

Each operation, conversion and assignment of a function is done by a call that looks at its result:
integers that wrap, divisions by zero, conversions that lose the value, results that are not a
number of operands that are; the words are those of the compiled devices (``passes.checks``).
Non-goals: Python's own integers, which do not wrap; unsigned ones, which wrap by definition.
Invariant: a function that is rewritten computes what it did.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from unisycl.base.errors import DeviceError, errc
from unisycl.lang.memory.views import HostView
from unisycl.lang.numbers.elements import Elements
from unisycl.lang.numbers.math import builtin_function

OPERATE, CALL, KEEP = (f"__unisycl_{word}__" for word in ("operate", "call", "keep"))
"""What rewritten functions call: for operators, for calls, for what is assigned to memory."""
_OWN = "__unisycl_"
_OPERATORS: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    "Add": ("+", operator.add, operator.iadd), "Sub": ("-", operator.sub, operator.isub),
    "Mult": ("*", operator.mul, operator.imul), "Div": ("/", operator.truediv, operator.itruediv),
    "FloorDiv": ("//", operator.floordiv, operator.ifloordiv),
    "Mod": ("%", operator.mod, operator.imod), "Pow": ("**", operator.pow, operator.ipow)}
_EXACT: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "**": operator.pow}
_SPELT: dict[Any, tuple[str, ...]] = {
    builtins.divmod: ("//", "%"), np.add: ("+",), np.subtract: ("-",), np.multiply: ("*",),
    np.divide: ("/",), np.floor_divide: ("//",), np.mod: ("%",), np.divmod: ("//", "%"),
    operator.add: ("+",), operator.sub: ("-",), operator.mul: ("*",), operator.truediv: ("/",),
    operator.floordiv: ("//",), operator.mod: ("%",), operator.pow: ("**",), np.power: ("**",)}
"""Functions that are operators by another name."""
_INTEGERS, _FLOATS = (int, np.integer), (float, np.floating)


class Rewriting(ast.NodeTransformer):
    """Puts calls in place of operators, calls and assignments to memory."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = type(node.op).__name__
        return self._call(OPERATE, node, [ast.Constant(name), node.left, node.right,
                                          ast.Constant(value=False)]) \
            if name in _OPERATORS else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not node.args or node.keywords or any(isinstance(x, ast.Starred) for x in node.args) \
                or (isinstance(node.func, ast.Name) and node.func.id.startswith((_OWN, "super"))):
            return node
        return self._call(CALL, node, [node.func, *node.args])

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not _is_place(target):
            return node
        before = [self._named("value", node.value)]
        again = self._again(target, before)
        node.value = self._call(KEEP, node, [*again, self._read("value", node)])
        return [*before, node]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        name, target = type(node.op).__name__, node.target
        if name not in _OPERATORS:
            return node
        before: list[ast.stmt] = []
        if isinstance(target, ast.Name):
            now: ast.expr = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            again: list[ast.expr] = []
        elif _is_place(target):
            again = self._again(target, before)
            now = ast.copy_location(
                ast.Subscript(again[0], again[1], ast.Load())
                if isinstance(target, ast.Subscript) else
                ast.Attribute(again[0], target.attr, ast.Load()), target)
        else:
            return node
        value: ast.expr = self._call(OPERATE, node, [
            ast.Constant(name), now, node.value, ast.Constant(value=True)])
        if again:
            value = self._call(KEEP, node, [*again, value])
        return [*before, ast.copy_location(ast.Assign([target], value), node)]

    def _again(self, target: Any, before: list[ast.stmt]) -> list[ast.expr]:
        """Name what a target is made of, once; return what reads it: the memory and the place."""
        before.append(self._named("owner", target.value))
        target.value = self._read("owner", target)
        if isinstance(target, ast.Attribute):
            return [self._read("owner", target), ast.Constant(target.attr)]
        before.append(self._named("index", target.slice))
        target.slice = self._read("index", target)
        return [self._read("owner", target), self._read("index", target)]

    def _named(self, word: str, value: ast.expr) -> ast.stmt:
        name = ast.Name(f"{_OWN}{word}__", ast.Store())
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([name], value), value))

    def _read(self, word: str, at: ast.AST) -> ast.expr:
        return ast.copy_location(ast.Name(f"{_OWN}{word}__", ast.Load()), at)

    def _call(self, name: str, at: Any, arguments: list[ast.expr]) -> ast.expr:
        made = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        ast.copy_location(made, at)
        ast.copy_location(made.func, at)
        for x in arguments:
            if isinstance(x, ast.Constant):
                ast.copy_location(x, at)
        return made


def _is_place(target: ast.expr) -> bool:
    """Say whether memory is assigned to, at one place of it."""
    return isinstance(target, ast.Attribute) or (isinstance(target, ast.Subscript) and not any(
        isinstance(x, ast.Slice) for x in ast.walk(target.slice)))


class Arithmetic:
    """What rewritten functions call; ``asked`` are the words of what is looked for."""

    def __init__(self, asked: frozenset[str]) -> None:
        self._asked = asked

    def names(self) -> dict[str, Any]:
        """Return the functions by the names that rewritten functions know them by."""
        return {OPERATE: self.operate, CALL: self.call, KEEP: self.keep}

    def operate(self, name: str, a: Any, b: Any, in_place: bool) -> Any:
        """Return the result of an operator; raise ``DeviceError`` if something is wrong with it."""
        sign, plain, changing = _OPERATORS[name]
        if isinstance(a, Elements) or isinstance(b, Elements):
            lanes = [list(x._look().copy()) if isinstance(x, Elements) else None for x in (a, b)]
            found = (changing if in_place else plain)(a, b)
            if isinstance(found, Elements):
                count = found._type.count
                left, right = (x or [y] * count for x, y in zip(lanes, (a, b), strict=True))
                for x, y, z in zip(left, right, found._look(), strict=False):
                    self._look(sign, x, y, z)
            return found
        if sign in ("//", "%"):
            self._look(sign, a, b, None)
        found = plain(a, b) if isinstance(a, np.generic | int | float) else (
            changing if in_place else plain)(a, b)
        self._look(sign, a, b, found)
        return found

    def _look(self, sign: str, a: Any, b: Any, found: Any) -> None:
        whole = isinstance(a, _INTEGERS) and isinstance(b, _INTEGERS)
        if whole and sign in ("//", "%"):
            if b == 0 and "division" in self._asked:
                _tell(f"{a} {sign} {b}: an integer is divided by zero")
        elif whole and isinstance(found, np.signedinteger):
            if "overflow" in self._asked and _exactly(sign, int(a), int(b)) != int(found):
                if sign == "**" and b == 2:
                    sign, b = "*", a
                _tell(f"{a} {sign} {b} does not fit {found.dtype}, and wraps to {found}")
        elif isinstance(found, _FLOATS) and "nan" in self._asked and found != found \
                and a == a and b == b:
            left, right = (type(found)(x) for x in (a, b))
            _tell(f"{left} {sign} {right} is not a number")

    def call(self, function: Any, *arguments: Any) -> Any:
        """Return what a call gives; raise ``DeviceError`` if something is wrong with it."""
        spelt = _SPELT.get(function, ()) if _is_plain(function) else ()
        if spelt and spelt[0] in ("//", "%") and len(arguments) == 2:
            self._look(spelt[0], *arguments, None)
        found = function(*arguments)
        if spelt and len(arguments) == 2:
            for sign, x in zip(spelt, found if len(spelt) > 1 else (found,), strict=False):
                self._look(sign, *arguments, x)
        elif isinstance(function, type):
            if issubclass(function, np.generic) and len(arguments) == 1:
                self._converted(arguments[0], found)
        elif getattr(function, "__name__", "") == "astype" and isinstance(
                owner := getattr(function, "__self__", None), np.generic):
            self._converted(owner, found)
        elif "nan" in self._asked and isinstance(found, _FLOATS) and found != found \
                and _is_library(function) and all(
                    isinstance(x, _FLOATS) and x == x for x in arguments):
            _tell(f"{function.__name__}({', '.join(map(str, arguments))}) is not a number")
        return found

    def keep(self, owner: Any, place: Any, value: Any) -> Any:
        """Return a value that is assigned to memory; raise ``DeviceError`` if it does not fit."""
        kind: Any = None
        if isinstance(owner, HostView):
            kind = owner._data.dtype
        elif isinstance(owner, Elements):
            kind = owner._type.element
        elif isinstance(owner, np.void) and isinstance(place, str) and owner.dtype.fields:
            kind = owner.dtype.fields.get(place, (None,))[0]
        elif isinstance(owner, np.ndarray):
            kind = owner.dtype
        if "narrowing" in self._asked and kind is not None and kind.kind in "iuf" \
                and kind.names is None and isinstance(value, np.generic | int | float) \
                and not isinstance(value, np.void):
            with np.errstate(all="ignore"):
                self._converted(value, np.asarray(value).astype(kind)[()])
        return value

    def _converted(self, value: Any, found: Any) -> None:
        """Look at a conversion of one number."""
        if "narrowing" not in self._asked or isinstance(value, bool | np.bool_) \
                or not isinstance(found, np.generic):
            return
        kind = found.dtype
        if isinstance(value, _INTEGERS) and kind.kind in "iu":
            lost = int(value) != int(found)
        elif isinstance(value, _FLOATS) and kind.kind in "iu":
            info: Any = np.iinfo(kind.name)
            if np.asarray(value).itemsize < 4:  # short ones are not looked at
                return
            lost = not (np.isfinite(value) and info.min <= int(value) <= info.max)
        else:
            lost = isinstance(value, _FLOATS) and kind.kind == "f" and bool(
                np.isfinite(value) and np.isinf(found))
        if lost:
            _tell(f"{value} does not fit {kind}, and becomes {found}")


def _exactly(sign: str, a: int, b: int) -> int | None:
    """Return what whole numbers give; None for what fits no type of numbers."""
    if sign == "**" and (b < 0 or (abs(a) > 1 and b > 64)):
        return None if b > 0 else int(float(a) ** b)
    return _EXACT[sign](a, b)


def _is_plain(function: Any) -> bool:
    return isinstance(function, BuiltinFunctionType | np.ufunc)


def _is_library(function: Any) -> bool:
    """Say whether a function is one of numbers: ours, NumPy's or Python's."""
    return isinstance(function, np.ufunc | builtin_function) or (
        isinstance(function, BuiltinFunctionType | FunctionType)
        and (function.__module__ or "").partition(".")[0] in ("unisycl", "math", "numpy"))


def _tell(what: str) -> None:
    raise DeviceError(errc.kernel, what)
