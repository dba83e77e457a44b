"""What code tests generate, to compare two states of the project byte for byte.

``python -m tests.generated collect FILE [PYTEST ...]`` runs tests and writes the digests of the
texts that backends generated for each of them, LLVM IR and OpenCL C; ``python -m tests.generated
compare BEFORE AFTER`` names the tests whose texts differ. ``--texts FOLDER`` keeps the texts by
their digests. Non-goals: whether the code is right. Invariant: the functions of the package that
are watched are found by names that outlive moves of modules.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import unisycl


def module_of(room: str, name: str) -> Any:
    """Return the one module of a name below a room, wherever in it."""
    prefix = f"unisycl.{room}." if room else "unisycl."
    found = [m.name for m in pkgutil.walk_packages(unisycl.__path__, "unisycl.")
             if m.name.startswith(prefix) and m.name.endswith(f".{name}") and not m.ispkg]
    assert len(found) == 1, found
    return importlib.import_module(found[0])


class Collector:
    """A plugin of pytest that notes digests of generated texts by test."""

    def __init__(self, texts: Path | None) -> None:
        self.found: dict[str, set[str]] = defaultdict(set)
        self._texts = texts
        self._test = ""

    def note(self, text: str) -> None:
        """Remember a text for the test that runs."""
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.found[self._test].add(digest)
        if self._texts is not None:
            (self._texts / digest).write_text(text, encoding="utf-8")

    def pytest_configure(self) -> None:
        """Watch the functions that get texts; code from LLVM is not optimised, to save time."""
        jit = module_of("backends.cpu", "jit")
        programs = module_of("backends.opencl", "programs")
        load, build = jit.load, programs.build

        def quick_load(text: str, names: tuple[str, ...], **options: Any) -> Any:
            self.note(text)
            return load(text, names, **{**options, "level": 0})

        def noted_build(*arguments: Any) -> Any:
            self.note(next(a.text for a in arguments if hasattr(a, "text")))
            return build(*arguments)

        jit.load, programs.build = quick_load, noted_build
        module_of("", "disk_cache").load = lambda *_arguments: None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Remember which test runs."""
        self._test = f"{item.path.name}::{item.name}"


def collect(file: Path, texts: Path | None, arguments: Sequence[str]) -> int:
    """Run tests and write the digests of what was generated for each."""
    if texts is not None:
        texts.mkdir(parents=True, exist_ok=True)
    collector = Collector(texts)
    status = pytest.main(["-q", "-p", "no:cacheprovider", *arguments], [collector])
    file.write_text(json.dumps({k: sorted(v) for k, v in sorted(collector.found.items())},
                               indent=0), encoding="utf-8")
    return int(status)


def compare(before: Path, after: Path) -> int:
    """Print the tests whose texts differ; return how many do."""
    old, new = (json.loads(f.read_text(encoding="utf-8")) for f in (before, after))
    both = sorted(old.keys() & new.keys())
    differ = [name for name in both if old[name] != new[name]]
    for name in differ:
        print(f"{name}: {' '.join(sorted({*old[name]} ^ {*new[name]}))}")
    print(f"{len(both)} tests with texts in both, {len(differ)} differ; "
          f"{len(old) - len(both)} only before, {len(new) - len(both)} only after")
    return len(differ)


def main() -> int:
    """Collect or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("file", type=Path)
    collecting.add_argument("--texts", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options, rest = parser.parse_known_args()
    if options.command == "compare":
        return min(compare(options.before, options.after), 1)
    return collect(options.file, options.texts, rest)


if __name__ == "__main__":
    sys.exit(main())
