"""``supermarket sie``: test set, blind sheets, scores, versions, rotation."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.people_files import plain_cell

app = typer.Typer(help="Human likeness by a blind panel: build, sheet, score, compare, rotate.", no_args_is_help=True)

Logs = Annotated[list[Path], typer.Argument(metavar="PATH...", help="Run directories or log files.")]
ItemsFile = Annotated[Path, typer.Argument(metavar="ITEMS", help="A set made by `supermarket sie build`.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the draw.")]


@app.command()
def build(
    paths: Logs,
    out: Annotated[Path, typer.Option("--out", help="Set to write (.json).")],
    per_stratum: Annotated[int, typer.Option("--per-stratum", help="30 to publish, 24 at least.")] = 30,
    traps: Annotated[
        Path | None, typer.Option("--traps", help="Trap items with replies; `shipped` takes ours, to be answered.")
    ] = None,
    agents: Annotated[str, typer.Option("--agents", help="Assistants to take, with commas; default all.")] = "",
    seed: Seed = 0,
    allow_small: Annotated[bool, typer.Option("--allow-small", help="Accept too few items, for trials.")] = False,
    tags: Annotated[
        Path | None, typer.Option("--tags", help="Also write tags of every turn for annotators (.csv).")
    ] = None,
) -> None:
    """Draw a stratified test set from logs; items without two turns of context are never taken."""
    from supermarket_env.events.log import read_log
    from supermarket_env.scorers.sie.build import build_set
    from supermarket_env.scorers.sie.candidates import TAG_COLUMNS, candidate_items, turn_tags
    from supermarket_env.scorers.sie.items import write_items

    episodes = read_log(paths).episodes
    if agents:
        episodes = _only(episodes, agents.split(","))
    extra = _traps(traps)
    made = build_set(
        candidate_items(episodes), traps=extra, per_stratum=per_stratum, seed=seed, allow_small=allow_small
    )
    _refuse_overwrite(out)
    write_items(made, out)
    print(f"{out}: {_describe(made)}")
    if tags is not None:
        _write_csv(tags, TAG_COLUMNS, turn_tags(episodes))
        print(f"{tags}: tags of every turn")


@app.command()
def sheet(
    items: ItemsFile,
    raters: Annotated[str, typer.Option("--raters", help="Names of the raters, with commas.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the raters.")],
    key: Annotated[Path, typer.Option("--key", help="File for the key, outside that folder.")],
    systems: Annotated[str, typer.Option("--systems", help="Systems to rate, with commas; default all.")] = "",
    replies: Annotated[
        list[str] | None,
        typer.Option("--replies", metavar="NAME=FILE", help="Replies of one more system: JSON {item id: reply}."),
    ] = None,
    items_out: Annotated[
        Path | None, typer.Option("--items-out", help="With --replies: the set with these replies (.json).")
    ] = None,
    calibration: Annotated[bool, typer.Option("--calibration", help="Ten items, for the first round.")] = False,
    seed: Seed = 0,
) -> None:
    """Write double-blind sheets (CSV and printable HTML) and, apart from them, the key."""
    from supermarket_env.scorers.sie.items import add_replies, read_items, write_items
    from supermarket_env.scorers.sie.sheets import make_sheets, write_sheets

    chosen = read_items(items)
    if (items_out is None) != (not replies):
        raise ConfigError("--replies and --items-out go together: the set with the new replies is what `score` reads")
    for entry in replies or ():
        name, _, file = entry.partition("=")
        chosen = add_replies(chosen, name, _read_replies(Path(file)))
    names = [name for name in systems.split(",") if name] or None
    made = make_sheets(chosen, [n for n in raters.split(",") if n], seed=seed, systems=names, calibration=calibration)
    if items_out is not None:
        _refuse_overwrite(items_out)
    for path in write_sheets(made, out, key):
        print(path)
    if items_out is not None:
        write_items(chosen, items_out)
        print(items_out)


@app.command()
def rate(
    sheet: Annotated[Path, typer.Argument(help="An empty sheet (.csv) made by `sheet`.")],
    model: Annotated[str, typer.Option("--model", help="llm:NAME, llm:FILE, import path, or recorded answers.")],
    out: Annotated[Path, typer.Option("--out", help="The filled-in sheet.")],
    seed: Seed = 0,
) -> None:
    """Let a language model fill in one rater's sheet: a rater among people, never the panel."""
    from supermarket_env.scorers.judge.llm import load_model
    from supermarket_env.scorers.sie.model_rater import fill_sheet

    chosen = load_model(model)
    made = fill_sheet(sheet, out, chosen, seed=seed)
    cost = "unknown" if made.money is None else f"{made.money:.6g}"
    print(f"{out}: {made.rows} rows, {made.unreadable} grades could not be read, cost {cost}")
    plumbing = getattr(chosen, "plumbing", "")
    if plumbing:
        print(plumbing)


