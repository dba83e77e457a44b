"""Tests assert something, and nothing that holds whatever the code does.

Non-goals: whether an assertion is the right one; mutation testing says that (tests/mutation).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from tests.arch.sources import ROOT, Source, all_sources, imports_of, statements

JUDGES = ("raises", "warns", "deprecated_call", "fail", "refused", "verify")
"""Calls that fail by themselves; so do those of functions of tests that assert."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Made:
    """A function of the tests: whether it judges by itself, and what it calls."""

    place: str
    name: str
    judges: bool
    calls: frozenset[str]


def functions_of(source: Source) -> list[Made]:
    """Return the functions of a file, with those in classes and in functions."""
    return [_made(source, f) for f in statements(source.tree) if isinstance(f, Function)]


def _made(source: Source, function: Function) -> Made:
    calls, judges = set(), False
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            judges = True
        elif isinstance(node, ast.Call):
            calls.add(getattr(node.func, "attr", "") or getattr(node.func, "id", ""))
            judges |= any(k.arg == "check" and getattr(k.value, "value", None) is True
                          for k in node.keywords)
    judges |= any(name in JUDGES or "assert" in name for name in calls)
    return Made(f"{source.name}:{function.lineno}", function.name, judges, frozenset(calls))


def silent(sources: Iterable[Source]) -> list[Made]:
    """Return the test functions that judge nothing, nor call a function of the tests that does.

    Such a function is in the same file, or in one that this file takes names from.
    """
    files = {s.name.removesuffix(".py").replace("/", "."): s for s in sources
             if s.name.startswith("tests/")}
    made = {name: functions_of(source) for name, source in files.items()}
    seen = {name: {name, *(i.target for i in imports_of(source)), *(
        i.target.rpartition(".")[0] for i in imports_of(source))} & files.keys()
        for name, source in files.items()}
    known = {name: {f.name for f in row if f.judges} for name, row in made.items()}
    grown = True
    while grown:
        grown = False
        for name, row in made.items():
            reach = set().union(*(known[other] for other in seen[name]))
            more = {f.name for f in row if f.calls & reach} - known[name]
            known[name] |= more
            grown |= bool(more)
    return [f for name, row in made.items() for f in row
            if f.name.startswith("test_") and f.name not in known[name]]


def empty_claims(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the assertions that hold whatever is computed, and those that are never reached."""
    for node in statements(tree):
        if isinstance(node, ast.Assert) and always(node.test):
            yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.With) and len(node.body) > 1 and any(
                ast.unparse(i.context_expr).startswith("pytest.raises") for i in node.items):
            yield from ((s.lineno, f"after what raises: {ast.unparse(s)}") for s in node.body[1:]
                        if isinstance(s, ast.Assert))


def always(test: ast.expr) -> bool:
    """Say whether an expression is true by its form."""
    match test:
        case ast.Tuple() | ast.List() | ast.Lambda() | ast.GeneratorExp() | ast.JoinedStr():
            return True
        case ast.Constant():
            return bool(test.value)
        case ast.Attribute(attr="all" | "any" | "True_"):  # methods that nobody calls
            return True
        case ast.BoolOp(op=ast.Or()):
            return any(map(always, test.values)) or any(
                opposite(a, b) for a, b in combinations(test.values, 2))
        case ast.BoolOp(op=ast.And()):
            return any(map(always, test.values))
        case ast.Compare(ops=[ast.Eq() | ast.Is() | ast.LtE() | ast.GtE()]):
            same = ast.dump(test.left) == ast.dump(test.comparators[0])
            return same and not isinstance(test.left, ast.Name) and not any(
                isinstance(x, ast.Call) for x in ast.walk(test))
    return False


def opposite(a: ast.expr, b: ast.expr) -> bool:
    """Say whether one of two comparisons of the same things always holds."""
    if not (isinstance(a, ast.Compare) and isinstance(b, ast.Compare)):
        return isinstance(b, ast.UnaryOp) and isinstance(b.op, ast.Not) and (
            ast.dump(b.operand) == ast.dump(a))
    kinds = {type(a.ops[0]), type(b.ops[0])}
    operands = [[ast.dump(x) for x in (c.left, *c.comparators)] for c in (a, b)]
    return operands[0] == operands[1] and kinds in (
        {ast.Eq, ast.NotEq}, {ast.Is, ast.IsNot}, {ast.Is, ast.NotEq}, {ast.In, ast.NotIn},
        {ast.Lt, ast.GtE}, {ast.Gt, ast.LtE})


def test_every_test_asserts_something() -> None:
    found = [f"{f.place} {f.name}" for f in silent(all_sources())]
    assert not found, "\n".join(found)


def test_no_assertion_holds_whatever_is_computed() -> None:
    tests = [s for s in all_sources() if s.name.startswith("tests/")]
    wrong = [f"{s.name}:{line} {text}" for s in tests for line, text in empty_claims(s.tree)]
    assert not wrong, "\n".join(wrong)


def test_tests_that_assert_nothing_are_recognised() -> None:
    text = ("def test_a():\n    g()\ndef test_b():\n    q.submit(f)\n"
            "def f():\n    assert x\ndef g():\n    f()\n"
            "def test_c():\n    with raises(E):\n        h()\n"
            "def test_d():\n    run(a, check=True)\n")
    source = Source(ROOT / "tests" / "test_made_up.py", text, ast.parse(text))
    assert ["test_b"] == [f.name for f in silent([source])]


def test_such_assertions_are_recognised() -> None:
    empty = ("assert (a, b)", "assert a == b or True", "assert f(a) == b or np.True_",
             "assert x.a == x.a", "assert f() is y or f() != y", "assert (a == b).all",
             "assert a in b or a not in b", "assert [a == b]",
             "with pytest.raises(E):\n    f()\n    assert a == b")
    fine = ("assert a", "assert f() == f()", "assert a or b", "assert a == b or b == c",
            "assert not x.all()", "assert one == one", "with pytest.raises(E):\n    assert a > b")
    assert [len(list(empty_claims(ast.parse(text)))) for text in empty] == [1] * len(empty)
    assert [list(empty_claims(ast.parse(text))) for text in fine] == [[]] * len(fine)
