"""LLVM IR as text: a function under construction, types, constants and declarations.

Non-goals: what the instructions mean to a kernel. Text is several times faster to make than an
object model, and readable as it is. Invariant: every name is defined once; allocas stand in the
entry block.
"""

from __future__ import annotations

import struct

from unisycl.backends.cpu.emit.lines import Lines
from unisycl.base.dtypes import DType
from unisycl.base.spans import Span

LOOSE = "reassoc nsz arcp contract"
"""The flags of arithmetic that may be reordered: sums, products by reciprocals, signs of zero."""
_FLOATS = {16: "half", 32: "float", 64: "double"}
STACK_LIMIT = 64 << 10
"""The bytes from which on memory of a function is not on its thread's stack."""


def llvm_type(dtype: DType, lanes: int = 0) -> str:
    """Return the LLVM type of a scalar, or of a vector of ``lanes`` of them."""
    return _types[dtype.kind == "f", dtype.bits, lanes]


class _Types(dict[tuple[bool, int, int], str]):
    """Types by whether they are of floats, their bits and lanes."""

    def __missing__(self, kind: tuple[bool, int, int]) -> str:
        """Write one."""
        is_float, bits, lanes = kind
        scalar = _FLOATS[bits] if is_float else f"i{bits}"
        made = self[kind] = f"<{lanes} x {scalar}>" if lanes else scalar
        return made


_types = _Types()


def suffix(dtype: DType, lanes: int = 0) -> str:
    """Return the mangling of a type in an intrinsic's name."""
    scalar = ("f" if dtype.is_float else "i") + str(dtype.bits)
    return f"v{lanes}{scalar}" if lanes else scalar


def constant(value: bool | int | float, dtype: DType) -> str:
    """Return the spelling of a scalar constant."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if not dtype.is_float:
        return str(int(value))
    if dtype.bits == 16:
        return "0xH" + struct.pack(">e", value).hex().upper()
    wide = float(value) if dtype.bits == 64 else struct.unpack(">f", struct.pack(">f", value))[0]
    return "0x" + struct.pack(">d", wide).hex().upper()


def vectors(widest: int) -> str:
    """Return the attributes of a function that uses vectors of ``widest`` bits."""
    return f'nounwind "prefer-vector-width"="{widest}" "min-legal-vector-width"="{widest}"'


ONCE = '!{!"llvm.loop.unroll.disable"}'
NOT_AT_RUN_TIME = '!{!"llvm.loop.unroll.runtime.disable"}'
"""What a branch back says: the body is not to be repeated; not unless all turns are known."""


class Module:
    """The text of one module: functions, and declarations collected while they are written.

    ``lacks_wide``: the target has no conversions between vectors of floats and of 64-bit integers.
    ``fuses``: it adds to a product and rounds once.
    """

    def __init__(self, triple: str, layout: str, flags: str = "contract") -> None:
        self.triple = triple
        self.layout = layout
        self.flags = flags
        self.lacks_wide = self.fuses = False
        self.lines: Lines | None = None
        self._loops: list[str] = []
        self.declarations: dict[str, str] = {}
        self.functions: list[str] = []
        self.globals: list[str] = []
        self._tables: dict[str, str] = {}
        self.results: dict[str, list[DType]] = {}  # of functions that several places call

    def declare(self, name: str, signature: str) -> str:
        """Declare an external function once; ``signature`` has ``@`` where the name goes."""
        self.declarations[name] = "declare " + signature.replace("@", f"@{name}", 1)
        return name

    def table(self, values: str, type: str) -> str:
        """Return the name of a constant in memory; equal ones are one."""
        line = f"private unnamed_addr constant {type} {values}, align 64"
        for name, known in self._tables.items():
            if known == line:
                return name
        name = f"@table{len(self._tables)}"
        self._tables[name] = line
        self.globals.append(f"{name} = {line}")
        return name

    def text(self) -> str:
        """Return the whole module."""
        head = [f'target datalayout = "{self.layout}"', f'target triple = "{self.triple}"']
        lines = self.lines.text() if self.lines is not None else []
        return "\n".join([*head, *self.globals, *self.declarations.values(), *self.functions,
                          "!0 = !{}", "!1 = !{i32 1}",
                          '!2 = !{!"branch_weights", i32 1, i32 4000}', *self._loops, *lines, ""])

    def loop(self, *words: str) -> str:
        """Return what a loop's branch back says of it: words such as ``!"llvm.loop..."``."""
        name = f"!{1000 + len(self._loops)}"
        self._loops.append(f"{name} = distinct !{{{', '.join((name, *words))}}}")
        return f", !llvm.loop {name}"


