"""From a Python function to its syntax tree, with positions in the file the user edits.

Non-goals: deciding what the tree means; where texts come from (``process.source_origins``). Tells
lambdas on one line apart by the positions their code carries. Invariant: the returned tree belongs
to exactly this code object, or ``SourceMissing`` says why there is none.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.base.spans import SourceFile, Span
from unisycl.frontend import same_code
from unisycl.frontend.same_code import Function
from unisycl.process import source_origins


class SourceMissing(Exception):
    """There is no text for a function, or not one a kernel can have.

    ``id`` is the diagnostic's and ``facts`` fill its template.
    """

    def __init__(self, id: str, what: str, span: Span | None = None) -> None:
        super().__init__(what)
        self.id = id
        self.facts = {"what": what}
        self.span = span


@dataclass(frozen=True, eq=False, slots=True)
class FunctionSource:
    """A function's tree and the text it stands in."""

    node: ast.FunctionDef | ast.Lambda
    file: SourceFile

    @property
    def name(self) -> str:
        """The function's name, as messages spell it."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"

    def span(self, node: ast.AST) -> Span:
        """Return where a node of this tree stands (columns in characters)."""
        line = getattr(node, "lineno", self.node.lineno)
        end_line = getattr(node, "end_lineno", line) or line
        return Span(self.file, line, self._column(line, getattr(node, "col_offset", 0)),
                    end_line, self._column(end_line, getattr(node, "end_col_offset", 0) or 0))

    def _column(self, line: int, offset: int) -> int:
        text = self.file.line(line)
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


@dataclass(frozen=True, eq=False, slots=True)
class _Text:
    """A parsed text: its functions by name and first line (decorators count, as in code)."""

    file: SourceFile
    functions: dict[tuple[str, int], list[Function]]


_PARSED: OrderedDict[tuple[str, str], _Text | None] = OrderedDict()
_PARSED_LIMIT = 64
_FOUND: OrderedDict[int, tuple[CodeType, FunctionSource]] = OrderedDict()
"""By the id of a code object, which is kept: what was found stays right when a file is edited."""
_FOUND_LIMIT = 2048


def function_source(code: CodeType, space: Mapping[str, Any] | None = None) -> FunctionSource:
    """Return the tree of a code object; raises ``SourceMissing`` if its text cannot be had.

    ``space`` are the globals of its function, which know how its module was loaded.
    """
    known = _FOUND.get(id(code))
    if known is None:
        known = _FOUND[id(code)] = code, _search(code, space or {})
        while len(_FOUND) > _FOUND_LIMIT:
            _FOUND.popitem(last=False)
    return known[1]


def _search(code: CodeType, space: Mapping[str, Any]) -> FunctionSource:
    name, similar = code.co_filename, False
    seen: dict[str, None] = {}
    for text in itertools.chain(source_origins.candidates(code, space), _earlier(name)):
        if text in seen:
            continue
        seen[text] = None
        parsed = _parse(name, text)
        same = [] if parsed is None else _alike(parsed, code)
        if parsed is None or not same:
            continue
        similar = True
        node = _choose(same, code, text)
        if isinstance(node, ast.AsyncFunctionDef):
            raise SourceMissing("K012", "async def", Span(
                parsed.file, node.lineno, node.col_offset, node.end_lineno or node.lineno, 0))
        if node is not None:
            return FunctionSource(node, parsed.file)
    moved = _moved(name, seen, code)
    if moved is not None:
        return moved
    place = f"'{code.co_name}' ({name}:{code.co_firstlineno})"
    if seen and not name.startswith("<"):
        raise SourceMissing("K022", f"the text of {place} has changed since Python read it; "
                            "start Python again, or import the module anew")
    if similar and not _has_columns(code):
        raise SourceMissing("K022", f"several functions begin on the line of {place}, and Python "
                            "keeps no columns (no_debug_ranges); give each a line of its own")
    raise SourceMissing("K022", f"the source text of {place} cannot be found; "
                        + source_origins.advice(name))


def _moved(name: str, known: Iterable[str], code: CodeType) -> FunctionSource | None:
    """Return a function of these texts that has the very code, but for its lines.

    Lines above it were added or taken away, or IPython compiled it by itself to reload it.
    """
    for text in known:
        parsed = _parse(name, text)
        for (called, _), nodes in parsed.functions.items() if parsed is not None else ():
            for node in nodes if called == code.co_name else ():
                if _parameters(node) == _named(code) and not isinstance(
                        node, ast.AsyncFunctionDef) and same_code.is_code_of(
                            node, code, lines=False):
                    assert parsed is not None
                    return FunctionSource(node, parsed.file)
    return None


def _earlier(name: str) -> list[str]:
    """Return the texts under a name that kernels were compiled from before, the latest first."""
    return [text for known, text in reversed(list(_PARSED)) if known == name]


def _parse(name: str, text: str) -> _Text | None:
    key = (name, text)
    if key in _PARSED:
        _PARSED.move_to_end(key)
        return _PARSED[key]
    tree, parsed = same_code.parse(text), None
    if tree is not None:
        # Python ends a line at these only; str.splitlines knows more.
        file = SourceFile(name, tuple(re.split(r"\r\n|\r|\n", text)))
        parsed = _Text(file, _functions(tree))
    _PARSED[key] = parsed
    while len(_PARSED) > _PARSED_LIMIT:
        _PARSED.popitem(last=False)
    return parsed


def _functions(tree: ast.Module) -> dict[tuple[str, int], list[Function]]:
    found: dict[tuple[str, int], list[Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault((node.name, first), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    return found


def _alike(parsed: _Text, code: CodeType) -> list[Function]:
    """Return the functions of a text that have a code object's name, first line and parameters."""
    return [node for node in parsed.functions.get((code.co_name, code.co_firstlineno), ())
            if _parameters(node) == _named(code)]


def _choose(alike: list[Function], code: CodeType, text: str) -> Function | None:
    """Return the function that a code object was compiled from; None if it is none of them."""
    held = alike if len(alike) == 1 else [node for node in alike if _holds(node, code)]
    if len(held) > 1 and not _has_columns(code) and len({ast.dump(node) for node in held}) > 1:
        held = [node for node in held if same_code.is_code_of(node, code)]
        return held[-1] if len({ast.dump(node) for node in held}) == 1 else None
    # Of functions one inside the other the inner one comes last.
    node = held[-1] if held else None
    if node is None or same_code.compiles_to(text, code) or same_code.is_code_of(node, code):
        return node
    return None


def _named(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _has_columns(code: CodeType) -> bool:
    return any(column is not None for _, _, column, _ in code.co_positions())


def _parameters(node: Function) -> tuple[str, ...]:
    spec = node.args
    return tuple(a.arg for a in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs])


def _holds(node: Function, code: CodeType) -> bool:
    """Say whether all positions of a code object lie in the body of a function."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    start = (body[0].lineno, body[0].col_offset)
    end = (body[-1].end_lineno or 0, body[-1].end_col_offset or 0)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if (line, column) != (code.co_firstlineno, 0) and not (
                start <= (line, column) and (end_line, end_column) <= end):
            return False
    return True
