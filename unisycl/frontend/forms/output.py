"""Text from kernels: ``print``, ``printf`` and streams (SYCL 2020 §4.16).

Non-goals: spelling values (``base.value_text``). Invariant: all text that is known while compiling
is a literal piece; a statement is one text of each work-item, written as a whole.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from unisycl.base.dtypes import FLOAT64
from unisycl.base.value_text import FLOAT, Directive, FormatError, Shown, parse_format
from unisycl.frontend import coerce
from unisycl.frontend.captures import PRINT
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.forms.format_texts import as_f_string
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import stored_pointers
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.items import ITEM_KINDS, Item, item_ids
from unisycl.frontend.values.kind import Piece, Refused, Value, describe
from unisycl.frontend.values.pieces import components, printable, spelt
from unisycl.frontend.values.streams import Setting, Stream
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT
from unisycl.lang.kernels import stream


# ---- print
@form(PRINT)
def lower_print(ctx: Context, node: ast.Call) -> Value:
    """Lower ``print(values, sep=, end=)``."""
    words = {"sep": " ", "end": "\n"}
    for keyword in node.keywords:
        given = ctx.value(keyword.value)
        if keyword.arg == "flush":
            continue
        if keyword.arg not in words or not isinstance(given, Constant) or not isinstance(
                given.object, str | None):
            raise ctx.refuse("K034", node, what="'print'", found=f"'{keyword.arg}'",
                             expected="values, and as strings known while compiling sep= and end=")
        if given.object is not None:
            words[keyword.arg] = given.object
    pieces: list[Piece] = []
    for k, arg in enumerate(node.args):
        pieces += ([words["sep"]] if k else []) + _pieces(ctx, arg)
    ctx.emit(n.Print(_joined([*pieces, words["end"]]), span=ctx.span(node)))
    return Nothing()


def _joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Join literals that follow one another."""
    out: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        elif piece != "":
            out.append(piece)
    return tuple(out)


def _pieces(ctx: Context, node: ast.expr) -> list[Piece]:
    """Return what an argument of ``print`` prints."""
    node = as_f_string(ctx, node) or node
    if not isinstance(node, ast.JoinedStr):
        return spelt(ctx, _shown_item(ctx.value(node)), node)
    out: list[Piece] = []
    for part in node.values:
        out += _formatted(ctx, part, node) if isinstance(part, ast.FormattedValue) \
            else _pieces(ctx, part)
    return out


def _shown_item(value: Value) -> Value:
    if isinstance(value, Item) and value.kind in ITEM_KINDS and value.ndim > 1:
        return Several(item_ids(value).items, "id")
    return value


def _formatted(ctx: Context, part: ast.FormattedValue, node: ast.JoinedStr) -> list[Piece]:
    """Return what ``{value!r:spec}`` in an f-string prints.

    What is wrong with it is told of the whole string: before 3.12 Python knows no more.
    """
    spec = ""
    if isinstance(part.format_spec, ast.JoinedStr):
        known = [v.value for v in part.format_spec.values if isinstance(v, ast.Constant)]
        if len(known) != len(part.format_spec.values):
            raise ctx.refuse("K001", node, what="a format specification that is computed",
                             help="write its numbers out")
        spec = "".join(map(str, known))
    if part.conversion == -1 and not spec:
        return _unformatted(ctx, part.value)
    value = ctx.value(part.value)
    if isinstance(value, Item) and part.conversion in (ord("r"), ord("a")):
        raise ctx.refuse("K049", node, found=describe(value), expected="a number",
                         help="leave the conversion out, or format its parts: i[0]")
    value = _shown_item(value)
    if isinstance(value, Constant):
        convert = {ord("r"): repr, ord("a"): ascii}.get(part.conversion, str)
        return [_applied(ctx, convert(value.object), spec, node)]
    if isinstance(value, Several | Vector):
        raise ctx.refuse("K049", node, found=describe(value), expected="a number",
                         help="format its elements one by one")
    x = printable(ctx, ctx.to_scalar(value, node, unsure=True), node)
    if part.conversion != -1:
        _applied(ctx, "", spec, node)
        return [Shown("str" if part.conversion == ord("s") else "repr", 1, spec), x]
    sample = x.type.dtype.numpy.type(1)
    _applied(ctx, sample.item() if x.type.weak or x.type.dtype.kind == "b" else sample, spec, node)
    return [Shown("format", 1, spec), x]


def _unformatted(ctx: Context, node: ast.expr) -> list[Piece]:
    """Return what ``{value}`` prints: short floats as NumPy formats them, as Python's numbers."""
    node = as_f_string(ctx, node) or node
    if isinstance(node, ast.JoinedStr):
        return _pieces(ctx, node)
    found = spelt(ctx, _shown_item(ctx.value(node)), node)
    x = found[0]
    if len(found) == 1 and isinstance(x, n.Expr) and x.type.dtype.is_float \
            and x.type.dtype.bits < FLOAT64.bits:
        return [Shown("format", 1), x]
    return found


