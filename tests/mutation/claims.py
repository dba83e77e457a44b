"""Whether tests can fail: ``python -m tests.mutation.claims [--count 200] [--seed S] [PATHS]``.

Each assertion of a sample of tests is negated, one at a time and in memory alone, and the test has
to fail then: one that still passes never comes to it. Assertions are ``assert``, calls whose name
says so, and ``with pytest.raises`` (whose body is taken out), in the test and in functions of the
tests that it calls. ``--empty`` takes the body out of every kernel of the native CPU instead, and
prints the tests that pass: those that run no kernel, or look at nothing that one has done.
Non-goals: whether an assertion is the right one. Invariant: no file is changed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import dataclasses
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import IO, Any

import pytest

from tests.mutation import processes
from tests.mutation.mutants import codes
from tests.mutation.session import limit
from unisycl.backends.cpu import driver
from unisycl.ir import nodes

DEEP = 3
"""How many calls down functions of the tests are looked into."""
SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class Claim:
    """An assertion: its function, and its number there."""

    function: FunctionType
    number: int
    line: int
    text: str


def claims_of(test: FunctionType) -> Iterator[Claim]:
    """Yield the assertions of a test and of functions of the tests that it calls."""
    todo, seen = [(test, 0)], {test}
    while todo:
        function, depth = todo.pop(0)
        tree = tree_of(function)
        if tree is None:
            continue
        for number, node in enumerate(assertions(tree)):
            yield Claim(function, number, node.lineno, ast.unparse(node).splitlines()[0])
        for call in ast.walk(tree):
            called = called_by(call, function) if isinstance(call, ast.Call) else None
            if (isinstance(called, FunctionType) and called.__module__.startswith("tests.")
                    and called not in seen and depth < DEEP):
                seen.add(called)
                todo.append((called, depth + 1))


def called_by(call: ast.Call, function: FunctionType) -> Any:
    """Return what a call names: a global, or a function of a module that is one."""
    at = call.func
    if isinstance(at, ast.Name):
        return function.__globals__.get(at.id)
    if isinstance(at, ast.Attribute) and isinstance(at.value, ast.Name):
        owner = function.__globals__.get(at.value.id)
        return getattr(owner, at.attr, None) if isinstance(owner, ModuleType) else None
    return None


def tree_of(function: FunctionType) -> ast.FunctionDef | None:
    """Return the tree of a function of a module; None if it is not found."""
    module = ast.parse(Path(function.__code__.co_filename).read_text(encoding="utf-8"))
    return found_in(module, function)


def found_in(module: ast.Module, function: FunctionType) -> ast.FunctionDef | None:
    """Return the function's definition in the tree of its file."""
    line = function.__code__.co_firstlineno
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            if line == min([node.lineno, *(d.lineno for d in node.decorator_list)]):
                return node
    return None


