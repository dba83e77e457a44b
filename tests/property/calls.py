"""Random calls of builtin functions, of SYCL's and of Python's own, exact ones only.

Non-goals: functions that round (``accuracy``). Invariant: what a call gives is defined for every
operand it may get, and floats stay multiples of small powers of two.
"""

from __future__ import annotations

from tests.property.expressions import FLOATS, INTEGERS, SIGNED, Expressions

OF_TWO = ("abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "min", "max")
OF_ONE = ("clz", "ctz", "popcount", "abs")
ROUND = ("floor", "ceil", "trunc", "rint", "round", "fabs", "sign")


class Calls(Expressions):
    """Expressions with more calls in them."""

    def integer(self, dtype: str, depth: int, rank: int) -> str:
        if depth <= 0 or self.often(0.85):
            return super().integer(dtype, depth, rank)
        a, b = (self.integer(dtype, depth - 1, rank) for _ in range(2))
        way = self.rng.randint(0, 11)
        if way <= 2:
            return f"sycl.{self.pick(*OF_TWO)}({a}, {b})"
        if way == 3:
            return f"sycl.{self.pick(*OF_ONE)}({a})"
        if way == 4:
            return f"sycl.{self.pick('mad_hi', 'mad_sat')}({a}, {b}, {self.leaf(dtype, rank)})"
        if way == 5:
            return f"sycl.clamp({a}, {self.rng.randint(0, 3)}, {self.rng.randint(3, 90)})"
        if way == 6:
            return f"sycl.select({a}, {b}, {self.condition(1, rank)})"
        if way == 7:  # shifts by any number of bits
            return f"({a} {self.pick('<<', '>>')} {b})"
        if way == 8:
            return self.pick(f"({a} ** 2)", f"({a} ** 3)", f"divmod({a}, {b})[0]",
                             f"divmod({a}, 7)[1]", f"sum(({a}, {b}))", f"max({a}, {b}, {a})")
        if way == 9:
            return self.from_float(dtype, depth, rank)
        if way == 10:
            return f"sycl.bitselect({a}, {b}, {self.leaf(dtype, rank)})"
        narrow = self.pick("int8", "uint8", "int16")
        x = self.integer(narrow, depth - 1, rank)
        form = self.pick(f"sycl.{self.pick('floor', 'fabs', 'rint')}({x})", f"{x} / 4",
                         f"sycl.fmax({x}, 3)", f"math.floor({x} / 8)")
        return f"np.{dtype}(np.int32({form}))"

    def from_float(self, dtype: str, depth: int, rank: int) -> str:
        """Return an integer that a function of floats gives."""
        kind = self.rng.choice(FLOATS)
        x = self.exact(kind, 1, rank)
        form = self.pick(f"sycl.ilogb({x})",
                         f"sycl.frexp({x})[1]", f"round({x})", f"int({x} * 2)",
                         f"sycl.isless({x}, 1.5)", f"sycl.signbit({x})", f"sycl.isfinite({x})",
                         f"{x} // 0.75")
        return f"np.{dtype}(np.int32({form}))"

    def exact(self, dtype: str, depth: int, rank: int) -> str:
        if dtype == "float16":  # 11 bits hold one operation
            depth = min(depth, 1)
        if depth <= 0 or self.often(0.8):
            return super().exact(dtype, depth, rank)
        a, b = (self.exact(dtype, depth - 1, rank) for _ in range(2))
        way = self.rng.randint(0, 6)
        if way == 0:
            return f"sycl.{self.pick(*ROUND)}({a})"
        if way == 1:
            pair = self.pick("fmin", "fmax", "copysign", "fdim", "maxmag", "minmag", "step")
            return f"sycl.{pair}({a}, {b})"
        if way == 2:
            return f"sycl.{self.pick('fmod', 'remainder')}({a}, {self.pick('0.75', '2.5', '-3')})"
        if way == 3:
            return f"sycl.ldexp({a}, {self.pick('1', '-1', '2')})"
        if way == 4:
            return f"sycl.clamp({a}, -1.5, 2)"
        if way == 5:
            return f"sycl.{self.pick('modf', 'fract')}({a})[1]"
        return f"sycl.select({a}, {b}, {self.condition(0, rank)})"

    def comparison(self, depth: int, rank: int) -> str:
        if self.often(0.06):
            dtype = self.rng.choice(FLOATS)
            test = self.pick("isgreater", "islessequal", "isnotequal", "isequal", "isunordered")
            return f"sycl.{test}({self.exact(dtype, 1, rank)}, {self.leaf(dtype, rank)})"
        if self.often(0.05):  # integers of different signs and widths compare exactly
            a, b = self.rng.choice(INTEGERS), self.rng.choice(SIGNED)
            return f"{self.integer(a, 1, rank)} {self.pick('<', '>=', '==')} {self.leaf(b, rank)}"
        return super().comparison(depth, rank)
