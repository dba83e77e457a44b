"""Makes a failing program small: takes statements and parts of expressions away while it fails.

``python -m tests.property.shrink [--device NAME] FILE...`` writes each beside its file. Every try
runs in a child process with a time limit. Non-goals: the smallest program there is. Invariant:
what is left still fails in the same way, and the host device still runs it.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.property.fuzz import limit, outcome

LIMIT = 5
_LISTS = ("args", "values", "comparators")


def verdict(text: str, device: str = "cpu") -> str:
    """Return how a program goes, from a child process; it ends where the child dies."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, 2)
        warnings.simplefilter("ignore")
        limit(LIMIT if device == "cpu" else 4 * LIMIT)
        word, details = outcome(text, "host")
        if word == "same":
            os.write(write, b"host ran|")
            word, details = outcome(text, device)
        more = "" if word in ("differs", "same") else details[:80]
        os.write(write, f"{word}|{more}".encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        word = answer.read()
    os.waitpid(child, 0)
    return word


def smaller(tree: ast.Module) -> Iterator[ast.Module]:
    """Yield programs with one thing less: large things first."""
    count = sum(1 for _ in _blocks(tree))
    for number in range(count):
        size = len(_block(tree, number))
        step = size
        while step:
            for k in range(size - step, -1, -step):
                made = copy.deepcopy(tree)
                block = _block(made, number)
                if any(_is_needed(s) for s in block[k:k + step]):
                    continue
                block[k:k + step] = [] if len(block) > step or number == 0 else [ast.Pass()]
                yield made
            step //= 2
    for number in range(count):
        for k, stmt in enumerate(_block(tree, number)):
            for body in (getattr(stmt, "body", None), getattr(stmt, "orelse", None)):
                if isinstance(body, list) and body and not isinstance(stmt, ast.FunctionDef):
                    made = copy.deepcopy(tree)
                    _block(made, number)[k:k + 1] = copy.deepcopy(body)
                    yield made
            if getattr(stmt, "orelse", None):
                made = copy.deepcopy(tree)
                _block(made, number)[k].orelse = []  # type: ignore[attr-defined]
                yield made
    yield from _expressions(tree)


def _is_needed(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Import) or ast.unparse(stmt).startswith("CASE") or (
        isinstance(stmt, ast.FunctionDef) and stmt.name == "kernel")


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _block(tree: ast.Module, number: int) -> list[ast.stmt]:
    for k, block in enumerate(_blocks(tree)):
        if k == number:
            return block
    raise IndexError(number)


def _slots(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Yield every place that holds an expression, outermost first."""
    for stmt in tree.body:
        if not isinstance(stmt, ast.FunctionDef):
            continue
        for part in stmt.body:
            for node in ast.walk(part):
                for name, value in ast.iter_fields(node):
                    if isinstance(value, ast.expr) and name != "func":
                        yield node, name, None
                    elif isinstance(value, list):
                        for k, x in enumerate(value):
                            if isinstance(x, ast.expr) and name in _LISTS:
                                yield node, name, k


def _expressions(tree: ast.Module) -> Iterator[ast.Module]:
    for number, (node, name, k) in enumerate(list(_slots(tree))):
        value = getattr(node, name) if k is None else getattr(node, name)[k]
        inner = [x for x in ast.iter_child_nodes(value) if isinstance(x, ast.expr)
                 and not isinstance(x, ast.Attribute)]
        if isinstance(value, ast.Name | ast.Constant | ast.Attribute):
            continue
        for x in inner:
            made = copy.deepcopy(tree)
            for at, (node2, name2, k2) in enumerate(_slots(made)):
                if at == number:
                    if k2 is None:
                        setattr(node2, name2, copy.deepcopy(x))
                    else:
                        getattr(node2, name2)[k2] = copy.deepcopy(x)
                    break
            yield made


def shrink(text: str, tries: int = 600, device: str = "cpu",
           keep: Callable[[str], object] = len) -> str:
    """Return a smaller program that fails as this one does; ``keep`` gets each on the way."""
    wanted = verdict(text, device)
    if not wanted.startswith("host ran|") or "same" in wanted:
        return text
    tree = ast.parse(text)
    changed = True
    while changed and tries > 0:
        changed = False
        for made in smaller(tree):
            tries -= 1
            candidate = ast.unparse(ast.fix_missing_locations(made))
            if verdict(candidate, device) == wanted:
                tree, changed = made, True
                keep(candidate)
                break
            if tries <= 0:
                break
    return ast.unparse(tree)


def main() -> int:
    """Shrink the programs of the files named and write each beside it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--device", default="cpu", help="as in tests: opencl, opencl:1, ...")
    parser.add_argument("--tries", type=int, default=600, help="programs to try for each file")
    options = parser.parse_args()
    for name in options.files:
        path = Path(name)
        small = shrink(path.read_text(encoding="utf-8"), options.tries, options.device,
                       path.with_suffix(".small").write_text)
        path.with_suffix(".small").write_text(small + "\n", encoding="utf-8")
        print(f"# {name}\n{small}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
