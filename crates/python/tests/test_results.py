"""What searches, studies, solvers, tables, plans and contests give back."""

from __future__ import annotations

import ludens
import pytest


def test_search_knows_every_move():
    game = ludens.load("tic-tac-toe")
    state = game.from_moves(["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"])
    told = []
    found = game.search(state, "uct:playouts=2000", seconds=20, progress=told.append)
    assert found.move == "(mark 1 3)" and found.role == "x" and found.value == 100.0 and found.proven
    assert {move.move for move in found.moves} == set(state.legal_moves())
    assert found.moves[0].move == found.move and found.player.startswith("uct")
    again = game.search(state, "uct:playouts=2000", seconds=20)
    assert [vars(move) for move in again.moves] == [vars(move) for move in found.moves]
    assert game.search(state, "uct:playouts=50", role="o").role == "o"
    assert all(isinstance(what, dict) for what in told)


def test_study_finds_the_board():
    study = ludens.load("breakthrough").study(states=300)
    assert study.roles == ["white", "black"] and study["boards"][0]["fluent"] == "cell"
    assert [len(axis) for axis in study.boards[0]["axes"]] == [8, 8]
    with pytest.raises(AttributeError, match="it has"):
        study.colour


def test_solved_games_are_what_is_known():
    told = []
    solution = ludens.load("tic-tac-toe").solve(progress=told.append)
    # 5,478 positions, and a draw, as everybody knows.
    assert (solution.states, solution.value, solution.distance) == (5478, 0, None)
    assert sum(solution.values.values()) == 5478 and sum(solution.layers) == 5478
    assert len(solution.line) == 9 and solution.end == {"over": [50, 50]}
    assert solution.line[0].role == "x" and len(solution.line[0].joint) == 2
    # Positions after each mark, which are published too.
    assert solution.layers == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert told and told[-1]["states"] == 5478


def test_games_that_cannot_be_solved():
    with pytest.raises(ludens.LudensError, match="not solved"):
        ludens.load("rock-paper-scissors").solve()


def test_a_stored_solution_is_asked(tmp_path):
    game = ludens.load("nim")
    assert game.probe(folder=tmp_path) is None
    solution = game.solve(save=True, folder=tmp_path)
    assert solution.table is not None and solution.value == -100
    found = game.probe(folder=tmp_path)
    assert "wins" in found.words and any(move["best"] for move in found.moves)
    # Heaps of 1, 3, 5 and 7 are lost for who begins, and whatever is taken leaves a win for the other.
    after = game.from_moves([found.moves[0]["move"]])
    assert game.probe(after, folder=tmp_path).words.startswith("second wins")
    assert game.search(folder=tmp_path).table["words"] == found.words
    # The same rules in a text find the same table.
    assert ludens.load(text=game.rules).probe(folder=tmp_path).words == found.words


def test_tables_of_chess(tmp_path):
    with pytest.raises(ludens.LudensError, match="build=True"):
        ludens.table("KQK", folder=tmp_path)
    table = ludens.table("KQK", folder=tmp_path, build=True)
    assert table.name == "KQK"
    # Mate in one, stalemate, and the longest win of ten moves.
    found = table.probe("k7/8/1K6/8/8/8/7Q/8 w - -")
    assert (found.value, found.plies, found.best) == ("win", 1, "h2h8")
    assert table.probe("k7/2Q5/1K6/8/8/8/8/8 b - -").value == "draw"
    line = table.line("k7/8/1K6/8/8/8/7Q/8 w - -")
    assert line == ["h2h8"]
    for fen in ("", "8/8/8/8/8/8/8/8 w - -", "k7/8/1K6/8/8/8/8/7R w - -", "nonsense"):
        with pytest.raises(ValueError):
            table.probe(fen)
    with pytest.raises(ValueError, match="metric"):
        ludens.table("KQK", folder=tmp_path, metric="steps")


def test_plans(tmp_path):
    with pytest.raises(ludens.LudensError, match="there is no plan"):
        ludens.plan("nim", folder=tmp_path)
    told = []
    found = ludens.plan("nim", build=True, seconds=1.0, folder=tmp_path, progress=told.append)
    assert found.sentences and found.name == "nim" and str(found).startswith(found.title)
    again = ludens.plan("nim", folder=tmp_path)
    assert again.sentences == found.sentences and again.file is not None


def test_a_match_with_a_function():
    seen = []

    def first(state):
        seen.append(state.facts())
        return state.legal_actions("x")[0]

    played = ludens.match("tic-tac-toe", [first, "random"], start=0.2, play=0.2, seed=3)
    assert played.players[0] == "first" and played.roles == ["x", "o"]
    assert sum(played.goals) == 100 and len(played.states) == len(played.moves) + 1
    assert len(seen) >= 3 and not played.troubles
    assert played.record["isCompleted"] is True

    def bad(state):
        raise ZeroDivisionError("no idea")

    faulty = ludens.match("tic-tac-toe", [bad, "random"], start=0.2, play=0.2, seed=3)
    assert any("no idea" in trouble for trouble in faulty.troubles) and sum(faulty.goals) == 100


def test_tournaments(tmp_path):
    players = ["uct:playouts=300", "random", "legal"]
    told = []
    standings = ludens.tournament("nim", players, start=0.2, play=0.5, out=tmp_path, progress=told.append)
    assert standings.games == 6 and standings.players[0]["player"].startswith("uct")
    assert "Elo" in str(standings) and told[-1] == {"done": 6, "of": 6}
    # What was played is not played again.
    assert ludens.tournament("nim", players, start=0.2, play=0.5, out=tmp_path).games == 6


def test_data_frames():
    pandas = pytest.importorskip("pandas", reason="there is no pandas here")
    frame = ludens.load("nim").solve().to_frame()
    assert isinstance(frame, pandas.DataFrame) and set(frame.columns) == {"value", "distance", "states"}


def test_problems_of_rules():
    assert [problem.code for problem in ludens.check("(role me)\n(legal me")] == ["unclosed"]
    assert ludens.check(ludens.load("nim").rules) == []
