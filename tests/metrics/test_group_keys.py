"""Grouping by trip and by thirds of a trait."""

from __future__ import annotations

from typing import Any

import pytest

from supermarket_env.errors import ConfigError
from supermarket_env.metrics import grouped


def line(k: int, stratum: str | None, persona: dict[str, float] | None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "schema": "supermarket.episode/1",
        "episode_id": f"e{k}",
        "agent": "rule",
        "events": [{"k": "end", "reason": "left", "turn": 1}],
    }
    if stratum is not None:
        made["stratum"] = stratum
    if persona is not None:
        made["truth"] = {"persona": persona}
    return made


LINES = [line(k, stratum, {"trust": k / 10}) for k, stratum in enumerate(["quick", "standard:quick", "browse"] * 3)]


def test_the_trip_is_the_last_part_of_the_stratum() -> None:
    groups = grouped([*LINES, line(9, None, None)], ("trip",))["groups"]
    assert {group["trip"]: group["n"] for group in groups} == {None: 1, "browse": 3, "quick": 6}


def test_thirds_of_a_trait_cover_all_episodes_that_know_it() -> None:
    groups = grouped([*LINES, line(9, "quick", None)], ("persona:trust",))["groups"]
    assert {g["persona:trust"]: g["n"] for g in groups} == {None: 1, "low": 3, "middle": 3, "high": 3}


@pytest.mark.parametrize(("key", "said"), [("persona:", "group key"), ("persona:trusst", "'trust'"), ("trp", "'trip'")])
def test_unknown_keys_are_refused(key: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        grouped(LINES, (key,))


def test_without_personas_all_are_unknown() -> None:
    assert grouped([line(1, None, None)], ("persona:trust",))["groups"][0]["persona:trust"] is None
    assert grouped([], ("persona:trust", "trip")) == {"groups": []}
