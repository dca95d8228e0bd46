"""Examples of the documentation run, types hold, and the scripts do what they say."""

from __future__ import annotations

import doctest
import os
import pkgutil
import subprocess
import sys

import ludens
import pytest
from conftest import ROOT

OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def run(text, name):
    examples = doctest.DocTestParser().get_doctest(text, {"ludens": ludens}, name, None, None)
    told = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(examples, out=told.append)
    assert result.failed == 0, "".join(told)
    return result.attempted


@pytest.mark.parametrize("kind", [ludens._ludens.Game, ludens.State, ludens.VectorEnv])
def test_examples_of_what_is_written_in_rust(kind):
    ran = 0
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            assert member.__doc__, f"{kind.__name__}.{name} says nothing about itself"
            ran += run(member.__doc__, f"{kind.__name__}.{name}")
    assert ran > 10


def test_examples_of_the_modules():
    ran = 0
    for info in pkgutil.iter_modules(ludens.__path__, "ludens."):
        if info.name in ("ludens.pettingzoo", "ludens.gymnasium"):
            pytest.importorskip(info.name.split(".")[1], reason="adapters need their projects")
        module = __import__(info.name, fromlist=["_"])
        result = doctest.testmod(module, extraglobs={"ludens": ludens}, optionflags=OPTIONS)
        assert result.failed == 0, info.name
        ran += result.attempted
    assert ran + doctest.testmod(ludens, extraglobs={"ludens": ludens}, optionflags=OPTIONS).attempted > 20


def test_examples_of_the_guide():
    assert run((ROOT / "docs" / "python.md").read_text(), "docs/python.md") > 15


def test_types():
    pytest.importorskip("mypy", reason="there is no mypy here")
    package = os.path.dirname(ludens.__file__)
    folder = ROOT / "crates" / "python"
    sources = folder / "python" / "ludens"
    checked = [str(sources)] + [str(path) for path in sorted((ROOT / "examples" / "python").glob("*.py"))]
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", os.devnull, *checked]
    told = subprocess.run(command, capture_output=True, text=True, cwd=folder / "python")
    assert told.returncode == 0, told.stdout + told.stderr
    assert os.path.exists(os.path.join(package, "py.typed"))


def test_stubs_have_what_there_is():
    """Every member of the classes that are written in Rust is in the stubs, and the other way round."""
    import ast

    tree = ast.parse((ROOT / "crates" / "python" / "python" / "ludens" / "_ludens.pyi").read_text())
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stubbed = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            there = set(vars(getattr(ludens._ludens, node.name)))
            named = {name for name in there if not name.startswith("__")}
            assert named <= stubbed and {name for name in stubbed if not name.startswith("__")} <= named, node.name
        elif isinstance(node, ast.FunctionDef):
            assert callable(getattr(ludens._ludens, node.name))


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "examples" / "python").glob("*.py")))
def test_scripts(script, tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "python" / script), "--quick"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert told.returncode == 0 and told.stdout, told.stdout + told.stderr


def test_the_bench_runs():
    command = [sys.executable, "-m", "ludens.bench", "--games", "nim", "--n", "64", "--seconds", "0.02", "--repeats", "1"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert told.returncode == 0 and "rollout" in told.stdout, told.stderr
