"""Places in the user's source text.

Non-goals: holding AST nodes or finding source. Invariant: lines and columns are those of the file
the user edits, 1-based lines and 0-based columns.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A named text; ``lines[0]`` is line 1."""

    name: str
    lines: tuple[str, ...] = field(repr=False, compare=False)

    def line(self, number: int) -> str:
        """Return one line without its line break; empty where there is none."""
        return self.lines[number - 1].rstrip("\n") if 0 < number <= len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source: from (line, column) to (end_line, end_column)."""

    file: SourceFile
    line: int
    column: int
    end_line: int
    end_column: int

    def place(self) -> str:
        """Return ``file:line:column``, columns counted from 1 as editors do."""
        return f"{self.file.name}:{self.line}:{self.column + 1}"

    def excerpt(self) -> list[str]:
        """Return the source line and a caret line under it."""
        text = self.file.line(self.line)
        if not text.strip():
            return []
        stop = self.end_column if self.end_line == self.line else len(text)
        width = max(1, min(stop, len(text)) - self.column)
        gutter = f"{self.line:5d} | "
        pad = "".join("\t" if c == "\t" else " " for c in text[: self.column])
        return [gutter + text, " " * 6 + "| " + pad + "^" * width]
