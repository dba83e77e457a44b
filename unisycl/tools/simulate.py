"""``python -m unisycl simulate program.py --ranks 1000``: how long it would take on many ranks.

The program runs once, here, as the first of so many ranks; plans of all ranks are made as they are
in a real run, a part of each kernel is run and measured, and messages take the time of a network
model. Non-goals: programs whose course depends on values of other ranks. Invariant: what is printed
says what was measured and what was assumed.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import time
from pathlib import Path
from typing import Any

from unisycl.ranks.links import world
from unisycl.ranks.network import machine
from unisycl.ranks.network.clock import Clock
from unisycl.ranks.network.pretended import PretendedLink
from unisycl.tools.devices import size_text


def add_command(commands: Any) -> None:
    """Add ``simulate`` to the command line."""
    parser = commands.add_parser(
        "simulate", help="tell how long a program would take on many ranks",
        usage="python -m unisycl simulate [OPTIONS] program.py [ARGUMENTS ...]")
    parser.add_argument("--ranks", type=int, default=16, help="how many ranks (16)")
    parser.add_argument("--network", default="200G", help="bits a second of a port (200G)")
    parser.add_argument("--latency", default="2us", help="of a message (2us)")
    parser.add_argument("--overhead", default="1us", help="of a message on each side (1us)")
    parser.add_argument("--group", default="50us", help="to submit a command group (50us)")
    parser.add_argument("--switch", type=float, default=1.0, metavar="N",
                        help="how much more the ports could send than the switch carries (1)")
    parser.add_argument("--device", default="here", choices=("here", *machine.DEVICES),
                        help="measure kernels here, or take a device's memory as their limit")
    parser.add_argument("--trace", metavar="FILE", help="write a trace for ui.perfetto.dev")
    parser.add_argument("program", help="the program")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="ARGUMENTS",
                        help="its arguments")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the program as the first rank, and print what the others would take."""
    if options.ranks < 1:
        sys.stderr.write(f"simulate: expected a number of ranks, got {options.ranks}\n")
        return 2
    memory, launch = machine.DEVICES.get(options.device, (0.0, 0.0))
    chosen = machine.Machine(machine.seconds(options.latency), machine.seconds(options.overhead),
                             machine.bits(options.network), options.switch,
                             machine.seconds(options.group), memory, launch)
    link = world.pretended = PretendedLink(options.ranks)
    sys.argv = [options.program, *options.rest]
    sys.path.insert(0, str(Path(options.program).resolve().parent))
    begin = time.perf_counter()
    try:
        runpy.run_path(options.program, run_name="__main__")
    finally:
        world.pretended = None
        sys.path.pop(0)
    clock = link.program.times(chosen, 32 if options.trace else 0)
    print("\n".join(told(clock, options, len(link.program.groups))))
    print(f"simulated in {time.perf_counter() - begin:.1f} s")
    if options.trace:
        clock.write(Path(options.trace))
        print(f"{options.trace}: the first {min(32, options.ranks)} ranks, for ui.perfetto.dev")
    return 0


def told(clock: Clock, options: argparse.Namespace, groups: int) -> list[str]:
    """Return what is printed of a simulation."""
    m, end = clock.machine, clock.end or 1e-30
    kernels = "measured on this machine's device" if not m.memory else \
        f"as {options.device}'s memory allows ({m.memory / 1e12:.2f} TB/s), not measured"
    sent = f"{clock.messages} messages, {size_text(clock.sent)} sent"
    lines = [f"{clock.size} ranks, {groups} command groups, {sent}"]
    network = f"{options.network} a port, latency {options.latency}"
    host = f"{options.overhead} a message on each side, {options.group} a command group"
    lines += [f"assumed: {network}, {host}; kernels {kernels}"]
    lines += [
             f"time            {clock.end * 1e3:.3f} ms",
             f"devices at work {100 * sum(clock.busy) / clock.size / end:.1f} % of it",
             "the critical path spends it in:"]
    for name, spent in list(clock.shares().items())[:8]:
        lines.append(f"  {spent * 1e3:10.3f} ms {100 * spent / end:5.1f} %  {name}")
    return lines
