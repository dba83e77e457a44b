"""What a run of the corpus prints: a line a form, means, the worst, pairs of twins.

Non-goals: measuring. Invariant: ratios are times of peers over ours, above 1 where ours is faster.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

from bench.corpus.catalogue import entries, title
from bench.corpus.run import Result
from bench.harness import OURS

BAR = 0.85


def heading(peers: Sequence[str]) -> str:
    """Return the heading of the table."""
    return (f"{'':36}{'ms':>9}{'CPU ms':>9}" + "".join(f"{p:>9}{'CPU':>7}" for p in peers)
            + f"{'best':>9}{'CPU':>7}{'codes':>7}{'KiB':>5}")


def line(result: Result, peers: Sequence[str]) -> str:
    """Return the line of one form; what is wrong with it follows on lines of their own."""
    name = title(result.name, result.form)
    text = f"{name:36}"
    if OURS in result.wall:
        text += f"{result.seconds() * 1e3:9.3f}{result.seconds(cpu=True) * 1e3:9.3f}"
        for peer in peers:
            if peer in result.wall:
                text += f"{result.ratio(peer, cpu=False):9.2f}{result.ratio(peer, cpu=True):7.2f}"
            else:
                text += f"{'':16}"
        for cpu, width in ((False, 9), (True, 7)):
            best = result.best(cpu=cpu)
            text += f"{best[0]:{width}.2f}" if best else f"{'':{width}}"
        if result.code[0]:
            text += f"{result.code[0]:7}{result.code[1] / 1024:5.0f}"
    elif not result.errors:
        text += "  right" + "".join(f", {p} absent" for p in result.absent)
    return "\n".join([text.rstrip(), *(f"    {p}: {why}" for p, why in result.errors.items())])


def mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(math.log(v) for v in values))


def _means(results: Sequence[Result], peers: Sequence[str]) -> list[str]:
    lines = []
    for peer in (*peers, "best"):
        figures = []
        for cpu in (False, True):
            found = ([r.best(cpu=cpu) for r in results] if peer == "best" else
                     [(r.ratio(peer, cpu=cpu), peer) for r in results
                      if peer in r.wall and OURS in r.wall])
            figures.append([f[0] for f in found if f])
        if figures[0]:
            lines.append(f"geometric mean against {peer:8} over {len(figures[0]):3} forms: "
                         f"{mean(figures[0]):6.2f} by the clock, {mean(figures[1]):6.2f} by CPU "
                         f"time; worst {min(figures[0]):.2f} and {min(figures[1]):.2f}")
    return lines


def _behind(results: Sequence[Result]) -> list[str]:
    slow = []
    for r in results:
        best = r.best(cpu=True)
        if best and best[0] < BAR:
            slow.append((best[0], best[1], title(r.name, r.form)))
    return [f"below {BAR} of the best peer by CPU time: {len(slow)}",
            *(f"  {name:36}{ratio:7.2f} {peer}" for ratio, peer, name in sorted(slow))]


def _twins(results: Sequence[Result]) -> list[str]:
    by_form = {(r.name, r.form): r for r in results if OURS in r.wall}
    lines = []
    for name, (entry, _) in entries().items():
        if entry.twin and all((name, form) in by_form for form in entry.twin):
            plain, guarded = (by_form[name, form] for form in entry.twin)
            lines.append(f"  {name:36}{plain.seconds() / guarded.seconds():7.2f}"
                         f"{plain.seconds(cpu=True) / guarded.seconds(cpu=True):7.2f}")
    return ["twins: time without guard over time with it, by the clock and CPU time",
            *lines] if lines else []


def _code(results: Sequence[Result]) -> list[str]:
    """Return how much code ours is, of the kernels that were new to the process in each form."""
    new = [r for r in results if r.code[0]]
    if not new:
        return []
    most, count = max(new, key=lambda r: r.code[1]), max(new, key=lambda r: r.code[0])
    text = (f"code for both sizes, an entry of the cache each: {sum(r.code[0] for r in new)} of "
            f"{len(new)} forms, {sum(r.code[1] for r in new) / 1024:.0f} KiB; at most "
            f"{most.code[1] / 1024:.0f} KiB ({title(most.name, most.form)}) and {count.code[0]} "
            f"({title(count.name, count.form)})")
    return [text]


def summary(results: Sequence[Result], peers: Sequence[str]) -> list[str]:
    """Return what is printed behind the lines."""
    wrong = [r for r in results if r.errors]
    slowest = max(results, key=lambda r: r.compiled, default=None)
    lines = [*_means(results, peers), *_behind(results), *_twins(results)]
    if slowest is not None and slowest.compiled:
        lines.append("longest first run at the small size, compiling included: "
                     f"{slowest.compiled:.2f} s, {title(slowest.name, slowest.form)}")
    lines += _code(results)
    lines.append(f"{len(results)} forms, {len(wrong)} with something wrong"
                 + "".join(f"\n  {title(r.name, r.form)}: {', '.join(r.errors)}" for r in wrong))
    return lines
