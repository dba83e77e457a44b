"""Pages of the reference, made of docstrings: signature, what it says, members, with anchors.

Non-goals: texts of its own; what is missing on a page is missing in a docstring. Invariant: what
the classes keep for the runtime ("internal") is on no page.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import types
from pathlib import Path
from typing import Any

from docs.site.names import Name, pages
from unisycl.base import diagnostics

ROOT = Path(__file__).resolve().parents[2]
_SECTION = re.compile(r"^(Args|Returns|Raises|Example|Examples|Yields)(::?)\s*$")
_SHOWN = ROOT / "unisycl" / "api" / "public_types.pyi"


def write(folder: Path) -> list[str]:
    """Write the pages below a folder; return their names, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    for page, (title, names) in pages().items():
        text = [f"# {title}", *(_entry(name) for name in names)]
        (folder / f"{page}.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
    (folder / "diagnostics.md").write_text(_diagnostics(), encoding="utf-8")
    return [*pages(), "diagnostics"]


def _entry(name: Name) -> str:
    """Return what a page says of a name."""
    thing = name.thing
    parts = [f"## {name.name}", f"```python\n{name.full}{signature(thing, name.name)}\n```"]
    own = inspect.isclass(thing) or callable(thing) or not isinstance(
        thing, int | float | str | enum.Enum)
    text = (inspect.getdoc(thing) if own else None) or f"The constant `{thing!r}`."
    parts.append(rendered(text))
    if inspect.isclass(thing):
        parts += _members(thing, name)
    return "\n\n".join(parts)


def signature(thing: Any, name: str) -> str:
    """Return the parameters of something that can be called, or nothing."""
    row = getattr(thing, "row", None)
    if row is not None and hasattr(row, "arity"):
        return f"({', '.join('xyzw'[:row.arity]) if row.arity <= 4 else '...'})"
    if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, enum.Enum)):
        return ""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    internal = re.search(r"\b(?:Channel|Launch|Task|\w+State)\b", str(found))
    if inspect.isclass(thing):
        if internal:  # made by other names, which its text gives
            return ""
        found = found.replace(return_annotation=inspect.Signature.empty)
    plain = [p.replace(annotation=_plain(p.annotation)) for p in found.parameters.values()]
    return re.sub(r"['\"]", "", str(found.replace(
        parameters=plain, return_annotation=_plain(found.return_annotation))))


def _plain(annotation: Any) -> Any:
    """Return an annotation without modules, and without ``Any``, which says nothing."""
    if annotation is inspect.Parameter.empty:
        return annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:geo|npt|np|collections\.abc|typing|unisycl[\w.]*)\.(?=\w)", "", text)
    return inspect.Parameter.empty if text in ("Any", "object") else text


def rendered(text: str) -> str:
    """Return a docstring as a page has it: lists of arguments, code of examples."""
    text = re.sub(r"^    \w+:.*\(internal\)\.?\n", "", text, flags=re.MULTILINE)
    text = text.replace(" (internal)", "")
    out: list[str] = []
    section, code = "", False
    for line in text.splitlines():
        head = _SECTION.match(line)
        if head:
            out += ["```", ""] if code else []
            section, code = head[1], False
            out += [f"**{section}:**", ""]
            if section.startswith("Example"):
                out, code = [*out, "```python"], True
        elif code:
            if line and not line.startswith(" "):
                out, code, section = [*out, "```", "", _spans(line)], False, ""
            else:
                out.append(line[4:])
        elif section and re.match(r"^    \S", line):
            out.append(_spans(re.sub(r"^(\*{0,2}\w[\w, *]*): ", r"- `\1`: ", line[4:])
                              if section == "Args" else line[4:]))
        else:
            section = section if line.startswith(" ") or not line else ""
            out.append(_spans(line.strip() if section else line))
    return "\n".join([*out, "```"] if code else out).replace("::\n\n    ", ":\n\n    ")


def _spans(line: str) -> str:
    """Return a line of a docstring with Markdown's marks of code."""
    return line.replace("``", "`").replace("<", "&lt;") if "`" not in line else re.sub(
        "``", "`", line)


def _members(kind: type, name: Name) -> list[str]:
    """Return the members of a class: of an enumeration its values, else what programs call."""
    if issubclass(kind, enum.Enum):
        return [", ".join(f"`{m}`" for m in kind.__members__)]
    out = []
    for member in sorted(shown(kind, name.name)):
        static = inspect.getattr_static(kind, member, None)
        thing = getattr(kind, member, None)
        text = inspect.getdoc(thing) or ""
        if "(internal" in text or not text or isinstance(static, types.MemberDescriptorType):
            continue
        called = "" if isinstance(static, property) else signature(thing, member).replace(
            "(self, ", "(", 1).replace("(self)", "()", 1)
        out.append(f"### {name.name}.{member}\n\n```python\n{member}{called}\n```\n\n"
                   f"{rendered(text)}")
    return out


def shown(kind: type, name: str) -> set[str]:
    """Return the members of a class that programs are shown."""
    tree = ast.parse(_SHOWN.read_text(encoding="utf-8"))
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    if name not in classes:
        return {m for m in dir(kind) if not m.startswith("_") and not hasattr(object, m)
                and m not in ("channel", "task", "state", "used_by", "refuse")}
    found: set[str] = set()
    ahead = [name]
    while ahead:
        node = classes.get(ahead.pop())
        if node is not None:
            found |= {x.name for x in node.body if isinstance(x, ast.FunctionDef)
                      and not x.name.startswith("_")}
            ahead += [b.value.id if isinstance(b, ast.Subscript) else b.id  # type: ignore[attr-defined]
                      for b in node.bases if isinstance(b, ast.Subscript | ast.Name)]
    return found


def _diagnostics() -> str:
    """Return the page of what the kernel language refuses, by number."""
    rows = ["# Diagnostics", ("What is refused in kernels, by number. Each message names the file, "
                              "the line and the column, shows the line, and says what to write."),
            "| number | what it says | what to do |\n|---|---|---|\n" + "\n".join(
                f"| {number} | {_cell(what)} | {_cell(remedy)} |"
                for number, (what, remedy) in diagnostics.rows().items())]
    return "\n\n".join(rows) + "\n"


def _cell(text: str) -> str:
    """Return a text for a cell of a table; what is filled in is an ellipsis."""
    return re.sub(r"\{[^}]*\}", "…", text).replace("|", "\\|").replace("*", "\\*").replace(
        "\n", " ").replace("<", "&lt;")
