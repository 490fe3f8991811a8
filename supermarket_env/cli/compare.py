"""``supermarket compare``: which assistant is better, by how much, how surely, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from supermarket_env.errors import ConfigError


def compare(
    sides: Annotated[list[str], typer.Argument(metavar="RUN[:AGENT]...", help="Two or more; the first is the base.")],
    family: Annotated[
        str, typer.Option("--family", help="Figures to test, comma-separated; adjusted together by Holm.")
    ] = "NS_uplift",
    all_pairs: Annotated[bool, typer.Option("--all-pairs", help="Compare every two, not each with the first.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Compare unlike runs all the same, flagged.")] = False,
    profile: Annotated[
        str, typer.Option("--profile", help="Also the spread of a graded figure (NS): IQM, profile, BCa interval.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, full precision.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for comparison.md, comparison.json, effects.csv, flips.csv, forest.png."),
    ] = None,
) -> None:
    """Compare assistants pairwise by task and trial."""
    from supermarket_env.compare.pages import comparison_data, comparison_page, effects_csv, flips_csv
    from supermarket_env.compare.paired import compare_sides
    from supermarket_env.compare.profile import profile_data, profile_page, profiles_of
    from supermarket_env.compare.sides import check_alike, read_sides, whole_run

    names = tuple(dict.fromkeys(part.strip() for part in family.split(",") if part.strip()))
    if not names:
        raise ConfigError("--family expects at least one figure, for example NS_uplift")
    if len(sides) == 1 and ":" not in sides[0]:
        sides = whole_run(sides[0])
    read = read_sides(sides)
    if len(read) < 2:
        raise ConfigError("compare expects two sides or more, each RUN or RUN:AGENT")
    warnings = check_alike(read, force=force)
    found = compare_sides(read, family=names, all_pairs=all_pairs)
    page = comparison_page(found, warnings=warnings, family=names)
    content = comparison_data(found, warnings=warnings, family=names)
    if profile:
        spread = profiles_of(read, profile)
        page = f"{page.rstrip()}\n\n{profile_page(spread)}"
        content["profiles"] = profile_data(spread)
    data = json.dumps(content, ensure_ascii=False, allow_nan=False)
    if out is not None:
        from supermarket_env.report.plot_forest import save_forest

        out.mkdir(parents=True, exist_ok=True)
        (out / "comparison.md").write_text(page, encoding="utf-8")
        (out / "comparison.json").write_text(data + "\n", encoding="utf-8")
        (out / "effects.csv").write_text(effects_csv(found, warnings=warnings), encoding="utf-8")
        (out / "flips.csv").write_text(flips_csv(found, warnings=warnings), encoding="utf-8")
        save_forest(found, out / "forest.png", warnings=warnings)
    print(data if as_json else page, end="\n" if as_json else "")
