"""How kernels spell values: as Python does, as C's printf, as SYCL's stream (SYCL 2020 §4.16).

Non-goals: where the text goes. A text is parts, each a literal string or a ``Shown`` that says how
the next values are spelt. Invariant: what is wrong with a format is found by ``parse_format``,
before anything runs.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from unisycl.base.dataclass import dataclass

_DIRECTIVE = re.compile(r"%([-+ #0]*)(\d+)?(?:\.(\d*))?(?:v(\d+))?(hh|hl|h|ll|l|L|j|z|t)?(.)",
                        re.DOTALL)
INTEGER, FLOAT, TEXT = frozenset("diouxXcp"), frozenset("fFeEgGaA"), frozenset("s")
_VECTORS = (2, 3, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Shown:
    """How the next ``count`` values are spelt.

    ``how`` is 'str' or 'repr', whose text ``spec`` puts in a field, 'format' with a Python format
    specification in ``spec``, 'printf' with a directive in ``spec``; for streams 'value',
    'pointer', 'list' ("1, 2"), 'set' ("{1, 2}"), a manipulator's name, or setw and
    setprecision, which take their value from the kernel.
    """

    how: str
    count: int = 1
    spec: str = ""


Part: TypeAlias = "str | Shown"


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive of a printf format: its text without size, its letter, values it takes."""

    text: str
    letter: str
    count: int


class FormatError(ValueError):
    """What is wrong with a printf format."""


@functools.lru_cache(maxsize=1024)
def parse_format(text: str) -> tuple[str | Directive, ...]:
    """Return the literal parts and directives of a printf format; raises ``FormatError``."""
    out: list[str | Directive] = []
    at = 0
    while at < len(text):
        stop = text.find("%", at)
        if stop < 0:
            stop = len(text)
        if stop > at:
            out.append(text[at:stop])
        if stop == len(text):
            break
        if text.startswith("%%", stop):
            out.append("%")
            at = stop + 2
            continue
        found = _DIRECTIVE.match(text, stop)
        if found is None:
            raise FormatError(f"'{text[stop:]}' is no whole directive")
        out.append(_directive(found))
        at = found.end()
    return tuple(out)


def _directive(found: re.Match[str]) -> Directive:
    flags, width, precision, count, _, letter = found.groups()
    if letter not in INTEGER | FLOAT | TEXT:
        raise FormatError(f"'{found.group()}' is no directive printf knows")
    if count is not None and (int(count) not in _VECTORS or letter in "csp"):
        raise FormatError(f"'{found.group()}' is no directive for vectors, which have 2, 3, 4, 8 "
                          "or 16 numbers")
    point = "" if precision is None else "." + precision
    return Directive(f"%{flags}{width or ''}{point}{letter}", letter, int(count or 1))


# ---- spelling
def render(parts: Iterable[Part], values: Iterator[Any]) -> str:
    """Return the text of ``print`` and ``printf``; values are NumPy scalars or Python's own."""
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        else:
            out.append(_spelt(part, [next(values) for _ in range(part.count)]))
    return "".join(out)


def _spelt(part: Shown, values: Sequence[Any]) -> str:
    match part.how:
        case "str":
            return format(str(values[0]), part.spec)
        case "repr":
            return format(repr(values[0]), part.spec)
        case "format":
            return format(values[0], part.spec)
        case "printf":
            return ",".join(directive(part.spec, value) for value in values)
    raise AssertionError(part)


def directive(text: str, value: Any) -> str:
    """Return a value as a printf directive spells it."""
    letter = text[-1]
    if letter in FLOAT and not math.isfinite(value):
        text = re.sub(r"^(%[-+ #]*)0+", r"\1", text)
    if letter in "aA":
        found = _hexadecimal(float(value), _precision(text))
        return _padded(text, found.upper() if letter == "A" else found)
    if letter in FLOAT:
        return text % float(value)
    if letter == "s":
        return text % str(value)
    if letter == "c":
        return text % chr(int(value) & 0xFF)
    if letter == "p":
        return _padded(text, f"0x{int(value) & (1 << 64) - 1:x}")
    number = int(value)
    if letter in "ouxX":
        number &= (1 << max(32, _bits(value))) - 1
    if letter == "o":  # Python's alternative form is 0o17, C's 017
        digits = f"{number:o}".rjust(_precision(text) or 0, "0")
        return _padded(text, "0" + digits if "#" in text and digits[0] != "0" else digits)
    return (text if number else text.replace("#", "")) % number


