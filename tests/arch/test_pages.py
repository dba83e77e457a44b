"""What pages and comments name exists: links, headings, files, commands, rooms.

Non-goals: what pages say of them. The code that pages show is run by tests of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arch.sources import PACKAGE, ROOT, all_sources
from tests.arch.test_layers import ROOMS

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BASES = [ROOT, ROOT / PACKAGE, ROOT / "tests", ROOT / "tests" / "conformance"]
"""Where a path may begin, besides at the page."""

ANY = {"DIR", "FILE", "FOLDER", "NAME", "NNNN-title"}
"""Words that stand for a name of the reader's."""

_FILE = re.compile(r"(?<![\w./~:-])((?:[\w.-]+/)+[\w-]+\.(?:py|md|cl|toml|json|txt|svg))\b")
_MODULE = re.compile(rf"python -m ((?:tests|bench|{PACKAGE})(?:\.\w+)*)")
_DOCS = re.compile(r"\bdocs/[\w/-]+(?:\.\w+)?")


def prose(page: Path) -> str:
    """Return a page without its code: brackets there are no links."""
    return re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the names by which links reach the headings of a page."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def broken_links(page: Path) -> Iterator[str]:
    """Yield a page's links to files that do not exist, and to headings that pages lack."""
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


def exists(path: str, page: Path) -> bool:
    """Return whether a file is there, or its name stands for any."""
    return bool(ANY & set(Path(path).with_suffix("").parts)) or any(
        (base / path).exists() for base in (page.parent, *BASES))


def is_program(module: str) -> bool:
    """Return whether ``python -m`` runs a module, or its name stands for any."""
    path = ROOT / module.replace(".", "/")
    return (path.with_suffix(".py").exists() or (path / "__main__.py").exists()
            or (path.name in ANY and path.parent.is_dir()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert list(broken_links(page)) == []
    assert [x for x in _FILE.findall(text) if "://" not in x and not exists(x, page)] == []
    assert [x for x in _MODULE.findall(text) if not is_program(x)] == []


def test_the_pages_that_code_names_exist() -> None:
    files = [(s.path, s.text) for s in all_sources() if s.path != Path(__file__)]
    missing = [f"{path.relative_to(ROOT)}: {name}" for path, text in files
               for name in _DOCS.findall(text) if not (ROOT / name).exists()]
    assert missing == []


def test_each_page_is_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in seen and page.suffix == ".md" and page.exists():
            seen.add(page)
            links = re.findall(r"\]\(([^)#\s]+)", prose(page))
            ahead += [(page.parent / x).resolve() for x in links if "://" not in x]
    assert [page for page in PAGES if page.resolve() not in seen] == []


def rooms_of_the_page() -> dict[str, str]:
    """Return what the table of rooms says each may import, by room."""
    text = (ROOT / "docs" / "dev" / "architecture.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    found = {name: row[2].strip() for row in rows if len(row) == 3
             for name in re.findall(r"`([\w/.]+)`", row[0])}
    return {k.strip("/").removesuffix(".py").replace("/", "."): v for k, v in found.items()}


def test_the_page_of_architecture_says_who_may_import_whom() -> None:
    page = rooms_of_the_page()
    listed = {room: rights for room, rights in ROOMS.items() if room != "backends.*"}
    listed |= {room: ROOMS["backends.*"] for room in page
               if re.fullmatch(r"backends\.(cpu|cfamily|null)", room)}
    said = {room: {"" if x == "the public package" else x for x in text.split(", ") if text}
            for room, text in page.items() if room in listed}
    assert said == listed


def test_the_page_of_architecture_names_each_room() -> None:
    rooms = {p.stem for p in (ROOT / PACKAGE).iterdir()
             if (p.is_dir() or p.suffix == ".py") and not p.stem.startswith("__")}
    assert sorted(rooms - {x.partition(".")[0] for x in rooms_of_the_page()}) == []
