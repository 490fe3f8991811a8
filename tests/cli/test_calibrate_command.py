"""``supermarket calibrate``: labels from a file, scores from a run, errors with their place, the chart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supermarket_env.cli import main


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as found:
        main(["calibrate", *words])
    return int(found.value.code or 0)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    lines = ["id,metric,auto,human,labeled,evaluated"]
    for k in range(120):
        human = "" if k % 4 == 3 else 3 + k % 3
        lines.append(f"e{k},flow,3,{human},2026-0{1 + k % 5}-10,2026-0{1 + k % 5}-09")
    file = tmp_path / "labels.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_file_of_labels_is_calibrated(labels: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(str(labels), "--as-of", "2026-05-31", "--json", "--chart", str(tmp_path / "trend.png")) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["flow"]
    assert found["calibration"]["n"] == 90
    assert found["n_auto"] == 120
    assert found["calibration"]["band"] == pytest.approx(1.0)
    assert found["is_established"]
    assert found["adjusted_mean"] == pytest.approx(4.0)
    assert (tmp_path / "trend.png").stat().st_size > 1000
    assert run(str(labels), "--as-of", "2026-05-31") == 0
    text = capsys.readouterr().out
    assert "error band +1.000" in text
    assert "random sample" in text


@pytest.mark.parametrize("words", [("--months", "-5"), ("--months", "0"), ("--min-records", "-1")])
def test_numbers_out_of_range_are_refused(
    labels: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, str]
) -> None:
    assert run(str(labels), *words) == 2
    assert f"'{words[0]}'" in capsys.readouterr().err


def test_few_labels_leave_scores_uncalibrated(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(labels), "--min-records", "80") == 0
    assert "uncalibrated" in capsys.readouterr().out


def test_scores_come_from_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "scores"
    scores.mkdir()
    rows: list[dict[str, Any]] = [
        {"episode_id": f"e{k}", "values": {"scores": [{"dim": "va.smooth_flow", "value": 2.0}]}} for k in range(50)
    ]
    (scores / "virtual_agent@1.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    file = tmp_path / "labels.jsonl"
    labels = [{"id": f"e{k}", "metric": "smooth_flow", "human": 3} for k in range(40)]
    file.write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    assert run(str(file), "--run", str(tmp_path), "--human-scale", "1,3", "--json") == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["smooth_flow"]
    assert (found["n_auto"], found["calibration"]["n"], found["calibration"]["band"]) == (50, 40, 3.0)
    assert run(str(file), "--run", str(tmp_path), "--scorer", "judge@rules-2") == 2
    assert "there are: virtual_agent@1" in capsys.readouterr().err


def test_the_satisfaction_is_reported_as_a_metric_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two metrics of weight 3 and 1, one of them labelled a point higher: three quarters of a point on the whole."""
    rows = [
        {
            "id": f"e{k}",
            "metric": metric,
            "auto": 3,
            "evaluated": "2026-03-01",
            **({"human": 4} if metric == "a" else {}),
        }
        for k in range(60)
        for metric in ("a", "b")
    ]
    file, chart = tmp_path / "labels.jsonl", tmp_path / "b.png"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = (str(file), "--weights", '{"a": 3, "b": 1}', "--chart", str(chart), "--chart-metric")
    assert run(*words, "b", "--json") == 0
    assert chart.stat().st_size > 1000
    whole = json.loads(capsys.readouterr().out)["user_satisfaction_weighted"]
    assert (whole["n"], whole["auto_mean"], whole["calibration"]["upper"]) == (60, 3.0, 0.75)
    assert (whole["adjusted_mean"], whole["is_established"]) == (3.75, True)
    assert run(*words, "a") == 0
    text = capsys.readouterr().out
    assert "weighted mean of a 3, b 1" in text
    assert "user_satisfaction_weighted: 60 labelled of 60 evaluations" in text
    assert run(*words, "flo") == 2
    assert "unknown metric 'flo'; valid: a, b" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("id,auto\n", (), "line 1: expected a header with the column human"),
        ("auto,human\n3,9\n", (), "line 2, human: expected a number from 1 to 5, got '9'"),
        ("auto,human\n3,4\n", ("--as-of", "2026-01-01"), "labeled: expected the date"),
        ("human\n4\n", (), "auto: expected a finite number"),
        ("auto,human\n3,4\n", ("--trim", "largst"), "Did you mean 'largest'"),
        ("auto,human\n3,4\n", ("--human-scale", "5,1"), "lower number first"),
        ("auto,human\n3,4\n", ("--weights", "[1]"), "--weights: expected an object"),
        ("auto,human\n3,4\n", ("--chart", "x.png"), "needs evaluations with a date"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(text, encoding="utf-8")
    assert run(str(file), *words) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert not captured.out


@pytest.fixture
def scored_run(tmp_path: Path) -> Path:
    """Forty episodes with two metrics, and a third one that the scorer left unscored."""
    (tmp_path / "scores").mkdir()
    lines = []
    for k in range(40):
        found: dict[str, float | None] = {"truthfulness": 5.0, "request_completion": 1.0 + k % 3, "coherence": None}
        found["user_satisfaction_weighted"] = (5.0 + 1.0 + k % 3) / 2
        values = {
            "scores": [{"dim": f"va.{name}", "value": value} for name, value in found.items()],
            "details": {"weights": dict.fromkeys(("truthfulness", "request_completion", "coherence"), 1.0)},
        }
        lines.append(json.dumps({"episode_id": f"e{k}", "values": values}))
    (tmp_path / "scores" / "virtual_agent@1.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def labels_of(folder: Path, *metrics: str) -> Path:
    rows = [{"id": f"e{k}", "metric": metric, "human": 4} for metric in metrics for k in range(35)]
    file = folder / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_metrics_nobody_labelled_take_part_in_the_satisfaction(
    scored_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (str(labels_of(scored_run, "request_completion")), "--run", str(scored_run), "--json")
    completion = sum(1.0 + k % 3 for k in range(40)) / 40
    assert run(*words, "--weights", '{"truthfulness": 2, "va.request_completion": 1}') == 0
    weighted = json.loads(capsys.readouterr().out)
    assert list(weighted["metrics"]) == ["request_completion"]
    assert weighted["user_satisfaction_weighted"]["auto_mean"] == pytest.approx((2 * 5.0 + completion) / 3)
    assert run(*words) == 0
    whole = json.loads(capsys.readouterr().out)["user_satisfaction_weighted"]
    assert whole["auto_mean"] == pytest.approx((5.0 + completion) / 2)
    assert whole["weights"] == dict.fromkeys(("request_completion", "truthfulness", "coherence"), 1.0)
    labelled = [4.0 - (1.0 + k % 3) for k in range(35)]
    assert whole["calibration"]["band"] == pytest.approx(sum(labelled) / 35 / 2)


def test_the_satisfaction_takes_no_part_in_itself(scored_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (str(labels_of(scored_run, "va.user_satisfaction_weighted", "truthfulness")), "--run", str(scored_run))
    assert run(*words, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["metrics"]["va.user_satisfaction_weighted"]["auto_mean"] == pytest.approx(
        found["user_satisfaction_weighted"]["auto_mean"]
    )
    assert "user_satisfaction_weighted" not in found["user_satisfaction_weighted"]["weights"]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            '{"truthfullness": 1}',
            "error: --weights: unknown metric 'truthfullness'; valid: request_completion, truthf",
        ),
        ('{"user_satisfaction_weighted": 1, "truthfulness": 1}', "is the weighted mean itself"),
        ('{"truthfulness": 0}', "at least one above 0"),
        ('{"truthfulness": -1}', "truthfulness: expected a number of 0 or more, got -1.0"),
        ('{"truthfulness": NaN}', "expected a number of 0 or more, got nan"),
        ("{}", "expected an object like"),
    ],
)
def test_weights_of_nothing_are_refused(
    scored_run: Path, capsys: pytest.CaptureFixture[str], weights: str, message: str
) -> None:
    words = (str(labels_of(scored_run, "request_completion")), "--run", str(scored_run))
    assert run(*words, "--weights", weights) == 2
    assert message in capsys.readouterr().err


def test_the_adjusted_mean_is_the_mean_of_the_adjusted_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half the scores are 5 already: a band of +1 lifts the other half only."""
    rows = [{"id": f"e{k}", "auto": 3 + 2 * (k % 2), **({"human": 4} if k % 2 == 0 else {})} for k in range(80)]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run(str(file), "--json") == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["score"]
    assert (found["auto_mean"], found["calibration"]["band"], found["adjusted_mean"]) == (4.0, 1.0, 4.5)


def test_ratings_of_a_judge_are_not_averaged_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scores").mkdir()
    names = ("naturalness", "request_completion")
    rows = [
        {"episode_id": f"e{k}", "values": {"scores": [{"dim": name, "value": 2 + k % 3} for name in names]}}
        for k in range(40)
    ]
    (tmp_path / "scores" / "judge@1.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    words = (str(labels_of(tmp_path, *names)), "--run", str(tmp_path), "--scorer", "judge@1", "--json")
    assert run(*words) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["metrics"]) == list(names)
    assert "user_satisfaction_weighted" not in found
    assert run(*words, "--weights", '{"naturalness": 1}') == 0
    assert json.loads(capsys.readouterr().out)["user_satisfaction_weighted"]["weights"] == {"naturalness": 1.0}
