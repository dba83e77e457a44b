"""What differs between dialects of C, as data: qualifiers, type names, spellings of each thing.

Non-goals: printing. Invariants: the printer asks no dialect for its name; a template is
``str.format`` text whose operands are already of the types the thing needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from unisycl.base.dtypes import DType
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.ir.builtins import Builtin


@dataclass(frozen=True, slots=True)
class Helper:
    """A function the printer puts before a kernel that needs it.

    ``text`` may name ``{name}``, ``{T}`` (the value's type), ``{U}`` (the unsigned integer of its
    width) and ``{bits}``; ``needs`` are other helpers of the same type that it calls.
    """

    text: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AtomicOp:
    """An atomic operation about to be printed: where, on what, in which order."""

    op: str
    dtype: DType
    space: address_space
    order: memory_order
    scope: memory_scope


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of a kernel depends on.

    ``local``: the work-group size, or ''; ``sub_group``: the size required, or 0; ``atomics``:
    whether there are any; ``traits``: attributes of the user's, as ``Kernel`` has them.
    """

    name: str
    params: str
    local: str
    sub_group: int
    atomics: bool
    traits: tuple[tuple[str, tuple[Any, ...]], ...]
    reduces: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect for one device.

    Args:
        types: the name of every scalar type as a value; bool lies in memory as uint8.
        suffixes: what follows a literal of a type.
        preamble: lines every program begins with.
        function: template of a helper function, with {text}.
        kernel: what is known of a kernel -> its head.
        spaces: the qualifier of what pointers point to in each address space.
        memories: what begins the declaration of memory in each address space.
        queries: the spelling of a query by name, with {d}: the dialect's own number of the
            dimension, 0 the fastest, or {axis}: x, y or z.
        far_id: that of an id that needs more than 32 bits; '' where it is the same.
        group_barrier, sub_group_barrier: statements.
        local_barrier: a statement, the group's barrier that orders local memory only.
        fence: order, scope -> statement.
        bitcast: template with {type}, {x}.
        builtin: row, operand type -> template over {0}, {1}, ... or None if there is none;
            a template may call helpers as ``{helper:NAME}``.
        helper: name -> a helper function of the dialect's own, or None.
        atomic: operation -> template over {p} (a pointer), {0}, {1}; may call helpers.
        collective: (scope, op, combine, dtype) -> template over {0}, {1}, or None where the
            printer emulates it in local memory.
        divide: floating type -> template over {0}, {1}.
        reserved: whether a program must not use a name for its own things.
        sub_groups: whether a work-group has sub-groups of more than one item.
        serial_groups: one item of a group combining for all is cheaper than a tree.
        lockstep: its compiler lets the first item of a group decide loops and branches around
            barriers for all.
        closes_branches: behind a branch with a barrier in it there has to be one, too.
        long_rows: work-groups whose items meet must not be one item wide in the first dimension of
            C, and more in another.
        offsets: views lie at an element offset in their memory object.
        unroll: a line before a loop that is to be unrolled; '' where there is none.
        rolled: a line before a loop that is not to be unrolled.
        in_order: stands above a loop whose turns are to be taken one by one; nothing where the
            compiler does not take floats in another order by itself. ``not_unrolled`` follows
            there, but where a loop is to be unrolled.
        keeps_loops: the compiler unrolls no loops by itself.
        control: (name, number) of what else is asked of a loop -> a line before it, or ''.
        exact: a line that forbids contraction in the block it begins.
        packed: what follows a struct whose members lie where NumPy has them, with {align}.
        given_align: what records are aligned to, at most, that kernels are given by value.
        ends_low: floats that no integer of 32 or 64 bits holds become the lowest one by themselves.
        infinities: the spelling of 'inf' and 'nan'; initialisers: theirs in constant arrays.
        hides_turns: a name must not be seen to take another one's value of the turn before.
        hides_departures: behind a loop the compiler must not take what the loop changed as the
            same for all items (``loops_left``; helper own).
        hides_negations: kernels whose items meet must not show the compiler a negation of floats
            (``signs``); helpers negated and hidden say it otherwise.
        hides_inversions: the compiler must not see that the bits of an integer are turned.
        hides_narrowing: the compiler must not see what integers of 16 bits are narrowed from
            (helper low_half), for it takes the negative of the least one as 32768.
        joins_private: private arrays are members of one struct.
        halves: whether values may be of half precision; otherwise its bits can be converted, by
            the helpers half_to_float and float_to_half of ushort.
        device_fence: a statement that orders an item's accesses to global memory for the whole
            device, both ways; '' where nothing promises that.
        keep_local: template of a statement that lets the address of local memory, {0}, escape;
            '' where compilers know that others write there.
        read_anew: template of a pointer {0} to local memory of {type}, of which all items of a
            group read one element; '' where compilers know that it may have changed.
        print_atomic: template that adds {x} to the counter at {p} and gives the old value.
        counts: the type of a pointer to a counter that work-groups change.
        definitions: what a program that uses a type has to say before it.
        dynamic: the declaration of {name}, all local memory that a launch lays out; '' where
            pointers to it are arguments.
        wide: how many scalars of a type one access moves, where the pointer is a multiple of them.
        stores_vector: template of the statement that writes such a vector {x} to a pointer {at};
            one that compilers do not join with those that write scalars.
        asks_aligned: template of whether the pointer {x} is a multiple of so many {bytes}.
        aligned: template of the pointer {x} to a multiple of so many {bytes}, for compilers that
            join accesses if they are told so; '' for those that see it by themselves.
        most_local: the bytes of local memory that a kernel may declare, where that is less than a
            launch may lay out; 0 where it is not.
        distinct: what follows the type of a pointer to memory that no other one reaches.
        members: (items of the work-group, whether parts of sub-groups may come by themselves) ->
            template of who takes part in a function of a sub-group; None where nobody asks.
        warp: how many items that follow one another in a work-group, whatever its dimensions, are
            a sub-group; 0 where queries tell of sub-groups.
        computes: row, operand type -> the type that it is computed in, and rounded to the other.
        scoped_jumps: no jump may pass a declaration of the block that it goes to.
        vector: template of a vector of {items}; elements: the names of its elements;
            vector_stems: how the names of vectors of a type begin, where not like the type's.
    """

    types: Mapping[str, str]
    suffixes: Mapping[str, str]
    function: str
    kernel: Callable[[Head], str]
    spaces: Mapping[address_space, str]
    memories: Mapping[address_space, str]
    queries: Mapping[str, str]
    group_barrier: str
    sub_group_barrier: str
    local_barrier: str
    fence: Callable[[memory_order, memory_scope], str]
    bitcast: str
    builtin: Callable[[Builtin, DType], str | None]
    helper: Callable[[str], Helper | None]
    atomic: Callable[[AtomicOp], str]
    collective: Callable[[memory_scope, str, str, DType], str | None]
    divide: Callable[[DType], str]
    reserved: Callable[[str], bool]
    counts: str
    preamble: tuple[str, ...] = ()
    sub_groups: bool = False
    serial_groups: bool = False
    far_id: str = ""
    lockstep: bool = False
    closes_branches: bool = False
    long_rows: bool = False
    offsets: bool = False
    unroll: str = ""
    rolled: str = ""
    in_order: str = ""
    not_unrolled: str = ""
    keeps_loops: bool = False
    control: Callable[[str, int], str] = lambda name, number: ""
    exact: str = ""
    packed: str = ""
    given_align: int = 16
    device_fence: str = ""
    keep_local: str = ""
    read_anew: str = ""
    print_atomic: str = ""
    definitions: Mapping[str, str] = field(default_factory=dict)
    dynamic: str = ""
    aligned: str = ""
    stores_vector: str = ""
    asks_aligned: str = ""
    wide: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    most_local: int = 0
    distinct: str = ""
    members: Callable[[int, bool], str] | None = None
    warp: int = 0
    computes: Callable[[Builtin, DType], DType] = lambda row, dtype: dtype
    scoped_jumps: bool = False
    vector: str = "({type})({items})"
    vector_stems: Mapping[str, str] = field(default_factory=dict)
    elements: tuple[str, ...] = tuple(f"s{k:x}" for k in range(16))
    hides_negations: bool = False
    hides_inversions: bool = False
    hides_narrowing: bool = False
    joins_private: bool = False
    hides_turns: bool = False
    hides_departures: bool = False
    halves: bool = True
    ends_low: bool = False
    infinities: Mapping[str, str] = field(default_factory=dict)
    initialisers: Mapping[str, str] = field(default_factory=dict)
