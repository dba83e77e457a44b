"""``import unisycl``: what it offers, and what it does not do."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import unisycl


def test_type_checkers_see_the_names_the_table_has() -> None:
    tree = ast.parse(Path(unisycl.__file__).read_text(encoding="utf-8"))
    seen = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unisycl."):
            seen |= {a.asname: node.module.removeprefix("unisycl.") for a in node.names if a.asname}
    assert unisycl._NAMES == {n: h for n, h in seen.items() if not n.startswith("_")}


def test_importing_opens_no_compiler_and_no_driver() -> None:
    program = ("import sys, unisycl; print([m for m in sys.modules if m.startswith(('llvmlite', "
               "'unisycl.backends', 'unisycl.runtime', 'unisycl.api', 'unisycl.passes'))])")
    got = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         check=True)
    assert "[]" == got.stdout.strip()


def test_a_misspelt_name_gets_a_suggestion() -> None:
    with pytest.raises(AttributeError, match="did you mean 'nd_range'"):
        _ = unisycl.nd_rnge


def test_every_public_object_is_documented() -> None:
    assert [] == [n for n in unisycl._NAMES if not getattr(unisycl, n).__doc__]
