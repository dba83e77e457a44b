"""Processes that fork at any moment, and that end with objects and work in any state.

A child of a fork, while other threads of the parent submit, refuses the parent's objects, starts
afresh and computes; the parent goes on. Other processes end with everything alive: dropped by the
interpreter in any order, in cycles, from late finalisers, after errors, with threads at work.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.stress.run import Run

FORK = """
import os, random, sys, threading
import numpy as np
import unisycl as sycl

random.seed(SEED)
def bump(i, p):
    p[i] += 1
def serve(q, p, turns):
    for _ in range(turns):
        b = sycl.buffer(np.zeros(64, np.int32))
        q.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 1))
        q.submit(lambda h: h.host_task(lambda: None))
        q.parallel_for(64, bump, p).wait()
q = sycl.queue(sycl.cpu_selector_v)
p = sycl.malloc_shared(64, np.int32, q)
serve(q, p, 2)
stop = threading.Event()
def always():
    mine = sycl.queue(sycl.cpu_selector_v)
    own = sycl.malloc_shared(64, np.int32, mine)
    while not stop.is_set():
        serve(mine, own, 1)
others = [threading.Thread(target=always) for _ in range(3)]
for t in others:
    t.start()
bad = 0
for turn in range(10):
    for _ in range(random.randrange(200)):
        pass
    child = os.fork()
    if child == 0:
        status = 1
        try:
            q.parallel_for(64, bump, p)
        except sycl.exception as error:
            status = 0 if error.code() is sycl.errc.invalid else 2
        fresh = sycl.queue(random.choice((sycl.cpu_selector_v, sycl.host_selector_v)))
        mine = sycl.malloc_shared(64, np.int32, fresh)
        fresh.fill(mine, 1).wait()
        fresh.parallel_for(64, bump, mine).wait()
        status |= 4 * (mine[:].sum() != 128)
        os._exit(status)
    serve(q, p, 1)
    _, ended = os.waitpid(child, 0)
    bad |= os.waitstatus_to_exitcode(ended)
stop.set()
for t in others:
    t.join()
sys.exit(bad)
"""

END = """
import atexit, random, sys, threading
import numpy as np
import unisycl as sycl

random.seed(SEED)
class Late:
    def __init__(self, held): self.held = held
    def __del__(self): self.held = None
def bump(i, p):
    p[i] += 1
kept = []
for k in range(12):
    q = sycl.queue(random.choice((sycl.cpu_selector_v, sycl.host_selector_v)))
    b = sycl.buffer(np.zeros(64, np.int32))
    p = sycl.malloc_shared(64, np.int32, q)
    q.fill(p, 0).wait()
    made = [q, b, p, q.parallel_for(64, bump, p),
            q.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 1))]
    def look(h):
        a = sycl.accessor(b, h, sycl.read_only_host_task)
        h.host_task(lambda: a[0])
    made.append(q.submit(look))
    if random.random() < 0.3:
        made.append(sycl.host_accessor(b))
    if random.random() < 0.3:
        made.append(made)
    random.shuffle(made)
    where = random.randrange(4)
    if where == 0:
        globals().update({f"x{k}_{i}": m for i, m in enumerate(made)})
    elif where == 1:
        setattr(sys, f"late{k}", Late(made))
    elif where == 2:
        atexit.register(lambda m=made: m.clear())
    else:
        kept.append(Late(made))
if random.random() < 0.5:
    threading.Thread(target=lambda m=made: m, daemon=True).start()
if random.random() < 0.3:
    sys.exit(0)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run such processes until the time is over."""
    run = Run("endings", arguments, seconds=60.0)
    for turn in run.turns():
        kind, program = (("forking", FORK), ("ending", END))[turn % 2]
        seed = run.random.randrange(1 << 30)
        try:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c",
                 program.replace("SEED", str(seed))],
                cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300,
                check=False, env={**os.environ})
        except subprocess.TimeoutExpired as late:
            run.fail(f"{kind} with seed {seed} hung: {str(late.stderr)[-500:]}")
            continue
        if done.returncode or done.stderr:
            run.fail(f"{kind} with seed {seed}: {done.returncode} {done.stderr[-1500:]}")
        run.counts[f"processes {kind}"] += 1
        run.counts["forks"] += 10 * (kind == "forking")
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
