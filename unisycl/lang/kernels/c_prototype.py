"""The head of a function in C with address spaces, read from its text.

Non-goals: checking the text, which a compiler does; what the preprocessor would make of it.
Invariant: a type of the text's own (a typedef, a macro, a struct) is one that is not known here.
"""

from __future__ import annotations

import re

import numpy as np

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space
from unisycl.base.errors import UsageError, errc
from unisycl.ir.types import Scalar, Struct, element_type
from unisycl.lang.numbers.vec import SCALARS, vec_of

_SPACES = {word: getattr(address_space, f"{word}_space")
           for word in ("global", "local", "constant", "private", "generic")}
_QUALIFIERS = frozenset(("const", "volatile", "restrict"))
_SPECIFIERS = frozenset(("static", "inline", "extern", "device", "host", "forceinline", "noinline",
                         "constexpr"))
_INTEGERS = frozenset(("char", "short", "int", "long"))
_SIGNS = frozenset(("signed", "unsigned"))
_LIKE = {"bool": np.bool_, "size_t": np.uint64, "uintptr_t": np.uint64, "ptrdiff_t": np.int64,
         "intptr_t": np.int64}
_SKIPPED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE)
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
_OPAQUE = re.compile(r"image\w+_t|(?:sampler|event|clk_event|queue|ndrange|reserve_id)_t|pipe")
_ARRAY = re.compile(r"(\w+)?\s*\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Declared:
    """The type and name of a parameter, or the type of a result, whose name is that of all.

    ``type`` is None where it is not known; ``void``: it is the type without values. ``pointer``:
    whether this is a pointer, into ``space``, to elements of that type. ``opaque``: values of it
    are none of memory's.
    """

    name: str
    spelt: str
    type: Scalar | Struct | None
    void: bool
    pointer: bool
    space: address_space
    const: bool
    opaque: bool


@dataclass(frozen=True, slots=True)
class Prototype:
    """What a function gives and takes."""

    result: Declared
    parameters: tuple[Declared, ...]


def prototype(text: str, name: str) -> Prototype:
    """Return the head of a function; ``errc.invalid`` if a text has none of that name."""
    for declaration in _declarations(text):
        found = re.search(rf"\b{re.escape(name)}\s*\(([^()]*)\)\s*$", declaration)
        if found is None:
            continue
        before = re.findall(r"\w+|\*", declaration[:found.start()])
        if not before or "typedef" in before:
            continue
        if {"kernel", "__kernel"} & set(before):
            raise UsageError(errc.invalid, f"'{name}' is a kernel in this text, and kernels cannot "
                             "call kernels; call a function of it, or launch it by itself")
        words = [w for w in before if _plain(w) not in _SPECIFIERS]
        inner = [p for p in found[1].split(",") if p.strip()]
        given = () if [p.split() for p in inner] == [["void"]] else tuple(map(_parameter, inner))
        return Prototype(_declared(words, ""), given)
    if not name.isidentifier():  # '<lambda>'
        raise UsageError(errc.invalid, f"extern: a {name.strip('<>')} has no name by which to find "
                         "the function in the text; define one by 'def', with the text's name")
    known = sorted({m for d in _declarations(text)
                    for m in re.findall(r"(\w+)\s*\([^()]*\)\s*$", d)})
    raise UsageError(errc.invalid, f"the text has no function '{name}' at its outer level; it has "
                     f"{', '.join(known) or 'none'}" + (
                         "" if "(" in text else "; to read a file give a pathlib.Path"))


def _declarations(text: str) -> list[str]:
    """Return what stands at the outer level of a text, bodies apart."""
    text = _ATTRIBUTE.sub(" ", _SKIPPED.sub(" ", text))
    out: list[str] = []
    depth = 0
    for part in re.split(r"([{}])", text):
        if part == "{":
            depth += 1
        elif part == "}":
            depth -= 1
            out += ";" * (depth == 0)
        elif depth == 0:
            out.append(part)
    return "".join(out).split(";")


def _plain(word: str) -> str:
    """Return a word without the underscores of its other spelling: ``__global`` is ``global``."""
    return word.strip("_") if word.startswith("__") else word


def _parameter(text: str) -> Declared:
    """Return a parameter; an array is a pointer, as in C."""
    words = re.findall(r"\w+|\*", _ARRAY.sub(r" * \1", text, count=1))
    if "*" in words:
        last = len(words) - words[::-1].index("*")
        names = [w for w in words[last:] if _plain(w) not in _QUALIFIERS]
        return _declared(words[:last], names[0] if names else "")
    base = [w for w in words if _is_base(w)]
    named = len(base) > 1 and base[-1] not in _INTEGERS | _SIGNS and base[-2] not in (
        "struct", "union", "enum")
    return _declared(words[:-1] if named else words, base[-1] if named else "")


def _is_base(word: str) -> bool:
    return word != "*" and _plain(word) not in _QUALIFIERS and _plain(word) not in _SPACES


def _declared(words: list[str], name: str) -> Declared:
    """Return what words say of a type."""
    stars, plain = words.count("*"), [_plain(w) for w in words]
    base = [w for w in words if _is_base(w)]
    space = next((_SPACES[w] for w in plain if w in _SPACES), address_space.generic_space)
    front = plain[:plain.index("*")] if stars else plain
    return Declared(name, " ".join(words), None if stars > 1 else known_type(base),
                    base == ["void"], stars > 0, space, "const" in front,
                    any(_OPAQUE.fullmatch(w) for w in base))


def known_type(words: list[str]) -> Scalar | Struct | None:
    """Return the type that the words of a type of the language's own name; None for others."""
    if len(words) == 1:
        word = words[0]
        if word in _LIKE:
            return element_type(np.dtype(_LIKE[word]))
        base = word.rstrip("0123456789")
        if base in SCALARS and base != word and word[len(base):] in ("2", "3", "4", "8", "16"):
            return element_type(vec_of(SCALARS[base], int(word[len(base):])).dtype)
        if word in SCALARS:
            return element_type(np.dtype(SCALARS[word]))
    if words.count("long") == 2:  # C++'s, as long as one of them in OpenCL C
        words = [*(w for w in words if w != "long"), "long"]
    if not words or not set(words) <= _INTEGERS | _SIGNS or len(set(words)) < len(words):
        return None
    size = next((w for w in ("char", "short", "long") if w in words), "int")
    return element_type(np.dtype(SCALARS[("u" if "unsigned" in words else "") + size]))