def _applied(ctx: Context, value: object, spec: str, node: ast.AST) -> str:
    """Return a value in a format, or refuse the format."""
    try:
        return format(value, spec)
    except (ValueError, TypeError) as error:
        raise ctx.refuse("K090", node, what=f"the format '{spec}' does not fit: {error}",
                         help="see Python's format specifications") from None


def assertion(ctx: Context, node: ast.Assert) -> tuple[Piece, ...]:
    """Return what a failing ``assert`` says: its message, or its own first line."""
    span = ctx.span(node)
    if node.msg is None:
        said: list[Piece] = [span.file.line(span.line).strip()]
    else:
        said = _pieces(ctx, node.msg)
    return _joined(["AssertionError: ", *said])


# ---- printf
@form(stream.printf)
def lower_printf(ctx: Context, node: ast.Call) -> Value:
    """Lower ``printf(format, values...)``."""
    if node.keywords or not node.args:
        raise ctx.refuse("K034", node, what="'printf'", expected="(format, values...)",
                         found=len(node.args) + len(node.keywords))
    form, *values = ctx.operands(*node.args)
    if not isinstance(form, Constant) or not isinstance(form.object, str):
        raise ctx.refuse("K046", node, what="the format of printf",
                         help="write a string literal")
    try:
        parts = parse_format(form.object)
    except FormatError as error:
        raise _wrong(ctx, node, str(error), "printf knows d i o u x X c p f F e E g G a A s, "
                     "and v2 v3 v4 v8 v16 before it for vectors") from None
    pieces: list[Piece] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        if not values:
            raise _wrong(ctx, node, f"there is no value for '{part.text}'",
                         "give one value for each directive; %% prints a percent sign")
        pieces += _directed(ctx, part, values.pop(0), node)
    ctx.emit(n.Print(_joined(pieces), span=ctx.span(node)))
    return coerce.weak_scalar(0)


def _wrong(ctx: Context, node: ast.AST, what: str, help: str) -> Refused:
    return ctx.refuse("K090", node, what=f"printf: {what}", help=help)


def _directed(ctx: Context, part: Directive, value: Value, node: ast.AST) -> list[Piece]:
    """Return what one directive prints."""
    if part.letter == "s":
        if not isinstance(value, Constant) or not isinstance(value.object, str):
            raise _wrong(ctx, node, f"'{part.text}' takes a string known while compiling, not "
                         f"{describe(value)}", "strings cannot be computed in kernels")
        return [part.text % value.object]
    given = components(ctx, value, node) if part.count > 1 else (ctx.to_scalar(value, node),)
    if len(given) != part.count:
        raise _wrong(ctx, node, f"'%v{part.count}{part.letter}' takes a vector of {part.count}, "
                     f"not {describe(value)}", "give the number of its components")
    out: list[Piece] = [Shown("printf", part.count, part.text)]
    for x in given:
        right = x.type.dtype.is_float if part.letter in FLOAT else not x.type.dtype.is_float
        if not right:
            kind = "a float" if part.letter in FLOAT else "an integer"
            raise _wrong(ctx, node, f"'{part.text}' takes {kind}, not {x.type}",
                         f"use {'%d' if part.letter in FLOAT else '%g'}, or convert the value")
        out.append(x)
    return out


# ---- streams
def put(ctx: Context, stream: Stream, value: Value, node: ast.AST) -> Value:
    """Lower ``stream << value``; what stands in one expression becomes one statement."""
    pieces = _streamed(ctx, value, node)
    last = ctx.block[-1] if ctx.block else None
    if isinstance(last, n.Print) and last.stream == stream.which and not last.end:
        ctx.block.pop()
        pieces = [*last.pieces, *pieces]
    # Literals stay apart: a width holds for one of them only.
    ctx.emit(n.Print(tuple(pieces), stream.which, span=ctx.span(node)))
    return stream


def _streamed(ctx: Context, value: Value, node: ast.AST) -> list[Piece]:
    """Return what ``<<`` puts into a stream."""
    found = ctx.of(value).streamed(ctx, node)
    if found is not None:
        return found
    where = stored_pointers.number(ctx, value, node)
    if where is not None:
        return [Shown("pointer"), where]
    return [Shown("value"), printable(ctx, ctx.to_scalar(value, node, unsure=True), node)]


def _setting(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a manipulator with a number."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        word = {"setw": "width"}.get(name, "precision")
        x = ctx.to_scalar(parameters(ctx, node, name, (word,))[word], node)
        if not x.type.dtype.is_integer:
            raise ctx.refuse("K049", node, found=x.type, expected="an integer",
                             help="use int(...)")
        return Setting(name, coerce.convert(x, WEAK_INT))
    return lower


form(stream.setw)(_setting("setw"))
form(stream.setprecision)(_setting("setprecision"))
