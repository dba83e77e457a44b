"""What bundles of source text are made and built with (sycl_ext_oneapi_kernel_compiler).

Non-goals: build_options, which kernels have, too. Invariant: names of include files are unique.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from unisycl.base.errors import BuildError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)[^\n]*$', re.MULTILINE)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*$", re.MULTILINE)
_DEEPEST = 64


@ends_at_call
class include_files:
    """Files that a source text may include, given as texts.

    ``include_files({"shapes.h": "..."})``, ``include_files("shapes.h", "...")``, or two lists.
    """

    __slots__ = ("contents", "names")

    def __init__(self, names: Any, contents: Any = None) -> None:
        if isinstance(names, Mapping) and contents is None:
            names, contents = list(names), list(names.values())
        elif isinstance(names, str):
            names, contents = [names], [contents]
        self.names, self.contents = list(names), list(contents or ())
        if len(self.names) != len(self.contents) or len(set(self.names)) != len(self.names):
            raise UsageError(errc.invalid, "include_files: expected one text for each name, and "
                             "each name once")
        for text in (*self.names, *self.contents):
            if not isinstance(text, str):
                raise UsageError(errc.invalid, "include_files: names and contents are strings, not "
                                 f"{type(text).__name__}")

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return zip(self.names, self.contents, strict=True)

    def __repr__(self) -> str:
        return f"include_files({', '.join(self.names)})"


@ends_at_call
class registered_kernel_names:
    """Kernels to build by an expression of the source language: ``make_scale(np.float32)``."""

    __slots__ = ("names",)

    def __init__(self, *names: Any) -> None:
        self.names = [one for some in names for one in (
            some if isinstance(some, list | tuple) else (some,))]
        for name in self.names:
            if not isinstance(name, str):
                raise UsageError(errc.invalid, "registered_kernel_names: names are strings, not "
                                 f"{type(name).__name__}")

    def __repr__(self) -> str:
        return f"registered_kernel_names({', '.join(map(repr, self.names))})"


def with_includes(source: str, files: include_files | None) -> str:
    """Return a text of C with the files that it includes in their places; others stay."""
    if files is None:
        return source
    return _included(source, dict(files), "source", set(), 0)


def _included(source: str, files: dict[str, str], name: str, seen: set[str], depth: int) -> str:
    if depth > _DEEPEST:
        raise BuildError(errc.build, f"include files include one another: '{name}' is {depth} "
                         "files deep; give each a '#pragma once'")

    def replaced(found: re.Match[str]) -> str:
        wanted = found.group(1) or found.group(2)
        if wanted not in files:
            return found.group()
        line = source.count("\n", 0, found.start()) + 2
        held = files[wanted]
        once = _ONCE.search(held) is not None
        if once and wanted in seen:
            return ""
        seen.add(wanted)
        text = _included(_ONCE.sub("", held), files, wanted, seen, depth + 1)
        return f'#line 1 "{wanted}"\n{text}\n#line {line} "{name}"'
    return _INCLUDE.sub(replaced, source)