def assertions(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the assertions of a function, not those of functions in it, which may be kernels."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.stmt) and negated(node):
            yield node
        yield from assertions(node)


def negated(node: ast.stmt) -> list[ast.stmt]:
    """Return what fails where a statement passes; nothing if it is no assertion."""
    if isinstance(node, ast.Assert):
        return [ast.Assert(ast.UnaryOp(ast.Not(), node.test), None)]
    if isinstance(node, ast.With) and any("raises" in ast.unparse(i.context_expr)
                                          for i in node.items):
        return [ast.With(node.items, [ast.Pass()])]
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and "assert_" in ast.unparse(call.func):
        fails = ast.Raise(ast.Call(ast.Name("AssertionError", ast.Load()), [], []), None)
        caught = ast.ExceptHandler(ast.Name("AssertionError", ast.Load()), None, [ast.Pass()])
        return [ast.Try([node], [caught], [fails], [])]
    return []


class Negation(ast.NodeTransformer):
    """Puts the negation of one statement in its place."""

    def __init__(self, node: ast.stmt) -> None:
        self._node = node

    def visit(self, node: ast.AST) -> Any:
        """Return what stands for a node."""
        if node is not self._node:
            return self.generic_visit(node)
        return [ast.fix_missing_locations(ast.copy_location(new, node))
                for new in negated(copy.deepcopy(self._node))]


def put(claim: Claim) -> bool:
    """Negate an assertion in this process; say whether that could be done."""
    function = claim.function
    path = function.__code__.co_filename
    module = ast.parse(Path(path).read_text(encoding="utf-8"))
    tree = found_in(module, function)
    assert tree is not None
    Negation(list(assertions(tree))[claim.number]).visit(tree)
    for code in codes(compile(module, path, "exec")):
        same = code.co_name == function.__name__
        if same and code.co_firstlineno == function.__code__.co_firstlineno:
            function.__code__ = code
            return True
    return False


def empty_kernels() -> None:
    """Have kernels of the native CPU do nothing."""
    compile_kernel: Callable[..., Any] = driver.compile_kernel

    def made(kernel: nodes.Kernel, *rest: Any) -> Any:
        return compile_kernel(dataclasses.replace(kernel, body=nodes.Block(())), *rest)
    driver.compile_kernel = made


class Audit:
    """Takes the place of pytest's own loop."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._failed = False
        self._end = time.monotonic() + options.seconds

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test failed or was skipped."""
        self._failed |= report.failed or report.skipped

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the assertions of a sample of the tests."""
        first: dict[str, Any] = {}
        for item in session.items:
            if isinstance(getattr(item, "function", None), FunctionType):
                first.setdefault(item.nodeid.partition("[")[0], item)
        order = random.Random(self._options.seed)
        items = order.sample(sorted(first.values(), key=lambda i: i.nodeid),
                             min(self._options.count, len(first)))
        folder = Path(tempfile.mkdtemp(prefix="unisycl-claims-"))
        try:
            (self._emptied if self._options.empty else self._negated)(items, folder, order)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        session.testsfailed = 0
        return True

    def _negated(self, items: list[Any], folder: Path, order: random.Random) -> None:
        jobs = []
        without = 0
        for item in items:
            known = list(claims_of(item.function))
            without += not known
            if not known:
                print(f"no assertion found: {item.nodeid}", flush=True)
            jobs += [(item, c) for c in order.sample(known, min(self._options.each, len(known)))]
        counts = {"fails": 0, "passes": 0, "not made": 0}
        for end in self._run(jobs, self._negate, folder):
            item, claim = end.job
            state = "fails" if end.signal or end.status else end.lines[-1]
            counts[state] += 1
            if state == "passes":
                place = Path(claim.function.__code__.co_filename).name
                print(f"{item.nodeid}: passes with {place}:{claim.line} negated: {claim.text}",
                      flush=True)
        print(f"{len(items)} tests, {without} without an assertion that was found; "
              f"{len(jobs)} assertions: {counts}")

    def _emptied(self, items: list[Any], folder: Path, _: random.Random) -> None:
        empty_kernels()
        passed = []
        for end in self._run([(item, None) for item in items], self._plain, folder):
            if not (end.signal or end.status) and end.lines[-1] == "passes":
                passed.append(end.job[0].nodeid)
                print(f"passes: {passed[-1]}", flush=True)
        print(f"{len(passed)} of {len(items)} tests pass where kernels do nothing")

    def _run(self, jobs: list[Any], work: Any, folder: Path) -> Iterator[processes.Outcome]:
        return processes.run(iter(jobs), work, count=self._options.jobs, end=self._end,
                             folder=folder)

    def _negate(self, job: tuple[Any, Claim], told: IO[str]) -> None:
        if put(job[1]):
            self._plain(job, told)
        else:
            told.write(json.dumps("not made") + "\n")

    def _plain(self, job: tuple[Any, Any], told: IO[str]) -> None:
        limit(SECONDS)
        job[0].ihook.pytest_runtest_protocol(item=job[0], nextitem=None)
        told.write(json.dumps("fails" if self._failed else "passes") + "\n")


def main() -> int:
    """Collect the tests, and try a sample."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.claims",
                                     description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=3, help="the most assertions of a test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--empty", action="store_true", help="have kernels do nothing instead")
    parser.add_argument("paths", nargs="*", default=["tests"])
    options = parser.parse_args()
    sys.dont_write_bytecode = True
    return int(pytest.main(["-q", "-q", "-s", "-p", "no:cacheprovider", "--sample", "--device",
                            options.device, *options.paths], plugins=[Audit(options)]))


if __name__ == "__main__":
    sys.exit(main())
