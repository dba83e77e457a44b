"""What of Python a kernel cannot have, each with its diagnostic and the way out (SYCL 2020 §5.4).

Non-goals: what it can have. Invariant: a syntax class is either lowered somewhere or listed here.
"""

from __future__ import annotations

import ast

STATEMENTS: dict[str, tuple[str, dict[str, str]]] = {
    "Try": ("K010", {"what": "try"}), "TryStar": ("K010", {"what": "try"}),
    "With": ("K011", {}), "AsyncWith": ("K011", {}),
    "AsyncFor": ("K012", {"what": "async for"}),
    "AsyncFunctionDef": ("K012", {"what": "async def"}),
    "Raise": ("K013", {}), "Import": ("K014", {}), "ImportFrom": ("K014", {}),
    "ClassDef": ("K016", {}), "Delete": ("K017", {}),
    "TypeAlias": ("K001", {"what": "a type alias", "help": "define it outside the kernel"}),
}
EXPRESSIONS: dict[str, tuple[str, dict[str, str]]] = {
    "Yield": ("K012", {"what": "yield"}), "YieldFrom": ("K012", {"what": "yield from"}),
    "Await": ("K012", {"what": "await"}),
    "Dict": ("K018", {"what": "a dict"}),
    "Set": ("K018", {"what": "a set"}),
    "SetComp": ("K018", {"what": "a set"}),
    "DictComp": ("K018", {"what": "a dict"}),
    "GeneratorExp": ("K052", {
        "what": "a generator expression", "where": "here",
        "help": "sum(), any(), all(), min(), max() and tuple() take one; else write a for loop"}),
    "JoinedStr": ("K019", {}), "FormattedValue": ("K019", {}), "TemplateStr": ("K019", {}),
    "Interpolation": ("K019", {}),
    "Starred": ("K020", {}),
    "Slice": ("K001", {"what": "a slice here", "help": "memory has slices, a[i, j:k] and a[:, j]; "
                      "elsewhere take elements one by one, in a loop"}),
}


def refusal(node: ast.AST) -> tuple[str, dict[str, str]]:
    """Return the diagnostic id and facts for a syntax class no one lowers."""
    name = type(node).__name__
    if isinstance(node, ast.Global | ast.Nonlocal):
        return "K015", {"what": name.lower(), "name": ", ".join(node.names)}
    return STATEMENTS.get(name) or EXPRESSIONS.get(name) or (
        "K001", {"what": f"'{name}'", "help": ""})
