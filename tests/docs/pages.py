"""The code that pages show, run as a reader would who goes through a page from top to bottom.

A block of ``python`` runs in the names of the blocks before it; a block of ``text`` right behind it
is what it prints (``...`` stands for any text). Words behind ``python`` say what else is to know:
``opencl`` or ``cuda``, the device it needs; ``mpi4py``, ``av`` or ``sklearn``, a package; ``peer``,
code of another system, which is only read.
Non-goals: other languages and what shells run. Notebooks are pages, too.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import linecache
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unisycl.ext.intel import kernel_readable_io_pipe, kernel_writeable_io_pipe

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "import numpy as np\nimport unisycl as sycl\nq = sycl.queue()\n"
"""What every page assumes, as docs/index.md says."""
_FENCE = re.compile(r"^( *)```(\w*)([^\n]*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block of code, where it stands, and what it prints (None: the page does not say)."""

    page: Path
    line: int
    words: tuple[str, ...]
    code: str
    printed: str | None

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Return the pages for users, and what is read first."""
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    return sorted(p for p in found if "dev" not in p.relative_to(ROOT).parts[:2])


def blocks(page: Path) -> Iterator[Block]:
    """Yield the Python blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        for number, cell in enumerate(json.loads(text)["cells"]):
            if cell["cell_type"] == "code":
                yield Block(page, number, (), "".join(cell["source"]), None)
        return
    known = list(_FENCE.finditer(text))
    for fence, following in zip(known, [*known[1:], None], strict=False):
        if fence[2] != "python":
            continue
        printed = None
        if following is not None and following[2] == "text" and not text[
                fence.end():following.start()].strip():
            printed = following[4]
        line = text[:fence.start()].count("\n") + 2
        yield Block(page, line, tuple(fence[3].split()), _dedented(fence), printed)


def _dedented(fence: re.Match[str]) -> str:
    """Return the code of a block that stands inside a list."""
    return re.sub(f"^{fence[1]}", "", fence[4], flags=re.MULTILINE)


def run(page: Path, devices: set[str]) -> list[str]:
    """Run the blocks of a page; return what is wrong with it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(BEFORE, "<before>", "exec"), names)  # noqa: S102 - as above
    wrong: list[str] = []
    for block in blocks(page):
        if "peer" in block.words:
            compile(block.code, block.place, "exec")
        elif set(block.words) <= devices:
            wrong += _run(block, names)
            if wrong:
                break
    for value in names.values():
        if isinstance(value, kernel_readable_io_pipe | kernel_writeable_io_pipe):
            value.close()  # else its thread gives commands while other tests count them
    return wrong


def _run(block: Block, names: dict[str, Any]) -> list[str]:
    """Run one block and compare what it prints."""
    file = block.place
    linecache.cache[file] = len(block.code), None, block.code.splitlines(keepends=True), file
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told):
            exec(compile(block.code, file, "exec"), names)  # noqa: S102 - as a reader would
    except BaseException as error:  # noqa: BLE001 - whatever stops a reader
        return [f"{file}: {type(error).__name__}: {error}"]
    if block.printed is None or doctest.OutputChecker().check_output(
            block.printed, told.getvalue(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE):
        return []
    return [f"{file} prints\n{told.getvalue()}\nand not\n{block.printed}"]


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, as programs that write files do."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
