"""The noisy user: the scripted shopper with a bad keyboard, a busy life and a mind that changes.

Typos garble its words; now and then it chats about something else, is interrupted (and leaves a question unanswered),
or puts goods back and does without them. What it states stays true: it is noise, not contradiction. The draws are keyed
by episode and turn, so the same seed gives the same noise whatever the assistant does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from supermarket_env.envs.users import UserAction, UserSeat, UserTurn
from supermarket_env.errors import ConfigError
from supermarket_env.user_sim.keyed import KeyedDraws

_MODEL: Final = 1
_INTERRUPT, _CHAT, _SENTENCE, _CHANGE, _TYPO, _KIND, _WHICH = range(7)
_QUIET_ACTS: Final = frozenset({"chat", "thank"})

OFF_TOPIC: Final = (
    "Have you heard that it may rain all weekend?",
    "My neighbour has a new dog, it barks all night.",
    "I wonder who won the match yesterday.",
    "They really turned up the music in here today.",
    "My sister is coming to visit, I still have to clean.",
    "Did they paint this wall? It used to be green.",
)
INTERRUPTIONS: Final = (
    "One moment, my phone is ringing.",
    "Sorry, I just met somebody I know.",
    "Wait, where did I put my glasses?",
    "Hold on, my child is running off.",
)
SECOND_THOUGHTS: Final = (
    "On second thought, I put this back and do without.",
    "I changed my mind, I don't need this after all.",
    "Actually no, this goes back to the shelf.",
)


class Noisy:
    """The scripted user with noise in words and deeds.

    Args:
        typos: Probability that a word of four letters or more is mistyped.
        off_topic: Probability, on a turn without anything else to say, of talking about something else.
        interruptions: Probability of an interrupted turn: nothing is answered and nothing done.
        changes: Probability, on a turn with goods in the cart, of putting one product back for good.

    Raises:
        ConfigError: a probability is not in [0, 1].
    """

    name = "noisy"
    version = "1"

    def __init__(
        self, *, typos: float = 0.06, off_topic: float = 0.15, interruptions: float = 0.05, changes: float = 0.02
    ) -> None:
        shares = {"typos": typos, "off_topic": off_topic, "interruptions": interruptions, "changes": changes}
        for key, value in shares.items():
            if not 0.0 <= value <= 1.0:
                raise ConfigError(f"noisy user: {key} must be a probability in [0, 1], got {value!r}")
        self.typos, self.off_topic, self.interruptions, self.changes = typos, off_topic, interruptions, changes

    def start(self, seat: UserSeat) -> None:
        """Begin an episode."""
        self._draws = KeyedDraws(seat.seed, _MODEL)

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the scripted answer, or the noise in its place."""
        plan, draws, turn = seat.scripted(), self._draws, seat.turn
        if plan.action.type in ("checkout", "leave"):
            return plan
        if draws.happens(self.interruptions, _INTERRUPT, turn):
            return UserTurn("chat", UserAction("wait"), text=draws.pick(INTERRUPTIONS, _SENTENCE, turn))
        cart = seat.cart
        if cart and draws.happens(self.changes, _CHANGE, turn):
            product = draws.pick(tuple(cart), _WHICH, turn)
            back = UserAction("remove", product, cart[product])
            return UserTurn("chat", back, text=draws.pick(SECOND_THOUGHTS, _SENTENCE, turn))
        if plan.act in _QUIET_ACTS and draws.happens(self.off_topic, _CHAT, turn):
            return replace(plan, text=self.reword(seat, draws.pick(OFF_TOPIC, _SENTENCE, turn)))
        return plan

    def reword(self, seat: UserSeat, words: str) -> str:
        """Return the words with typos; spaces, numbers and short words stay."""
        turn, draws = seat.turn, self._draws
        typed = [
            _mistyped(word, draws, turn, n)
            if len(word) > 3 and word.isalpha() and draws.happens(self.typos, _TYPO, turn, n)
            else word
            for n, word in enumerate(words.split(" "))
        ]
        return " ".join(typed)


def _mistyped(word: str, draws: KeyedDraws, turn: int, n: int) -> str:
    """Return a word with two letters swapped, one left out or one doubled; the first letter stays."""
    at = 1 + int(draws.uniform(_WHICH, turn, n + 1) * (len(word) - 2))
    kind = draws.pick(("swap", "drop", "double"), _KIND, turn, n)
    if kind == "swap":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at + 1 :] if kind == "drop" else word[:at] + word[at] + word[at:]