@app.command()
def score(
    items: ItemsFile,
    ratings: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Filled-in sheets (.csv).")],
    key: Annotated[Path, typer.Option("--key", help="Key of the sheets.")],
    weights: Annotated[str, typer.Option("--weights", help="standard, tool, or a JSON file.")] = "standard",
    date: Annotated[str | None, typer.Option("--date", help="Day of scoring, as 2026-05-31.")] = None,
    minutes: Annotated[float | None, typer.Option("--minutes", help="Minutes a rater took for the sheet.")] = None,
    users_moved: Annotated[
        bool | None, typer.Option("--users-moved/--users-unmoved", help="Whether users behave better too.")
    ] = None,
    calibration: Annotated[bool, typer.Option("--calibration", help="Judge a calibration round.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for <system>.json and radar.png.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score filled-in sheets: five dimensions, total, floor, sub-scores, agreement, signs of trouble."""
    from supermarket_env.scorers.sie.figures import draw_radar
    from supermarket_env.scorers.sie.items import read_items
    from supermarket_env.scorers.sie.ratings import read_ratings
    from supermarket_env.scorers.sie.report import result_text
    from supermarket_env.scorers.sie.result import score_system, write_result
    from supermarket_env.scorers.sie.sheets import read_key
    from supermarket_env.scorers.sie.weights import weight_set

    chosen, found = read_items(items), read_ratings(ratings, read_key(key)[0])
    if not found:
        raise ConfigError("the sheets hold no grade")
    if calibration:
        _print_calibration(found, as_json=as_json)
        return
    _check_date(date)
    results = [
        score_system(chosen, found, name, weight_set(weights), date=date, minutes=minutes, users_moved=users_moved)
        for name in sorted(found)
    ]
    if out is not None:
        for result in results:
            write_result(result, out / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', result.system)}.json")
        if any(result.overall.total is not None for result in results):
            draw_radar(results, out / "radar.png")
    if as_json:
        print(json.dumps([result.model_dump(mode="json", by_alias=True) for result in results]))
    else:
        print("\n\n".join(map(result_text, results)))


@app.command()
def compare(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT...", help="Results by `score`, oldest first.")],
    accuracy_change: Annotated[
        float | None, typer.Option("--accuracy-change", help="Change of right answers, in percentage points.")
    ] = None,
    retest: Annotated[bool, typer.Option("--retest", help="The last one re-tests a changed prompt.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for radar.png and versions.png.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare versions on their common items; exit code 1 unless the last one passes."""
    from supermarket_env.scorers.sie.compare import compare_results
    from supermarket_env.scorers.sie.figures import draw_radar, draw_versions
    from supermarket_env.scorers.sie.report import comparison_text
    from supermarket_env.scorers.sie.result import read_result

    read = [read_result(path) for path in results]
    found = compare_results(read, accuracy_change=accuracy_change, is_retest=retest)
    if out is not None:
        draw_versions(found, out / "versions.png")
        draw_radar(read, out / "radar.png")
    if as_json:
        print(json.dumps([_comparison_data(row) for row in found]))
    else:
        print("\n\n".join(map(comparison_text, found)))
    if found[-1].verdict != "passes":
        raise typer.Exit(1)


@app.command()
def rotate(
    items: ItemsFile,
    paths: Logs,
    out: Annotated[Path, typer.Option("--out", help="Rotated set to write (.json).")],
    share: Annotated[float, typer.Option("--share", help="Share of each stratum to exchange.")] = 0.2,
    seed: Seed = 0,
) -> None:
    """Exchange a fifth of every stratum for fresh items from logs; what left never comes back."""
    from supermarket_env.events.log import read_log
    from supermarket_env.scorers.sie.build import rotate_set
    from supermarket_env.scorers.sie.candidates import candidate_items
    from supermarket_env.scorers.sie.items import read_items, write_items

    candidates = candidate_items(read_log(paths).episodes)
    made = rotate_set(read_items(items), candidates, seed=seed, share=share)
    _refuse_overwrite(out)
    write_items(made.items, out)
    print(f"{out}: {_describe(made.items)}; {len(made.added)} exchanged")


def _only(episodes: list[Any], names: list[str]) -> list[Any]:
    present = sorted({episode.agent for episode in episodes})
    for name in names:
        if name not in present:
            raise ConfigError(unknown_name("assistant", name, present))
    return [episode for episode in episodes if episode.agent in names]


def _traps(choice: Path | None) -> list[Any]:
    from supermarket_env.scorers.sie.items import read_item_list, shipped_traps

    if choice is None:
        return []
    return shipped_traps() if str(choice) == "shipped" else read_item_list(choice)


def _describe(items: Any) -> str:
    from supermarket_env.scorers.sie.build import set_status
    from supermarket_env.scorers.sie.items import STRATA

    counts = {s: sum(item.stratum == s and not item.trap for item in items.items) for s in STRATA}
    traps = sum(item.trap for item in items.items)
    shown = ", ".join(f"{name} {count}" for name, count in counts.items())
    # What may be said of a system depends on the items it has replied to, not on the set.
    of_system = {name: [i for i in items.items if name in i.replies and not i.trap] for name in items.systems}
    systems = ", ".join(f"{name} ({len(its)} items, {set_status(its)})" for name, its in of_system.items())
    return f"{sum(counts.values())} items ({shown}), {traps} traps, {items.status}; by system: {systems}"


def _refuse_overwrite(path: Path) -> None:
    if path.exists():
        raise ConfigError(f"{path}: exists already; a set in use is never overwritten")


def _read_replies(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: expected JSON {{item id: reply}} ({error})") from None
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise ConfigError(f"{path}: expected JSON {{item id: reply}}")
    return data


def _write_csv(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: plain_cell(v) if isinstance(v, str) else v for key, v in row.items()} for row in rows)


def _check_date(text: str | None) -> None:
    import datetime

    try:
        if text is not None:
            datetime.date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"--date: expected a day as 2026-05-31, got {text!r}") from None


def _print_calibration(found: Any, *, as_json: bool) -> None:
    from supermarket_env.scorers.sie.agreement import calibration_round

    merged = {f"{item} {system}": rows for system, items in found.items() for item, rows in items.items()}
    outcome = calibration_round(merged)
    if as_json:
        print(json.dumps(outcome._asdict()))
        return
    agreement = "n/a" if outcome.agreement is None else f"{outcome.agreement:.1%}"
    print(f"{outcome.n_items} replies, {outcome.n_raters} raters, simple agreement {agreement} (80 % needed)")
    for item, dimension in outcome.to_discuss:
        print(f"discuss {item}: {dimension}, more than one grade apart")
    print("passed" if outcome.passed else "not passed: discuss, then repeat with ten other items")


def _comparison_data(found: Any) -> dict[str, Any]:
    data = dict(found._asdict())
    data["dims"] = {name: change._asdict() for name, change in found.dims.items()}
    data["total"] = found.total._asdict()
    data["symptoms"] = [symptom.model_dump() for symptom in found.symptoms]
    return data
