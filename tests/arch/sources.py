"""The project's own Python files, parsed once, for the tests of its structure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "unisycl"


@dataclass(frozen=True)
class Source:
    """One parsed file; ``module`` is its dotted name below the package, "" for ``__init__``."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        parts = self.path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class Import:
    """One import of one module: absolute name, line, and where it stands."""

    target: str
    line: int
    late: bool
    typing_only: bool


def _read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path, text, ast.parse(text, str(path)))


@cache
def package_sources() -> tuple[Source, ...]:
    """Return the files of the package."""
    return tuple(_read(p) for p in sorted((ROOT / PACKAGE).rglob("*.py")))


@cache
def all_sources() -> tuple[Source, ...]:
    """Return the files of the package, the tests, the benchmarks and the developer script."""
    others = [p for folder in ("tests", "bench") for p in sorted((ROOT / folder).rglob("*.py"))]
    return (*package_sources(), *(_read(p) for p in [*others, ROOT / "dev.py"]))


@cache
def imports_of(source: Source) -> tuple[Import, ...]:
    """Return the imports of a file; ``from a import b`` is one of ``a.b`` if that is a module."""
    return tuple(_walk(source.tree, late=False, typing_only=False))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what lies below a node but expressions, which are most of a tree."""
    todo = [node]
    while todo:
        below = [c for c in ast.iter_child_nodes(todo.pop()) if not isinstance(c, ast.expr)]
        yield from below
        todo += below


def forget() -> None:
    """Let go of what was parsed."""
    for kept in (package_sources, all_sources, imports_of):
        kept.cache_clear()


def _walk(node: ast.AST, *, late: bool, typing_only: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, late, typing_only)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"relative import in line {child.lineno}"
            base = child.module or ""
            for alias in child.names:
                yield Import(_module(base, alias.name), child.lineno, late, typing_only)
        elif not isinstance(child, ast.expr):  # most of a tree, without any import
            inner = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            guarded = typing_only or _is_typing_guard(child)
            yield from _walk(child, late=inner, typing_only=guarded)


def _module(base: str, name: str) -> str:
    """Return ``base.name`` where that is a module of ours, else ``base``."""
    place = ROOT.joinpath(*base.split("."), name)
    return f"{base}.{name}" if place.is_dir() or place.with_suffix(".py").is_file() else base


def _is_typing_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
