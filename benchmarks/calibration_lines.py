"""The picture of docs/calibration.md: a judge that is too strict, its labels, and what calibration makes of it.

python benchmarks/calibration_lines.py            # writes docs/img/calibration.png (made data, seed 0)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from supermarket_env.scorers.calibration import band_interval, calibrate
from supermarket_env.scorers.calibration.chart import draw_trend, trend
from supermarket_env.scorers.calibration.scale import clamp

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "img" / "calibration.png"
STRICT = 0.4
A_DAY = 30
LABELLED = 6


def made_rows(seed: int = 0) -> list[dict[str, Any]]:
    """Return thirty dates of evaluations; people think of the dialogues 0.4 better than the judge."""
    generator = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for place in range(30):
        date = f"2026-{1 + place // 6:02d}-{1 + 5 * (place % 6):02d}"
        level = 3.2 + 0.5 * np.sin(place / 5.0)
        for k in range(A_DAY):
            true = clamp(float(level + generator.normal(0.0, 0.7)))
            row: dict[str, Any] = {"auto": clamp(true - STRICT + float(generator.normal(0.0, 0.5))), "evaluated": date}
            if k < LABELLED:
                row |= {"human": float(round(true)), "labeled": date}
            rows.append(row)
    return rows


def main() -> int:
    rows = made_rows()
    fitted = calibrate(rows, "2026-06-01")
    interval = band_interval(fitted)
    grey = interval is None or interval.low <= 0.0 <= interval.high
    draw_trend(trend(rows, fitted), fitted, PICTURE, title="Automatic, human and adjusted scores by date", is_grey=grey)
    print(
        f"band {fitted.band:.3f}, {fitted.n} labels, upper {fitted.upper:.3f}, lower {fitted.lower:.3f}; {PICTURE.name}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
