"""Audit checks of what the user does: legality, quitting, accepting, rejecting, repeating itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from supermarket_env.metrics.satisfaction import open_needs, true_needs
from supermarket_env.user_sim.audit_reading import Reading, Turn
from supermarket_env.user_sim.audit_sheet import Finding

_USER_FAILURES: Final = frozenset({"illegal_action", "invalid_response", "exception"})
_OWN_ENDS: Final = frozenset({"left", "checkout"})
_CALM: Final = 2.0
"""Irritation below which nobody has been given a reason to walk out."""
_EARLY_SHARE: Final = 0.5
_WINDOW: Final = 5
_CENT: Final = 0.005


def illegal(reading: Reading) -> Iterator[Finding]:
    """Yield illegal actions, junk and failures of the user, and payments above the budget."""
    for fault in reading.faults:
        if fault["kind"] in _USER_FAILURES:
            yield Finding(int(fault["turn"]), f"{fault['kind']}: {str(fault.get('detail') or '')[:160]}")
    for turn in reading.turns:
        if turn.user.get("legal") is False:
            yield Finding(turn.turn, f"does {turn.user.get('action')}, which is not legal")
    budget = (reading.episode.truth or {}).get("budget")
    if reading.episode.reason in ("checkout", "patience_checkout") and isinstance(budget, int | float):
        last = reading.turns[-1]
        if last.spent > budget + _CENT:
            yield Finding(last.turn, f"pays {last.spent:.2f} with a budget of {budget:.2f}")


def quits_early(reading: Reading) -> Iterator[Finding]:
    """Yield the end of a trip the user ended itself, calm, with open wishes, in half the turns it needs or less."""
    truth = reading.episode.truth or {}
    needed, needs = truth.get("optimal_turns"), true_needs(truth)
    if reading.episode.reason not in _OWN_ENDS or not isinstance(needed, int) or not needs or len(reading.turns) < 2:
        return
    last = reading.turns[-1]
    irritation = last.user.get("irritation")
    if isinstance(irritation, int | float) and irritation >= _CALM:
        return
    left = open_needs(needs, last.cart)
    if last.turn <= _EARLY_SHARE * needed and left:
        yield Finding(
            last.turn,
            f"ends the trip ({reading.episode.reason}) after {last.turn} turns with {len(left)} of {len(needs)} needs "
            f"open; the shortest good trip takes {needed}",
        )


class JudgedList(NamedTuple):
    """One list shown and what the user made of it."""

    turn: int
    good: bool
    """Whether it holds a product acceptable for an open need."""
    accepted: bool
    product: str


def judged_lists(reading: Reading) -> list[JudgedList]:
    """Return the lists an answer was given to; lists shown before are left out. Empty for logs without truth."""
    needs = true_needs(reading.episode.truth)
    if not needs:
        return []
    seen: set[tuple[str, ...]] = set()
    found = []
    for turn in reading.turns:
        if not turn.items or not turn.user or turn.items in seen:
            continue
        seen.add(turn.items)
        wanted = {p for need in open_needs(needs, turn.cart) for p in need.acceptable}
        said_yes = turn.user_act == "accept" and bool(set(turn.user_slots.get("products", ())) & set(turn.items))
        product = str(next(iter(turn.user_slots.get("products", ())), ""))
        found.append(JudgedList(turn.turn, not wanted.isdisjoint(turn.items), said_yes, product))
    return found


def wrongly_accepted(lists: Sequence[JudgedList]) -> Iterator[Finding]:
    """Yield acceptances from lists without anything acceptable."""
    for judged in lists:
        if judged.accepted and not judged.good:
            yield Finding(judged.turn, f"accepts {judged.product} from a list that holds nothing acceptable")


def wrongly_rejected(lists: Sequence[JudgedList]) -> Iterator[Finding]:
    """Yield a trip on which nothing was accepted although at least three lists held something acceptable."""
    good = [judged for judged in lists if judged.good]
    if len(good) >= 3 and not any(judged.accepted for judged in good):
        yield Finding(good[-1].turn, f"accepts nothing from {len(good)} lists that hold something acceptable")


def utterances(reading: Reading) -> tuple[int, list[Finding]]:
    """Return how many utterances there were and those that repeat one of the last five word for word.

    Without words the act and its slots are compared; having nothing to say is no utterance.
    """
    recent: deque[tuple[int, Any]] = deque(maxlen=_WINDOW)
    n, repeated = 0, []
    for turn in reading.turns:
        said: Any = turn.user_text
        if not said and turn.user_act not in ("", "chat", "bye"):
            said = turn.user_act, repr(sorted(turn.user_slots.items()))
        if not said:
            continue
        n += 1
        before = next((number for number, words in recent if words == said), None)
        if before is not None:
            repeated.append(Finding(turn.turn, f"says {str(said)[:80]!r} again, word for word as in turn {before}"))
        recent.append((turn.turn, said))
    return n, repeated


def answers_to_repeats(reading: Reading) -> list[tuple[str, Finding | None]]:
    """Return, for each unchanged repeat of a question or a list, how it was answered.

    Kinds: ``complains``, ``same`` (the same answer), ``no answer``, ``other`` (talks about something else), and
    ``changed`` with its finding: another value for the same question, a yes to what was turned down from the same list.
    """
    found: list[tuple[str, Finding | None]] = []
    earlier: dict[tuple[Any, ...], Turn] = {}
    for turn in reading.turns:
        if not turn.user or not (turn.items or turn.act == "ask"):
            continue
        key = (turn.act, turn.slots.get("need"), turn.slots.get("attribute"), turn.items)
        before = earlier.get(key)
        earlier[key] = turn
        if before is not None:
            found.append(_kind(before, turn))
    return found


def _kind(before: Turn, now: Turn) -> tuple[str, Finding | None]:
    if now.user_act == "complain":
        return "complains", None
    if now.user_act in ("", "chat"):
        return "no answer", None
    then_said, now_said = _values(before), _values(now)
    changed = [key for key in now_said if key in then_said and then_said[key] != now_said[key]]
    if changed:
        need, attribute = changed[0]
        what = f"answers {now_said[changed[0]]!r} for {attribute} of need {need}, in turn {before.turn} "
        return "changed", Finding(now.turn, what + f"{then_said[changed[0]]!r}, to the same message")
    products = before.user_slots.get("products"), now.user_slots.get("products")
    turned = {before.user_act, now.user_act} == {"accept", "reject"} and products[0] == products[1]
    if turned and "no_reason" not in (before.user_slots.get("reason"), now.user_slots.get("reason")):
        what = f"{now.user_act}s {products[1]}, {before.user_act}ed in turn {before.turn}, of the same list"
        return "changed", Finding(now.turn, what)
    return ("same" if now.user_slots == before.user_slots else "other"), None


def _values(turn: Turn) -> dict[tuple[int, str], Any]:
    return {(f["need"], f["attribute"]): f.get("value") for f in turn.user_slots.get("facts", ())}
