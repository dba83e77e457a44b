"""Random vectors (``vec``) and arrays (``marray``) of the kernel language.

A dtype such as ``vec int32 4`` stands for one of them wherever a dtype does. Non-goals: scalars,
control flow. Invariant: every value is a new object, so no two names share elements; floats stay
multiples of small powers of two.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.property.expressions import FLOATS, GROUP, INTEGERS, ITEM, SIGNED, UNSIGNED, Variable
from tests.property.rebinding import Rebinding
from tests.property.statements import Flow

COUNTS = {"vec": (2, 2, 3, 4, 4, 8, 16), "marray": (1, 2, 3, 5, 7)}
HEADS = {"vec": "v", "marray": "y"}


def parts(dtype: str) -> tuple[str, str, int]:
    """Return what kind of vector a dtype is, of what, and how many elements it has."""
    kind, element, count = dtype.split()
    return kind, element, int(count)


def made(dtype: str) -> str:
    """Return the text of a type."""
    kind, element, count = parts(dtype)
    return f"sycl.{kind}(np.{element}, {count})"


class Vectors(Rebinding):
    """Statements with vectors as further types of variables, memory and results."""

    def __init__(self, rng: Random, size: int, dtypes: tuple[str, ...]) -> None:
        super().__init__(rng, size, dtypes)
        self.vectors: tuple[str, ...] = ()
        if self.often(0.5):
            elements = [t for t in dtypes if t != "bool"] or ["int32"]
            kinds = [self.pick("vec", "vec", "marray") for _ in range(2)]
            self.vectors = tuple(
                f"{kind} {rng.choice(elements)} {rng.choice(COUNTS[kind])}" for kind in kinds)

    # ---- values
    def value(self, dtype: str, depth: int, rank: int = ITEM) -> str:
        if " " not in dtype:
            return super().value(dtype, depth, rank)
        return f"{made(dtype)}({self.vector(dtype, min(depth, 2), rank)})"

    def passed(self, v: Variable) -> str:
        return f"{made(v.dtype)}({v.name})" if " " in v.dtype else v.name

    def leaf(self, dtype: str, rank: int) -> str:
        names = [v for v in self.scope if " " in v.dtype and v.rank >= rank
                 and parts(v.dtype)[1] == dtype]
        if not names or self.often(0.6):
            return super().leaf(dtype, rank)
        v = self.rng.choice(names)
        return f"{v.name}{self.element(v.dtype, rank)}"

    def element(self, dtype: str, rank: int) -> str:
        """Return the text that selects one element."""
        kind, _, count = parts(dtype)
        k = self.rng.randrange(count)
        if kind == "vec" and self.often(0.6):
            return f".{'xyzw'[k]}" if count <= 4 else f".s{'0123456789ABCDEF'[k]}"
        return f"[{k}]" if self.often(0.5) else f"[{self.small(rank, 1)} % {count}]"

    def vector(self, dtype: str, depth: int, rank: int) -> str:
        """Return an expression of a vector, or a number that fills one."""
        kind, element, count = parts(dtype)
        if depth <= 0 or self.often(0.2):
            return self.vector_leaf(dtype, rank)
        a = f"{made(dtype)}({self.vector(dtype, depth - 1, rank)})"
        if element in FLOATS:
            return self.floats(dtype, a, rank)
        way = self.rng.randint(0, 8)
        b = f"{made(dtype)}({self.vector(dtype, depth - 1, rank)})" if self.often(0.6) \
            else self.pick("2", "3", "7", self.value(element, 0, rank))
        if way <= 3:
            return f"{a} {self.pick('+', '-', '*', '&', '|', '^')} {b}"
        if way == 4:
            return f"{a} {self.pick('//', '%')} {self.pick('2', '3', '7')}"
        if way == 5:
            return f"{a} {self.pick('<<', '>>')} {self.rng.randint(0, 6)}"
        if way == 6:
            return f"sycl.{self.pick('min', 'max')}({a}, {made(dtype)}({b}))"
        if way == 7:
            return self.pick(f"-{a}", f"~{a}", f"+{a}")
        return self.reshaped(dtype, a, rank)

    def vector_leaf(self, dtype: str, rank: int) -> str:
        kind, element, count = parts(dtype)
        names = self.visible(dtype, rank)
        if names and self.often(0.6):
            return self.rng.choice(names)
        if self.often(0.4):
            memory = self.use(f"{HEADS[kind]}{count}_{element}")
            return f"{memory}[{self.index(rank)}]"
        if self.often(0.3):
            return super().value(element, 1, rank)
        return ", ".join(super(Vectors, self).value(element, 0, rank) for _ in range(count))

    def floats(self, dtype: str, a: str, rank: int) -> str:
        """Return a float vector whose elements lie between -4 and 4."""
        kind, element, count = parts(dtype)
        if kind == "marray" or self.often(0.3):
            return self.pick(f"-{a}", f"sycl.fabs({a})", f"sycl.fmin({a}, 1.5)",
                             f"sycl.clamp({a}, -1, 2)")
        b = f"{made(dtype)}({self.vector_leaf(dtype, rank)})"
        if self.often(0.3):
            return self.reshaped(dtype, a, rank)
        eighths = f"(({a} {self.pick('+', '-', '*')} {b}) * 8).convert(np.int32)"
        return f"({eighths} % 65).convert(np.{element}) / 8 - 4"

    def reshaped(self, dtype: str, a: str, rank: int) -> str:
        """Return a swizzle, or a conversion of another vector."""
        kind, element, count = parts(dtype)
        if kind == "marray":
            return f"{a} + ({a} < {made(dtype)}({self.value(element, 0, rank)}))[0]" \
                if element in INTEGERS and self.often(0.5) else a
        way = self.rng.randint(0, 4)
        if way == 0 and count <= 4:
            names = self.pick("xyzw", "rgba") if count == 4 else "xyzw"
            return f"{a}.{''.join(self.rng.choice(names[:count]) for _ in range(count))}"
        if way == 1 and count >= 4:
            return f"{a}.{self.pick('lo', 'hi')}, {a}.{self.pick('odd', 'even', 'hi')}"
        if way == 2 and element in INTEGERS:
            found = f"({a} {self.pick('<', '==', '>=')} {self.value(element, 0, rank)})"
            return f"{found}.convert(np.{element})"
        if way == 3 and element in INTEGERS:
            other = self.rng.choice(INTEGERS)
            x = f"{made(f'vec {other} {count}')}({self.value(other, 1, rank)})"
            return f"({x} + 1).convert(np.{element})"
        if way == 4 and element in INTEGERS:
            twin = (UNSIGNED if element in SIGNED else SIGNED)[
                (SIGNED if element in SIGNED else UNSIGNED).index(element)]
            other = f"vec {twin} {count}"
            return f"({a}.as_({made(other)}) >> 1).as_({made(dtype)})"
        return f"{a}.swizzle({', '.join(str(self.rng.randrange(count)) for _ in range(count))})"

    # ---- statements
    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        if self.vectors:
            ways += [(4, self.introduce_vector), (4, self.change), (3, self.store_vector)]
        return ways

    def introduce_vector(self, flow: Flow) -> None:
        dtype, rank = self.rng.choice(self.vectors), self.rng.randint(0, flow.level)
        name = self.fresh("z")
        if "vec" in dtype and self.often(0.2):
            _, element, count = parts(dtype)
            self.emit(f"{name} = {made(dtype)}()")
            self.emit(f"{name}.load({self.small(rank, 2)} % {self.size}, "
                      f"{self.use(f'x_{element}')})")
        else:
            self.emit(f"{name} = {self.value(dtype, self.deep(), rank)}")
        self.scope.append(Variable(name, dtype, rank))
        self.assignable.add(name)

    def change(self, flow: Flow) -> None:
        """Assign one element, or several, of a vector."""
        mine = [v for v in self.scope if " " in v.dtype and v.rank <= flow.level
                and v.name in self.assignable]
        if not mine:
            self.introduce_vector(flow)
            return
        v = self.rng.choice(mine)
        kind, element, count = parts(v.dtype)
        rank = max(v.rank, self.rng.choice((ITEM, ITEM, GROUP)))
        if kind == "vec" and 2 <= count <= 4 and self.often(0.3):
            names = "".join(self.rng.sample("xyzw"[:count], 2))
            self.emit(f"{v.name}.{names} = {self.value(f'vec {element} 2', 1, rank)}")
            return
        at = f"{v.name}{self.element(v.dtype, rank)}"
        if element in INTEGERS and self.often(0.3):
            self.emit(f"{at} {self.pick('+', '-', '^')}= {self.value(element, 0, rank)}")
        else:
            self.emit(f"{at} = {self.value(element, self.deep(), rank)}")

    def store_vector(self, flow: Flow) -> None:
        if not self.outputs or not self.linear:
            self.introduce_vector(flow)
            return
        dtype = self.rng.choice(self.vectors)
        kind, element, count = parts(dtype)
        if kind == "vec" and self.often(0.25):
            self.emit(f"{self.value(dtype, 1)}.store({self.linear}, "
                      f"{self.use(f'x{count}o_{element}')})")
            return
        place = f"{self.use(f'{HEADS[kind]}{count}o_{element}')}[{self.linear}]"
        if self.often(0.3):
            self.emit(f"{place}{self.element(dtype, ITEM)} = {self.value(element, 1)}")
        elif element in INTEGERS and self.often(0.2):
            self.emit(f"{place} += {self.value(dtype, 1)}")
        else:
            self.emit(f"{place} = {self.value(dtype, self.deep())}")
