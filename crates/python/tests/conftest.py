"""What the tests share."""

from __future__ import annotations

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def own_tables(tmp_path_factory, monkeypatch):
    """Tables of whoever runs the tests are not looked at."""
    monkeypatch.setenv("LUDENS_TABLES", str(tmp_path_factory.getbasetemp() / "tables"))


def corpus():
    """Other people's rulesheets, for those who have them: in `LUDENS_CORPUS`, or beside the project."""
    place = pathlib.Path(os.environ.get("LUDENS_CORPUS", ROOT.parent / "shared" / "corpus")) / "games"
    return sorted(place.glob("**/*.kif")) if place.is_dir() else []