def _bits(value: Any) -> int:
    return 8 * value.dtype.itemsize if isinstance(value, np.generic) else 64


def _precision(text: str) -> int | None:
    found = re.search(r"\.(\d*)", text)
    return None if found is None else int(found.group(1) or 0)


def _padded(text: str, body: str) -> str:
    """Return a body in the directive's field."""
    found = re.match(r"%([-+ #0]*)(\d*)", text)
    assert found is not None
    flags, width = found.group(1), int(found.group(2) or 0)
    if "+" in flags and text[-1] in "aA" and not body.startswith("-"):
        body = "+" + body
    if "-" in flags:
        return body.ljust(width)
    if "0" in flags and _precision(text) is None:
        head = re.match(r"[-+]?(0[xX])?", body)
        lead = head.group() if head else ""
        return lead + body[len(lead):].rjust(width - len(lead), "0")
    return body.rjust(width)


def _hexadecimal(value: float, precision: int | None = None) -> str:
    """Return a float as C's %a: the shortest exact digits, or as many as asked for."""
    if not math.isfinite(value):
        return str(value)
    sign, digits, exponent = re.fullmatch(  # type: ignore[union-attr]
        r"(-?)0x([01]\.[0-9a-f]+)p([-+]\d+)", value.hex()).groups()
    if precision is None:
        return f"{sign}0x{digits.rstrip('0').rstrip('.')}p{exponent}"
    whole = int(digits.replace(".", ""), 16)
    places = len(digits) - 2
    if precision < places:
        whole, rest = divmod(whole, 16 ** (places - precision))
        half = 16 ** (places - precision) // 2
        whole += rest > half or (rest == half and whole % 2)
        places = precision
    body = f"{whole:x}".rjust(places + 1, "0")
    body = body[:-places] + "." + body[-places:] if places else body
    body += "0" * (precision - places) if places else "." + "0" * precision if precision else ""
    return f"{sign}0x{body}p{exponent}"


# ---- streams
_BASES = {"dec": "d", "hex": "x", "oct": "o"}
_FLOATS = {"fixed": "f", "scientific": "e", "hexfloat": "a", "defaultfloat": "g"}
_PREFIX = {"x": "0x", "o": "0"}


@dataclass(slots=True)
class Style:
    """The state that manipulators change: one for each stream and work-item."""

    base: str = "d"
    floats: str = "g"
    precision: int = 6
    width: int = 0
    show_base: bool = False
    show_sign: bool = False

    def change(self, name: str, value: Any = None) -> None:
        """Apply a manipulator."""
        if name in _BASES:
            self.base = _BASES[name]
        elif name in _FLOATS:
            self.floats = _FLOATS[name]
        elif name in ("showbase", "noshowbase"):
            self.show_base = name == "showbase"
        elif name in ("showpos", "noshowpos"):
            self.show_sign = name == "showpos"
        elif name == "setw":
            self.width = max(0, int(value))
        else:
            self.precision = max(0, int(value))

    def spell(self, value: Any) -> str:
        """Return a value, or a string, in its field; the width holds for one."""
        body = value if isinstance(value, str) else self._number(value)
        width, self.width = self.width, 0
        return body.rjust(width)

    def spell_all(self, how: str, values: Sequence[Any]) -> str:
        """Return several values as one: 'list' for vectors, 'set' for ids and ranges.

        A 'pointer' is its address, whatever the manipulators say of numbers.
        """
        width, self.width = self.width, 0
        if how == "pointer":
            return f"{int(values[0]):#x}".rjust(width)
        body = ", ".join(self._number(v) for v in values)
        return (body if how == "list" else f"{{{body}}}").rjust(width)

    def _number(self, value: Any) -> str:
        if isinstance(value, bool | np.bool_):
            return "true" if value else "false"
        if isinstance(value, float | np.floating):
            return self._float(float(value))
        number = int(value)
        if self.base == "d":
            return f"+{number}" if self.show_sign and number >= 0 else str(number)
        number &= (1 << _bits(value)) - 1
        return (_PREFIX[self.base] if self.show_base and number else "") + f"{number:{self.base}}"

    def _float(self, value: float) -> str:
        if self.floats == "a":
            body = _hexadecimal(value)
        else:
            body = f"{value:.{self.precision}{self.floats}}"
        return "+" + body if self.show_sign and not body.startswith("-") else body
