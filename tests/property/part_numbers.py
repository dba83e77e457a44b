"""Numbers in random kernels over parts of memory, of what their names stand for (``parts``)."""

from __future__ import annotations

from dataclasses import dataclass

from tests.property.writing import Writer

OWN = 8
"""The length of an item's own rows and of private arrays."""


@dataclass(frozen=True)
class Part:
    """A name of memory: how long it is, the text of its length, whether items may write there."""

    name: str
    lengths: tuple[str, ...]
    mine: bool = False


class Numbers(Writer):
    """Writes expressions of what is known where they stand."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.loops = 0
        self.parts: list[Part] = []
        self.lists: list[tuple[str, int]] = []
        self.arrays: list[str] = []
        self.objects: list[str] = []
        self.numbers: list[str] = ["n", "v", "x"]

    # ---- text
    def pick(self, *ways: str) -> str:
        return self.rng.choice(ways)

    # ---- numbers from 0 to 63
    def number(self, deep: int = 0) -> str:
        """Return a whole number, mostly one that each item has for itself."""
        chance = self.rng.random()
        if chance < 0.15 or deep > 2:
            return str(self.rng.randrange(10))
        if chance < 0.35:
            return f"({self.rng.choice(self.numbers)} & 63)"
        if chance < 0.55 and self.parts:
            return self.element(self.rng.choice(self.parts), deep + 1)
        if chance < 0.65 and self.lists:
            name, size = self.rng.choice(self.lists)
            return f"(int({name}[{self.at(size, deep + 1)}]) & 63)"
        if chance < 0.75 and self.arrays:
            return f"(int({self.rng.choice(self.arrays)}[{self.at(OWN, deep + 1)}]) & 63)"
        if chance < 0.85 and self.objects:
            name = self.rng.choice(self.objects)
            return self.pick(f"({name}.k & 63)", f"({name}.w & 63)",
                             f"({name}({self.number(deep + 1)}) & 63)")
        if chance < 0.93 and self.parts:
            return self.summed(self.rng.choice(self.parts), deep + 1)
        one, other = self.number(deep + 1), self.number(deep + 1)
        return f"(({one} {self.pick('+', '*', '^')} {other}) & 63)"

    def at(self, size: int, deep: int = 1) -> str:
        """Return a place in something of a known length."""
        if self.often(0.3):
            return str(self.rng.randrange(-size, size))
        return f"{self.number(deep)} % {size}"

    def element(self, part: Part, deep: int) -> str:
        at = [f"{self.number(deep)} % {x}" if self.often(0.7) else self.pick("0", "-1")
              for x in part.lengths]
        text = "][".join(at) if self.often(0.3) else ", ".join(at)
        return f"(int({part.name}[{text}]) & 63)"

    def summed(self, part: Part, deep: int) -> str:
        """Return what a part has as a whole."""
        if len(part.lengths) == 2:
            row = f"{part.name}[{self.number(deep)} % {part.lengths[0]}]"
            return self.pick(f"(mixed({part.name}, {self.number(deep)} % 11) & 63)",
                             f"(int({row}.sum()) & 63)",
                             f"len({part.name})", f"{part.name}.shape[1]")
        name = part.name
        return self.pick(
            f"(int({name}.sum()) & 63)", f"(int({name}.max()) & 63)", f"int({name}.argmin())",
            f"(int(min({name})) & 63)", f"len({name})", f"({self.number(deep)} in {name})",
            f"(total({name}, {self.pick('0', '1')}) & 63)",
            f"(total({name}[::-1], 0) & 63)",
            f"(sum((j + 1) * int(y) for j, y in enumerate({name})) & 63)",
            f"any(int(y) == {self.number(deep)} for y in {name})")

    def test(self) -> str:
        return f"{self.number()} % {self.rng.randint(2, 5)} {self.pick('==', '!=')} 0"
