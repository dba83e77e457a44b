"""From a Python function to its syntax tree, with positions in the file the user edits.

Non-goals: deciding what the tree means. Finds functions in files, notebooks, the REPL, ``exec`` and
``python -c``; tells lambdas on one line apart by the positions their code carries. Invariant: the
returned tree belongs to exactly this code object, or ``SourceMissing`` says why there is none.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections import OrderedDict
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unisycl.base.span import SourceFile, Span


class SourceMissing(Exception):
    """There is no text for a function; the message says what to do."""


@dataclass(frozen=True, eq=False, slots=True)
class FunctionSource:
    """A function's tree and the text it stands in."""

    node: ast.FunctionDef | ast.Lambda
    file: SourceFile

    def span(self, node: ast.AST) -> Span:
        """Return where a node of this tree stands (columns in characters)."""
        line = getattr(node, "lineno", self.node.lineno)
        end_line = getattr(node, "end_lineno", line) or line
        return Span(self.file, line, self._column(line, getattr(node, "col_offset", 0)),
                    end_line, self._column(end_line, getattr(node, "end_col_offset", 0) or 0))

    def _column(self, line: int, offset: int) -> int:
        text = self.file.line(line)
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


_EXECUTED: OrderedDict[str, list[str]] = OrderedDict()
_EXECUTED_LIMIT = 512
_TREES: OrderedDict[tuple[str, int], tuple[SourceFile, ast.Module]] = OrderedDict()
_watching = False


def watch_exec() -> None:
    """Remember the text given to ``exec``/``compile`` under made-up file names such as <string>.

    Python keeps no source for those; an audit hook is the only place that sees it. It looks at
    nothing but compile events whose file name starts with '<', and runs nothing.
    """
    global _watching
    if not _watching:
        _watching = True
        sys.addaudithook(_on_audit)


def _on_audit(event: str, args: tuple[Any, ...]) -> None:
    if event != "compile" or len(args) != 2:
        return
    text, name = args
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    if not isinstance(name, str) or not name.startswith("<") or name.startswith("<frozen"):
        return
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    if isinstance(text, str) and len(text) < 1 << 20 and ("def " in text or "lambda" in text):
        texts = _EXECUTED.setdefault(name, [])
        if text in texts:
            texts.remove(text)
        texts.append(text)
        del texts[:-_EXECUTED_LIMIT]


def function_source(code: CodeType) -> FunctionSource:
    """Return the tree of a code object; raises ``SourceMissing`` if its text cannot be had."""
    for text in _candidates(code.co_filename):
        parsed = _parse(code.co_filename, text)
        if parsed is None:
            continue
        node = _find(parsed[1], code)
        if node is not None:
            return FunctionSource(node, parsed[0])
    raise SourceMissing(
        f"the source text of '{code.co_name}' ({code.co_filename}:{code.co_firstlineno}) cannot be "
        "found, so it cannot be compiled; define the kernel in a file, a notebook cell or a string "
        "given to exec() after 'import unisycl'")


def _candidates(name: str) -> list[str]:
    """Return the texts a code object of this file name may come from, most likely first."""
    linecache.checkcache(name)
    texts = ["".join(linecache.getlines(name))] if linecache.getlines(name) else []
    texts += reversed(_EXECUTED.get(name, []))
    argv = sys.orig_argv
    if name == "<string>" and "-c" in argv[:-1]:
        texts.append(argv[argv.index("-c") + 1])
    if name == "<stdin>":
        texts += _history()
    return texts


def _history() -> list[str]:
    """Return the tail of the interactive session, longest stretch last typed first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    lines = [readline.get_history_item(i) or "" for i in range(max(1, count - 400), count + 1)]
    return ["\n".join(lines[k:]) + "\n" for k in range(len(lines) - 1, -1, -1)]


def _parse(name: str, text: str) -> tuple[SourceFile, ast.Module] | None:
    key = (name, hash(text))
    if key in _TREES:
        _TREES.move_to_end(key)
        return _TREES[key]
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    file = SourceFile(name, tuple(text.splitlines()))
    _TREES[key] = (file, tree)
    while len(_TREES) > 64:
        _TREES.popitem(last=False)
    return _TREES[key]


def _find(tree: ast.Module, code: CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """Return the function node a code object was compiled from, judged by names and positions."""
    is_lambda = code.co_name == "<lambda>"
    positions = [p for p in code.co_positions()
                 if p[0] is not None and p[1] is not None and p[2] is not None and p[3] is not None
                 and (p[0], p[2]) != (code.co_firstlineno, 0)]
    arguments = code.co_varnames[: code.co_argcount]
    best = None
    for node in ast.walk(tree):
        if is_lambda and isinstance(node, ast.Lambda):
            if node.lineno != code.co_firstlineno:
                continue
            body = node.body
            inside = all(
                (body.lineno, body.col_offset) <= (p[0], p[2])  # type: ignore[operator]
                and (p[1], p[3]) <= (body.end_lineno, body.end_col_offset)  # type: ignore[operator]
                for p in positions)
        elif not is_lambda and isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            inside = first == code.co_firstlineno
        else:
            continue
        if inside and tuple(a.arg for a in [*node.args.posonlyargs, *node.args.args]) == arguments:
            best = node
            if not is_lambda:
                break
    return best
