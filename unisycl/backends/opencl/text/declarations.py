"""The declarations of OpenCL C's functions that a text needs, in place of all that there are.

PoCL has its compiler read clang's header before each text: 15 000 declarations, of which a kernel
calls a few, and which take most of the time of building it. A text that has those of the names in
it in front, each under its header's conditions, is built without the header.
Non-goals: what functions do; texts of programs' own. Invariants: the lines are the header's own,
all of a name, in its order; a text that is not built so is built with the whole header.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

WITHOUT = "-D_OPENCL_H_"
"""The option with which the header has nothing in it: it is its guard."""
_HEADER, _BASE = "opencl-c.h", "opencl-c-base.h"
_FOLDER = Path("share", "pocl", "include")
_WHEEL = "pocl_binary_distribution/.libs"
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"(?!__attribute__)\b(\w+)\s*\(")


@functools.cache
def _header(library: str) -> Path | None:
    """Return where the header of a library of PoCL's lies; None where it is not found."""
    folder = Path(library).resolve().parent
    for root in (folder, *folder.parents[:3], *(p / _WHEEL for p in folder.parents[:3])):
        if (root / _FOLDER / _HEADER).is_file():
            return root / _FOLDER / _HEADER
    return None


@functools.cache
def _chunks(library: str) -> tuple[tuple[str, str], ...]:
    """Return directives, with "" for a name, and declarations with what they declare, in order.

    Nothing where there is no such header, or one of another kind.
    """
    path = _header(library)
    if path is None:
        return ()
    text = path.read_text(encoding="utf-8", errors="replace")
    chunks = tuple(_read(text.replace(f'"{_BASE}"', f'"{path.with_name(_BASE)}"')))
    known = [chunk for _, chunk in (*chunks[:2], *chunks[-1:])]
    return chunks[2:-1] if known == ["#ifndef _OPENCL_H_", "#define _OPENCL_H_", "#endif"] else ()


def _read(text: str) -> Iterator[tuple[str, str]]:
    """Yield what ``_chunks`` returns of a header, without comments."""
    comment, kept = False, ""
    for row in text.replace("\\\n", " ").splitlines():
        line = row.strip()
        if comment or not line or line.startswith(("/*", "//")):
            comment = (comment or line.startswith("/*")) and "*/" not in line
            continue
        if "//" in line:
            line = line[:line.index("//")].rstrip()
        if line.startswith("#"):
            yield "", line
            kept = ""
            continue
        kept = f"{kept} {line}" if kept else line
        if line.endswith(";"):
            name = _NAME.search(kept)
            if name is not None:
                yield name[1], kept
            kept = ""


@functools.cache
def _places(library: str) -> dict[str, list[int]]:
    """Return where in the header each name is declared, and where its directives are ("")."""
    found: dict[str, list[int]] = {"": []}
    for place, (name, _) in enumerate(_chunks(library)):
        found.setdefault(name, []).append(place)
    return found


def head(library: str, text: str) -> str:
    """Return what stands in front of a text that is built ``WITHOUT`` the header.

    Nothing if the header is not known; the lines of the text keep their numbers.
    """
    chunks, places = _chunks(library), _places(library)
    words = {"", *_WORD.findall(text)} & places.keys()
    lines = _closed(chunks[k][1] for k in sorted(k for word in words for k in places[word]))
    return "\n".join([*lines, "#line 1", ""]) if chunks else ""


def _closed(lines: Iterable[str]) -> list[str]:
    """Return lines without conditions that hold nothing."""
    out: list[str] = []
    for line in lines:
        if line.startswith("#endif"):
            while out[-1].startswith(("#el", "#if")):
                if out.pop().startswith("#if"):
                    break
            else:
                out.append(line)
        else:
            out.append(line)
    return out
