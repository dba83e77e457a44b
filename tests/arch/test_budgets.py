"""Sizes: of files, functions, classes and lines, of lists of parameters, and of nesting."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.arch.budget import BUDGET
from tests.arch.sources import PACKAGE, Source, all_sources

LINE_LENGTH = 100
LIMITS = {"lines": 600, "function lines": 60, "class lines": 300, "methods": 30,
          "positional parameters": 6, "nesting": 4}
"""What is counted -> its usual limit. Parameters that are given by name only are free."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar,
          ast.Match)


def length(node: Function | ast.ClassDef) -> int:
    """Return the lines of a function or class without its docstring and decorators."""
    doc = node.body[0] if ast.get_docstring(node) else None
    spent = (doc.end_lineno or 0) - doc.lineno + 1 if doc else 0
    return (node.end_lineno or 0) - node.lineno + 1 - spent


def positional(function: Function) -> int:
    """Return how many arguments may be given by position, the object itself not counted."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def nesting(node: ast.AST, depth: int = 0) -> int:
    """Return how many blocks stand in one another below a node; ``elif`` is no deeper than ``if``.

    Functions and classes inside count for themselves.
    """
    deepest = depth
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef | ast.expr):
            continue
        follows = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        inner = depth + (isinstance(child, BLOCKS) and not follows)
        deepest = max(deepest, nesting(child, inner))
    return deepest


def definitions(node: ast.AST, name: str) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Yield the functions and classes of a file, with the names they are found by."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            inner = f"{name}.{child.name}"
            yield inner, child
            yield from definitions(child, inner)
        elif not isinstance(child, ast.expr):  # no definition stands in one
            yield from definitions(child, name)


def measured(source: Source) -> Iterator[tuple[str, str, int]]:
    """Yield what is counted, of what, and the count."""
    yield "lines", source.name, source.text.count("\n")
    ours = source.name.startswith(f"{PACKAGE}/")
    for name, node in definitions(source.tree, ""):
        what = f"{source.name}:{name[1:]}"
        if isinstance(node, ast.ClassDef):
            yield "class lines", what, length(node)
            yield "methods", what, sum(isinstance(x, Function) for x in node.body)
            continue
        yield "function lines", what, length(node)
        yield "nesting", what, nesting(node)
        if ours:  # those of tests and benchmarks are kernels, whose arguments are the program's
            yield "positional parameters", what, positional(node)


def over_budget() -> dict[tuple[str, str], int]:
    """Return what exceeds its usual limit; of several with one name, the worst."""
    found: dict[tuple[str, str], int] = {}
    for source in all_sources():
        for counted, what, count in measured(source):
            if count > LIMITS[counted]:
                found[counted, what] = max(count, found.get((counted, what), 0))
    return found


def test_nothing_exceeds_its_budget_and_no_exception_is_larger_than_needed() -> None:
    allowed = {(e["counted"], e["what"]): e["limit"] for e in BUDGET["exception"]}
    assert over_budget() == allowed


def test_no_line_is_too_long() -> None:
    long = [f"{s.name}:{n}" for s in all_sources() for n, line in enumerate(s.text.splitlines(), 1)
            if len(line) > LINE_LENGTH]
    assert long == []


def test_every_exception_has_a_reason() -> None:
    assert [e for entries in BUDGET.values() for e in entries if not e.get("reason")] == []


def test_the_counts_are_what_they_are_called() -> None:
    tree = ast.parse('''
class A:
    """Nothing."""

    def one(self, a, b, /, c, *, d=0):
        if a:
            pass
        elif b:
            for x in c:
                pass
        return lambda: [y for y in c]

    async def two(): ...
''')
    found = dict(definitions(tree, ""))
    assert list(found) == [".A", ".A.one", ".A.two"]
    one = found[".A.one"]
    assert isinstance(one, ast.FunctionDef)
    assert (positional(one), nesting(one), length(one)) == (3, 2, 7)
    assert length(found[".A"]) == 11
