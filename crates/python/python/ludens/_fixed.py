"""Games for interfaces that want to know all actions beforehand."""

from __future__ import annotations

from typing import Union

from ._game import Game, load


def loaded(game: Union[str, Game]) -> Game:
    """The game, if its actions and facts are fixed."""
    found = load(game) if isinstance(game, str) else game
    if not found.is_fixed:
        raise ValueError(
            f"{found.name} has no net ({found.no_net or 'another engine was asked for'}), so nobody knows its actions beforehand, "
            "which the spaces of an environment need; states and ludens.VectorEnv play it"
        )
    return found
