"""Steps a second, beside OpenSpiel where that is installed, in one run on one core.

    python -m ludens.bench [--seconds S] [--games NAME ...] [--n N] [--repeats R]

A step is one joint move. Measured are:

- single: a plain loop over single states: is it over, legal actions, one of them at random, apply it; the same loop for pyspiel.
- batch: `env.step(actions)` with an array of random legal actions from `env.sample()`, one of 64-bit integers each step.
- masked: the same with the actions chosen by numpy from `env.masks`.
- observed: as batch, and `env.observations` and `env.masks` are asked for after every step.
- rollout: `env.rollout(steps)`: random moves inside.

Speeds are by processor time. The rounds go through all of them by turns, and the best of each counts, so that other work on the
machine disturbs all alike.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from typing import Any, Callable, Dict, List, Optional

import numpy

import ludens

#: Our names, and those of OpenSpiel for the same game.
GAMES = {"tic-tac-toe": "tic_tac_toe", "connect-four": "connect_four", "breakthrough": "breakthrough"}


def _loop(start: Callable[[], Any], seconds: float) -> float:
    """Steps a second of a plain loop over states."""
    choice, steps, began = random.choice, 0, time.process_time()
    while True:
        state = start()
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            steps += 1
        spent = time.process_time() - began
        if spent > seconds:
            return steps / spent


def _repeated(step: Callable[[], int], seconds: float) -> float:
    """Steps a second of something that tells how many it has made."""
    steps, began = 0, time.process_time()
    while True:
        for _ in range(8):
            steps += step()
        spent = time.process_time() - began
        if spent > seconds:
            return steps / spent


def _ways(name: str, n: int) -> Dict[str, Callable[[float], float]]:
    """What is measured for a game."""
    game = ludens.load(name)
    ways: Dict[str, Callable[[float], float]] = {}
    try:
        import pyspiel
    except ImportError:
        pyspiel = None
    if pyspiel is not None and name in GAMES:
        other = pyspiel.load_game(GAMES[name])
        ways["pyspiel"] = lambda seconds: _loop(other.new_initial_state, seconds)
    ways["single"] = lambda seconds: _loop(game.new_initial_state, seconds)
    env = game.vector(n, seed=1)
    generator = numpy.random.default_rng(1)
    noise = generator.random((64, n, game.num_distinct_actions()), dtype=numpy.float32) + 1.0
    count = [0]

    def batch() -> int:
        env.step(env.sample())
        return n

    def masked() -> int:
        # Random numbers are taken from a store: what is measured is the environment and the choice, not the generator.
        count[0] += 1
        env.step((noise[count[0] % 64] * env.masks).argmax(axis=1))
        return n

    def observed() -> int:
        env.step(env.sample())
        return len(env.observations) if len(env.masks) == n else 0

    ways["batch"] = lambda seconds: _repeated(batch, seconds)
    ways["masked"] = lambda seconds: _repeated(masked, seconds)
    ways["observed"] = lambda seconds: _repeated(observed, seconds)
    ways["rollout"] = lambda seconds: _repeated(lambda: env.rollout(64).states, seconds)
    return ways


def measure(name: str, n: int = 4096, seconds: float = 0.5, repeats: int = 3) -> Dict[str, float]:
    """Steps a second of everything that is measured for a game."""
    ways = _ways(name, n)
    best = {way: 0.0 for way in ways}
    for _ in range(repeats):
        for way, run in ways.items():
            best[way] = max(best[way], run(seconds))
    return best


def _words(number: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m ludens.bench",
        description="Steps a second, beside OpenSpiel where that is installed (pip install open_spiel).",
        epilog="example: python -m ludens.bench --games tic-tac-toe --seconds 0.2",
    )
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="NAME", help="games of the library, or paths")
    parser.add_argument("--n", type=int, default=4096, help="games side by side (default 4096)")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each measurement (default 0.5)")
    parser.add_argument("--repeats", type=int, default=3, help="rounds, the best of which counts (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    if given.n < 1 or given.repeats < 1 or not given.seconds > 0:
        parser.error("--n, --repeats and --seconds are more than nothing")
    found: Dict[str, Dict[str, float]] = {}
    for name in given.games:
        found[name] = measure(name, given.n, given.seconds, given.repeats)
        if given.json:
            continue
        yardstick = found[name].get("pyspiel")
        print(f"{name}, {given.n} games side by side" + ("" if yardstick else " (no pyspiel to compare with)"))
        for way, speed in found[name].items():
            times = f"{speed / yardstick:>9.1f} x" if yardstick else ""
            print(f"  {way:<9} {_words(speed):>7} steps/s {times}", flush=True)
    if given.json:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
