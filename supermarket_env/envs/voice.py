"""The user's words: from what a response means to the line that is said, and what a parser hears in lines of text."""

from __future__ import annotations

from typing import Any

from supermarket_env.dialogue.acts import UserResponse
from supermarket_env.rules import codes
from supermarket_env.rules.draws import P_CHAT, P_WORDS, lane
from supermarket_env.user_sim.config import UserConfig
from supermarket_env.user_sim.wording import Manner, Wording, mood_of
from supermarket_env.world import World


class Voice:
    """The grammar and the parser of one world and population, each made on first use; shared by copies of a game."""

    def __init__(self, world: World, user: UserConfig) -> None:
        self.world = world
        self.user = user
        self._wording: Wording | None = None
        self._parser: Any = None

    @property
    def wording(self) -> Wording:
        """The grammar."""
        if self._wording is None:
            self._wording = Wording(self.world.catalogue, self.world.store, variant=self.user.wording)
        return self._wording

    @property
    def parser(self) -> Any:
        """The parser of either side's lines."""
        if self._parser is None:
            from supermarket_env.dialogue.parse import Parser

            self._parser = Parser(self.world.catalogue, self.world.app.store)
        return self._parser


class Speech:
    """What is said in one episode.

    Args:
        voice: The grammar.
        persona: The user's plain state row: its traits.
        lanes: The lanes of the episode's seed, which key all choices of words.
    """

    __slots__ = ("_key", "_lane", "_manners", "_temper", "talkativeness", "topics", "voice")

    def __init__(self, voice: Voice, persona: Any, lanes: tuple[int, int]) -> None:
        self.voice = voice
        self.talkativeness: float = round(persona.t_talkativeness, 3)
        self._temper: float = round(persona.t_temper, 3)
        self._lane = lanes[0]
        self._key = (lanes[1] << 32) + lane(lanes[0], P_WORDS, 0, 0)
        self._manners: dict[tuple[int, bool, int], Manner] = {}
        self.topics: list[str] = [""] * codes.MAX_NEEDS
        """What later wishes refer to by name: type or department by need."""

    def copy(self) -> Speech:
        """Return an independent copy."""
        made: Speech = object.__new__(Speech)
        for name in Speech.__slots__:
            setattr(made, name, getattr(self, name))
        made.topics = list(self.topics)
        return made

    def note(self, response: UserResponse) -> None:
        """Remember what a response named."""
        for fact in response.facts:
            if fact.attribute in ("product_type", "department") and fact.value:
                self.topics[fact.need - 1] = str(fact.value)

    def words(self, o: Any, response: UserResponse, *, turn: int, end: int, among: tuple[str, ...]) -> str:
        """Return the line for a response, empty when the user has nothing to say.

        Args:
            o: The outcome row of the turn.
            response: What it means.
            turn: Number of the turn, 0 for the opening line.
            end: How a trip that is taken leave of ended (``codes.ENDS``); 0 for any other response.
            among: Ids of the products the assistant showed.
        """
        if o.act == codes.U_CHAT and not self._chats(turn):
            return ""
        return self.voice.wording.say(
            response,
            manner=self._manner(o, end),
            key=self._key + 16 * turn + o.act,
            opening=turn == 0,
            topics=self.topics,
            among=among,
        )

    def _manner(self, o: Any, end: int) -> Manner:
        """Return how the user speaks now; equal moods of one episode share an object."""
        mood, hurried = mood_of(o.trust, min(1.0, o.irritation / 4.0)), o.patience < 4.0
        key = (mood, hurried, end)
        manner = self._manners.get(key)
        if manner is None:
            ended = codes.ENDS[end] if end else ""
            manner = self._manners[key] = Manner(self.talkativeness, self._temper, mood, hurried, ended)
        return manner

    def _chats(self, turn: int) -> bool:
        """Whether a user with nothing to say says something all the same: the talkative ones, to who talks to them."""
        draw = lane(self._lane, P_CHAT, turn, 0) / 4294967296.0
        return turn > 0 and bool(draw < self.voice.user.mechanisms.chat * self.talkativeness)
