"""Names in C text: what the user called a thing, made unique and legal.

Non-goals: scopes; every name is unique in its kernel. Invariant: the same thing always gets the
same name.
"""

from __future__ import annotations

import re
from collections.abc import Callable

KEYWORDS = frozenset((
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while", "bool", "true", "false", "asm", "typeof",
    "main", "and", "or", "not", "xor", "bitand", "bitor", "compl", "class", "template", "this",
    "new", "delete", "operator", "private", "public", "protected", "virtual", "namespace",
    "using", "try", "catch", "throw", "friend", "export", "explicit", "mutable", "nullptr",
    "NULL",
))


class Names:
    """Gives every object a C identifier of its own."""

    def __init__(self, reserved: Callable[[str], bool]) -> None:
        self._reserved = reserved
        self._avoided: frozenset[str] = frozenset()
        self._taken: set[str] = set()
        self._of: dict[object, str] = {}

    def of(self, thing: object, wish: str) -> str:
        """Return the name of a thing, near to what it would like to be called."""
        known = self._of.get(thing)
        if known is None:
            known = self._of[thing] = self.fresh(wish)
        return known

    def put_into(self, thing: object, struct: str) -> None:
        """Make the name of a thing that of a member of a struct."""
        self._of[thing] = f"{struct}.{self._of[thing]}"

    def reserves(self, name: str) -> bool:
        """Say whether nothing may be called so."""
        return name in KEYWORDS or name.startswith("__") or name in self._avoided \
            or self._reserved(name)

    def avoid(self, words: frozenset[str]) -> None:
        """Reserve the words of a text that is compiled with ours."""
        self._avoided |= words

    def fresh(self, wish: str) -> str:
        """Return a name that nothing else has."""
        base = identifier(wish)
        if self.reserves(base):
            base = base.strip("_") + "_"
            base = f"x{base}" if base[0].isdigit() or self.reserves(base) else base
        name, k = base, 1
        while name in self._taken or name in self._avoided:
            k += 1
            name = f"{base}{'' if base.endswith('_') else '_'}{k}"
            name += "_" if self.reserves(name) else ""
        self._taken.add(name)
        return name


def identifier(wish: str) -> str:
    """Return a legal C identifier like a Python one; others' letters become their code."""
    text = re.sub(r"[^0-9A-Za-z_]", lambda m: "_" if m[0] in ".<>- " else f"u{ord(m[0]):x}", wish)
    return f"_{text}" if not text or text[0].isdigit() else text
