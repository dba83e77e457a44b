"""Small changes of source files, each of which some test should notice.

A change replaces one node of a function's tree: an operator, a comparison, a number, an operand of
``and``/``or``, a condition, what is returned, or takes a statement out. Left alone are texts,
annotations, decorators, defaults, ``assert`` and how objects print themselves.
Non-goals: running anything; what a module does while it is imported.
Invariant: the changes of one text come in one order, so a number names one in every process.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr}
_SILENT = ("__repr__", "__str__", "__hash__", "__init_subclass__")
_LEFT_ALONE = (ast.JoinedStr, ast.Assert, ast.pattern, ast.Import, ast.ImportFrom)
_FIELDS = {"annotation", "returns", "decorator_list", "defaults", "kw_defaults", "type_params",
           "exc", "cause"}


@dataclass(frozen=True)
class Mutant:
    """One change: where, in which function, its number in the file, and the lines around it."""

    path: str
    number: int
    line: int
    lines: tuple[int, ...]
    """The lines whose run means that the change could be seen."""
    function: tuple[str, int]
    """The qualified name and the first line, as its code object tells them."""
    kind: str
    before: str
    after: str
    digest: str
    """Of the text of the file."""

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line} {self.kind} {self.number}"


@dataclass(frozen=True)
class _Change:
    """To put ``new`` at a place of the tree; ``statement`` is the one around it."""

    parent: ast.AST
    field: str
    index: int | None
    new: ast.AST
    kind: str
    at: ast.expr | ast.stmt
    statement: ast.stmt

    def apply(self) -> object:
        """Change the tree; return what was there."""
        if self.index is None:
            old = getattr(self.parent, self.field)
            setattr(self.parent, self.field, self.new)
            return old
        row = getattr(self.parent, self.field)
        old, row[self.index] = row[self.index], self.new
        return old

    def revert(self, old: object) -> None:
        """Take the change back."""
        if self.index is None:
            setattr(self.parent, self.field, old)
        else:
            getattr(self.parent, self.field)[self.index] = old


# ---------------------------------------------------------------------- which there are
def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of a file in their order."""
    text = path.read_text(encoding="utf-8")
    name, digest = path.relative_to(ROOT).as_posix(), hashlib.sha256(text.encode()).hexdigest()
    number = 0
    for function, qualified in _functions(ast.parse(text), ""):
        first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        for change in _changes(function):
            before, after = _both(change)
            yield Mutant(name, number, change.at.lineno, _lines(change), (qualified, first),
                         change.kind, before, after, digest)
            number += 1


def mutated(mutant: Mutant) -> CodeType | None:
    """Return the code of the mutant's function with the change; None if there is no such code."""
    path = ROOT / mutant.path
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (c for function, _ in _functions(tree, "") for c in _changes(function))
    change = next((c for number, c in enumerate(found) if number == mutant.number), None)
    if change is None:
        return None
    change.apply()
    try:
        whole = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return next((c for c in codes(whole)
                 if (c.co_qualname, c.co_firstlineno) == mutant.function), None)


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that are in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[Function, str]]:
    """Yield the functions of a module and of its classes, not those inside of others."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            if node.name not in _SILENT:
                yield node, prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node, prefix)


def _lines(change: _Change) -> tuple[int, ...]:
    own = range(change.at.lineno, (change.at.end_lineno or change.at.lineno) + 1)
    if isinstance(change.at, ast.stmt):
        own = range(change.at.lineno, change.at.lineno + 1)
    return (*own, change.statement.lineno)


def _both(change: _Change) -> tuple[str, str]:
    """Return the statement around a change without its body: before and after."""
    before = _words(change.statement)
    old = change.apply()
    after = _words(change.new if change.at is change.statement else change.statement)
    change.revert(old)
    return next(((a, b) for a, b in zip(before, after, strict=False) if a != b),
                (before[0], after[0]))


def _words(statement: ast.AST) -> list[str]:
    match statement:
        case ast.If() | ast.While():
            return [f"{type(statement).__name__.lower()} {ast.unparse(statement.test)}:"]
        case ast.For():
            return [f"for {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}:"]
        case ast.Match():
            return [f"match {ast.unparse(statement.subject)}:",
                    *(f"case {ast.unparse(c.pattern)} if {ast.unparse(c.guard)}:"
                      for c in statement.cases if c.guard)]
        case ast.FunctionDef() | ast.ClassDef():
            return [f"def {statement.name}"]
        case ast.With():
            return [f"with {', '.join(ast.unparse(i) for i in statement.items)}:"]
    return [" ".join(ast.unparse(ast.fix_missing_locations(statement)).split())]


# ---------------------------------------------------------------------- one tree
def _changes(function: Function) -> Iterator[_Change]:
    for index, statement in enumerate(function.body):
        yield from _inside(function, "body", index, statement, statement)


def _inside(parent: ast.AST, field: str, index: int | None, node: ast.AST,
            statement: ast.stmt) -> Iterator[_Change]:
    """Yield the changes of a node and of what is in it."""
    if isinstance(node, _LEFT_ALONE) or _is_text(node):
        return
    if isinstance(node, ast.stmt):
        statement = node
    if isinstance(node, ast.expr | ast.stmt):
        for kind, new in (*_replacements(node), *_conditions(parent, field, node)):
            yield _Change(parent, field, index, ast.copy_location(new, node), kind, node, statement)
    for name, value in ast.iter_fields(node):
        if name in _FIELDS or (name == "args" and isinstance(node, Function | ast.Lambda)):
            continue
        if name in ("slice", "args") and _is_typing(node):
            continue
        for at, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                yield from _inside(node, name, at if isinstance(value, list) else None, child,
                                   statement)


def _is_text(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def _is_typing(node: ast.AST) -> bool:
    """Say whether a node names types: their ``|`` is no operator."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (
        node.func.id in ("isinstance", "issubclass", "cast", "TypeVar"))


def _replacements(node: ast.expr | ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare():
            for at, operator in enumerate(node.ops):
                ops = [*node.ops[:at], _COMPARISONS[type(operator)](), *node.ops[at + 1:]]
                yield "comparison", ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp() if not isinstance(node.left, ast.Constant) or not isinstance(
                node.left.value, str):
            if type(node.op) in _OPERATORS:
                yield "operator", ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)
        case ast.BoolOp():
            yield from _booleans(node)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield "operator", node.operand
        case ast.IfExp():
            yield "choice", node.body
            yield "choice", node.orelse
        case ast.Constant(value=bool()):
            yield "constant", ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield "constant", ast.Constant(node.value + 1)
        case ast.stmt():
            yield from _statements(node)


def _booleans(node: ast.BoolOp) -> Iterator[tuple[str, ast.AST]]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield "boolean", ast.BoolOp(other, node.values)
    for at in range(len(node.values)):
        rest = [*node.values[:at], *node.values[at + 1:]]
        yield "operand", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _statements(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Break() | ast.Continue():
            yield "deletion", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "deletion", ast.Pass()


def _conditions(parent: ast.AST, field: str, node: ast.expr | ast.stmt,
                ) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand for a condition: always, and never."""
    if (field in ("test", "guard") and isinstance(parent, ast.If | ast.match_case)) or (
            field == "ifs"):
        yield "condition", ast.Constant(True)
        yield "condition", ast.Constant(False)
