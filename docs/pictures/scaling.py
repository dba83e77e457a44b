"""Draw scaling.svg: what ``simulate`` tells of 1 to 1000 ranks with an H200 each.

As much work for each rank: the heat equation with 16384 x 16384 elements, as the card's memory
allows, and bodies with 1.7e10 pairs, at the 975e9 pairs a second that were measured on a card. The
network carries 200 Gbit/s a port, at 2 us; with a switch that carries all, and a quarter of it.
"""

from pathlib import Path

import matplotlib as mpl

from unisycl.examples import ranks
from unisycl.ext.unisycl import distr_queue
from unisycl.ranks.links import world
from unisycl.ranks.network.machine import DEVICES, Machine
from unisycl.ranks.network.pretended import PretendedLink
from unisycl.ranks.queue import pretending

mpl.use("Agg")
from matplotlib import pyplot as plt

RANKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
BODIES, PAIRS = 1 << 17, 975e9


def planned(program, size, steps):
    """Return the plan of all ranks of so many steps of a program."""
    link = world.pretended = PretendedLink(size)
    measured = pretending._measured
    pretending._measured = lambda h, part, what: 1e-9  # replaced below
    try:
        queue = distr_queue("cpu")
        program(queue, steps)
        queue.close()
    finally:
        world.pretended, pretending._measured = None, measured
    return link.program


def heat(queue, steps):
    """Rows of 16384 elements, as many for each rank."""
    ranks.heat(queue, 16384 * queue.size, 16384, steps)


def bodies(queue, steps):
    """So many bodies that each rank has as many pairs."""
    ranks.bodies(queue, many(queue.size), steps)


def many(size):
    """Return how many bodies there are: as many for each rank."""
    return round(BODIES * size ** 0.5 / size) * size


def seconds(program, plan, size, switch):
    """Return how long a plan takes."""
    memory, launch = DEVICES["h200"] if program is heat else (0.0, 0.0)
    if program is bodies:
        for name in plan.costs:
            plan.costs[name] = many(size) / PAIRS
    return plan.times(Machine(oversubscribed=switch, memory=memory, launch=launch)).end


figure, axes = plt.subplots(figsize=(6.4, 3.2))
for program, colour in ((heat, "tab:red"), (bodies, "tab:blue")):
    plans = {(size, k): planned(program, size, k) for size in RANKS for k in (1, 2)}
    for switch, line in ((1.0, "-"), (4.0, "--")):
        times = [seconds(program, plans[size, 2], size, switch) - seconds(
            program, plans[size, 1], size, switch) for size in RANKS]  # of the second step
        shares = [times[0] / t for t in times]
        print(program.__name__, f"switch 1/{switch:g}:", ", ".join(
            f"{size}: {t * 1e3:.2f} ms ({share:.2f})"
            for size, t, share in zip(RANKS, times, shares, strict=True)), flush=True)
        axes.semilogx(RANKS, shares, line, color=colour, marker="o", markersize=3,
                      label=f"{program.__name__}, the switch carries "
                      f"{'all' if switch == 1 else 'a quarter'}")
axes.set(xlabel="ranks", ylabel="speed of a rank, over one rank alone", ylim=(0, 1.05))
axes.legend(fontsize=8)
figure.tight_layout()
figure.savefig(Path(__file__).with_name("scaling.svg"), metadata={"Date": None})
