"""``unisycl/__init__.pyi``, made of the table of public names: ``python -m tests.arch.stubs``.

Type checkers and editors read it in place of ``__init__.py``, which loads names when they are used.
Non-goals: types; each name has those of the module it comes from, or of ``public_types.pyi``, which
shows classes without their internals, and generic.
"""

from __future__ import annotations

import ast
from pathlib import Path

import unisycl
from unisycl import public_names

STUB = Path(unisycl.__file__).with_suffix(".pyi")
TYPES = STUB.parent / "api" / "public_types.pyi"
_HEAD = """# Made by `python -m tests.arch.stubs` from unisycl/public_names.py.
"""


def shown_apart() -> set[str]:
    """Return the names that ``public_types.pyi`` defines for type checkers."""
    tree = ast.parse(TYPES.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def stub_text() -> str:
    """Return the text of the stub: one import for each name, and ``__all__``."""
    packages = [f"from unisycl import {name} as {name}" for name in public_names.PACKAGES]
    homes = sorted({*public_names.NAMES, *public_names.FAMILIES})
    apart = shown_apart()
    names = [f"from unisycl.{'api.public_types' if name in apart else home} import {name} as {name}"
             for home in homes for name in sorted({*public_names.of(home)})]
    starred = ["__all__ = [", *(f'    "{name}",' for name in unisycl.__all__), "]"]
    return _HEAD + "\n".join([*packages, *names, "", *starred, "", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(stub_text(), encoding="utf-8")
