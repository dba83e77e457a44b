"""What the site says of the public names, and that its programs run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from docs.site import gallery, names, reference, versions
from tests import children
from tests.docs import pages
from unisycl import public_names
from unisycl.base import diagnostics

ROOT = pages.ROOT


@pytest.fixture(name="made", scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the pages of the reference by name."""
    pytest.importorskip("av", reason="PyAV is not installed")
    folder = tmp_path_factory.mktemp("reference")
    return {page: (folder / f"{page}.md").read_text("utf-8") for page in reference.write(folder)}


def test_every_public_name_is_on_a_page_of_the_reference(made: dict[str, str]) -> None:
    found = {page: set(re.findall(r"^## (\S+)$", text, re.MULTILINE))
             for page, text in made.items()}
    listed = set().union(*(found[page] for page in names.TITLES))
    assert sorted(set(public_names.homes()) - listed) == []
    for page, (_, known) in names.pages().items():
        assert sorted({n.name for n in known} - found[page]) == []
    assert [key for key in diagnostics.ids() if f"| {key} |" not in made["diagnostics"]] == []


def test_no_page_of_the_reference_shows_what_is_internal(made: dict[str, str]) -> None:
    for page, text in made.items():
        assert "(internal" not in text, page
        assert text.count("```") % 2 == 0, page
    assert "### handler.parallel_for\n" in made["queues"]
    assert "### handler.check_free" not in made["queues"]


def test_every_page_of_the_site_is_in_its_contents() -> None:
    pytest.importorskip("av", reason="PyAV is not installed")
    contents = (ROOT / "docs" / "index.md").read_text("utf-8")
    own = [p.relative_to(ROOT / "docs").with_suffix("").as_posix() for p in pages.pages()
           if p.parent != ROOT and p.name != "index.md" and "coming-from" not in p.parts]
    assert [x for x in own if f"\n{x}\n" not in contents] == []
    assert all(x.startswith("oneapi-") for x in names.libraries())
    assert [x for x in (*names.TITLES, *names.EXTENSIONS) if f"\nreference/{x}\n" not in contents
            ] == []


@pytest.mark.parametrize("program", gallery.PROGRAMS, ids=lambda p: p.stem)
def test_a_program_of_the_gallery_is_short(program: Path) -> None:
    assert len(program.read_text("utf-8").splitlines()) <= 60


def test_a_program_of_the_gallery_makes_a_picture(tmp_path: Path, request: pytest.FixtureRequest
                                                  ) -> None:
    programs = gallery.PROGRAMS[:1] if request.config.getoption("--sample") else gallery.PROGRAMS
    for program in programs:  # all of them while the site is made
        target = tmp_path / f"{program.stem}{gallery.ending(program)}"
        children.run([sys.executable, str(program), str(target)], check=True, timeout=300)
        assert target.stat().st_size > 1000


def test_versions_of_the_site_know_of_each_other(tmp_path: Path) -> None:
    for name in ("0.9.0", "0.10.0", "0.10.0.dev1", "no-site"):
        front = tmp_path / name / versions.FRONT
        front.parent.mkdir(parents=True)
        if name != "no-site":
            front.write_text("", encoding="utf-8")
    versions.write(tmp_path)
    assert versions.known(tmp_path) == ["0.10.0", "0.10.0.dev1", "0.9.0"]
    assert '["0.10.0", "0.10.0.dev1", "0.9.0"]' in (tmp_path / "versions.js").read_text("utf-8")
    assert f'href="0.10.0/{versions.FRONT}"' in (tmp_path / "index.html").read_text("utf-8")
