"""Texts by ``format % values`` and ``format.format(values)``, as the f-strings they stand for.

Non-goals: what is printed of a value (``output``), formats by name (``%(x)d``) or by attributes
(``{0.x}``). Invariants: the format is known while compiling; every value is found once, in order.
"""

from __future__ import annotations

import ast
import re
from string import Formatter

from unisycl.frontend.context import Context
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Refused
from unisycl.frontend.values.tuples import Several

_DIRECTIVE = re.compile(r"%([-+ 0#]*)(\d*)(?:\.(\d+))?(.)", re.DOTALL)
_WORDS = {"s": "s", "r": "r", "a": "a"}
_NUMBERS = "dxXoeEfFgG"
_WAY = "write an f-string, whose values stand where they are printed"


def as_f_string(ctx: Context, node: ast.expr) -> ast.JoinedStr | None:
    """Return the f-string that an expression stands for; None if it is no such text."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text = _text(ctx, node.left)
        return None if text is None else placed(_percent(ctx, text, node), node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
            and node.func.attr == "format":
        text = _text(ctx, node.func.value)
        return None if text is None else placed(_braces(ctx, text, node), node)
    return None


def _text(ctx: Context, node: ast.expr) -> str | None:
    """Return a format that is known while compiling."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.Name):
        return None
    value = ctx.value(node)
    return value.object if isinstance(value, Constant) and isinstance(value.object, str) else None


def _wrong(ctx: Context, node: ast.AST, what: str) -> Refused:
    return ctx.refuse("K090", node, what=what, help=_WAY)


def _held(ctx: Context, node: ast.expr) -> ast.expr:
    """Return an expression for the value that a node has now."""
    return given(ctx.hold_value(ctx.value(node)), node)


# ---- percent
def _percent(ctx: Context, text: str, node: ast.BinOp) -> ast.JoinedStr:
    values = _operands(ctx, node.right)
    out: list[ast.expr] = []
    end = 0
    for found in _DIRECTIVE.finditer(text):
        out.append(ast.Constant(text[end:found.start()]))
        end = found.end()
        flags, width, digits, letter = found.groups()
        if letter == "%":
            out.append(ast.Constant("%"))
            continue
        letter = {"i": "d", "u": "d"}.get(letter, letter)
        if letter not in _NUMBERS and letter not in _WORDS:
            raise _wrong(ctx, node, f"the format '{found.group()}' is not known in kernels")
        if not values:
            raise _wrong(ctx, node, f"there is no value for '{found.group()}'")
        out.append(_directed(values.pop(0), flags, width, digits, letter))
    if values:
        raise _wrong(ctx, node, f"there are {len(values)} value(s) more than the format has "
                     "directives")
    rest = text[end:]
    if "%" in rest:
        raise _wrong(ctx, node, f"the format '{rest}' is incomplete")
    return ast.JoinedStr([*out, ast.Constant(rest)])


def _operands(ctx: Context, node: ast.expr) -> list[ast.expr]:
    """Return what follows a ``%``: the items of a tuple, or one value."""
    if isinstance(node, ast.Tuple):
        return [_held(ctx, item) for item in node.elts]
    value = ctx.hold_value(ctx.value(node))
    if isinstance(value, Several) and value.kind == "tuple":
        return [given(item, node) for item in value.items]
    return [given(value, node)]


def _directed(value: ast.expr, flags: str, width: str, digits: str | None,
              letter: str) -> ast.FormattedValue:
    """Return what one directive of ``%`` is between braces."""
    if letter in _WORDS:
        side = "" if not width else "<" if "-" in flags else ">"
        spec = f"{side}{width}" + (f".{digits}" if digits is not None else "")
        return _field(value, _WORDS[letter], spec)
    sign = "+" if "+" in flags else " " if " " in flags else ""
    left = "<" if "-" in flags and width else ""
    zero = "0" if "0" in flags and not left else ""
    spec = (f"{left}{sign}{'#' if '#' in flags else ''}{zero}{width}"
            + (f".{digits}" if digits is not None else "") + letter)
    return _field(value, "", spec)


# ---- braces
def _braces(ctx: Context, text: str, node: ast.Call) -> ast.JoinedStr:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None
                                                                  for k in node.keywords):
        raise _wrong(ctx, node, "values of a format must stand in the call one by one")
    values: dict[str, ast.expr] = {str(k): _held(ctx, a) for k, a in enumerate(node.args)}
    values.update({k.arg: _held(ctx, k.value) for k in node.keywords if k.arg is not None})
    out: list[ast.expr] = []
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise _wrong(ctx, node, f"the format '{text}' is wrong: {error}") from None
    used = [name for _, name, _, _ in parts if name is not None]
    if "" in used and any(name.isdigit() for name in used):
        raise _wrong(ctx, node, f"the format '{text}' counts values and numbers them")
    count = 0
    for literal, name, spec, conversion in parts:
        out.append(ast.Constant(literal))
        if name is None:
            continue
        if name == "":
            name, count = str(count), count + 1
        if name not in values:
            raise _wrong(ctx, node, f"there is no value '{name}' for the format")
        if spec and "{" in spec:
            raise _wrong(ctx, node, f"the format '{spec}' is computed")
        out.append(_field(values[name], conversion or "", spec or ""))
    return ast.JoinedStr(out)


def _field(value: ast.expr, conversion: str, spec: str) -> ast.FormattedValue:
    inner = ast.JoinedStr([ast.Constant(spec)]) if spec else None
    return ast.FormattedValue(value, ord(conversion) if conversion else -1, inner)
