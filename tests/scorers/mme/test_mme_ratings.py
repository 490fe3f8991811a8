"""Rated replies, weights and the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from supermarket_env.cli import main
from supermarket_env.errors import ConfigError
from supermarket_env.scorers.mme.build import in_order
from supermarket_env.scorers.mme.composition import Negatives
from supermarket_env.scorers.mme.ratings import RatedReply, load_ratings, only_datasets
from supermarket_env.scorers.mme.submetric import NAMES, scores_of
from supermarket_env.scorers.mme.weights import (
    agreement,
    fit_weights,
    load_weights,
    mismatches,
    save_weights,
    values_of,
)

ENTRY = {"Dataset": "d", "Context": "Hello .|||How are you ?", "Response": "Fine , thanks .", "HumanScores": "[4, 5]"}


class Known:
    """A sub-metric whose values stand in the reply's text."""

    def __init__(self, name: str, at: int) -> None:
        self.name = name
        self.impl = f"{name}-known@1"
        self._at = at

    def score(self, context: Sequence[str], response: str) -> float | None:
        value = response.split()[self._at]
        return None if value == "-" else float(value)


METRICS = tuple(Known(name, at) for at, name in enumerate(NAMES))
IMPLS = {metric.name: metric.impl for metric in METRICS}


def rated(number: int, dataset: str = "d", size: int = 40) -> RatedReply:
    human = number / size
    noise = (number * 7 % size) / size
    values = [human, 0.5 * human + 0.5 * noise, noise, 1 - human, 0.5, 0.5, 0.5]
    return RatedReply(dataset, ("hello",), " ".join(f"{v:.4f}" for v in values), (1 + 4 * human,))


REPLIES = tuple(rated(n) for n in range(40))


def write(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data))
    return path


def test_ratings_are_read(tmp_path: Path) -> None:
    (reply,) = load_ratings(write(tmp_path / "r.json", [ENTRY]))
    assert reply.context == ("Hello .", "How are you ?")
    assert reply.human == 4.5
    assert load_ratings(write(tmp_path / "r.json", [ENTRY | {"HumanScores": [1, 2.0]}]))[0].scores == (1.0, 2.0)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"HumanScores": "[]"}, "entry 0.*list of numbers"),
        ({"HumanScores": "[1, 6]"}, "from 1 to 5"),
        ({"HumanScores": "import os"}, "list of numbers"),
        ({"HumanScores": [True]}, "list of numbers"),
        ({"Response": None}, "must be texts"),
    ],
)
def test_bad_entries_are_named(tmp_path: Path, change: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        load_ratings(write(tmp_path / "r.json", [ENTRY | change]))


@pytest.mark.parametrize("data", [[], {"a": 1}, [3], [{"Dataset": "d"}]])
def test_bad_files_are_refused(tmp_path: Path, data: object) -> None:
    with pytest.raises(ConfigError):
        load_ratings(write(tmp_path / "r.json", data))


def test_unknown_dataset_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="unknown dataset"):
        only_datasets(REPLIES, ["x"])


def test_weights_follow_agreement_and_drop_what_disagrees() -> None:
    found = fit_weights(REPLIES, values_of(REPLIES, METRICS), IMPLS)
    assert sum(found.weights.values()) == pytest.approx(1)
    assert found.weights["FM"] > found.weights["RM"] > found.weights["EM"] == 0
    assert found.correlations["d"]["EM"] == pytest.approx(-1)
    assert found.correlations["d"]["SM-NLL"] is None
    assert any("only 40" in line for line in found.warnings)


def test_without_any_agreement_the_warning_says_what_the_weights_are() -> None:
    upside_down = [[None if v is None else 1 - v for v in row] for row in values_of(REPLIES, METRICS)]
    values = [[row[0], row[1], row[0], row[0], 0.5, 0.5, 0.5] for row in upside_down]
    clipped = fit_weights(REPLIES, values, IMPLS)
    assert list(clipped.weights.values()) == pytest.approx([1 / 7] * 7)
    assert any("weights are uniform" in line for line in clipped.warnings)
    ways: tuple[Negatives, ...] = ("literal", "signed")
    for way in ways:
        found = fit_weights(REPLIES, values, IMPLS, negatives=way)
        assert len(set(found.weights.values())) > 1
        assert not any("uniform" in line for line in found.warnings)
        assert any(f"from disagreement (negatives: {way})" in line for line in found.warnings)


