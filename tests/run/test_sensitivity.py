"""Populations, cells that survive interruptions, rankings and effects, the command and its files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.report.robustness import closest_setting, effects, robustness
from supermarket_env.run.cells import CELLS_FILE, FIGURES, Cell, Plan, play_cells
from supermarket_env.run.populations import DEFAULT, Condition, ablations, draw_population, free_mechanisms, free_traits
from supermarket_env.tasks.suites import load_suite
from supermarket_env.user_sim.config import Mechanisms, UserConfig
from supermarket_env.user_sim.persona import TRAIT_TABLE

SUITE = load_suite("dev", n=2)


def plan(*conditions: Condition, agents: tuple[str, ...] = ("silent", "rule")) -> Plan:
    return Plan(conditions, agents, SUITE.tasks, SUITE.content_hash)


# --- populations -----------------------------------------------------------------------------------------------------


def test_a_population_is_a_function_of_its_number_and_the_seed() -> None:
    assert draw_population(4) == draw_population(4)
    assert draw_population(4).settings != draw_population(5).settings
    assert draw_population(4).settings != draw_population(4, seed=1).settings
    with pytest.raises(ConfigError, match="numbered from 1"):
        draw_population(0)


def test_only_what_has_no_source_is_drawn_and_within_its_range() -> None:
    drawn = [draw_population(k) for k in range(1, 41)]
    names = {t.name for t in free_traits()} | set(free_mechanisms())
    assert {"price_sensitivity", "impulse", "hesitation", "sold_out", "stock_out"}.isdisjoint(names)
    defaults = Mechanisms()
    for population in drawn:
        assert set(population.settings) == names
        assert population.user.mechanisms.sold_out == defaults.sold_out
        for trait in free_traits():
            assert trait.low <= population.settings[trait.name] <= trait.high
        for name in free_mechanisms():
            value, default = population.settings[name], getattr(defaults, name)
            assert 0.5 * default - 0.51 <= value <= 2.0 * default + 0.51
    for trait in free_traits():
        values = [p.settings[trait.name] for p in drawn]
        assert max(values) - min(values) > 0.7 * (trait.high - trait.low)


def test_personas_move_with_the_centre_and_stay_valid() -> None:
    task = SUITE.tasks[0]
    assert DEFAULT.task_for(task) is task
    low, high = (Condition("x", UserConfig(), {"trust": value}).task_for(task) for value in (0.0, 1.0))
    assert low.persona["trust"] < high.persona["trust"] <= 1.0
    assert low.persona["patience"] == task.persona["patience"]


def test_every_setting_has_its_ablations() -> None:
    names = [c.name for c in ablations()]
    assert len(names) == len(set(names))
    settings = {name.partition(":")[0] for name in names}
    assert settings == {t.name for t in TRAIT_TABLE} | set(Mechanisms.model_fields)
    hashes = {c.content_hash() for c in ablations()}
    assert len(hashes) == len(names)
    assert DEFAULT.content_hash() not in hashes


# --- cells -----------------------------------------------------------------------------------------------------------


def test_cells_are_kept_and_a_torn_one_is_played_again(tmp_path: Path) -> None:
    first = play_cells(plan(DEFAULT, draw_population(1)), tmp_path)
    file = tmp_path / CELLS_FILE
    whole = file.read_bytes()
    assert whole.count(b"\n") == 4
    calls: list[tuple[int, int]] = []
    assert play_cells(plan(DEFAULT, draw_population(1)), tmp_path, progress=lambda *x: calls.append(x)) == first
    assert calls == []
    assert file.read_bytes() == whole
    file.write_bytes(whole[:-30])
    assert play_cells(plan(DEFAULT, draw_population(1)), tmp_path, progress=lambda *x: calls.append(x)) == first
    assert calls == [(4, 4)]


def test_several_processes_play_the_same_cells(tmp_path: Path) -> None:
    many = plan(DEFAULT, draw_population(1), draw_population(2))
    assert play_cells(many, tmp_path / "two", workers=2) == play_cells(many, tmp_path / "one")
    lines = {name: (tmp_path / name / CELLS_FILE).read_bytes().splitlines() for name in ("one", "two")}
    assert sorted(lines["two"]) == sorted(lines["one"])


def test_cells_do_not_depend_on_what_else_is_played(tmp_path: Path) -> None:
    together = {(c.condition, c.agent): c.values for c in play_cells(plan(DEFAULT, draw_population(2)), tmp_path / "a")}
    alone = play_cells(plan(draw_population(2), agents=("rule",)), tmp_path / "b")
    assert together["population-002", "rule"] == alone[0].values
    assert set(alone[0].values) == set(FIGURES)
    assert all(len(v) == len(SUITE.tasks) for v in alone[0].values.values())


# --- rankings --------------------------------------------------------------------------------------------------------


def cell(condition: str, agent: str, ns: list[float | None]) -> Cell:
    values: dict[str, list[float | None]] = {figure: [0.0] * len(ns) for figure in FIGURES}
    return Cell(condition, agent, f"{condition}{agent}", values | {"NS": ns})


def made_up(n: int, flipped: int) -> tuple[list[Condition], list[Cell]]:
    """Return n populations of a > b, but for the first ``flipped``; trust follows the gap, noise does not."""
    conditions = [DEFAULT]
    cells = [cell("default", "a", [0.8, 0.6]), cell("default", "b", [0.5, 0.3])]
    for k in range(n):
        gap = 0.1 + 0.01 * k if k >= flipped else -0.1 - 0.01 * (flipped - k)
        settings = {"trust": gap, "other": float((7 * k) % 5)}
        conditions.append(Condition(f"p{k}", UserConfig(), settings=settings))
        cells += [cell(f"p{k}", "a", [0.5 + gap, 0.5 + gap]), cell(f"p{k}", "b", [0.5, 0.5])]
    return conditions, cells


@pytest.mark.parametrize(("flipped", "robust"), [(0, True), (2, True), (3, False)])
def test_a_claim_is_robust_only_when_it_holds_in_nine_tenths(flipped: int, robust: bool) -> None:
    found = robustness(*made_up(20, flipped))
    (claim,) = found.claims
    assert (claim.better, claim.worse, claim.robust) == ("a", "b", robust)
    assert claim.share == pytest.approx(1.0 - flipped / 20)
    assert claim.low <= claim.share <= claim.high
    assert claim.default_gap == pytest.approx(0.3)
    assert claim.setting == "trust"
    assert claim.rho == pytest.approx(1.0)
    assert claim.p is not None
    assert claim.p < 0.05
    assert found.taus.count(-1.0) == flipped
    assert found.noise_tau == 1.0


def test_noise_is_not_called_a_suspect() -> None:
    conditions = [draw_population(k) for k in range(1, 31)]
    name, rho, p = closest_setting(conditions, [float((k * 17) % 31) for k in range(30)])
    assert name
    assert rho is not None
    assert p is not None
    assert p > 0.05
    assert closest_setting(conditions, [1.0] * 30) == ("", None, None)


def test_effects_are_paired_and_undefined_ones_are_left_out() -> None:
    off = Condition("trust:off", UserConfig(traits={"trust": 0.0}), settings={"trust": 0.0})
    cells = [cell("default", "silent", [0.1, 0.2, 0.3]), cell("default", "rule", [0.5, 0.7, None])]
    cells += [cell("trust:off", "silent", [0.1, 0.2, 0.3]), cell("trust:off", "rule", [0.4, 0.5, 0.9])]
    found = {(e.agent, e.figure): e for e in effects([DEFAULT, off], cells)}
    rule = found["rule", "NS"]
    assert rule.n == 2
    assert rule.change == pytest.approx(-0.15)
    assert rule.base == pytest.approx(0.6)
    assert rule.scaled == pytest.approx(-0.15 / 0.1414213562)
    assert found["rule", "NS_uplift"].change == pytest.approx(-0.15)
    assert ("silent", "NS_uplift") not in found
    assert found["silent", "NS"].change == 0.0
    assert not found["silent", "NS"].clear
    assert found["rule", "SR"].scaled is None


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sensitivity", "--out", str(tmp_path), "--populations", "3", "--tasks", "2", "--agents", "silent,rule"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--ablation-agents", "silent"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.strip().splitlines()[-1].startswith("sensitivity: ")
    assert printed == (tmp_path / "report.md").read_text(encoding="utf-8")
    summary = json.loads((tmp_path / "sensitivity.json").read_text(encoding="utf-8"))
    assert summary["tau"]["n"] == 3
    with (tmp_path / "populations.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 4
    assert (tmp_path / "ablation.csv").stat().st_size > 1000
    for picture in ("sensitivity_rankings.png", "sensitivity_ablation.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--agents", "silent,rul"], "Did you mean 'rule'"), (["--agents", "rule"], "at least two assistants")],
)
def test_the_command_says_what_is_wrong(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sensitivity", "--out", str(tmp_path), *words])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
