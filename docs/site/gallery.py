"""The gallery: each program of docs/gallery is run, and stands beside the picture that it made.

Non-goals: the programs. Invariant: a picture on a page was made by the code above it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "docs" / "gallery").glob("*.py"))


def ending(program: Path) -> str:
    """Return how the name of a program's picture ends."""
    text = program.read_text(encoding="utf-8")
    return next((end for end in (".gif", ".svg") if end in text), ".png")


def write(folder: Path) -> None:
    """Run the programs and write a page of all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["# Gallery", ("Each picture was made by the program below it when this site was "
                           "built: `python docs/gallery/NAME.py picture.png`.")]
    for program in PROGRAMS:
        text = program.read_text(encoding="utf-8")
        picture = folder / f"{program.stem}{ending(program)}"
        subprocess.run([sys.executable, str(program), str(picture)], check=True)
        title, _, about = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")
        code = text.split('"""', 2)[2].strip()
        parts += [f"## {title.rstrip('.')}", about, f"![{title.rstrip('.')}]({picture.name})",
                  f"```python\n{code}\n```"]
    (folder / "index.md").write_text("\n\n".join(p for p in parts if p) + "\n", encoding="utf-8")
