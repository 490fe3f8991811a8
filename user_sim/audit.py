"""The audit of a user model: eleven checks on logged episodes, whoever played them.

    sheet = audit_episodes(episodes, user="mine")
    print(sheet.to_markdown())

Zero tolerance for contradictions, leaks, illegal actions and differing repetitions; bounds for habits no believable
shopper has (quitting at once, accepting or rejecting everything, saying the same again and again); and two questions
of use: does the user do better with a good assistant than with a bad one, and does it use the acts of the game?
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from supermarket_env.catalogue.schema import Catalogue
from supermarket_env.events.episode import Episode
from supermarket_env.metrics import episode_row
from supermarket_env.rules.codes import USER_ACTS
from supermarket_env.user_sim import audit_habits as habits
from supermarket_env.user_sim.audit_reading import Reading, read_episode
from supermarket_env.user_sim.audit_sheet import KEPT_EXAMPLES, Check, Example, Finding, Sheet, Verdict
from supermarket_env.user_sim.audit_truth import contradictions, leaks

GOOD: Final = ("rule", "oracle")
BAD: Final = ("spam", "random", "checkout_pusher")
MIN_LISTS: Final = 10
"""Lists below which accepting and rejecting are not judged."""
MIN_PAIRS: Final = 8
EARLY_LIMIT: Final = 0.05
ACCEPT_LIMIT: Final = 0.5
REJECT_LIMIT: Final = 0.05
REPETITION_LIMIT: Final = 0.2
COVERAGE_LIMIT: Final = 8
COVERAGE_EPISODES: Final = 30
"""Episodes below which the coverage of acts is not judged."""
Twins = Sequence[tuple[bytes, bytes, str]]
"""Log lines of the same episode played twice, and its id."""


class Auditor:
    """Takes episodes one by one and keeps counts, so that any number of them can be audited.

    Args:
        catalogue: Returns the catalogue of a name, or None when it is not at hand (names are then not checked).
    """

    def __init__(self, catalogue: Callable[[str | None], Catalogue | None] = lambda name: None) -> None:
        self._catalogue = catalogue
        self.n_episodes = 0
        self.n_set_aside = 0
        self.why_set_aside = ""
        """What the first of them says."""
        self.n_turns = 0
        self._with_truth = 0
        self._found: dict[str, list[Example]] = {}
        self._counts: Counter[str] = Counter()
        self._hit_episodes: Counter[str] = Counter()
        self._acts: Counter[str] = Counter()
        self._after_repeat: Counter[str] = Counter()
        self._tally: Counter[str] = Counter()
        self._served: dict[tuple[Any, ...], dict[str, list[float]]] = {}

    def add(self, episode: Episode) -> None:
        """Look at one more episode; ``infra_error`` episodes say nothing about the user: counted, left out."""
        if episode.reason == "infra_error":
            if not self.n_set_aside:
                self.why_set_aside = next(
                    (str(e.get("detail") or e["kind"]) for e in episode.events if e["k"] == "fault"), ""
                )
            self.n_set_aside += 1
            return
        reading, catalogue = read_episode(episode), self._catalogue(episode.catalogue)
        self.n_episodes += 1
        self.n_turns += sum(1 for turn in reading.turns if turn.user)
        self._with_truth += bool(reading.needs)
        self._acts.update(turn.user_act for turn in reading.turns if turn.user_act)
        self._note("consistency", episode, contradictions(reading, catalogue))
        self._note("leakage", episode, leaks(reading, catalogue))
        self._note("legality", episode, habits.illegal(reading))
        self._note("early_quitting", episode, habits.quits_early(reading))
        lists = habits.judged_lists(reading)
        for judged in lists:
            self._tally["good lists" if judged.good else "bad lists"] += 1
            self._tally[("good" if judged.good else "bad") + " accepted"] += judged.accepted
        self._note("accept_everything", episode, habits.wrongly_accepted(lists))
        self._note("reject_everything", episode, habits.wrongly_rejected(lists))
        said, repeated = habits.utterances(reading)
        self._tally["utterances"] += said
        self._note("repetition", episode, iter(repeated))
        repeats = habits.answers_to_repeats(reading)
        self._after_repeat.update(kind for kind, _ in repeats)
        self._note("unchanged_repeats", episode, iter([finding for _, finding in repeats if finding is not None]))
        self._note_served(episode, reading)

    def _note(self, check: str, episode: Episode, findings: Iterable[Finding]) -> None:
        kept = self._found.setdefault(check, [])
        n = 0
        for finding in findings:
            n += 1
            # One example an episode shows more than five of the same one.
            if n == 1 and len(kept) < KEPT_EXAMPLES:
                kept.append(Example(episode.episode_id, finding.turn, finding.what))
        self._counts[check] += n
        self._hit_episodes[check] += n > 0

    def _note_served(self, episode: Episode, reading: Reading) -> None:
        served = episode_row(episode).truth.need_satisfaction
        side = "good" if episode.agent in GOOD else "bad" if episode.agent in BAD else ""
        if side and served is not None:
            key = (episode.store, episode.task_id, episode.trial)
            self._served.setdefault(key, {"good": [], "bad": []})[side].append(served)

    # --- the sheet -------------------------------------------------------------------------------------------------

    def sheet(
        self, *, user: str, version: str = "", played: Mapping[str, Any] | None = None, twins: Twins = ()
    ) -> Sheet:
        """Return the score sheet of the episodes so far.

        Args:
            user: Name of the user.
            version: Its version.
            played: What was played, for the heading.
            twins: Episodes played twice with the same seed; none: determinism is not checked.
        """
        checks = (*self._strict(), *self._habits(), self._determinism(twins), self._response(), self._coverage())
        return Sheet(user, version, self.n_episodes, dict(played or {}), checks, self.n_set_aside)

    def _strict(self) -> Iterator[Check]:
        asks = {
            "consistency": "contradicts its needs or an earlier answer",
            "leakage": "names what nobody showed, lets slip what it has not stated",
            "legality": "acts illegally, answers junk, raises, pays more than it has",
        }
        for name, meaning in asks.items():
            n = self._with_truth if name == "consistency" else self.n_episodes
            verdict: Verdict = "not checked" if not n else "fail" if self._counts[name] else "pass"
            yield self._check(name, verdict, float(self._counts[name]), "no case", n, meaning)

    def _habits(self) -> Iterator[Check]:
        t = self._tally
        yield self._share(
            "early_quitting", self._hit_episodes["early_quitting"], self.n_episodes, EARLY_LIMIT, 1,
            "ends a calm trip before half the turns it needs, wishes open",
        )  # fmt: skip
        yield self._share(
            "accept_everything", t["bad accepted"], t["bad lists"], ACCEPT_LIMIT, MIN_LISTS,
            "accepts from lists that hold nothing acceptable",
        )  # fmt: skip
        n = t["good lists"]
        share = t["good accepted"] / n if n else None
        verdict: Verdict = "not checked" if n < MIN_LISTS else "pass" if (share or 0.0) >= REJECT_LIMIT else "fail"
        asked = "accepts from lists that hold something acceptable"
        yield self._check("reject_everything", verdict, share, f">= {REJECT_LIMIT:g}", n, asked)
        yield self._share(
            "repetition", self._counts["repetition"], t["utterances"], REPETITION_LIMIT, MIN_LISTS,
            "says word for word what it said within the last five utterances",
        )  # fmt: skip
        n = sum(self._after_repeat.values())
        verdict = "not checked" if not n else "fail" if self._counts["unchanged_repeats"] else "pass"
        changed = float(self._counts["unchanged_repeats"])
        asked = "answers an unchanged question or list otherwise than before"
        details = dict(sorted(self._after_repeat.items()))
        yield self._check("unchanged_repeats", verdict, changed, "no case", n, asked, details)

    def _share(self, name: str, hits: int, n: int, limit: float, least: int, meaning: str) -> Check:
        share = hits / n if n else None
        verdict: Verdict = "not checked" if n < least else "pass" if (share or 0.0) <= limit else "fail"
        return self._check(name, verdict, share, f"<= {limit:g}", n, meaning)

    def _determinism(self, twins: Twins) -> Check:
        differing = [Example(name, 0, _first_difference(a, b)) for a, b, name in twins if a != b]
        verdict: Verdict = "not checked" if not twins else "fail" if differing else "pass"
        return Check(
            "determinism", verdict, float(len(differing)) if twins else None, "no case", len(twins),
            "gives other bytes when the same seed is played again", {}, tuple(differing[:KEPT_EXAMPLES]),
        )  # fmt: skip

    def _response(self) -> Check:
        pairs = [(_mean(v["good"]), _mean(v["bad"])) for v in self._served.values() if v["good"] and v["bad"]]
        gaps = [good - bad for good, bad in pairs]
        meaning = f"is better served by {' or '.join(GOOD)} than by {', '.join(BAD)} (need satisfaction, same tasks)"
        if len(gaps) < MIN_PAIRS:
            return self._check("response", "not checked", None, "lower end > 0", len(gaps), meaning)
        mean = _mean(gaps)
        error = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1) / len(gaps))
        low, high = mean - 1.96 * error, mean + 1.96 * error
        details = {
            "with the good": _mean([good for good, _ in pairs]),
            "with the bad": _mean([bad for _, bad in pairs]),
            "difference, 95 %": f"{mean:.3f} [{low:.3f}, {high:.3f}]",
        }
        verdict: Verdict = "pass" if low > 0.0 else "fail"
        return self._check("response", verdict, mean, "lower end > 0", len(gaps), meaning, details)

    def _coverage(self) -> Check:
        used = [act for act in USER_ACTS if self._acts[act]]
        enough = self.n_episodes >= COVERAGE_EPISODES
        verdict: Verdict = "not checked" if not enough else "pass" if len(used) >= COVERAGE_LIMIT else "fail"
        details = {
            "acts": {act: n for act in USER_ACTS if (n := self._acts[act])},
            "never": [act for act in USER_ACTS if not self._acts[act]] or "none",
        }
        meaning = f"uses how many of the {len(USER_ACTS)} dialogue acts"
        limit = f">= {COVERAGE_LIMIT}"
        return self._check("coverage", verdict, float(len(used)), limit, self.n_turns, meaning, details)

    def _check(
        self,
        name: str,
        verdict: Verdict,
        value: float | None,
        limit: str,
        n: int,
        meaning: str,
        details: Mapping[str, Any] | None = None,
    ) -> Check:
        examples = tuple(self._found.get(name, ()))
        shown = dict(details or {})
        if self._hit_episodes[name]:
            shown |= {"episodes concerned": self._hit_episodes[name]}
        return Check(name, verdict, value, limit, n, meaning, shown, examples)


def audit_episodes(
    episodes: Iterable[Episode],
    *,
    user: str,
    catalogue: Callable[[str | None], Catalogue | None] = lambda name: None,
) -> Sheet:
    """Return the score sheet of logged episodes; determinism cannot be seen in a log and is not checked."""
    auditor = Auditor(catalogue)
    for episode in episodes:
        auditor.add(episode)
    return auditor.sheet(user=user)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _first_difference(a: bytes, b: bytes) -> str:
    at = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    part = slice(max(0, at - 40), at + 40)
    return f"first difference at byte {at}: {a[part].decode(errors='replace')!r}, {b[part].decode(errors='replace')!r}"
