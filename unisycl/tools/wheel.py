"""A wheel of a package's files: names, metadata, digests.

Non-goals: build systems, extension modules. Invariants: the same files give the same bytes; every
file but RECORD is in RECORD with its digest.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import py_compile
import re
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import unisycl as sycl
from unisycl.process import packages

_WHEN = (1980, 1, 1, 0, 0, 0)


class Wheel:
    """A wheel to be: the files of one package as they will be installed."""

    def __init__(self, name: str, release: str, package: str, folder: Path, *,
                 sources: bool) -> None:
        self.name, self.release, self.package, self.sources = name, release, package, sources
        self.folder = folder
        self.files: dict[str, bytes] = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.name != packages.FILE:
                self._add(f"{package}/{path.relative_to(folder).as_posix()}", path)

    def _add(self, name: str, path: Path) -> None:
        raw = path.read_bytes()
        if not self.sources and name.endswith(".py"):
            with tempfile.TemporaryDirectory() as folder:
                made = Path(folder) / "module.pyc"
                py_compile.compile(str(path), str(made), name, doraise=True,
                                   invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
                name, raw = f"{name}c", made.read_bytes()
        self.files[name] = raw

    @property
    def distribution(self) -> str:
        """The name and version as files spell them."""
        escaped = re.sub(r"[-_.]+", "_", self.name).lower()
        return f"{escaped}-{self.release}"

    def digest_of(self, module: str) -> str:
        """Return the digest of a module's file as installed; '' if it is not in the wheel."""
        stem, end = module.replace(".", "/"), "py" if self.sources else "pyc"
        raw = self.files.get(f"{stem}.{end}") or self.files.get(f"{stem}/__init__.{end}")
        return "" if raw is None else hashlib.sha256(raw).hexdigest()

    def write(self, folder: Path, archive: bytes, requires: Sequence[str], *,
              native: bool) -> Path:
        """Write the wheel into a folder; return its path."""
        python = "py3" if self.sources else f"cp{sys.version_info[0]}{sys.version_info[1]}"
        tag = f"{python}-none-{f'linux_{platform.machine()}' if native else 'any'}"
        info = f"{self.distribution}.dist-info"
        files = {**self.files, f"{self.package}/{packages.FILE}": archive,
                 f"{info}/METADATA": self._metadata(requires),
                 f"{info}/WHEEL": ("Wheel-Version: 1.0\nGenerator: unisycl\nRoot-Is-Purelib: "
                                   f"{str(not native).lower()}\nTag: {tag}\n").encode(),
                 f"{info}/entry_points.txt":
                     f"[{packages.GROUP}]\n{self.package} = {self.package}\n".encode()}
        rows = [f"{name},sha256={_digest(raw)},{len(raw)}\n" for name, raw in files.items()]
        files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.distribution}-{tag}.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, raw in files.items():
                entry = zipfile.ZipInfo(name, _WHEN)
                entry.external_attr = 0o644 << 16
                out.writestr(entry, raw, zipfile.ZIP_DEFLATED)
        return path

    def _metadata(self, requires: Sequence[str]) -> bytes:
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.release}",
                 f"Requires-Python: >={sys.version_info[0]}.11",
                 *(f"Requires-Dist: {x}" for x in ("numpy", *requires))]
        return ("\n".join(lines) + f"\n\nKernels compiled by unisycl {sycl.__version__}.\n"
                ).encode()


def _digest(raw: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).rstrip(b"=").decode()