def test_data_sets_that_differ_are_pooled_and_apart() -> None:
    """Two data sets, each ranked upside down, one of them better in all: pooling hides it."""
    low = [RatedReply("a", (), "w " * (n + 1), (1 + n / 40,)) for n in range(40)]
    high = [RatedReply("b", (), "w " * (n + 1), (4 + n / 40,)) for n in range(40)]
    values: list[list[float | None]] = [[0.3 - n / 400] * 7 for n in range(40)]
    values += [[0.9 - n / 400] * 7 for n in range(40)]
    found = agreement((*low, *high), values, fit_weights(REPLIES, values_of(REPLIES, METRICS), IMPLS))
    assert found["spearman"]["FM"] > 0.4
    assert found["spearman_mean"]["FM"] == pytest.approx(-1)
    assert found["by_dataset"]["a"]["NLL_length"] == pytest.approx(-1)


def test_too_few_ratings_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 30"):
        fit_weights(REPLIES[:29], values_of(REPLIES[:29], METRICS), IMPLS)


def test_agreement_by_dataset_and_the_gain_over_the_mean() -> None:
    both = (*REPLIES, *(rated(n, "e") for n in range(40)))
    values = values_of(both, METRICS)
    found = agreement(both, values, fit_weights(both, values, IMPLS))
    assert found["n"] == 80
    assert set(found["by_dataset"]) == {"d", "e"}
    told = found["by_dataset"]["e"]["spearman"]
    assert list(told) == ["composite", "mean", *NAMES]
    assert told["composite"] > told["mean"]
    assert told["FM"] == pytest.approx(1)
    assert told["SM-PPL"] is None


def test_weights_survive_their_file_and_know_their_submetrics(tmp_path: Path) -> None:
    found = fit_weights(REPLIES, values_of(REPLIES, METRICS), IMPLS)
    save_weights(found, tmp_path / "w.json")
    assert load_weights(tmp_path / "w.json") == found
    assert mismatches(found, IMPLS) == []
    assert "RM: the weights were fitted on RM-known@1" in mismatches(found, IMPLS | {"RM": "other@2"})[0]


@pytest.mark.parametrize("change", [{"version": 9}, {"weights": {"FM": 1.0}}, {"surprise": 1}, {"power": "x"}])
def test_broken_weights_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "w.json"
    save_weights(fit_weights(REPLIES, values_of(REPLIES, METRICS), IMPLS), path)
    write(path, json.loads(path.read_text()) | change)
    with pytest.raises(ConfigError):
        load_weights(path)


def test_values_outside_the_unit_interval_are_refused() -> None:
    with pytest.raises(ConfigError, match="from 0 to 1"):
        scores_of(METRICS[0], [((), "1.5 0 0 0 0 0 0")])
    assert scores_of(METRICS[0], [((), "- 0 0 0 0 0 0")]) == [None]


def test_own_submetrics_must_be_complete() -> None:
    assert in_order(METRICS[::-1]) == METRICS
    with pytest.raises(ConfigError, match="missing SM-PPL"):
        in_order(METRICS[:-1])
    with pytest.raises(ConfigError, match="twice"):
        in_order((*METRICS, METRICS[0]))


def test_fit_and_score_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies = ["I like dogs , do you ?", "Pizza .", "the the the of", "My dog likes long walks , and yours ?"]
    data = [
        ENTRY
        | {"Dataset": f"set{n % 2}", "Response": f"{replies[n % 4]} {'ok ' * (n % 5)}", "HumanScores": [1 + n % 5]}
        for n in range(80)
    ]
    path, weights = write(tmp_path / "r.json", data), tmp_path / "w.json"
    for words in (["fit", str(path), "--out", str(weights)], ["score", str(path), "--weights", str(weights), "--json"]):
        with pytest.raises(SystemExit) as ended:
            main(["mme", *words, "--grade", "words"])
        assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["n"] == 80
    assert list(found["spearman"]) == ["composite", "mean", *NAMES]
    assert found["by_dataset"]["set1"]["n"] == 40
    with pytest.raises(SystemExit):
        main(["mme", "score", str(path), "--weights", str(weights), "--grade", "words"])
    text = capsys.readouterr().out
    assert f"computed by {', '.join(dict.fromkeys(found['impl'].values()))}" in text
    assert "mean of 2 datasets: composite" in text
    assert "SM-NLL with length 0." in text
    with pytest.raises(SystemExit) as ended:
        main(["mme", "fit", str(path), "--out", str(weights), "--grade", "words"])
    assert ended.value.code == 2
    assert "--force" in capsys.readouterr().err
