"""Lines of the user's source in machine code, for those who read or profile it (``-g``).

Non-goals: variables. Invariant: numbers of metadata begin at 2000; nothing else uses those.
"""

from __future__ import annotations

import json
from pathlib import Path

from unisycl.base.spans import Span

_FIRST = 2000


class Lines:
    """The metadata of one kernel's function: its file, itself, and the places it was told."""

    def __init__(self, name: str, span: Span) -> None:
        self._texts: list[str] = []
        self._known: dict[tuple[str, ...], str] = {}
        file = self._file(span.file.name)
        unit = self._add(f"distinct !DICompileUnit(language: DW_LANG_Python, file: {file}, "
                         'producer: "unisycl", isOptimized: true, runtimeVersion: 0, '
                         "emissionKind: LineTablesOnly)")
        kind = self._add("!DISubroutineType(types: !0)")
        self._main = file
        self._scope = self._add(
            f"distinct !DISubprogram(name: {json.dumps(name)}, scope: {file}, file: {file}, "
            f"line: {span.line}, type: {kind}, spFlags: DISPFlagDefinition, unit: {unit})")
        version = self._add('!{i32 2, !"Debug Info Version", i32 3}')
        self._named = [f"!llvm.module.flags = !{{{version}}}", f"!llvm.dbg.cu = !{{{unit}}}"]
        self.function = f"!dbg {self._scope}"

    def _add(self, text: str) -> str:
        name = f"!{_FIRST + len(self._texts)}"
        self._texts.append(f"{name} = {text}")
        return name

    def _file(self, name: str) -> str:
        path = Path(name)
        return self._once("file", f"!DIFile(filename: {json.dumps(path.name)}, "
                          f"directory: {json.dumps(str(path.parent))})")

    def _once(self, *text: str) -> str:
        if text not in self._known:
            self._known[text] = self._add(text[-1])
        return self._known[text]

    def at(self, span: Span) -> str:
        """Return what an instruction of this place ends with."""
        file, scope = self._file(span.file.name), self._scope
        if file != self._main:
            scope = self._once("scope", f"!DILexicalBlockFile(scope: {scope}, file: {file}, "
                               "discriminator: 0)")
        place = f"!DILocation(line: {span.line}, column: {span.column + 1}, scope: {scope})"
        return f", !dbg {self._once('place', place)}"

    def text(self) -> list[str]:
        """Return the lines that end the module."""
        return [*self._named, *self._texts]
