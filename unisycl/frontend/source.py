"""From a Python function to its syntax tree, with positions in the file the user edits.

Non-goals: deciding what the tree means. Finds functions in files, notebooks, the REPL, ``exec`` and
``python -c``; tells lambdas on one line apart by the positions their code carries. Invariant: the
returned tree belongs to exactly this code object, or ``SourceMissing`` says why there is none.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import re
import sys
from collections import OrderedDict
from collections.abc import Iterator
from types import CodeType

from unisycl.base.record import dataclass
from unisycl.base.span import SourceFile, Span
from unisycl.frontend import executed

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


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
_FUTURES = 0
for _feature in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _feature).compiler_flag


def function_source(code: CodeType) -> FunctionSource:
    """Return the tree of a code object; raises ``SourceMissing`` if its text cannot be had."""
    name = code.co_filename
    found = None
    for text, exact in _candidates(name):
        parsed = _parse(name, text)
        node = None if parsed is None else _find(parsed, code)
        if parsed is None or node is None:
            continue
        found = node
        if isinstance(node, ast.AsyncFunctionDef):
            raise SourceMissing("K012", "async def", Span(
                parsed.file, node.lineno, node.col_offset, node.end_lineno or node.lineno, 0))
        if _compiles_to(text, code) if exact and not _rewritten(code) else _may_be(node, code):
            return FunctionSource(node, parsed.file)
    place = f"'{code.co_name}' ({name}:{code.co_firstlineno})"
    if found is not None and not name.startswith("<"):
        raise SourceMissing("K022", f"the text of {place} has changed since Python read it; "
                            "start Python again, or import the module anew")
    raise SourceMissing(
        "K022", f"the source text of {place} cannot be found; define the function in a file or in "
        "a notebook cell, or call unisycl.remember_exec() before its text is given to exec()")


def _candidates(name: str) -> Iterator[tuple[str, bool]]:
    """Yield the texts a code object of this file name may come from, likeliest first.

    The second part says whether the text may be another one by now, so that only one that compiles
    to the very same code will do.
    """
    linecache.checkcache(name)
    lines = linecache.getlines(name)
    if lines:
        yield "".join(lines), name.endswith(".py")
    for text in executed.texts(name):
        yield text, True
    argv = sys.orig_argv
    if name == "<string>" and "-c" in argv[:-1]:
        yield argv[argv.index("-c") + 1], True
    if name == "<stdin>":
        for text in _history():
            yield text, False


def _history() -> Iterator[str]:
    """Yield ever longer tails of the interactive session, as typed."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    count = readline.get_current_history_length()
    lines = [readline.get_history_item(i) or "" for i in range(max(1, count - 400), count + 1)]
    for k in range(len(lines) - 1, -1, -1):
        yield "\n".join(lines[k:]) + "\n"


def _parse(name: str, text: str) -> _Text | None:
    key = (name, text)
    if key in _PARSED:
        _PARSED.move_to_end(key)
        return _PARSED[key]
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        parsed = None
    else:
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


def _find(parsed: _Text, code: CodeType) -> Function | None:
    """Return the function a code object was compiled from, judged by names and positions."""
    same = [node for node in parsed.functions.get((code.co_name, code.co_firstlineno), ())
            if _parameters(node) == code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]]
    if len(same) > 1:
        same = [node for node in same if _holds(node, code)]
    return same[-1] if same else None


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


def _may_be(node: Function, code: CodeType) -> bool:
    """Say whether a tree still holds every name its code uses: cheap, and finds edited files."""
    known = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            known.add(part.id)
        elif isinstance(part, ast.Attribute):
            known.add(part.attr)
    # Names with two underscores are mangled or made by the compiler itself.
    used = {*code.co_names, *code.co_freevars}
    if _rewritten(code):
        return True
    return all(name in known or "__" in name for name in used) or not _plain(node)


def _rewritten(code: CodeType) -> bool:
    """Say whether a test runner has put its own code in place of assertions, here or further in."""
    return any(name.startswith("@") for name in (*code.co_names, *code.co_varnames)) or any(
        isinstance(inner, CodeType) and _rewritten(inner) for inner in code.co_consts)


def _plain(node: Function) -> bool:
    """Say whether the names of a function's code can be told from its tree."""
    return not any(isinstance(part, ast.Import | ast.ImportFrom | ast.MatchClass)
                   for part in ast.walk(node))


def _compiles_to(text: str, code: CodeType) -> bool:
    """Say whether a text contains the very code object."""
    return code in _codes(text, code.co_filename, code.co_flags & _FUTURES)


@functools.lru_cache(maxsize=16)
def _codes(text: str, name: str, flags: int) -> frozenset[CodeType]:
    """Return every code object a text compiles to."""
    try:
        todo = [compile(text, name, "exec", flags, dont_inherit=True)]
    except (SyntaxError, ValueError):
        return frozenset()
    found = set()
    while todo:
        one = todo.pop()
        found.add(one)
        todo += [c for c in one.co_consts if isinstance(c, CodeType)]
    return frozenset(found)
