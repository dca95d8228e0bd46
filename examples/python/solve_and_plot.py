# %% [markdown]
# # A game solved, and how far its positions are from the end
#
#     python examples/python/solve_and_plot.py [--game NAME] [--quick]
#
# With matplotlib the plot is a picture, `NAME-distances.png`; without it, bars of text. The start is drawn as `NAME.svg`; a notebook shows
# a state by itself.

# %%
import argparse
import pathlib
from typing import Any, Dict

import ludens


def told(what: Dict[str, Any]) -> None:
    """How far the solver is, on one line."""
    print(f"\r{what['doing']}: {what['done']} of {what['states']} states, {what['seconds']:.0f} s", end="", flush=True)


# %% [markdown]
# ## What the solution says


# %%
def report(game: ludens.Game, solution: ludens.Solution) -> None:
    """The value, the numbers, and the line of best play."""
    values = ", ".join(f"{count} of value {value}" for value, count in solution.values.items())
    print(f"{game.title}: value {solution.value} with best play, {solution.states} states ({values})")
    print("line:", " ".join(f"{step.role} {step.move}" for step in solution.line))


def bars(solution: ludens.Solution) -> None:
    """States by their distance from the end, for each value."""
    for value, counts in solution.distances.items():
        most = max(counts, default=0)
        print(f"value {value}")
        for distance, count in enumerate(counts):
            if count:
                print(f"  {distance:>3} moves {count:>8} {'#' * max(1, 50 * count // most)}")


def plot(solution: ludens.Solution, path: pathlib.Path) -> bool:
    """The same as a picture, where matplotlib is installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return False
    figure, axes = pyplot.subplots()
    for value, counts in solution.distances.items():
        axes.plot(range(len(counts)), counts, marker="o", label=f"value {value}")
    axes.set(xlabel="moves to the end", ylabel="states")
    axes.legend()
    figure.savefig(path)
    return True


# %%
def main() -> None:
    parser = argparse.ArgumentParser(description="Solves a game and plots how far its positions are from the end.")
    parser.add_argument("--game", default="connect-four-small", help="a game of the library, or a path")
    parser.add_argument("--quick", action="store_true", help="nim, which takes no time")
    given = parser.parse_args()
    game = ludens.load("nim" if given.quick else given.game)
    solution = game.solve(progress=told)
    print()
    report(game, solution)
    name = pathlib.Path(game.name).stem
    pathlib.Path(f"{name}.svg").write_text(game.new_initial_state()._repr_svg_())
    path = pathlib.Path(f"{name}-distances.png")
    if plot(solution, path):
        print(f"plotted in {path}")
    else:
        bars(solution)


if __name__ == "__main__":
    main()
