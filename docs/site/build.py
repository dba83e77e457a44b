"""Put the site's pages together and have Sphinx make it; its warnings are errors.

Pages stay where they are: what is made of them lies in ``build/site``. Non-goals: publishing.
Invariants: nothing is taken from a network; the tree of pages has the folders of the repository, so
that links between them hold as they are.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from docs.site import gallery, reference, versions

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "site"
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
_LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def main() -> int:
    """Build the site; return Sphinx's exit status."""
    source, site = BUILD / "source", BUILD / "html"
    made = site / versions.current()
    for old in (source, made):  # sites of other versions stay
        shutil.rmtree(old, ignore_errors=True)
    gather(source)
    gallery.write(source / "docs" / "gallery")
    reference.write(source / "docs" / "reference")
    status = subprocess.run([
        sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
        "-D", f"release={versions.current()}", "-c", str(ROOT / "docs" / "site"), str(source),
        str(made)], check=False).returncode
    if status == 0:
        versions.write(site)
    print(f"docs: {site / 'index.html'}" if status == 0 else "docs: failed")
    return status


def gather(source: Path) -> None:
    """Copy the pages, and the files that they link to, in the folders of the repository."""
    pages = [ROOT / name for name in PAGES if (ROOT / name).exists()]
    pages += [p for kind in ("*.md", "*.ipynb") for p in (ROOT / "docs").rglob(kind)]
    files = {p: p for p in pages}
    for page in pages:
        for link in _LINK.findall(page.read_text(encoding="utf-8")):
            target = (page.parent / link[0]).resolve()
            if target.is_file() and ROOT in target.parents:
                files[target] = target
    for file in files:
        place = source / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            place.write_text(whole_links(file), encoding="utf-8")
        else:
            shutil.copyfile(file, place)


def whole_links(page: Path) -> str:
    """Return a page; links to folders lead to what a folder has to read, or are words."""
    def changed(found: re.Match[str]) -> str:
        target = (page.parent / found[1]).resolve()
        if target.is_dir():
            for name in ("README.md", "index.md"):
                if (target / name).exists():
                    return f"]({found[1].rstrip('/')}/{name}{found[2] or ''})"
        return found[0]
    return _LINK.sub(changed, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
