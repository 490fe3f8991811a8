"""Compare what simulated users buy with the baskets of held-out real households; writes table and figure of docs.

    python benchmarks/journey.py                     # 1,000 trips an assistant; rewrites docs/journey.md
    python benchmarks/journey.py --trips 200 --dry

Simulated users have the needs of the households for development. Each set of baskets is compared with the same sample
of held-out households' trips; the first row compares real with real, so it is what a perfect simulator would get. The
last row has the game's own population on the same goods. Needs the extra ``journey``. Exit code 1 when the baskets of
users left alone, or of users whose assistant knows their wishes, are told apart with an AUC above 0.65; ``rule`` is
shown and not judged, for real households had no assistant that looks for bargains.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from user_page import play

from supermarket_env.agents.registry import make_agent
from supermarket_env.catalogue.journey_tables import journey_tables
from supermarket_env.envs.game import Game
from supermarket_env.run.compose import compose_run, read_arguments
from supermarket_env.tasks.draws import seed_of
from supermarket_env.tasks.journey import CATALOGUE, STORE, journey_task
from supermarket_env.tasks.journey_baskets import journey_baskets
from supermarket_env.tasks.journey_compare import (
    BasketSet,
    Separation,
    bought_baskets,
    common_pairs,
    figures,
    frequency_distance,
    pair_shares,
    real_baskets,
    separation,
)
from supermarket_env.tasks.sample import sample_task
from supermarket_env.tasks.suites import world_of
from supermarket_env.tasks.task import Task
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.world import World

PAGE = Path(__file__).resolve().parent.parent / "docs" / "journey.md"
FIGURE = PAGE.parent / "img" / "journey.png"
BEGIN, END = "<!-- comparison: begin -->", "<!-- comparison: end -->"
AIM = 0.65
PAIRS = 100
JUDGED = ("`silent`", "`oracle`")


class Compared(NamedTuple):
    """One set of baskets beside the held-out ones."""

    label: str
    baskets: BasketSet
    empty: float
    """Share of the trips that ended without a purchase."""
    full: Separation
    types_only: Separation
    frequency: float
    pair_r: float
    """Correlation of the shares of the most common pairs."""


def suite_user() -> UserConfig:
    """Return the population that ``suite=journey_dev`` is played by."""
    return UserConfig.model_validate(compose_run(read_arguments(["suite=journey_dev"])).user)


def carts_of(name: str, world: World, tasks: Sequence[Task], user: UserConfig) -> list[dict[int, int]]:
    """Play an assistant on tasks; return what was paid for, {} when nothing was."""
    game = Game(world, user=user, texts=False, mode="plain")
    agent: Any = make_agent(name)
    carts = []
    for task in tasks:
        play(game, agent, task)
        carts.append(dict(game.bought) if game.reason in ("checkout", "patience_checkout") else {})
    return carts


def compare(label: str, baskets: BasketSet, held_out: BasketSet, empty: float) -> Compared:
    """Compare one set with the held-out baskets."""
    pairs = common_pairs(held_out, PAIRS)
    mine, theirs = pair_shares(baskets), pair_shares(held_out)
    r = float(np.corrcoef([mine[p] for p in pairs], [theirs[p] for p in pairs])[0, 1])
    return Compared(
        label, baskets, empty, separation(baskets, held_out), separation(baskets, held_out, money=False),
        frequency_distance(baskets, held_out), r,
    )  # fmt: skip


def run(n: int) -> tuple[BasketSet, list[Compared]]:
    """Return the held-out baskets and all comparisons."""
    world, baskets, tables = world_of(CATALOGUE, STORE), journey_baskets(), journey_tables()
    rng = np.random.Generator(np.random.PCG64(2017))
    own, apart = (np.sort(rng.choice(trips, size=min(n, len(trips)), replace=False)) for trips in baskets.usable)
    held_out = real_baskets(tables, apart.tolist())
    results = [compare("real, other households", real_baskets(tables, own.tolist()), held_out, 0.0)]
    tasks = [journey_task("journey_dev", k) for k in range(n)]
    usual = [
        sample_task(world, seed=seed_of("journey usual", k), id=f"usual-{k}").model_copy(
            update={"store": STORE, "catalogue": CATALOGUE}
        )
        for k in range(n)
    ]
    shoppers = suite_user()
    for label, name, trips, user in (
        ("`silent`", "silent", tasks, shoppers),
        ("`rule`", "rule", tasks, shoppers),
        ("`oracle`", "oracle", tasks, shoppers),
        ("`rule`, the game's own population", "rule", usual, UserConfig()),
    ):
        carts = carts_of(name, world, trips, user)
        bought = bought_baskets(world.catalogue, carts)
        results.append(compare(label, bought, held_out, 1.0 - len(bought) / len(carts)))
        print(row_of(results[-1]), flush=True)
    return held_out, results


def row_of(c: Compared) -> str:
    """Return a table row."""
    f = figures(c.baskets)
    return (
        f"| {c.label} | {f.n} | {c.empty:.0%} | {f.types[0]:.2f} ({f.types[1]:.0f}) | {f.pieces[0]:.2f} "
        f"({f.pieces[1]:.0f}) | {f.cents[0] / 100:.2f} ({f.cents[1] / 100:.2f}) | {c.frequency:.3f} | {c.pair_r:.2f} | "
        f"{c.types_only.auc:.3f} ± {c.types_only.half_width:.3f} | {c.full.auc:.3f} ± {c.full.half_width:.3f} |"
    )


def table_of(held_out: BasketSet, results: Sequence[Compared]) -> str:
    """Return the table of the page."""
    f = figures(held_out)
    return "\n".join([
        "| baskets | n | nothing bought | types | pieces | money | distance | pairs r | AUC without money | AUC |",
        "|---|---|---|---|---|---|---|---|---|---|",
        f"| real, held-out households | {f.n} | | {f.types[0]:.2f} ({f.types[1]:.0f}) | {f.pieces[0]:.2f} "
        f"({f.pieces[1]:.0f}) | {f.cents[0] / 100:.2f} ({f.cents[1] / 100:.2f}) | | | | |",
        *(row_of(c) for c in results),
    ])  # fmt: skip


COLOURS = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", ":"))


def draw(held_out: BasketSet, results: Sequence[Compared], out: Path) -> None:
    """Draw type frequencies, pairs, size and money of real baskets beside those of two users, and the AUCs."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sets = {c.label.strip("`"): c.baskets for c in results if c.label in ("`silent`", "`rule`")}
    figure = Figure(figsize=(11.0, 6.6), layout="constrained")
    axes = figure.subplots(2, 3).ravel()
    pairs = common_pairs(held_out, PAIRS)
    alone = sets["silent"]
    shares = [100.0 * baskets.present.mean(axis=0) for baskets in (held_out, alone)]
    both = [[100.0 * pair_shares(baskets)[p] for p in pairs] for baskets in (held_out, alone)]
    for ax, (x, y), title in zip(
        axes[:2], (shares, both), ("baskets with a type, %", f"with both of a pair ({PAIRS} pairs), %"), strict=True
    ):
        top = 1.05 * max(max(x), max(y))
        ax.plot([0, top], [0, top], color="#999999", linewidth=0.8)
        ax.scatter(x, y, s=9, color=COLOURS[1][0], alpha=0.6, linewidths=0)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("real, held out")
        ax.set_ylabel("silent")
    for ax, (title, edges) in zip(
        axes[2:5],
        (("types", np.arange(0.5, 13.5)), ("pieces", np.arange(0.5, 26.5)), ("money", np.arange(0.0, 61.0, 3.0))),
        strict=True,
    ):
        for (label, baskets), (colour, line) in zip({"real, held out": held_out, **sets}.items(), COLOURS, strict=True):
            data = np.clip(_values(baskets, title), edges[0], edges[-1] - 1e-9)
            ax.hist(data, bins=edges, weights=np.full(len(data), 100.0 / len(data)), histtype="step", color=colour,
                    linestyle=line, linewidth=1.5, label=label)  # fmt: skip
        ax.set_title(f"{title}, % of baskets", fontsize=10)
        ax.legend(fontsize=8, frameon=False)
    _draw_aucs(axes[5], results)
    for ax in axes:
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    FigureCanvasAgg(figure)
    figure.savefig(out, dpi=110)


def _values(baskets: BasketSet, what: str) -> Any:
    if what == "types":
        return (baskets.units > 0).sum(axis=1)
    return baskets.units.sum(axis=1) if what == "pieces" else baskets.cents / 100.0


def _draw_aucs(ax: Any, results: Sequence[Compared]) -> None:
    places = np.arange(len(results))[::-1]
    names = {"real, other households": "real", "`rule`, the game's own population": "rule, own\npopulation"}
    ax.errorbar([c.full.auc for c in results], places, xerr=[c.full.half_width for c in results], fmt="o",
                color=COLOURS[0][0])  # fmt: skip
    ax.set_yticks(places, [names.get(c.label, c.label.strip("`")) for c in results], fontsize=9)
    for place, style in ((0.5, "-"), (AIM, "--")):
        ax.axvline(place, color="#999999", linewidth=0.8, linestyle=style)
    ax.set_xlim(0.45, 1.0)
    ax.set_ylim(-0.6, len(results) - 0.4)
    ax.set_title(f"AUC against real baskets (aim: {AIM})", fontsize=10)


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--trips", type=int, default=1000)
    parser.add_argument("--dry", action="store_true", help="print only, leave docs as they are")
    parser.add_argument("--figure", type=Path, default=None, help="picture to write, also with --dry")
    options = parser.parse_args()
    held_out, results = run(options.trips)
    table = table_of(held_out, results)
    print(table)
    out = options.figure or (None if options.dry else FIGURE)
    if out is not None:
        draw(held_out, results, out)
    if not options.dry:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    worst = max(c.full.auc for c in results if c.label in JUDGED)
    verdict = "holds" if worst <= AIM else "FAILS"
    print(f"{verdict} AUC of users left alone and of users with `oracle` at most {AIM} ({worst:.3f})")
    return 0 if worst <= AIM else 1


if __name__ == "__main__":
    raise SystemExit(main())
