"""``unisycl/__init__.pyi``, made of the table of public names: ``python -m tests.arch.stubs``.

Type checkers and editors read it in place of ``__init__.py``, which loads names when they are used.
Non-goals: types; each name has those of the module it comes from.
"""

from __future__ import annotations

from pathlib import Path

import unisycl
from unisycl import public_names

STUB = Path(unisycl.__file__).with_suffix(".pyi")
_HEAD = """# Made by `python -m tests.arch.stubs` from unisycl/public_names.py.
"""


def stub_text() -> str:
    """Return the text of the stub: one import for each name."""
    packages = [f"from unisycl import {name} as {name}" for name in public_names.PACKAGES]
    homes = sorted({*public_names.NAMES, *public_names.FAMILIES})
    names = [f"from unisycl.{home} import {name} as {name}" for home in homes
             for name in sorted({*public_names.of(home)})]
    return _HEAD + "\n".join([*packages, *names, "", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(stub_text(), encoding="utf-8")
