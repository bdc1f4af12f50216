"""python -m tests.simulation --seeds 1000 --days 365: simulate years; --seed N repeats one and shortens its failure."""

import argparse
import logging
import sys
import time

from tests.simulation.simulation import live_through, shorten
from tests.simulation.story import tell_story


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="how many stories")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--days", type=int, default=30, help="how long each story is")
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    seeds = range(chosen.first, chosen.first + chosen.seeds) if chosen.seed is None else [chosen.seed]
    began, failed, steps, crashes = time.monotonic(), 0, 0, 0
    for seed in seeds:
        story = tell_story(seed, chosen.days)
        ending = live_through(story)
        steps += ending.after
        crashes += sum(step.name == "crash" for step in story[: ending.after])
        if ending.failure is not None:
            failed += 1
            print(f"seed {seed}, step {ending.after} of {len(story)}: {ending.failure}", flush=True)
            if chosen.seed is not None:
                print("\n".join(map(str, shorten(story[: ending.after], ending.failure))))
    days, seconds = len(seeds) * chosen.days, time.monotonic() - began
    print(f"{len(seeds)} stories, {days} days, {steps} steps, {crashes} crashes, {failed} failed, {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
