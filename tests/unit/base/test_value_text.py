"""Spelling values, compared with the C library's printf."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from unisycl.base.value_text import (
    Directive,
    FormatError,
    Shown,
    Style,
    directive,
    parse_format,
    render,
)

LIBC = ctypes.CDLL(None)


def in_c(form: str, value: object) -> str:
    buffer = ctypes.create_string_buffer(1000)
    LIBC.snprintf(buffer, 1000, form.encode(), value)
    return buffer.value.decode()


def in_python(form: str, value: object) -> str:
    return "".join(p if isinstance(p, str) else directive(p.text, value)
                   for p in parse_format(form))


@pytest.mark.parametrize("form", [
    "%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d", "%i", "%hhd", "100%%: %d"])
@pytest.mark.parametrize("value", [0, 7, -42, 123456])
def test_signed_integers_are_spelt_as_in_c(form: str, value: int) -> None:
    whole = np.int8(value) if "hh" in form and abs(value) < 100 else np.int32(value)
    if "hh" not in form or abs(value) < 100:
        assert in_c(form, ctypes.c_int(value)) == in_python(form, whole)


@pytest.mark.parametrize("form", ["%u", "%x", "%X", "%o", "%#x", "%#o", "%08x", "%-8x|", "%.4o",
                                  "%#.4o", "%#8o", "%08o", "%#010x", "%c"])
@pytest.mark.parametrize("value", [0, 7, -42, 123456, 65])
def test_unsigned_integers_are_spelt_as_in_c(form: str, value: int) -> None:
    if not form.endswith("c") or 31 < value < 127:
        assert in_c(form, ctypes.c_int(value)) == in_python(form, np.int32(value))


@pytest.mark.parametrize("form", [
    "%f", "%.2f", "%10.3f", "%-10.1f|", "%e", "%.0e", "%E", "%g", "%#g", "%G", "%a", "%A", "%.2a",
    "%.0a", "%20a", "%-20a|", "%+a", "%+f", "%010.2f", "%.15a", "%020a", "% f", "%F"])
@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, -3.14159, 1e300, 1e-310, np.inf, -np.inf, np.nan,
                                   255.999, 1.9999999, 5e-324])
def test_floats_are_spelt_as_in_c(form: str, value: float) -> None:
    assert in_c(form, ctypes.c_double(value)) == in_python(form, np.float64(value))


def test_python_ints_have_64_bits() -> None:
    assert "ffffffffffffffff 0xff" == in_python("%x", -1) + " " + directive("%p", 255)


@pytest.mark.parametrize("form", ["%", "abc %", "%y", "%v5d", "%v4s", "%*d", "%5"])
def test_formats_that_are_none_are_refused(form: str) -> None:
    with pytest.raises(FormatError, match="directive"):
        parse_format(form)


def test_directives_count_their_values() -> None:
    assert (Directive("%5.1f", "f", 4), "!") == parse_format("%5.1v4hlf!")
    parts = ("a ", Shown("printf", 2, "%d"), Shown("str"), Shown("repr"), Shown("format", 1, ".1f"))
    assert "a 1,2xTrue3.0" == render(parts, iter([1, 2, "x", True, 3.0]))


@pytest.mark.parametrize(("manipulators", "value", "text"), [
    ((), 255, "255"), (("hex",), 255, "ff"), (("hex", "showbase"), np.int8(-1), "0xff"),
    (("oct", "showbase"), 8, "010"), (("oct", "showbase", "noshowbase"), 8, "10"),
    (("hex", "dec"), 255, "255"), (("showpos",), 0, "+0"), (("showpos",), -1, "-1"),
    (("showpos",), 1.5, "+1.5"), (("showpos", "noshowpos"), 1, "1"), ((), 1 / 3, "0.333333"),
    ((), 1e10, "1e+10"), (("fixed",), 1 / 3, "0.333333"), (("scientific",), 1 / 3, "3.333333e-01"),
    (("hexfloat",), 1.5, "0x1.8p+0"), (("fixed", "defaultfloat"), 2.0, "2"), ((), True, "true"),
    ((), np.bool_(False), "false"), ((), np.float32(0.1), "0.1"), ((), "text", "text"),
    ((), np.nan, "nan")])
def test_streams_spell_as_c_plus_plus_does(
        manipulators: tuple[str, ...], value: object, text: str) -> None:
    style = Style()
    for name in manipulators:
        style.change(name)
    assert text == style.spell(value)


def test_a_width_holds_for_one_value_and_a_precision_for_all() -> None:
    style = Style()
    style.change("setw", 6)
    style.change("setprecision", 2)
    assert ["   1.2", "1.2", "text"] == [style.spell(x) for x in (1.234, 1.234, "text")]
    style.change("setw", 10)
    assert "   {1, 20}" == style.spell_all("set", (1, 20))
    assert "1, 20" == style.spell_all("list", (1, 20))
