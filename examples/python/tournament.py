# %% [markdown]
# # A tournament, with a player of one's own beside it
#
#     python examples/python/tournament.py [--quick]
#
# Players that are built in meet in a tournament; one that is written in Python plays matches against the best of them.

# %%
import argparse
import random
from typing import Any, Dict

import ludens


def told(what: Dict[str, Any]) -> None:
    """How far the tournament is."""
    print(f"\r{what['done']} of {what['of']} games", end="", flush=True)


# %% [markdown]
# ## A player of one's own
#
# A function from a state to an action. This one makes a move that wins at once if there is any, else any move.


# %%
def grabber(state: ludens.State) -> int:
    """Wins if it can at once."""
    player = state.current_player()
    actions = state.legal_actions()
    for action in actions:
        after = state.child(action)
        if after.is_terminal() and after.player_return(player) == 100:
            return action
    return random.choice(actions)


# %%
def main() -> None:
    parser = argparse.ArgumentParser(description="Plays a small tournament, and matches of a player written in Python.")
    parser.add_argument("--quick", action="store_true", help="one game, few playouts")
    given = parser.parse_args()
    games = ["tic-tac-toe"] if given.quick else ["tic-tac-toe", "connect-four", "breakthrough-small"]
    playouts = 50 if given.quick else 2000
    players = [f"uct:playouts={playouts}", f"monte-carlo:playouts={playouts}", "random"]
    rounds = 2 if given.quick else 10
    standings = ludens.tournament(games, players, rounds=rounds, start=1.0, play=1.0, progress=told)
    print()
    print(standings)
    best = standings.players[0]["player"]
    goals = [0, 0]
    for seed in range(rounds):
        played = ludens.match(games[0], [grabber, best], start=0.5, play=0.5, seed=seed)
        goals = [total + goal for total, goal in zip(goals, played.goals)]
    print(f"{rounds} games of {games[0]}: grabber {goals[0] / rounds:.0f}, {best} {goals[1] / rounds:.0f}")


if __name__ == "__main__":
    main()
