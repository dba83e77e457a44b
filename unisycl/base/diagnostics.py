"""Every diagnostic of the kernel language: one row per id, with the reason and the way out.

Non-goals: finding problems. Texts are templates over the facts the front end passes. Invariant: an
id never changes meaning; a retired id (K086) is not reused.
"""

from __future__ import annotations

from unisycl.base.errors import Diagnostic
from unisycl.base.spans import Span

_ROWS: dict[str, tuple[str, str]] = {
    "K001": ("a kernel cannot contain {what}", "{help}"),
    "K010": ("a kernel cannot handle exceptions: '{what}' has no meaning on a device",
             "test for the condition beforehand, or write an error code to memory"),
    "K011": ("a kernel cannot use 'with'",
             "open and close resources on the host, outside the kernel"),
    "K012": ("a kernel cannot suspend: '{what}' is refused",
             "write results to an accessor instead"),
    "K013": ("a kernel cannot raise an exception",
             "write an error code to memory and check it on the host, or use assert"),
    "K014": ("a kernel cannot import", "import at the top of the module"),
    "K015": ("a kernel cannot change a variable outside itself ('{what} {name}')",
             ("write elements of memory, such as a[0] = ..., which needs no '{what}'; where many "
              "work-items add to one place, use a reduction or an atomic_ref")),
    "K016": ("a kernel cannot define a class", "define it outside; structured dtypes hold records"),
    "K017": ("a kernel cannot delete", "names end with the kernel; remove the statement"),
    "K018": ("a kernel cannot build {what}: there is no memory allocation on a device",
             "use a tuple, sycl.private_array(dtype, n), a local_accessor or USM memory"),
    "K019": ("a kernel cannot build strings or look into them",
             "strings may be compile-time constants or arguments of print() only"),
    "K020": ("a kernel cannot use star arguments but for tuples",
             "name every argument; *t spreads a tuple, *rest takes what is left"),
    "K021": ("recursion that nothing ends while compiling: {what}",
             ("let arguments known while compiling end it within 40 calls, or turn it into a loop, "
              "with a private array as stack if needed (SYCL 2020 §5.4)")),
    "K022": ("{what}", ""),
    "K030": ("the name '{name}' is not defined", "{help}"),
    "K031": ("'{name}' is read before it has a value", "{help}"),
    "K032": ("{what} has no attribute '{name}' in a kernel", "{help}"),
    "K033": ("{what} cannot be called in a kernel", "{help}"),
    "K034": ("{what} takes {expected}; {found} given", "{help}"),
    "K035": ("'{name}' would have two kinds of value: {first} and {second}",
             "use two names: what is one thing on all paths has one kind of value"),
    "K036": ("'{op}' is not defined for {types}", "{help}"),
    "K037": ("{what} has {expected} dimension(s), but {found} index(es) are given", "{help}"),
    "K038": ("an index must be an integer, an id or an item, not {found}", "{help}"),
    "K039": ("'{name}' is read-only here",
             ("request access_mode write or read_write for it; for a read-only array, or one in "
              "which several indices lead to one element, pass a copy")),
    "K040": ("'{name}' ({kind}) cannot be used in a kernel", "{help}"),
    "K041": ("a kernel cannot change what it captured ('{name}')",
             "captured values are copies taken at submission; write to memory instead"),
    "K042": ("a kernel returns nothing", "write the result to an accessor or USM memory"),
    "K043": ("'{name}' returns a value on some paths only, and None on others",
             "end every path with 'return ...' and a value: -1, or a flag beside it, 'found, x'"),
    "K044": ("the step of a range() is 0, which Python refuses",
             "give it a step above or below 0"),
    "K045": ("dimension {found} does not exist: {what} has {expected}", "dimensions count from 0"),
    "K046": ("{what} must be known while compiling", "{help}"),
    "K047": ("cannot unpack {found} value(s) into {expected} name(s)",
             "write one name for each value"),
    "K048": ("the global '{name}' is mutable ({kind}), and a kernel may only read constants",
             "write constants as a tuple; pass data as an argument: an accessor, USM or an array"),
    "K049": ("a value of {found} cannot be used here: {expected} is needed", "{help}"),
    "K050": ("{what} needs work-groups, but this kernel has none",
             "launch it with nd_range(global, local) (SYCL 2020 §4.9.4.2.2)"),
    "K051": ("{what} in divergent control flow: not every work-item of the group gets here",
             "move it out of the condition, so that all items reach it together"),
    "K052": ("{what} cannot be used {where}", "{help}"),
    "K053": ("the {what} of an atomic_ref is one of unisycl.{kind}, known while compiling",
             "write memory_order.relaxed, memory_scope.device; left out, these are the defaults"),
    "K054": ("{what}", "{help}"),
    "K055": ("a reducer's value cannot be read",
             "only combine into it: r.combine(x), or r += x where the operator is plus"),
    "K056": ("the memory order {found} is not allowed for {what}", "{help}"),
    "K057": ("the Python integer {value} does not fit in {type}",
             "NumPy refuses it, too: {help}"),
    "K058": ("'{name}' is write-only here and cannot be read",
             "request access_mode read or read_write for it"),
    "K059": ("the index {found} is negative: only one written so, as a[-1], counts from the end",
             "write it in the brackets, a[-1] or a[-1 - i], or count from the start"),
    "K060": ("the index {found} is outside a tuple of {count}",
             "indices count from 0, or from the end with -1"),
    "K070": ("this needs aspect.{aspect}, which device_has of '{name}' does not list",
             "list the aspect there, or do without it (SYCL 2020 §5.8.1)"),
    "K071": ("'{name}' requires work-groups of {found}, another function of this kernel of {known}",
             "require one size for the whole kernel"),
    "K072": ("'{name}' is an atomic accessor: its elements are changed by atomic methods only",
             "call store(), exchange(), fetch_add() and the like on the element (SYCL 1.2 §3.4)"),
    "K080": ("{what}", "{help}"),
    "K081": ("element {found} does not exist: {what} has {count}", "elements count from 0"),
    "K082": ("'{name}' names an element twice, so it cannot be assigned to",
             "name each element once on the left of '='"),
    "K083": ("elements of this {what} cannot be assigned: nothing keeps it",
             "give it a name first, and assign to the name's elements"),
    "K084": ("'{name}' may be the same {type} as {other} here, so its elements cannot be assigned",
             "in Python both would change: give one of them a copy first, x = {type}(y)"),
    "K085": ("{what}", "{help}"),
    "K087": ("{name} is of type {types} here, as the path taken decides: this would depend on it",
             "convert it where it gets its value, or here, by int() say, so that it has one type"),
    "K090": ("{what}", "{help}"),
    "K125": ("this is a record of '{name}' in place, which may have been overwritten {where} since",
             "naming a record does not copy it: make a copy first, t = copy.copy(a[i])"),
    "K126": ("'{name}' may be an array of an earlier turn of the loop, whose memory {where} takes",
             "make the arrays before the loop and exchange their names, old, new = new, old"),
    "K127": ("'{name}' may be None here", "{help}"),
    "K110": ("image '{name}' is addressed by {expected} coordinates, not by {found}", "{help}"),
    "K111": ("the coordinate of image '{name}' has {found} component(s); it needs {expected}",
             "give x, y, z as there are dimensions: int2 or float2 for two, int4 or float4 for 3"),
    "K112": ("image '{name}' takes colours of type {expected}, not {found}",
             "make one, such as float4(r, g, b, a), or another accessor of that type"),
    "K113": ("'{name}' cannot be sampled in this way: {what}", "{help}"),
    "K114": ("the device_global '{name}' can no longer be reached by the name it was made with",
             "do not bind that name anew: every kernel that names it means the same variable"),
    "K116": ("a barrier over the root_group needs all work-groups to run at the same time",
             "give the kernel the property: @sycl.kernel(properties=use_root_sync)"),
    "K117": ("{what}", "{help}"),
    "K115": ("'{name} = ...' would bind the name of the module anew, not write the device_global",
             "write {name}[()] = ...; '{name} += ...' changes it, too"),
}


_USUAL: dict[str, str] = {
    "K001": "leave it out, or do it on the host",
    "K031": "assign it on every path before this line",
    "K032": "a kernel knows the attributes of SYCL's types, records and modules",
    "K034": "pass what it takes, in this order or by name",
    "K036": "convert an operand first, such as np.int32(x) or np.float32(x)",
    "K038": "index memory by integers, ids or items only",
    "K046": "write a literal, or capture a Python integer or a tuple",
    "K049": "pass {expected} here",
}


def diagnostic(id: str, span: Span | None, **facts: object) -> Diagnostic:
    """Return the diagnostic of a row, its templates filled with facts."""
    message, help = _ROWS[id]
    if "{help}" in help and not facts.get("help"):
        help = _USUAL.get(id, "")
    return Diagnostic(id, message.format(**facts), span, help.format(**facts))


def rows() -> dict[str, tuple[str, str]]:
    """Return by id the message and the way out, as templates, for the page that lists them."""
    return {key: (what, _USUAL.get(key, "") if help == "{help}" else help)
            for key, (what, help) in _ROWS.items()}


def ids() -> tuple[str, ...]:
    """Return every id."""
    return tuple(_ROWS)
