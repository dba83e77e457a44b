"""Known faults and unreported abilities of drivers, each with version and evidence.

Non-goals: working around a fault (whoever reads the flag does that). Invariant: a flag not set here
means that the driver is taken at its word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from unisycl.backends.opencl.discovery.traits import Traits


@dataclass(frozen=True, slots=True)
class Quirks:
    """What to do differently on a device.

    Args:
        addresses_host: kernels reach any host memory, though fine-grained system SVM is not
            reported.
        rounds_division: single precision division rounds correctly, though that is not reported.
        own_cache: the driver keeps compiled programs on disk itself; asking for its binaries costs
            more than compiling again.
        blocking_waits: the waiting thread works on the kernel, so it must wait in the driver.
        reads_early: a write that does not block takes the host's data when it is enqueued, not
            when its turn has come.
        emulate_collectives: the work-group functions give wrong results.
        first_decides: of a loop or branch around a barrier, the condition of a group's first item
            counts for all.
        open_branches: behind a branch with a barrier in it that no barrier follows, work-items do
            what others ought to, or nothing.
        shared_counters: work-items that leave a loop apart get one item's counter, behind a
            barrier.
        first_twice: in work-groups of one item in dimension 0, and more in another, the first does
            twice what stands before a branch with a barrier in it.
        forgets_local: what other items write to an array of local memory, declared in the kernel,
            is not seen behind a barrier, unless the array's address escapes.
        one_queue: commands of one queue are not begun while another is waited for, or nobody has
            tried it.
        concurrent_kernels: kernels run at the same time, so one may wait for another.
        masked_atomics: vectorised kernels lose operands of atomics in branches.
        own_contexts: a context of several such devices crashes the process.
        private_on_stack: arrays of all items of a work-group lie on the stack of a thread together.
        weak_functions: these exceed their bounds or lose the sign of a zero.
        ptx_fences: orders of memory between work-groups are not reported, but PTX's fence is taken.
        contracts: FP_CONTRACT OFF is not obeyed; assembly in PTX is taken.
        old_language: it compiles OpenCL C 1.2 only, though a newer version is reported.
        newer_language: it compiles OpenCL C 2.0, though 1.2 is reported.
        fills_own: a fill of addresses takes memory of clSVMAlloc only.
        unnamed_scope: atomics of all devices' scope are reported and work, but their scope has no
            name in OpenCL C 3.0.
        emulated: it is no hardware, and slow, though that is not reported.
        one_kind: an argument that was an address takes no memory object afterwards, in the same
            kernel object.
        low_limits: CL_KERNEL_WORK_GROUP_SIZE is 256 for kernels that run in larger groups, too.
        shared_departures: where items of a vector leave a loop in different turns, what they
            compute there of its counter is one item's.
        lone_waits: of several threads that wait in the driver, with a queue out of order, some wait
            for ever.
        short_ids: vectorised kernels take ids of work-items for numbers of 32 bits.
        lost_turns: the compiler crashes where a name takes another one's value of the turn before.
        shared_negations: all work-items get the last one's value of a float that was negated before
            a barrier.
        shared_branches: in loops, items of a vector take the first one's side of branches whose
            conditions do not change there.
        chosen_arrays: of a load from one of two private arrays, by data, items of a vector take
            what another item has there.
        stale_elements: of local memory, kernels read an element that all items share as it was
            before a barrier.
        lost_inversions: the greater or lesser of two integers, one of them a ~x, is that of x.
        lost_signs: the negative of the least integer of 16 bits is 32768 where it is widened.
        wrong_optimiser: optimised kernels give wrong numbers, more often than can be told apart.
        reads_all: before each text it reads the declarations of all functions that there are.
        turns_together: where an item runs alone, floats that a loop adds up are added in another
            order.
        no_line_tables: the option -g is unknown to its compiler, for lines are told anyway.
    """

    addresses_host: bool = False
    rounds_division: bool = False
    own_cache: bool = False
    blocking_waits: bool = False
    lone_waits: bool = False
    reads_early: bool = False
    emulate_collectives: bool = False
    contracts: bool = False
    ptx_fences: bool = False
    old_language: bool = False
    newer_language: bool = False
    fills_own: bool = False
    unnamed_scope: bool = False
    first_decides: bool = False
    open_branches: bool = False
    shared_counters: bool = False
    first_twice: bool = False
    forgets_local: bool = False
    one_queue: bool = False
    concurrent_kernels: bool = False
    masked_atomics: bool = False
    shared_negations: bool = False
    lost_turns: bool = False
    short_ids: bool = False
    shared_departures: bool = False
    shared_branches: bool = False
    turns_together: bool = False
    chosen_arrays: bool = False
    stale_elements: bool = False
    wrong_optimiser: bool = False
    lost_inversions: bool = False
    lost_signs: bool = False
    emulated: bool = False
    reads_all: bool = False
    no_line_tables: bool = False
    one_kind: bool = False
    low_limits: bool = False
    own_contexts: bool = False
    private_on_stack: bool = False
    weak_functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quirk:
    """One row: which devices (patterns over platform and name), which flags, and why.

    ``weak``: the functions that ``Quirks.weak_functions`` names; ``driver``: a pattern over the
    driver's version.
    """

    platform: str
    kind: str
    flags: tuple[str, ...]
    why: str
    weak: tuple[str, ...] = ()
    driver: str = ""


TABLE = (
    Quirk("Oclgrind", "", ("one_queue",),
          "Oclgrind 21.10 (Debian 12) runs commands in the thread that waits for one"),
    Quirk("Oclgrind", "", ("emulated",),
          "Oclgrind interprets LLVM's instructions: some thousand work-items a second"),
    Quirk("Oclgrind", "", ("no_line_tables",),
          "Oclgrind 21.10 (Debian 12): clBuildProgram with -g fails with 'unknown argument: -g'; "
          "it always compiles with line tables"),
    Quirk("Oclgrind", "", (),
          "Oclgrind 21.10 (Debian 12) multiplies by pi and takes the sine: sinpi(1.0) is 1.2e-16, "
          "tanpi(0.5) 1.6e16; sign(0.0) is -0.0 (tests/conformance/language/test_builtins.py). The "
          "quotient of remquo has three bits; isnormal of denormal floats is true; bitselect of "
          "floats loses bits: these are left as they are",
          weak=("sinpi", "cospi", "tanpi", "sign")),
    Quirk("FPGA Emulation", "accelerator", ("one_queue",), "in-order queues were not tried"),
    Quirk("Oclgrind", "", ("old_language",),
          "Oclgrind 21.10 (Debian 12): any program built with -cl-std=CL3.0 fails with 'options "
          "cl_khr_fp64 and __opencl_c_fp64 are set to different values'"),
    Quirk("Oclgrind", "", (),
          "Oclgrind 21.10 (Debian 12) keeps its commands in maps without a lock "
          "(src/runtime/async_queue.cpp; no crash by that was seen), and under --uninitialized "
          "crashes where a thread writes to a buffer that has made no context and run no kernel "
          "(Uninitialized::hostMemoryStore); tests/device/simulator.py has one thread call it; "
          "more of its faults are in docs/dev/opencl.md"),
    Quirk("Portable Computing Language", "cpu", ("addresses_host",),
          "PoCL 3.0 reports fine-grained buffers only, but its CPU devices pass pointers on as "
          "they are; tests/unit/backends/opencl/test_driver.py runs a kernel over a NumPy array"),
    Quirk("Portable Computing Language", "", (),
          "PoCL 3.0: sinpi(1.0) is -0.0, cospi(0.5) is -0.0, tanpi(1.0) is 0.0, atanpi(-0.0) of "
          "doubles is 0.0, log1p of the least number is 0.0 (test_edges_are_those_of_the_host in "
          "tests/conformance/language/test_builtins.py); tgamma is wrong by more than 16 units in "
          "the last place (test_accuracy.py beside it)",
          weak=("sinpi", "cospi", "tanpi", "atanpi", "log1p", "tgamma")),
    Quirk("Portable Computing Language", "", ("own_cache",),
          "PoCL 3.0 compiles every work-group size when asked for a binary (0.12 s each), and has "
          "a cache of its own (POCL_CACHE_DIR)"),
    Quirk("Portable Computing Language", "", ("reads_all",),
          "PoCL 3.1: clBuildProgram of a kernel of one line takes 90 ms, 75 of which go into the "
          "15 000 declarations of opencl-c.h (python -m tests.device.declarations)",
          driver=r"^3\."),
    Quirk("Portable Computing Language", "cpu", ("private_on_stack",),
          "PoCL 3.0: a work-group of 1024 whose items have arrays of 16 KiB each ends the process "
          "with a segmentation fault (threads have stacks of 8 MiB), one of 256 does not"),
    Quirk("Portable Computing Language", "", ("unnamed_scope",),
          "PoCL 3.0 reports CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES, but no feature of that name, so "
          "its header declares no memory_scope_all_svm_devices: 'use of undeclared identifier'"),
    Quirk("Portable Computing Language", "", ("fills_own",),
          "PoCL 5.0 (Ubuntu 24.04): clEnqueueSVMMemFill of a NumPy array's memory is "
          "CL_INVALID_OPERATION, though system SVM is reported; so it is from 4.0 on "
          "(lib/CL/clEnqueueSVMMemFill.c asks pocl_svm_check_pointer)"),
    Quirk("Portable Computing Language", "", ("first_decides",),
          "PoCL 3.0: 'for (int i = 0; i < 2 + id; i++) { out[id]++; if (i < 2) barrier(...); }' "
          "takes 2 turns for both items of a group; Intel's runtime takes 2 and 3. Variables that "
          "items change in branches of their own, in a loop with a barrier, are taken for the "
          "group's, unless -cl-opt-disable is given "
          "(tests/conformance/group/test_own_conditions.py)"),
    Quirk("Portable Computing Language", "", ("open_branches",),
          "PoCL 3.0: 'if (n) { barrier(...); if (id % 5 > 2) a[id] += 7; } for (int q = 0; q < 3; "
          "q++) b[3 * id + q] = x;', n an argument, adds nothing for any item; with 'if (id % 3) "
          "b[id] = x;' in place of the loop it adds 7 for all. Right with a barrier behind the "
          "branch (tests/conformance/group/test_branches_around_barriers.py)"),
    Quirk("Portable Computing Language", "cpu", ("wrong_optimiser",),
          "PoCL 3.0: of 11,700 random programs that it ran 18 were wrong, 2 of these without a "
          "barrier, and with -cl-opt-disable none; it also compiles a small kernel in 0.2 s then, "
          "not 0.3 (docs/dev/decisions/0081-no-optimiser-on-pocl-3.md)", driver=r"^3\."),
    Quirk("Portable Computing Language", "", ("shared_counters",),
          "PoCL 3.0: 'int n = 0; while (n < k) { if (id % 4 == 2) break; n++; } barrier(...); "
          "a[id] = n;', k an argument, stores one item's n for all of a work-group; so it is "
          "wherever LLVM knows what each turn adds, and all items begin with the same number. "
          "Right with -cl-opt-disable; a volatile copy or something of the item's id joined to n "
          "behind the loop is not enough (tests/conformance/group"
          "/test_branches_around_barriers.py)"),
    Quirk("Portable Computing Language", "", ("first_twice",),
          "PoCL 3.0: in work-groups of (1, 5) 'a[id] += 1; if (n) { barrier(...); b[id] = 1; }', n "
          "an argument, adds 2 for the first item of each group, also with -cl-opt-disable; so it "
          "is for (1, 1, 4) and (1, 4, 2), not for (2, 5), (5, 1) and (4, 1, 2) (tests/conformance"
          "/group/test_branches_around_barriers.py)"),
    Quirk("Portable Computing Language", "", ("forgets_local",),
          "PoCL 3.0: '__local int s[1]; s[0] = 0; barrier(...); if (k) s[0] = k; barrier(...); "
          "out[id] = s[0];' stores k, each item's own; so for arrays of any size. Right if s is an "
          "argument, or its address is stored (tests/conformance/local_accessor"
          "/test_seen_behind_barriers.py)"),
    Quirk("NVIDIA", "gpu", ("reads_early",),
          "580.159 on an H200: an array that one command reads back and the next one writes to the "
          "device, behind it by an event, arrives there as it was before both"),
    Quirk("NVIDIA", "gpu", (),
          "580.159 on an H200: tanpi(1.0) is 0.0; sign(-0.0) of doubles is 0.0 "
          "(test_special_values_are_pinned and test_exact_functions_are_exact in "
          "tests/conformance/language/test_builtins.py); native_sin is up to 3e-7 beside the sine "
          "of numbers near 0 and 1e-4 of numbers near 1000, so native_cos and native_tan too; "
          "rootn of the greatest float32 and 1 is infinite "
          "(test_edges_are_those_of_the_host, there)",
          weak=("sign", "tanpi", "native_sin", "native_cos", "native_tan", "rootn")),
    Quirk("NVIDIA", "gpu", ("lost_signs",),
          "580.159 on an H200: (long)(short)-a, of a short a that is -32768, is 32768, and "
          "(short)-a < 0 is false; so with a * -1, ~(a - 1), abs and where the short is volatile. "
          "PTX has neg.s16 there, so it is the assembler, which CUDA has, too. Not of ushort, char "
          "and int, not with -cl-opt-disable, nor where a mov of 32 bits in assembly stands "
          "before the narrowing (python -m tests.device.short_signs opencl:0)"),
    Quirk("NVIDIA", "gpu", ("one_kind",),
          "580.159 on an H200: clSetKernelArgSVMPointer, a launch, then clSetKernelArg with a "
          "memory object for the same argument: clEnqueueNDRangeKernel is CL_INVALID_KERNEL_ARGS "
          "(test_an_array_without_final_data_keeps_its_values in "
          "tests/conformance/patterns/test_stencils_and_flow.py, behind tests with USM)"),
    Quirk("NVIDIA", "gpu", ("own_contexts",),
          "two H200s in one context: clEnqueueSVMMap crashes the process, 100 of 100 times "
          "(malloc_shared); with a context of one of them it does not"),
    Quirk("NVIDIA", "gpu", ("low_limits",),
          "580.159 on an H200: CL_KERNEL_WORK_GROUP_SIZE is 256 for kernels that store one number, "
          "and a launch of it in groups of 1024 runs (test_limits_of_launches_can_be_asked in "
          "tests/conformance/forward_progress/test_progress.py)"),
    Quirk("NVIDIA", "gpu", ("contracts",),
          "580.159 on an H200: a * b - c * d is contracted in functions that begin with "
          "FP_CONTRACT OFF, and in a kernel that does the program is not compiled "
          "(test_sums_products_and_quotients_are_numpys in tests/conformance/language"
          "/test_complex.py)"),
    Quirk("NVIDIA", "gpu", ("ptx_fences",),
          "580.159 on an H200 reports relaxed atomics of work-group scope only; membar.gl of PTX "
          "orders memory for all threads of the device (PTX ISA, membar), and atomic_add is done "
          "for all of them, as in OpenCL 1.x"),
    Quirk("FPGA Emulation", "accelerator", ("newer_language",),
          "Intel 2023.2 reports OpenCL 1.2 and compiles -cl-std=CL2.0: atomics with orders and "
          "scopes, generic addresses, fine-grained SVM (not -cl-std=CL3.0)"),
    Quirk("FPGA Emulation", "accelerator", ("concurrent_kernels",),
          "Intel 2023.2: each command has a thread: 20 single tasks that pass a turn round end on "
          "two processors, on one queue or many; channels and pipes of FPGA programs rely on it"),
    Quirk("FPGA Emulation", "accelerator", (),
          "Intel 2023.2 reads the pattern of clEnqueueSVMMemFill when the fill runs, not when it "
          "is enqueued: behind an event it writes what has come to lie there since "
          "(test_what_a_recorded_queue_launches_and_copies_is_updated in "
          "tests/conformance/graph/test_dynamic.py); so every fill keeps its pattern"),
    Quirk("Intel", "", ("masked_atomics",),
          "Intel 2023.2 (processors and FPGA emulation; not 2026.2): in work-groups of 16, "
          "'if (k % 3) t[k] = atomic_add(c, popcount(1));' adds 0 where the first item does "
          "not take the branch: a built-in's uniform result is taken from that item. A kernel that "
          "is not vectorised, for a vec_type_hint of vectors, does it right "
          "(tests/conformance/atomic_ref/test_operands.py)", driver=r"^2023\."),
    Quirk("Intel", "cpu", ("blocking_waits", "rounds_division"),
          "Intel 2026.2: a thread inside clWaitForEvents is one of the workers: on two processors "
          "a kernel takes 115 ms when waited for so and 230 ms when polled; division is the "
          "processor's own"),
    Quirk("Intel", "", ("shared_negations",),
          "Intel 2026.2: 'float w = -a[i]; barrier(...); b[i] = w;' stores the last item's w for "
          "all of a work-group, of float, double, half and vectors of them, in groups of any size "
          "but 1 and the vector's; so does what is computed of it alone (fabs(-x), (int)-x, "
          "b[(int)-x]) and whatever LLVM makes a negation of: x * -1, x / -1, -0.0 - x, a top bit "
          "flipped of an int that was a float, and differences with -cl-no-signed-zeros. Not with "
          "-cl-opt-disable, nor where the negation is a xor with a mask that LLVM does not know "
          "(python -m tests.device.negations opencl:0)"),
    Quirk("Intel", "cpu", ("shared_branches",),
          "Intel 2026.2: 'for (j = 0; j < n; j++) { if (i & 1) s += t[j]; else s += c[j]; }', i "
          "being the id, gives each item of a work-group of 16 and more the sum of the vector's "
          "first; with 'if (j == 3 && i % 3 == 1) continue;' in the loop, what follows runs for "
          "items that had left, and reads what none may read. LLVM makes two loops of one, by a "
          "condition that does not change in it, and numbers that are the same for all items in "
          "each are taken as the same for all behind both. LLVM does not do that in functions of "
          "the attribute cold (python -m tests.device.branches opencl:0)"),
    Quirk("Intel", "cpu", ("turns_together",),
          "Intel's runtime 2026.2: of 'for (int j = 0; j < n; j++) s += a[i * n + j];' items that "
          "fill no vector of work-items get the sum of several sums, in the bits of another order; "
          "not with '#pragma clang loop vectorize(disable)' (tests/conformance/language/"
          "test_sums_in_order.py)"),
    Quirk("Intel", "", (),
          "Intel 2026.2: expm1 of a half that is -0 is 0 on some processors with AVX-512 (Rocket "
          "Lake; tests/conformance/language/test_builtins.py)", weak=("expm1",)),
    Quirk("Intel", "", ("lost_inversions",),
          "Intel 2026.2, where a processor has AVX-512 and kernels are not vectorised (in "
          "work-groups of 8 and less, say): max(v, ~w) is max(v, w), for 32 and 64 bits, signed "
          "and not, written as min, max, clamp or v > ~w ? v : ~w; -1 - w and w ^ -1 are ~w to "
          "LLVM. Right where it does not know that bits are turned "
          "(python -m tests.device.inversions opencl:0)"),
    Quirk("Intel", "", ("chosen_arrays",),
          "Intel 2026.2: 'uint x[4], y[4]; ... v = a[id] % 3 == 1 ? x[k] : y[k];' is wrong for "
          "most items of work-groups of 16 and more, by if and else, too: LLVM loads once, from "
          "one of two addresses, and the vectorised kernel reads elsewhere. Not if both are "
          "members of one struct, nor with -cl-opt-disable "
          "(python -m tests.device.chosen_arrays opencl:0)"),
    Quirk("Intel", "cpu", ("stale_elements",),
          "Intel 2026.2, on a Zen 5: in work-groups of 3 and 5 's[id] = x; barrier(...); "
          "carry = s[4]; barrier(...);' in a loop reads 0 in each turn, behind a loop around "
          "work_group_scan_inclusive_min and an atomic on local memory; not if it is read through "
          "a volatile pointer (python -m tests.device.stale_elements opencl:0)"),
    Quirk("Intel", "", (),
          "Intel 2026.2: with 'q = a / b; q * b != a && (a < 0) != (b < 0) ? q - 1 : q' for the "
          "floor of a quotient, 'v = 0 > floor(p, 3); if (!v) v = (floor(p, 5) & 3) == 3;' is "
          "compiled for ever (pass instcombine). So the floor asks for the remainder, a % b, on "
          "every device (python -m tests.device.floor_divisions opencl:0)"),
    Quirk("Intel", "cpu", ("lost_turns",),
          "Intel 2026.2: 'long a = 0, b = 1; for (int k = 0; k < n[i]; k++) { long t = b; "
          "b = a + b; a = t; }', i being the id, ends the process in the compiler (pass "
          "vplan-vec); with -cl-opt-disable, with a bound that is the same for all items, or with "
          "a value that LLVM does not know to be b's it is right "
          "(tests/conformance/language/test_names_that_turn.py)"),
    Quirk("Intel", "cpu", ("shared_departures",),
          "Intel 2026.2: 'for (m = 0; m < 50; m++) { if (z * z + w * w > 4) { n = m * m; goto end; "
          "} t = z; z = z * z - w * w + c; w = 2 * hidden(t) * w + d; } n = 50; end: out[i] = n;', "
          "hidden being a shift by 0 that LLVM does not know, stores one item's n for all of a "
          "vector, though they leave in different turns; so do some loops without it. Right where "
          "m << (get_local_id(0) >> 16), which differs between items, is read instead "
          "(tests/conformance/language/test_loops_that_are_left.py)"),
    Quirk("Intel", "cpu", ("short_ids",),
          "Intel 2026.2: 'long g = get_global_id(0); if (g % 3 == 1 && g >= 2147483650) o[0] = g;' "
          "stores nothing, over a range of 2^31 + 64 or with an offset of 2^31, unless in "
          "work-groups of one item. Right where g is made of the ids of group and item "
          "(tests/conformance/kernel/test_large_ranges.py)"),
    Quirk("Intel", "cpu", ("lone_waits",),
          "Intel 2026.2: two threads that launch kernels on an out-of-order queue and on in-order "
          "ones by turns, and wait for every third, stand still in clWaitForEvents after some "
          "hundred launches, an event being CL_SUBMITTED for ever; not if one at a time waits, nor "
          "if they look at the events' status, nor without the out-of-order queue "
          "(tests/device/lone_waits.py)"),
)


def quirks_of(traits: Traits) -> Quirks:
    """Return the flags of a device."""
    found = Quirks()
    for row in TABLE:
        if (re.search(row.platform, traits.platform) and row.kind in ("", traits.kind)
                and re.search(row.driver, traits.driver_version)):
            found = replace(found, weak_functions=found.weak_functions + row.weak,
                            **dict.fromkeys(row.flags, True))
    return found


def corrected(traits: Traits, quirks: Quirks) -> Traits:
    """Return what the device can really do."""
    if quirks.old_language:
        return replace(traits, c_version=(1, 2), features=frozenset())
    if quirks.newer_language:
        return replace(traits, c_version=(2, 0))
    return traits
