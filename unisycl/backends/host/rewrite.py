"""Turn a function with convergent calls into a generator function, from its own syntax tree.

A call of a group function becomes ``yield``, a call of a function that reaches one ``yield from``.
An expression through which an element of a vec in memory is assigned becomes a reference to it,
``atomic_ref(a[i])`` becomes ``atomic_ref(a, i)``, and the -1 of ``a[-1]`` one that is from the end.
File name, line numbers and names stay the user's, so debuggers, coverage and tracebacks show the
user's source. Non-goals: binding names to objects (``binding``). Invariant: the tree given is not
changed, for the front end shares it between kernels.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Mapping
from types import CodeType
from typing import Any, TypeAlias

from unisycl.backends.host import arithmetic
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import InternalError, UsageError, errc

Position: TypeAlias = tuple[int, int, int, int]

_FUTURE_ANNOTATIONS = annotations.compiler_flag


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A convergent call: where it stands, and the name that its rewritten form calls.

    ``direct``: what is called is a group function, known while rewriting.
    """

    name: str
    file: str
    position: Position
    direct: bool

    def place(self) -> str:
        """Return file:line."""
        return f"{self.file}:{self.position[0]}"


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """The code of a generator function and the convergent calls in it."""

    code: CodeType
    sites: tuple[Site, ...]


def position(node: ast.AST) -> Position:
    """Return what identifies a call: line, column, end line, end column."""
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0)


TURN = "__unisycl_turn_"
"""What the names of loops' counters begin with: line, column, last line and underscores follow."""

NUMBERS = (arithmetic.OPERATE, arithmetic.CALL, arithmetic.KEEP)
PLACE = "__unisycl_place__"
"""What a rewritten function calls for a vec in memory itself: (container, key, attribute?)."""


ELEMENT = "__unisycl_element__"
"""What a rewritten function reads a part of memory's element by, where accesses are watched: where
it begins, and the steps that lead there, two arguments each: attribute?, its name or an index."""


END = "__unisycl_end__"
"""What makes a number of a rewritten function count from the end of memory if it is negative."""

_ONE_STEP = 3  # where it begins, and two for the step

CONSTANT = "__unisycl_constant_"
"""What the names of numbers begin with that are made once for a launch; a count follows."""


def rewrite(node: ast.FunctionDef | ast.Lambda, code: CodeType, convergent: Collection[Position],
            direct: Collection[Position], owner: str = "",
            places: Collection[Position] = (), *, turns: bool = False,
            numbers: bool = False, elements: bool = False,
            constants: Collection[Position] = ()) -> Rewritten:
    """Return the generator form of a function.

    Args:
        node: its tree, with positions in the file.
        code: its compiled code, for the file name, the free variables and compiler flags.
        convergent: the calls to turn into meeting points.
        direct: those of them that call a group function itself.
        owner: the class a method was written in, for names such as ``self.__x``.
        places: the subscripts and attributes that stand for memory, not for its value, and the
            calls whose first argument does; negative indices that are from the end.
        turns: whether loops with convergent calls count their turns (``turns_of``).
        numbers: whether results of arithmetic are looked at (``arithmetic``).
        elements: whether ``a[i].x`` and ``a[i][k]`` are read by a function (``ELEMENT``).
        constants: the calls that are numbers made already, and what is called where that is known,
            by the names ``named`` gives them.
    """
    walker = _Rewriter(code.co_filename, frozenset(convergent), frozenset(direct),
                       frozenset(places))
    walker.turns, walker.elements, walker.constants = turns, elements, named(constants)
    function = walker.visit(copy.deepcopy(node))
    if numbers:
        function = arithmetic.Rewriting().visit(function)
    _strip(function)
    sites = tuple(walker.sites)
    module = _module(function, [
        *code.co_freevars, *(s.name for s in sites), *([PLACE, END] if places else []),
        *([ELEMENT] if elements else []), *(NUMBERS if numbers else ()),
        *walker.constants.values()], owner)
    compiled = compile(module, code.co_filename, "exec", code.co_flags & _FUTURE_ANNOTATIONS,
                       dont_inherit=True)
    made = _find(compiled, code.co_name)
    return Rewritten(made.replace(co_qualname=code.co_qualname), sites)


