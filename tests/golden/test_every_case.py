"""No worked case is forgotten: each one is run by a test, all its numbers included.

Cases on logs are run family by family in ``tests/metrics/test_golden_cases.py``, which takes whatever the file holds.
The others are run by the tests of their own modules, which name them; here they are run again by the public names
alone, so that a new case, or a new number of a case, cannot slip by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from supermarket_env import scorers, stats
from supermarket_env.scorers.calibration import calibrate_satisfaction
from supermarket_env.scorers.mme.composition import composite, crs_power
from supermarket_env.scorers.mme.submetric import Bounds
from supermarket_env.scorers.sie import dimension_means, item_means

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
ON_LOGS = {"SR", "Turn", "recommendation", "AFR", "LNSR", "CGV", "survival", "judge"}
OTHERS = [case for case in CASES if case["metric"] not in ON_LOGS and "episodes" not in case["input"]]

Given = Mapping[str, Any]
Found = dict[str, Any]


def correlation(given: Given, params: Given) -> Found:
    return dict(stats.paired_correlation(given["x"], given["y"])._asdict())


def crs(given: Given, params: Given) -> Found:
    found: Found = {}
    if "S" in given:
        for negatives in ("clip", "literal", "signed"):
            found[negatives] = scorers.crs_weights(given["S"], params["d"], negatives)
        found["power"] = crs_power(given["S"])
    if "datasets" in given:
        found["average"] = scorers.crs_average(given["datasets"], params["d"])
    if "scores" in given:
        found["composite"] = [composite(row, given["weights"]) for row in given["scores"]]
        found["spearman"] = stats.paired_correlation(found["composite"], given["human"]).spearman
    if "logp" in given:
        surprise = scorers.specificity(given["logp"])
        assert surprise is not None
        found |= surprise._asdict()
        for name, bounds in given["bounds"].items():
            found[f"norm_{name}"] = Bounds(*bounds).scaled(getattr(surprise, name))
    return found


def calibration(given: Given, params: Given) -> Found:
    if "scale" in given:
        ways: tuple[Any, ...] = ("affine", "proportional")
        return {how: [scorers.rescale(score, lo, hi, how) for score, lo, hi in given["scale"]] for how in ways}
    if "evaluations" in given:
        whole = calibrate_satisfaction(given["evaluations"], given["weights"], min_records=given["min_records"])
        return {
            "us_auto": [one.auto for one in whole.evaluations],
            "us_human": [one.human for one in whole.evaluations],
            "us_adjusted": list(whole.adjusted),
            "gaps": list(whole.calibration.deltas),
            **whole.calibration._asdict(),
        }
    rows, as_of = given["rows"], given["as_of"]
    fitted = scorers.calibrate(rows, as_of)
    found = fitted._asdict() | {
        "band_nonzero": scorers.calibrate(rows, as_of, denominator="nonzero").band,
        "band_trimmed": scorers.calibrate(rows, as_of, denominator="trimmed").band,
        "band_requires_both": scorers.calibrate(rows, as_of, both_sides=True).band,
        "upper_at_least_30": scorers.calibrate(rows, as_of, strict=False).upper,
    }
    for auto in given["autos"]:
        found |= {f"adjusted({auto})": scorers.adjust(auto, fitted), f"raw({auto})": scorers.adjust(auto, fitted).raw}
    return found


def sie(given: Given, params: Given) -> Found:
    if "table" in given:
        return dict(scorers.simple_agreement(given["table"])._asdict())
    dims = given["dims"] if "dims" in given else dimension_means(item_means(given["ratings"]))
    return {"dims": dims, **scorers.sie_total(dims)._asdict()}


def grade(given: Given, params: Given) -> Found:
    return {"grades": [scorers.grade_reply(row["scenario_ok"], row["detail_ok"]) for row in given["cases"]]}


def statistics(given: Given, params: Given) -> Found:
    return _STATISTICS[params["what"]](given)


def _reliability(given: Given) -> Found:
    pairs = [(successes, trials) for trials, successes in given["rows"]]
    every = {f"pass^{k}": stats.pass_hat_k(pairs, k) for k in range(1, 9)}
    return every | {f"pass@{k}": stats.pass_at_k(pairs, k) for k in range(1, 9)}


def _bootstrap(given: Given) -> Found:
    interval = stats.bootstrap_ci(given["d"])
    assert interval is not None
    return {"lo": interval.low, "hi": interval.high}


_STATISTICS: Mapping[str, Callable[[Given], Found]] = {
    "pass_hat": _reliability,
    "mcnemar": lambda given: {"p": stats.mcnemar_exact(given["b"], given["c"])},
    "boot": _bootstrap,
    "wilson": lambda given: {"ci": list(stats.wilson_interval(given["k"], given["n"]) or ())},
    "holm": lambda given: {"p": stats.holm(given["p"])},
    "tau_b": lambda given: {"tau": stats.kendall_tau_b(given["x"], given["y"])},
    "qwk": lambda given: {"kappa": stats.quadratic_weighted_kappa(given["table"])},
    "kripp": lambda given: {
        level: stats.krippendorff_alpha(given["data"], level) for level in ("nominal", "ordinal", "interval")
    },
    "icc": lambda given: {kind: stats.icc(given["x"], kind) for kind in ("1,1", "A,1", "C,1", "1,k", "A,k", "C,k")},
    "iqm": lambda given: {"iqm": stats.iqm(given["v"])},
}

FAMILIES: Mapping[str, Callable[[Given, Given], Found]] = {
    "correlation": correlation,
    "CRS": crs,
    "calibration": calibration,
    "SIE": sie,
    "grade": grade,
    "stats": statistics,
}


def close(found: Any, expected: Any) -> bool:
    if isinstance(expected, Mapping):
        return found.keys() == expected.keys() and all(close(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(close(a, b) for a, b in zip(found, expected, strict=True))
    if expected is None or isinstance(expected, str | bool):
        return bool(found == expected)
    return found is not None and abs(found - expected) <= 1e-6


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case["id"])
def test_every_number_of_a_case(case: dict[str, Any]) -> None:
    found = FAMILIES[case["metric"]](case["input"], case["params"])
    for name, expected in case["expected"].items():
        assert close(found[name], expected), (name, found[name], expected)


def test_every_case_belongs_to_somebody() -> None:
    left = [case for case in CASES if case["metric"] not in ON_LOGS and case not in OTHERS]
    assert [case["id"] for case in left] == ["CORR-5"], "ratings of two judges: tests/stats/test_statistics.py"
    assert {case["metric"] for case in OTHERS} == set(FAMILIES)
    assert len({case["id"] for case in CASES}) == len(CASES) == 63
