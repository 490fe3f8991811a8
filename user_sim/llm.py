"""A language model as the user: it speaks for the scripted mind (hybrid), or decides and speaks itself (full).

It is told its traits and needs in words, and what lies in view; never which product would serve it best. An answer
that cannot be used goes back once; after that the scripted user answers in its place, and the fault is counted.
"""

from __future__ import annotations

from typing import Any, Final

from supermarket_env.dialogue.acts import UserResponse
from supermarket_env.dialogue.parse import Parser
from supermarket_env.envs.users import UserSeat, UserTurn
from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.llm.runtime import Answer, Question, Runtime, runtime_in_play
from supermarket_env.llm.schema import record
from supermarket_env.user_sim.llm_choice import answer_schema, options_of, problem_of, turn_of
from supermarket_env.user_sim.llm_prompt import PROMPT_VERSION, decision_prompt, wording_prompt

MODES: Final = ("full", "hybrid")
WORDS: Final = 160
"""Characters a user may say in one turn."""


class LanguageModelUser:
    """A user model over the endpoint of the role ``user``.

    Args:
        mode: ``full`` (the model chooses act and action) or ``hybrid`` (the scripted mind chooses, the model words it).
        max_actions: Legal actions offered at once: everything but goods, and the goods that matter.

    Raises:
        ConfigError: an option is out of range.
    """

    def __init__(self, *, mode: str = "full", max_actions: int = 24) -> None:
        if mode not in MODES:
            raise ConfigError(unknown_name("mode of the llm user", str(mode), MODES))
        if type(max_actions) is not int or not 8 <= max_actions <= 200:
            raise ConfigError(f"llm user: max_actions must be in 8..200, got {max_actions!r}")
        self.mode = mode
        self.name = "llm" if mode == "full" else "llm_hybrid"
        self.version = f"1-{mode}-p{PROMPT_VERSION}-a{max_actions}"
        self._max_actions = max_actions
        self._runtime: Runtime | None = None
        self._parser: Parser | None = None
        self._world: tuple[str, str] = ("", "")
        self._said: list[tuple[str, str]] = []

    def start(self, seat: UserSeat) -> None:
        """Begin an episode."""
        self._runtime = runtime_in_play()
        self._said = []
        self._key = f"{self.name}|{seat.task_id}|{seat.seed}"
        world = seat.catalogue.content_hash, seat.store.content_hash
        if self._parser is None or world != self._world:
            self._parser, self._world = Parser(seat.catalogue, seat.store), world

    def respond(self, seat: UserSeat) -> UserTurn:
        """Return the model's turn, or the scripted one where the model's cannot be used."""
        if self.mode == "hybrid":
            return seat.scripted()
        options = options_of(seat, self._max_actions)
        question = self._question(
            seat,
            decision_prompt(seat, options, self._said),
            answer_schema(seat, options, WORDS),
            lambda data: problem_of(data, seat, options),
        )
        answer = self._asked(seat, question)
        turn = seat.scripted() if answer is None else turn_of(answer.data, seat, options)
        self._remember(seat, turn.text or "")
        return turn

    def reword(self, seat: UserSeat, words: str) -> str:
        """Return the model's words for what the scripted mind says; its own where the model's say something else."""
        if self.mode == "full" or not words:
            if self._said:  # the scripted user answered in this turn
                self._said[-1] = (self._said[-1][0], words)
            return words
        assert self._parser is not None
        meant = self._meaning(words, seat)
        question = self._question(
            seat,
            wording_prompt(seat, words, self._said),
            record({"say": {"type": "string", "maxLength": WORDS}}),
            lambda data: "" if self._meaning(data["say"], seat) == meant else "it does not say the same",
        )
        answer = self._asked(seat, question)
        said = words if answer is None else str(answer.data["say"]).strip()
        self._remember(seat, said)
        return said

    def _question(self, seat: UserSeat, messages: Any, schema: Any, check: Any) -> Question:
        return Question("user", seat.turn, 0, messages, schema, check)

    def _asked(self, seat: UserSeat, question: Question) -> Answer | None:
        """Return a usable answer; None after noting the fault."""
        assert self._runtime is not None
        answer = self._runtime.ask(question)
        if answer.fault:
            seat.report(f"llm_{answer.fault}", f"after a repair round: {answer.problem}"[:200])
            return None
        if answer.repaired:
            seat.report("llm_repaired", "the first answer could not be used")
        return answer

    def _remember(self, seat: UserSeat, said: str) -> None:
        heard = seat.message.text or f"({seat.message.act})"
        self._said = [*self._said, (heard, said)][-4:]

    def _meaning(self, words: str, seat: UserSeat) -> UserResponse:
        assert self._parser is not None
        read = self._parser.user(words, asked=seat.message, mentioned=seat.heard)
        facts = tuple(sorted(read.facts, key=repr))
        return read._replace(text="", facts=facts)