def named(constants: Collection[Position]) -> dict[Position, str]:
    """Return names for numbers that are made once for a launch, by where a function makes them."""
    return {where: f"{CONSTANT}{k}__" for k, where in enumerate(constants)}


class _Rewriter(ast.NodeTransformer):
    """Replaces convergent calls; numbers them as it meets them."""

    def __init__(self, file: str, convergent: frozenset[Position],
                 direct: frozenset[Position], places: frozenset[Position]) -> None:
        self.file = file
        self.places = places
        self.convergent = convergent
        self.direct = direct
        self.sites: list[Site] = []
        self.turns = self.elements = False
        self.constants: dict[Position, str] = {}

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        counter = self._counter(node)
        self.generic_visit(node)
        if counter is None:
            return node
        node.body.insert(0, _copied(node, f"{counter} += 1"))
        return [_copied(node, f"{counter} = 0"), node]

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        counter = self._counter(node)
        self.generic_visit(node)
        if counter is None:
            return node
        begun = _copied(node, f"({counter} := {counter} + 1)")
        assert isinstance(begun, ast.Expr)
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [begun.value, node.test]), node.test)
        return [_copied(node, f"{counter} = 0"), node]

    def _counter(self, node: ast.For | ast.While) -> str | None:
        """Return the variable that counts a loop's turns; None if no items meet in it."""
        if not self.turns or not any(isinstance(inner, ast.Call)
                                     and position(inner) in self.convergent
                                     for inner in ast.walk(node)):
            return None
        return f"{TURN}{node.lineno}_{node.col_offset}_{node.end_lineno}__"

    def visit_Call(self, call: ast.Call) -> ast.AST:
        where = position(call)
        if where in self.constants:
            return ast.copy_location(ast.Name(self.constants[where], ast.Load()), call)
        callee = self.constants.get(position(call.func))
        if callee is not None:
            call.func = ast.copy_location(ast.Name(callee, ast.Load()), call.func)
        self.generic_visit(call)
        if where in self.places:
            call.args[:1] = _parted(call.args[0])
        if where not in self.convergent:
            return call
        site = Site(f"__unisycl_{len(self.sites)}__", self.file, where,
                    where in self.direct)
        self.sites.append(site)
        meet = ast.copy_location(ast.Name(site.name, ast.Load()), call.func)
        arguments = call.args if site.direct else [call.func, *call.args]
        inner = ast.copy_location(ast.Call(meet, arguments, call.keywords), call)
        kind = ast.Yield if site.direct else ast.YieldFrom
        return ast.copy_location(kind(inner), call)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        return self._from_end(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        return self._from_end(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._from_end(node)

    def _from_end(self, node: ast.expr) -> ast.AST:
        """Have a number that is written as one below zero count from the end of memory."""
        self.generic_visit(node)
        if position(node) not in self.places:
            return node
        name = ast.copy_location(ast.Name(END, ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node], []), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return self._place(node, node.value, node.slice, attribute=False)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        key = ast.copy_location(ast.Constant(node.attr), node)
        return self._place(node, node.value, key, attribute=True)

    def _place(self, node: ast.expr, owner: ast.expr, key: ast.expr, *,
               attribute: bool) -> ast.AST:
        kind = ast.copy_location(ast.Constant(attribute), node)
        if position(node) in self.places:
            name = ast.copy_location(ast.Name(PLACE, ast.Load()), node)
            return ast.copy_location(ast.Call(name, [owner, key, kind], []), node)
        begun = _steps(owner) if self.elements and not _has_slice(key) else None
        if begun and isinstance(getattr(node, "ctx", None), ast.Load):
            name = ast.copy_location(ast.Name(ELEMENT, ast.Load()), node)
            return ast.copy_location(ast.Call(name, [*begun, kind, key], []), node)
        return node

    def _comprehension(self, node: ast.AST) -> ast.AST:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and position(inner) in self.convergent:
                raise UsageError(errc.kernel, f"{self.file}:{inner.lineno}: a group function "
                                 "cannot be called inside a comprehension; write a loop")
        return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _steps(owner: ast.expr) -> list[ast.expr] | None:
    """Return where an expression begins and its steps, two a step: attribute?, key; None of none.

    Arguments of ``ELEMENT``, to which more steps can be added.
    """
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) \
            and owner.func.id == ELEMENT:
        return owner.args
    named = isinstance(owner, ast.Attribute)
    if not isinstance(owner, ast.Attribute | ast.Subscript) or _has_slice(owner):
        return None
    key = owner.slice if isinstance(owner, ast.Subscript) else ast.copy_location(
        ast.Constant(owner.attr), owner)
    return [owner.value, ast.copy_location(ast.Constant(named), owner), key]


def _has_slice(index: ast.expr) -> bool:
    return any(isinstance(x, ast.Slice | ast.Starred) for x in ast.walk(index))


def _parted(element: ast.expr) -> list[ast.expr]:
    """Return the memory and where in it that an expression names an element by."""
    if isinstance(element, ast.Call):  # steps, of which the last is where
        *begun, _, key = element.args
        if len(begun) > _ONE_STEP:
            return [ast.copy_location(ast.Call(element.func, begun, []), element), key]
        owner, named, step = begun
        assert isinstance(named, ast.Constant)
        memory: ast.expr = ast.Subscript(owner, step, ast.Load())
        if named.value:
            assert isinstance(step, ast.Constant)
            assert isinstance(step.value, str)
            memory = ast.Attribute(owner, step.value, ast.Load())
        return [ast.copy_location(memory, element), key]
    if isinstance(element, ast.Subscript):
        return [element.value, element.slice]
    assert isinstance(element, ast.Attribute)
    return [element.value, ast.copy_location(ast.Constant(element.attr), element)]


def _copied(node: ast.AST, text: str) -> ast.stmt:
    """Return a statement that stands where another one does."""
    made = ast.parse(text).body[0]
    for inner in ast.walk(made):
        ast.copy_location(inner, node)
    return made


def turns_of(names: Mapping[str, Any], line: int) -> list[tuple[int, int, int]]:
    """Return (line, column, turn) of the counted loops around a line, outermost first.

    Args:
        names: the variables of the function.
        line: where it is.
    """
    found = []
    for name, turn in names.items():
        if name.startswith(TURN):
            first, column, last = map(int, name[len(TURN):-2].split("_"))
            if first <= line <= last:
                found.append((first, column, turn))
    return sorted(found)


def _strip(function: ast.FunctionDef | ast.Lambda) -> None:
    """Remove what is evaluated where a function is defined; the original function has it."""
    arguments = function.args
    arguments.defaults = []
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    if isinstance(function, ast.FunctionDef):
        function.decorator_list = []
        function.returns = None
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
                         arguments.vararg, arguments.kwarg):
            if argument is not None:
                argument.annotation = None


def _module(function: ast.FunctionDef | ast.Lambda, names: list[str], owner: str) -> ast.Module:
    """Wrap a function so that ``names`` are free variables in it, not globals."""
    inner: ast.stmt = (function if isinstance(function, ast.FunctionDef)
                       else ast.copy_location(ast.Expr(function), function))
    if owner:
        inner = ast.copy_location(ast.ClassDef(owner, [], [], [inner], []), function)
    outer = ast.parse("def __factory__(): pass")
    factory = outer.body[0]
    if not isinstance(factory, ast.FunctionDef):
        raise InternalError(errc.runtime, "the factory of a rewritten kernel is no function")
    factory.args.args = [ast.arg(name) for name in names if name != "__class__"]
    # A method that names its class means what it did, not the class that is written here.
    factory.body = [*([ast.Global([owner])] if owner and owner not in names else []), inner]
    return ast.fix_missing_locations(outer)


def _find(code: CodeType, name: str) -> CodeType:
    """Return the innermost wrapped function's code: module, factory, perhaps a class, function."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    for candidate in inner:
        if candidate.co_name == name:
            return candidate
    if not inner:
        raise InternalError(errc.runtime, f"the rewritten code of '{name}' was lost; please report")
    return _find(inner[0], name)
