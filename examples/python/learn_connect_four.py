# %% [markdown]
# # Connect four by self-play, with a linear model, in a minute
#
# Both players are one table of weights each: facts times actions. A move is drawn from the softmax of the legal ones, and after a game
# the moves of who won become likelier, those of who lost less likely (REINFORCE). Nothing is known of the game but its rules: put the name of
# another game of two players in the place of `connect-four`, and it learns that.
#
#     python examples/python/learn_connect_four.py [--quick]

# %%
import argparse
import time
from typing import List, Optional, Tuple

import numpy as np
import numpy.typing as npt

import ludens

Array = npt.NDArray[np.float32]


class Linear:
    """For each role, a weight for every fact and action."""

    def __init__(self, game: ludens.Game) -> None:
        self.weights = np.zeros((game.num_players(), game.num_facts(), game.num_distinct_actions()), np.float32)

    def chances(self, observations: Array, masks: npt.NDArray[np.bool_], players: npt.NDArray[np.intp]) -> Array:
        """How likely each action is, a row a game."""
        scores = np.full(masks.shape, -np.inf, np.float32)
        for role in range(len(self.weights)):
            own = players == role
            scores[own] = observations[own] @ self.weights[role]
        scores = np.where(masks, scores, -np.inf)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(scores / scores.sum(axis=1, keepdims=True), np.float32)


def drawn(chances: Array, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """An action of each row, as likely as it says."""
    sums = chances.cumsum(axis=1)
    points = generator.random(len(chances), np.float32)[:, None] * sums[:, -1:]
    return np.asarray((sums <= points).sum(axis=1).clip(max=chances.shape[1] - 1), np.int64)


# %% [markdown]
# ## A batch of games
#
# `restart=False` plays every game once; a game that is over ignores what is chosen for it.

# %%
Step = Tuple[Array, npt.NDArray[np.bool_], npt.NDArray[np.intp], npt.NDArray[np.int64], npt.NDArray[np.bool_]]


def play(env: ludens.VectorEnv, model: Linear, generator: np.random.Generator, opponent: Optional[int] = None) -> Tuple[List[Step], Array]:
    """Plays all games to their end; with an opponent, that role moves at random. The steps, and the goals of each game."""
    env.reset()
    goals = np.zeros((env.num_envs, 2), np.float32)
    steps: List[Step] = []
    while (env.players >= 0).any():
        players = env.players.astype(np.intp)
        alive = players >= 0
        observations, masks = env.observations.astype(np.float32), env.masks.copy()
        masks[~alive, 0] = True
        actions = drawn(model.chances(observations, masks, players.clip(min=0)), generator)
        if opponent is not None:
            actions = np.where(players == opponent, env.sample(), actions)
        rewards, _ = env.step(actions)
        goals += rewards
        steps.append((observations, masks, players.clip(min=0), actions, alive))
    return steps, goals


def learn(model: Linear, steps: List[Step], goals: Array, rate: float) -> None:
    """Makes moves of winners likelier."""
    advantage = (goals - goals.mean(axis=0)) / 50.0
    change = np.zeros_like(model.weights)
    for observations, masks, players, actions, alive in steps:
        wrong = -model.chances(observations, masks, players)
        wrong[np.arange(len(actions)), actions] += 1.0
        wrong *= (advantage[np.arange(len(players)), players] * alive)[:, None]
        for role in range(len(model.weights)):
            own = players == role
            change[role] += observations[own].T @ wrong[own]
    model.weights += rate * change / len(goals)


def strength(game: ludens.Game, model: Linear, n: int, generator: np.random.Generator) -> float:
    """The mean goal against a random player, over both roles."""
    env = game.vector(n, seed=99, restart=False)
    return float(np.mean([play(env, model, generator, opponent=1 - role)[1][:, role].mean() for role in (0, 1)]))


# %% [markdown]
# ## A minute of it


# %%
def main() -> None:
    parser = argparse.ArgumentParser(description="Learns connect four by self-play with a linear model.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--quick", action="store_true", help="two seconds, to see that it works")
    given = parser.parse_args()
    seconds, n = (2.0, 128) if given.quick else (given.seconds, 512)
    game = ludens.load("connect-four")
    model, generator = Linear(game), np.random.default_rng(1)
    env = game.vector(n, seed=1, restart=False)
    print(f"before: {strength(game, model, n, generator):.1f} of 100 against random moves", flush=True)
    began, shown, games = time.monotonic(), time.monotonic(), 0
    while time.monotonic() - began < seconds:
        learn(model, *play(env, model, generator), rate=1.0)
        games += n
        if time.monotonic() - shown > 10.0:
            shown = time.monotonic()
            print(f"{games} games: {strength(game, model, n, generator):.1f}", flush=True)
    print(f"after {games} games: {strength(game, model, 4 * n, generator):.1f} of 100 against random moves")


if __name__ == "__main__":
    main()
