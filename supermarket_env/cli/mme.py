"""``supermarket mme``: fit weights on rated replies, and compare scores with people."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from supermarket_env.errors import ConfigError

if TYPE_CHECKING:
    from supermarket_env.scorers.mme.build import Grade, SubMetrics
    from supermarket_env.scorers.mme.composition import Negatives

app = typer.Typer(help="Reply scores: fit weights on rated replies, compare with people.", no_args_is_help=True)

RatingsFile = Annotated[Path, typer.Argument(metavar="RATINGS.json", help="Replies in context with human scores.")]
GradeName = Annotated[str, typer.Option("--grade", help="words, vectors, full, or auto: the most that is installed.")]


@app.command()
def fit(
    ratings: RatingsFile,
    out: Annotated[Path, typer.Option("--out", help="Weights to write.")],
    power: Annotated[
        str, typer.Option("--power", help="Exponent of the correlations, or auto: the least with a third on one.")
    ] = "2",
    negatives: Annotated[str, typer.Option("--negatives", help="clip, literal or signed.")] = "clip",
    dataset: Annotated[str, typer.Option("--dataset", help="Only these datasets of the file, with commas.")] = "",
    grade: GradeName = "auto",
    force: Annotated[bool, typer.Option("--force", help="Replace a file of weights.")] = False,
) -> None:
    """Fit the weights of the seven sub-metrics by correlation re-scaling."""
    from supermarket_env.scorers.mme.composition import NEGATIVES
    from supermarket_env.scorers.mme.ratings import load_ratings, only_datasets
    from supermarket_env.scorers.mme.weights import fit_weights, save_weights, values_of

    if negatives not in NEGATIVES:
        from supermarket_env.errors import unknown_name

        raise ConfigError(unknown_name("way with negatives", negatives, NEGATIVES))
    exponent = _power(power)
    replies = only_datasets(load_ratings(ratings), [name for name in dataset.split(",") if name])
    if out.exists() and not force:
        raise ConfigError(f"{out} exists; choose another --out, or --force to replace it")
    made = _submetrics(grade)
    found = fit_weights(
        replies, values_of(replies, made.metrics), made.impls, power=exponent, negatives=cast("Negatives", negatives)
    )
    save_weights(found, out)
    _tell(found.warnings)
    print(f"{out}: " + ", ".join(f"{name} {weight:.3f}" for name, weight in found.weights.items()))


@app.command()
def score(
    ratings: RatingsFile,
    weights: Annotated[Path, typer.Option("--weights", help="Weights made by `supermarket mme fit`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    dataset: Annotated[str, typer.Option("--dataset", help="Only these datasets of the file, with commas.")] = "",
    grade: GradeName = "auto",
) -> None:
    """Print the rank correlations of composite, plain mean and sub-metrics with the mean human score."""
    from supermarket_env.scorers.mme.ratings import load_ratings, only_datasets
    from supermarket_env.scorers.mme.weights import agreement, load_weights, mismatches, values_of

    read = load_weights(weights)
    replies = only_datasets(load_ratings(ratings), [name for name in dataset.split(",") if name])
    made = _submetrics(grade)
    _tell(mismatches(read, made.impls))
    found = agreement(replies, values_of(replies, made.metrics), read)
    if as_json:
        print(json.dumps({**found, "impl": made.impls}))
        return
    for name, part in {"all": found, **found["by_dataset"]}.items():
        print(_line(f"{name} (n {part['n']})", {**part["spearman"], "SM-NLL with length": part["NLL_length"]}))
    if len(found["by_dataset"]) > 1:
        print(_line(f"mean of {len(found['by_dataset'])} datasets", found["spearman_mean"]))
    print(f"computed by {', '.join(dict.fromkeys(made.impls.values()))}")


def _line(name: str, values: dict[str, Any]) -> str:
    shown = (f"{key} {'n/a' if value is None else format(value, '.3f')}" for key, value in values.items())
    return f"{name}: {', '.join(shown)}"


def _power(text: str) -> float | None:
    if text == "auto":
        return None
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"--power: expected a number above 0 or auto, got {text!r}") from None


def _submetrics(grade: str) -> SubMetrics:
    from supermarket_env.scorers.mme.build import make_submetrics

    made = make_submetrics(cast("Grade", grade))
    _tell(made.notes)
    return made


def _tell(notes: list[str] | tuple[str, ...]) -> None:
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
