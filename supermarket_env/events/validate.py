"""What an episode line must look like; everything refused says file, line, field and reason."""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn

from supermarket_env.errors import LogError, unknown_name
from supermarket_env.events.episode import Episode, Event, order_key, sort_events
from supermarket_env.events.types import (
    CART_OPS,
    END_REASONS,
    EVENT_KEYS,
    EVENT_KINDS,
    LINE_KEYS,
    LINE_REQUIRED,
    REASON_ALIASES,
    SCHEMA,
    TEXT,
    Check,
)

_CHECKS: dict[str, tuple[tuple[tuple[str, Check], ...], tuple[tuple[str, Check], ...]]] = {
    name: (tuple(kind.required.items()), tuple(kind.checked.items())) for name, kind in EVENT_KINDS.items()
}
_MISSING = object()
_SHOWN = 60


def refuse(file: str, line: int, field: str, reason: str) -> NoReturn:
    """Raise the LogError of one place in a log.

    >>> refuse("a.jsonl", 3, "agent", "missing")
    Traceback (most recent call last):
        ...
    supermarket_env.errors.LogError: a.jsonl, line 3, agent: missing
    """
    raise LogError(f"{file}, line {line}, {field}: {reason}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def validate_episode(
    obj: Any,
    file: str = "<memory>",
    line: int = 0,
    *,
    unknown_kinds: Counter[str] | None = None,
    unknown_keys: Counter[str] | None = None,
) -> Episode:
    """Check a decoded line and return it as an Episode with its events in reading order.

    Args:
        obj: The decoded JSON value.
        file: Name shown in messages.
        line: Line number shown in messages, from 1.
        unknown_kinds: Counts event kinds this reader does not know (optional).
        unknown_keys: Counts keys this reader does not know, as ``key`` or ``kind.key`` (optional).

    Raises:
        LogError: If the line breaks the contract.
    """
    if type(obj) is not dict:
        refuse(file, line, "line", f"expected an object, got {_shown(obj)}")
    for key in LINE_REQUIRED:
        if key not in obj:
            refuse(file, line, key, "missing; a line needs schema, episode_id, agent and events")
    if obj["schema"] != SCHEMA:
        refuse(file, line, "schema", f"expected {SCHEMA!r}, got {_shown(obj['schema'])}")
    for key in ("episode_id", "agent"):
        if type(obj[key]) is not str:
            refuse(file, line, key, f"expected a string, got {_shown(obj[key])}")
    if type(obj["events"]) is not list:
        refuse(file, line, "events", f"expected a list, got {_shown(obj['events'])}")
    if unknown_keys is not None and not obj.keys() <= LINE_KEYS:
        unknown_keys.update(obj.keys() - LINE_KEYS)
    events = validate_events(obj["events"], file, line, unknown_kinds=unknown_kinds, unknown_keys=unknown_keys)
    _check_end(events, file, line)
    _check_cart(events, file, line)
    return Episode(obj, events, file=file, line=line)


def validate_events(
    raw: list[Any],
    file: str,
    line: int,
    *,
    unknown_kinds: Counter[str] | None = None,
    unknown_keys: Counter[str] | None = None,
) -> list[Event]:
    """Check events one by one and return them in reading order (no check of the episode as a whole).

    Raises:
        LogError: If an event breaks the contract.
    """
    previous: float = -1
    in_order = True
    tail = False
    for index, event in enumerate(raw):
        if type(event) is not dict:
            refuse(file, line, f"events[{index}]", f"expected an object, got {_shown(event)}")
        kind = event.get("k", _MISSING)
        if type(kind) is not str:
            came = "missing" if kind is _MISSING else f"expected a string, got {_shown(kind)}"
            refuse(file, line, f"events[{index}].k", came)
        checks = _CHECKS.get(kind)
        if checks is None:
            if unknown_kinds is not None:
                unknown_kinds[kind] += 1
        else:
            _check_event(event, kind, checks, file, line, index)
            if unknown_keys is not None and not event.keys() <= EVENT_KEYS[kind]:
                unknown_keys.update(f"{kind}.{key}" for key in event.keys() - EVENT_KEYS[kind])
        key = order_key(event)
        tail = tail or kind in ("judge", "end")
        in_order = in_order and key >= previous
        previous = key
    # Judges and the end share the last key, so their own order is settled by a sort of the few that need it.
    if in_order and (not tail or _tail_in_order(raw)):
        return list(raw)
    return sort_events(raw)


def _tail_in_order(events: list[Event]) -> bool:
    """Whether the one ``end`` is the very last event and no unknown kind follows a judge."""
    if not events or events[-1]["k"] != "end":
        return False
    position = len(events) - 2
    while position >= 0 and events[position]["k"] == "judge":
        position -= 1
    return all(event["k"] not in ("judge", "end") for event in events[: position + 1])


def _check_event(
    event: Event,
    kind: str,
    checks: tuple[tuple[tuple[str, Check], ...], tuple[tuple[str, Check], ...]],
    file: str,
    line: int,
    index: int,
) -> None:
    for name, check in checks[0]:
        value = event.get(name, _MISSING)
        if not check.accepts(value):
            came = "missing" if value is _MISSING else f"got {_shown(value)}"
            refuse(file, line, f"events[{index}].{name}", f"{kind} event needs {check.expected}; {came}")
    for name, check in checks[1]:
        if name in event and not check.accepts(event[name]):
            refuse(file, line, f"events[{index}].{name}", f"expected {check.expected}, got {_shown(event[name])}")
    if kind == "cart":
        if event["op"] not in CART_OPS:
            refuse(file, line, f"events[{index}].op", unknown_name("cart operation", event["op"], CART_OPS))
        if event["op"] != "clear" and not TEXT.accepts(event.get("sku")):
            reason = f"{event['op']} needs a product id, got {_shown(event.get('sku'))}"
            refuse(file, line, f"events[{index}].sku", reason)
    elif kind == "end" and event["reason"] not in END_REASONS and event["reason"] not in REASON_ALIASES:
        refuse(file, line, f"events[{index}].reason", unknown_name("end reason", event["reason"], END_REASONS))


def _check_end(events: list[Event], file: str, line: int) -> None:
    if not events or events[-1]["k"] != "end":
        refuse(file, line, "events", "no end event in a complete line")
    if len(events) > 1 and events[-2]["k"] == "end":
        refuse(file, line, "events", "more than one end event")


def _check_cart(events: list[Event], file: str, line: int) -> None:
    cart: dict[str, int] = {}
    for event in events:
        if event["k"] != "cart":
            continue
        op = event["op"]
        if op == "clear":
            cart.clear()
            continue
        sku, qty = event["sku"], event.get("qty", 1)
        held = cart.get(sku, 0)
        if op == "add":
            cart[sku] = held + qty
        elif qty > held:
            reason = f"turn {event['turn']} removes {qty} of {sku!r} while the cart holds {held}"
            refuse(file, line, "events.cart", reason)
        else:
            cart[sku] = held - qty