class Function:
    """One function under construction; ``result`` is the type it returns."""

    def __init__(self, module: Module, name: str, parameters: str, attributes: str,
                 linkage: str = "") -> None:
        self.module = module
        self.result = "void"
        self._head = linkage, f"@{name}({parameters}) {attributes} {{"
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._heap: list[str] = []
        self._count = 0
        self._at = ""

    def name(self, stem: str = "t") -> str:
        """Return a fresh value name."""
        self._count += 1
        return f"%{stem}{self._count}"

    def op(self, text: str) -> str:
        """Append an instruction and return the name of its value."""
        name = self.name()
        self._lines.append(f"  {name} = {text}{self._at}")
        return name

    def place(self, span: Span | None) -> None:
        """Say which place in the user's source the instructions that follow are of."""
        lines = self.module.lines
        if lines is not None and span is not None:
            self._at = lines.at(span)

    def do(self, text: str) -> None:
        """Append an instruction without a value."""
        self._lines.append("  " + text + self._at)

    def before_last(self, text: str) -> None:
        """Put an instruction before the one appended last."""
        self._lines.insert(len(self._lines) - 1, "  " + text)

    def label(self, stem: str) -> str:
        """Return a fresh label."""
        self._count += 1
        return f"{stem}{self._count}"

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self._lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """End the block with a branch."""
        self.do(f"br label %{label}")

    def again(self, head: str, word: str = ONCE) -> None:
        """End a loop's body with the branch back, where nothing is gained by repeating the body.

        LLVM takes Zen's buffer of 4096 operations for what a loop may grow to.
        """
        self.do(f"br label %{head}{self.module.loop(word)}")

    def branch(self, cond: str, yes: str, no: str, *, unlikely: bool = False) -> None:
        """End the block with a conditional branch; ``unlikely``: it hardly ever says yes."""
        self.do(f"br i1 {cond}, label %{yes}, label %{no}" + (", !prof !2" if unlikely else ""))

    def alloca(self, type: str, align: int = 0) -> str:
        """Reserve memory in the entry block."""
        name = self.name("a")
        self._allocas.append(f"  {name} = alloca {type}" + (f", align {align}" if align else ""))
        return name

    def heap(self, size: int) -> str:
        """Reserve memory that is too large for a thread's stack, until the function returns."""
        self.module.declare("malloc", "ptr @(i64)")
        self.module.declare("free", "void @(ptr)")
        name = self.name("h")
        self._allocas.append(f"  {name} = call ptr @malloc(i64 {size})")
        self._heap.append(name)
        return name

    def argument(self, slot: int, type: str) -> str:
        """Read a slot of the argument block, in the entry block."""
        where, name = self.name("p"), self.name("s")
        self._allocas.append(f"  {where} = getelementptr inbounds i64, ptr %args, i64 {slot}")
        self._allocas.append(f"  {name} = load {type}, ptr {where}, align 8, !invariant.load !0")
        return name

    def early(self, text: str) -> str:
        """Append an instruction to the entry block and return the name of its value."""
        name = self.name()
        self._allocas.append(f"  {name} = {text}")
        return name

    def hidden_zero(self, bits: str, type: str) -> str:
        """Return, in the entry block, a zero of ``type`` that the optimiser takes for anything."""
        where, number, name = self.name("z"), self.name("z"), self.name("z")
        cast = "inttoptr" if type == "ptr" else "bitcast"
        self._allocas += [f"  {where} = alloca {bits}",
                          f"  store volatile {bits} 0, ptr {where}",
                          f"  {number} = load volatile {bits}, ptr {where}",
                          f"  {name} = {cast} {bits} {number} to {type}"]
        return name

    def load(self, type: str, pointer: str, align: int = 0, extra: str = "") -> str:
        """Append a load."""
        tail = f", align {align}" if align else ""
        return self.op(f"load {type}, ptr {pointer}{tail}{extra}")

    def store(self, type: str, value: str, pointer: str, align: int = 0) -> None:
        """Append a store."""
        self.do(f"store {type} {value}, ptr {pointer}" + (f", align {align}" if align else ""))

    def gep(self, type: str, pointer: str, index: str) -> str:
        """Return the address of an element; ``index`` is an i64."""
        return self.op(f"getelementptr inbounds {type}, ptr {pointer}, i64 {index}")

    def finish(self, value: str = "") -> None:
        """Add the function to its module; ``value`` is what it returns."""
        for block in self._heap:
            self.do(f"call void @free(ptr {block})")
        self.do(f"ret {self.result} {value}".rstrip())
        head = " ".join(["define", self._head[0], self.result, self._head[1]])
        if self._at and self.module.lines is not None:
            head = head.removesuffix("{") + self.module.lines.function + " {"
        body = [head, "entry:", *self._allocas, "  br label %start", "start:", *self._lines, "}"]
        self.module.functions.append("\n".join(body))
