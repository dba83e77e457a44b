"""One wrong program per diagnostic, with the exact text a user reads beside it.

``pytest tests/diagnostics --update-golden`` rewrites the texts; read the difference.
"""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import unisycl as sycl
from unisycl.base import diagnostics
from unisycl.frontend.specialize import forget

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
TEXTS = {p.stem: p.with_suffix(".txt") for p in PROGRAMS}


def load(path: Path) -> ModuleType:
    """Run a program's file, as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"wrong_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(path: Path) -> tuple[str, ...]:
    line = next(x for x in path.read_text().splitlines() if x.startswith("ROWS"))
    return tuple(ast.literal_eval(line.split("=", 1)[1].strip()))


@pytest.mark.parametrize("path", [
    pytest.param(p, id=p.stem, marks=pytest.mark.row(*rows(p))) for p in PROGRAMS])
def test_a_wrong_program_is_refused_with_the_expected_text(device, path, update_golden):
    queue = sycl.queue(device)
    program = load(path)
    with pytest.raises(sycl.KernelError) as caught:
        program.launch(queue)
    text = str(caught.value).replace(str(path.parent) + "/", "")
    golden = TEXTS[path.stem]
    if update_golden:
        golden.write_text(text + "\n", encoding="utf-8")
    assert golden.read_text(encoding="utf-8").splitlines() == text.splitlines()
    for found in caught.value.diagnostics:
        assert found.message
        assert found.id == "K022" or (found.span is not None and found.help), found
    if path.stem.startswith("K"):
        assert path.stem[:4] in {d.id for d in caught.value.diagnostics}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_it_fails_the_same_way_the_third_time(path):
    program = load(path)
    queue = sycl.queue(sycl.host_selector_v)
    texts = set()
    for _ in range(3):
        with pytest.raises(sycl.KernelError) as caught:
            program.launch(queue)
        texts.add(str(caught.value))
    forget()
    with pytest.raises(sycl.KernelError) as caught:
        program.launch(queue)
    assert texts == {str(caught.value)}


def test_every_diagnostic_has_a_wrong_program():
    shown = "".join(t.read_text(encoding="utf-8") for t in TEXTS.values())
    assert [id for id in diagnostics.ids() if f"error {id}:" not in shown] == []


def test_every_text_belongs_to_a_program():
    kept = {p.stem for p in (Path(__file__).parent / "programs").glob("*.txt")}
    assert kept == set(TEXTS)


def test_diagnostics_show_no_words_of_our_own():
    """Messages speak the user's language: no class names of the compiler, no templates left."""
    for path in TEXTS.values():
        text = path.read_text(encoding="utf-8")
        for word in ("Several", "Constant(", "Memory(", "Poison", "n.Expr", "{help}", "Scalar("):
            assert word not in text, path.name
