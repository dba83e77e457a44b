"""Linking one x86-64 object into a block of code that runs wherever it is copied to.

Sections are laid out once, relocations inside the block are resolved now, and calls that leave it
go through a table of addresses filled in when it is loaded. Non-goals: other machines, several
objects, thread-local data, unwinding. Invariant: a block needs nothing but the symbols it lists.
"""

from __future__ import annotations

import json
import struct

from unisycl.base.dataclass import dataclass

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_SYMTAB, _RELA, _NOBITS = 2, 4, 8
_ALLOC = 2
_ABS64, _PC32, _PLT32, _GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX, _PC64 = 1, 2, 4, 9, 41, 42, 24
_STUB = 16


class LinkError(Exception):
    """The object holds something this linker does not do."""


@dataclass(frozen=True, slots=True)
class Image:
    """A linked block: bytes, where its functions start, and which addresses to fill in where."""

    code: bytes
    symbols: dict[str, int]
    externals: dict[str, int]

    def to_bytes(self) -> bytes:
        """Return the block in the form the disk cache keeps."""
        head = json.dumps([self.symbols, self.externals]).encode()
        return struct.pack("<I", len(head)) + head + self.code

    @classmethod
    def from_bytes(cls, raw: bytes) -> Image:
        """Return the block ``to_bytes`` wrote; ``ValueError`` if it is none."""
        (length,) = struct.unpack_from("<I", raw)
        symbols, externals = json.loads(raw[4:4 + length])
        return cls(raw[4 + length:], symbols, externals)


@dataclass(slots=True)
class _Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    address: int = -1


def link(image: bytes) -> Image:
    """Return a relocatable object as one block; ``LinkError`` if that cannot be."""
    if image[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", image, 16) != (1, 62):
        raise LinkError("not a relocatable x86-64 object")
    return _Linker(image).run()


class _Linker:
    """The state of linking one object."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        self.sections = self._sections()
        self.block = bytearray()
        self.stubs: dict[str, int] = {}
        self.slots: dict[str, int] = {}

    def run(self) -> Image:
        self._place()
        symbols = self._symbols()
        self._reserve(symbols)
        for section in self.sections:
            if section.kind == _RELA and self.sections[section.info].address >= 0:
                self._relocate(section, symbols)
        found = {name: address for name, address in symbols if address >= 0 and name}
        return Image(bytes(self.block), found, self.slots)

    def _sections(self) -> list[_Section]:
        at, = struct.unpack_from("<Q", self.image, 40)
        size, count, names = struct.unpack_from("<HHH", self.image, 58)
        rows = [_SECTION.unpack_from(self.image, at + size * k) for k in range(count)]
        table = rows[names][4]
        return [_Section(self._text(table + r[0]), r[1], r[2], r[4], r[5], r[6], r[7], r[8])
                for r in rows]

    def _text(self, at: int) -> str:
        return self.image[at:self.image.index(b"\0", at)].decode()

    def _place(self) -> None:
        """Copy the sections that are needed at run time, each at its alignment."""
        for section in self.sections:
            if not section.flags & _ALLOC or section.name.startswith(".eh_frame"):
                continue
            self._pad(max(section.align, 16))
            section.address = len(self.block)
            if section.kind == _NOBITS:
                self.block += bytes(section.size)
            else:
                self.block += self.image[section.offset:section.offset + section.size]

    def _pad(self, align: int) -> None:
        self.block += bytes(-len(self.block) % align)

    def _symbols(self) -> list[tuple[str, int]]:
        """Return name and address of every symbol; -1 for those defined elsewhere."""
        table = next(s for s in self.sections if s.kind == _SYMTAB)
        names = self.sections[table.link].offset
        out = []
        for at in range(table.offset, table.offset + table.size, _SYMBOL.size):
            name, _, _, index, value, _ = _SYMBOL.unpack_from(self.image, at)
            address = -1
            if 0 < index < len(self.sections) and self.sections[index].address >= 0:
                address = self.sections[index].address + value
            out.append((self._text(names + name), address))
        return out

    def _entries(self, section: _Section) -> list[tuple[int, int, int, int]]:
        """Return (offset, type, symbol, addend) of each relocation."""
        out = []
        for at in range(section.offset, section.offset + section.size, _RELOCATION.size):
            offset, info, addend = _RELOCATION.unpack_from(self.image, at)
            out.append((offset, info & 0xFFFFFFFF, info >> 32, addend))
        return out

    def _reserve(self, symbols: list[tuple[str, int]]) -> None:
        """Make a stub and an address slot for every symbol that is reached indirectly."""
        calls, loads = [], []
        for section in self.sections:
            if section.kind != _RELA or self.sections[section.info].address < 0:
                continue
            for _, kind, symbol, _ in self._entries(section):
                name, address = symbols[symbol]
                if kind in (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX):
                    if address >= 0:
                        raise LinkError(f"'{name}' is local but reached through a table")
                    loads.append(name)
                elif address < 0:
                    calls.append(name)
        self._pad(_STUB)
        for name in dict.fromkeys(calls):
            self.stubs[name] = len(self.block)
            self.block += bytes(_STUB)
        for name in dict.fromkeys([*calls, *loads]):
            self.slots[name] = len(self.block)
            self.block += bytes(8)
        for name, stub in self.stubs.items():
            distance = self.slots[name] - (stub + 6)
            struct.pack_into("<HI", self.block, stub, 0x25FF, distance)

    def _relocate(self, section: _Section, symbols: list[tuple[str, int]]) -> None:
        base = self.sections[section.info].address
        for offset, kind, symbol, addend in self._entries(section):
            name, target = symbols[symbol]
            place = base + offset
            if kind in (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX):
                target = self.slots[name]
            elif target < 0:
                target = self.stubs[name]
            if kind in (_PC32, _PLT32, _GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX):
                struct.pack_into("<i", self.block, place, target + addend - place)
            elif kind == _PC64:
                struct.pack_into("<q", self.block, place, target + addend - place)
            else:
                raise LinkError(f"relocation type {kind}")
