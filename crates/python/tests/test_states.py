"""Single states, held to published path counts and to recorded games."""

from __future__ import annotations

import copy
import pickle
import random
import re

import ludens
import numpy
import pytest
from conftest import ROOT


def counts(name):
    """Published path counts of a game: depth, paths, ends."""
    text = (ROOT / "games" / name / "perft.toml").read_text()
    found = re.findall(r"\[\[perft\]\]\s+depth = (\d+)\s+nodes = (\d+)\s+terminal = (\d+)", text)
    assert found, name
    return [tuple(int(number) for number in row) for row in found]


def paths(state, depth):
    """Paths of a length, and how many of them end there."""
    if depth == 0:
        return 1, int(state.is_terminal())
    if state.is_terminal():
        return 0, 0
    nodes = ends = 0
    for action in state.legal_actions():
        more = paths(state.child(action), depth - 1)
        nodes, ends = nodes + more[0], ends + more[1]
    return nodes, ends


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "breakthrough"])
def test_path_counts_are_those_that_are_published(name):
    state = ludens.load(name).new_initial_state()
    checked = 0
    for depth, nodes, ends in counts(name):
        if nodes <= 4000:
            assert paths(state, depth) == (nodes, ends)
            checked += 1
    assert checked >= 2


def recorded(name):
    """A recorded game: for each state the facts, the legal moves and the joint move."""
    facts, states, goals = set(), [], {}
    for line in (ROOT / "games" / name / "playthrough.txt").read_text().splitlines():
        words = line.strip().split(" ", 2)
        if line.startswith("state"):
            states.append({"legal": {}, "does": {}})
        elif words[0] == "+":
            facts.add(line.strip()[2:])
        elif words[0] == "-":
            facts.discard(line.strip()[2:])
        elif words[0] in ("legal", "does"):
            states[-1]["facts"] = sorted(facts)
            states[-1][words[0]][words[1]] = words[2]
        elif words[0] == "goal":
            states[-1]["facts"] = sorted(facts)
            goals[words[1]] = words[2]
    return states, goals


@pytest.mark.parametrize("name", ["tic-tac-toe", "nim", "rock-paper-scissors", "connect-four", "eight-puzzle", "othello"])
def test_recorded_games_are_played_again(name):
    if not (ROOT / "games" / name).is_dir():
        pytest.skip(f"{name} is not in the library")
    game = ludens.load(name)
    state = game.new_initial_state()
    states, goals = recorded(name)
    for step in states:
        assert state.facts() == step["facts"]
        if not step["does"]:
            break
        for role, legal in step["legal"].items():
            assert f"{len(state.legal_moves(role))}: {' '.join(sorted(state.legal_moves(role)))}" == legal
        state.apply_actions(step["does"])
    assert [str(goal) for goal in state.goals()] == list(goals.values())


def test_names_that_users_of_openspiel_know():
    game = ludens.load("tic-tac-toe")
    assert (game.num_players(), game.num_distinct_actions(), game.min_utility(), game.max_utility()) == (2, 10, 0, 100)
    state = game.new_initial_state()
    assert state.game is game
    assert not state.is_chance_node() and not state.is_simultaneous_node()
    action = state.legal_actions()[4]
    text = state.action_to_string(action)
    assert state.action_to_string(0, action) == text == game.action_to_string(0, action)
    assert state.string_to_action(text) == action == state.string_to_action("x", text)
    before = state.clone()
    state.apply_action(action)
    assert before != state and before == game.new_initial_state()
    assert hash(before) == hash(game.new_initial_state()) and before in {game.new_initial_state()}
    assert not state.legal_actions_mask()[action]
    assert state.returns() == [0.0, 0.0] and state.player_return("x") == 0.0


def test_simultaneous_games():
    game = ludens.load("rock-paper-scissors")
    state = game.new_initial_state()
    assert state.current_player() == ludens.SIMULTANEOUS and state.is_simultaneous_node()
    with pytest.raises(ludens.IllegalAction, match="several roles"):
        state.legal_actions()
    with pytest.raises(ludens.IllegalAction, match="several roles"):
        state.apply_action(0)
    with pytest.raises(ludens.IllegalAction, match="none is chosen"):
        state.apply_actions({game.roles[0]: 0})
    with pytest.raises(ValueError, match="3 actions are given for 2 roles"):
        state.apply_actions([0, 0, 0])
    state.apply_actions([state.legal_actions(0)[0], state.legal_actions(1)[1]])
    assert state != game.new_initial_state()


def test_copies_are_their_own():
    game = ludens.load("connect-four")
    state = game.from_moves(["(drop 4)", "(drop 4)"])
    for other in (state.clone(), copy.copy(state), copy.deepcopy(state)):
        assert other == state
        other.apply_action(other.legal_actions()[0])
        assert other != state
    again = pickle.loads(pickle.dumps(state))
    assert again.facts() == state.facts() and again.game.name == "connect-four"
    assert pickle.loads(pickle.dumps(game)).roles == game.roles


def test_pictures():
    state = ludens.load("tic-tac-toe").from_moves(["(mark 1 1)"])
    assert "x" in str(state).splitlines()[2]
    svg = state._repr_svg_()
    assert svg.startswith("<svg") and svg.rstrip().endswith("</svg>")
    assert "tic-tac-toe" in repr(state) and "tic-tac-toe" in repr(state.game)


def test_a_game_is_a_name_a_path_or_a_text(tmp_path):
    rules = ludens.load("nim").rules
    path = tmp_path / "my game (2).kif"
    path.write_text(rules)
    facts = ludens.load("nim").new_initial_state().facts()
    for game in (ludens.load(path), ludens.load(str(path)), ludens.load(rules), ludens.load(text=rules), ludens.load("NIM")):
        assert game.new_initial_state().facts() == facts
    assert ludens.load("nim", engine="prover").engine == "prover"


@pytest.mark.parametrize("engine", ["prover", "rules"])
def test_other_engines_play_the_same(engine):
    net, other = ludens.load("tic-tac-toe"), ludens.load("tic-tac-toe", engine=engine)
    assert net.is_fixed and not other.is_fixed
    rng = random.Random(3)
    for _ in range(5):
        a, b = net.new_initial_state(), other.new_initial_state()
        while not a.is_terminal():
            assert a.legal_moves() == b.legal_moves() and a.facts() == b.facts()
            move = rng.choice(a.legal_moves())
            a.apply_action(move)
            b.apply_action(b.string_to_action(move))
        assert a.returns() == b.returns()
    names = other.fact_names()
    assert sorted(name for name, holds in zip(names, b.observation()) if holds) == b.facts()
    assert numpy.flatnonzero(b.legal_actions_mask()).tolist() == []
