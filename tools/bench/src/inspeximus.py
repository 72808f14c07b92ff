"""Writes keyed memories with receipts and prints, for each size asked for, the cost of the last 50
writes: size, CPU milliseconds (median, lowest, highest), wall milliseconds (the same)."""
import os
import statistics
import sys
import tempfile
import time

from inspeximus import Inspeximus

LAST = 50
sizes = [int(size) for size in sys.argv[1:]]
with tempfile.TemporaryDirectory() as folder:
    store = Inspeximus(os.path.join(folder, "memory.json"), receipts=True)
    costs = []
    for number in range(max(sizes)):
        key = f"k{number % 10 * 100 + number // 100}"
        text = f"{number * 2654435761 % 2**32:08x} is what was learned in step {number}"
        cpu, wall = time.process_time(), time.perf_counter()
        store.remember(text, key=key, source={"doc": "chat:bench#1"})
        costs.append((time.process_time() - cpu, time.perf_counter() - wall))
        if number + 1 in sizes:
            shown = []
            for axis in (0, 1):
                last = [cost[axis] * 1e3 for cost in costs[-LAST:]]
                shown += [statistics.median(last), min(last), max(last)]
            print(number + 1, *(f"{value:.3f}" for value in shown), flush=True)
