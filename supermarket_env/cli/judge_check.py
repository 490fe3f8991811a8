"""``supermarket judge-check``: whether a judge can be believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from supermarket_env.errors import ConfigError


def judge_check(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Logs with episodes of sound assistants.")],
    backend: Annotated[str, typer.Option(help="rules or llm")] = "rules",
    model: Annotated[str | None, typer.Option(help="For llm: import path, or a file of recorded answers.")] = None,
    ratings: Annotated[Path | None, typer.Option(help="People's ratings of these episodes, for the validity.")] = None,
    agent: Annotated[str, typer.Option(help="Assistants whose episodes are used (comma-separated).")] = "",
    per_fault: Annotated[int, typer.Option(help="Pairs of each planted fault.", min=1)] = 200,
    episodes: Annotated[int, typer.Option(help="Episodes of the other checks.", min=1)] = 40,
    pairs: Annotated[int, typer.Option(help="For llm: pairs compared in both orders (position bias).", min=0)] = 0,
    scatter: Annotated[
        Path | None, typer.Option(help="With --ratings: picture of the judge's ratings against people's.")
    ] = None,
    samples: Annotated[int, typer.Option(help="For llm: answers per question.", min=1)] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a judge: planted faults, halo, padding, stability, blindness, and agreement with people."""
    chosen = [name for name in agent.split(",") if name]
    if scatter is not None and ratings is None:
        raise ConfigError("--scatter needs people's ratings of these episodes: --ratings FILE")
    result = run_checks(runs, backend, model, ratings, chosen, per_fault, episodes, pairs, scatter, samples)
    print(json.dumps(result, allow_nan=False) if as_json else as_text(result))
    if not result["holds"]:
        raise typer.Exit(1)


def run_checks(
    runs: list[Path],
    backend: str,
    model: str | None,
    ratings: Path | None,
    agents: list[str],
    per_fault: int,
    n_episodes: int,
    n_pairs: int = 0,
    scatter: Path | None = None,
    samples: int = 3,
) -> dict[str, Any]:
    """Run all checks and return their results as JSON-ready data; draw the scatter where it is wanted.

    Raises:
        SupermarketError: If a log, the judge's options or the ratings are broken, or no episode is left.
    """
    from supermarket_env.events.log import episode_files, read_log
    from supermarket_env.scorers import impl_of
    from supermarket_env.scorers.judge import checks
    from supermarket_env.scorers.judge.human import read_ratings
    from supermarket_env.scorers.judge.scorer import make_scorer
    from supermarket_env.scorers.sheets import is_scorable

    if backend not in ("rules", "llm"):
        raise ConfigError(f"--backend: expected rules or llm, got {backend!r}")
    read = [e for run in runs for file in episode_files(run) for e in read_log([file]).episodes]
    kept = [e for e in read if is_scorable(e) and (not agents or e.agent in agents)]
    if not kept:
        raise ConfigError(f"no episode of {', '.join(agents) or 'any assistant'} in {', '.join(map(str, runs))}")
    few = kept[:n_episodes]
    judge = make_scorer(backend, model=model, samples=samples)
    repeats = [make_scorer(backend, model=model, samples=samples, seed=1000 * k) for k in range(checks.REPEATS)]
    faults = checks.check_faults(judge, kept, per_fault=per_fault)
    leakage = checks.check_leakage(judge, few)
    result: dict[str, Any] = {
        "judge": impl_of(judge),
        "n_episodes": len(kept),
        "faults": [{**c._asdict(), "holds": c.holds} for c in faults],
        "halo": checks.check_halo(judge, few),
        "padding": [c._asdict() for c in checks.check_padding(judge, few)],
        "stability": [c._asdict() for c in checks.check_stability(repeats, few)],
        "leakage": {**leakage._asdict(), "holds": leakage.holds},
    }
    if ratings is not None:
        people: dict[str, dict[str, list[float]]] = {}
        for r in read_ratings(ratings):
            people.setdefault(r.episode_id, {}).setdefault(r.dim, []).append(r.score)
        rated = {e.episode_id: checks.ratings_of(judge, e) for e in kept if e.episode_id in people}
        validity = checks.check_validity(rated, people)
        result["validity"] = [c._asdict() for c in validity]
        if scatter is not None:
            from supermarket_env.scorers.judge.figures import draw_agreement

            draw_agreement(rated, people, {c.dim: c.alpha for c in validity}, scatter)
    if backend == "llm" and n_pairs > 0:
        result["position"] = _position(model, kept, n_pairs)
    result["holds"] = leakage.holds and all(check.holds for check in faults if check.n)
    return result


def _position(model: str | None, episodes: list[Any], n_pairs: int) -> dict[str, Any]:
    """Let a model compare clean trips (A) with twins that hold a wrong price (B), in both orders."""
    from supermarket_env.scorers.judge.llm import load_model, pairwise
    from supermarket_env.scorers.judge.plant import FAULTS, plant
    from supermarket_env.stats import position_bias

    fault = FAULTS["wrong_price"]
    pairs = [(p.clean, p.faulty) for episode in episodes for p in plant(fault, episode)[:1]][:n_pairs]
    rows = pairwise(load_model(model), pairs, fault.target)
    both = sum(row == ("A", "A") for row in rows)
    return {"n": len(rows), "clean_won_both": both, **position_bias(rows)._asdict()}


def as_text(result: dict[str, Any]) -> str:
    """Return the results as a short report."""
    lines = [f"judge {result['judge']}, {result['n_episodes']} episodes", "", "planted faults (mean change)"]
    for check in result["faults"]:
        if not check["n"]:
            lines.append(f"  {check['fault']:<20} no place in these episodes")
            continue
        others = max(
            (
                abs(c)
                for d, c in check["changes"].items()
                if d not in (check["target"], "overall_satisfaction") and c is not None
            ),
            default=0.0,
        )
        fell = _number(check["changes"][check["target"]])
        verdict = "holds" if check["holds"] else "FAILS"
        what = f"{check['fault']:<20} n {check['n']:<4} {check['target']:<21} {fell}"
        lines.append(f"  {what}  others at most {others:.2f}  {verdict}")
    lines += ["", f"halo: mean correlation between dimensions {_number(result['halo'])}"]
    lines += ["", "content-free padding (mean change; per log length)"]
    lines += [f"  {c['dim']:<21} {_number(c['change'])}  {_number(c['slope'])}" for c in result["padding"] if c["n"]]
    lines += ["", "stability (SD within an episode; share identical)"]
    lines += [f"  {c['dim']:<21} {_number(c['sd'])}  {_number(c['identical'])}" for c in result["stability"] if c["n"]]
    blind = "holds" if result["leakage"]["holds"] else f"FAILS: {result['leakage']['changed']}"
    lines += ["", f"blind to name, rewards and hidden truth: {blind}"]
    if "position" in result:
        p = result["position"]
        lines.append(
            f"position: {p['n']} pairs, the clean twin won in both orders {p['clean_won_both']} times, consistency "
            f"{_number(p['consistency'])}, flips first:second {p['first']}:{p['second']}, p {_number(p['p'])}"
        )
    for c in result.get("validity", ()):
        if c["n"]:
            lines.append(
                f"agreement with people, {c['dim']}: alpha {_number(c['alpha'])} (people {_number(c['human_alpha'])})"
            )
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:+.3f}"
