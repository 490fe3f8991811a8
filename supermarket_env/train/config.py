"""Configuration of a training run: checked once, before the first step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supermarket_env.errors import ConfigError, nearest, unknown_name

Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A part of a configuration: read-only, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        """Check plain data.

        Raises:
            ConfigError: A key or value does not fit; names it and the nearest valid key.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            hint = nearest(place, cls.dotted_keys()) if first["type"] == "extra_forbidden" else ""
            raise ConfigError(
                f"training configuration, {place}: {first['msg']}, got {first['input']!r}.{hint}"
            ) from None

    @classmethod
    def dotted_keys(cls) -> list[str]:
        """Return every dotted key."""
        keys = []
        for name, field in cls.model_fields.items():
            inner = field.annotation
            if isinstance(inner, type) and issubclass(inner, Section):
                keys += [f"{name}.{key}" for key in inner.dotted_keys()]
            else:
                keys.append(name)
        return keys


class CloneConfig(Section):
    """Behaviour cloning, the start of the policy."""

    teacher: str = "rule_tuned"
    """Assistant whose trips are cloned when there is no ``log``; a privileged one may know what the policy cannot."""
    log: str | None = None
    """Run directory or episodes.jsonl to clone from, of one assistant on training or dev tasks."""
    episodes: Count = 1000
    epochs: Annotated[int, Field(ge=1, le=1000)] = 12
    learning_rate: Annotated[float, Field(gt=0.0, le=1.0)] = 1e-3


class PpoConfig(Section):
    """MaskablePPO."""

    learning_rate: Annotated[float, Field(gt=0.0, le=1.0)] = 5e-4
    final_learning_rate: Annotated[float, Field(ge=0.0, le=1.0)] = 3e-5
    n_steps: Count = 128
    """Turns an environment plays between updates."""
    batch_size: Count = 1024
    n_epochs: Annotated[int, Field(ge=1, le=100)] = 4
    gamma: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    gae_lambda: Annotated[float, Field(ge=0.0, le=1.0)] = 0.95
    clip_range: Annotated[float, Field(gt=0.0, le=1.0)] = 0.2
    ent_coef: Annotated[float, Field(ge=0.0, le=1.0)] = 0.003
    vf_coef: Annotated[float, Field(ge=0.0, le=10.0)] = 0.5
    target_kl: Annotated[float, Field(gt=0.0)] | None = 0.03
    width: Annotated[int, Field(ge=4, le=1024)] = 32


class TrainConfig(Section):
    """A training run of ``supermarket train``."""

    out: str | None = None
    """Folder of the run; None: ``runs/train-<hash>``. What is in it already is gone on with."""
    seed: Annotated[int, Field(ge=0)] = 0
    steps: Annotated[int, Field(ge=0)] = 1_000_000
    """Environment steps (turns), those played for cloning included."""
    n_envs: Annotated[int, Field(ge=1, le=4096)] = 32
    stores: tuple[str, ...] = ("neighbourhood",)
    """Stores trained in; the environments take them in turn. ``generated:1`` to ``generated:32`` are for training."""
    tasks: Count = 2000
    """Training tasks, each met many times with other luck; fresh ones all the time cost a third of the speed."""
    first_task: Annotated[int, Field(ge=0)] = 1000
    """Number of the first one in the training stream."""
    mode: Literal["auto", "compiled", "plain"] = "auto"
    user: dict[str, Any] = Field(default_factory=dict)
    """Fields of the user population (``UserConfig``)."""
    blind: Literal["none", "dialogue", "position", "standpoint"] = "none"
    paired: bool = True
    """Train on the trips the teacher played, with the same luck, and count only what is better or worse than it (its
    reward is subtracted at the end of the trip). That does not change which policy is best, and takes most of the
    luck out of the reward. Only with ``start: clone``, without ``clone.log``."""
    reward: Literal["need_satisfaction", "success"] = "need_satisfaction"
    """``success`` pays 1 for any purchase and nothing else: an exhibit of what such a reward leads to."""
    thresholds: str | dict[str, Any] = "rule_tuned"
    """Thresholds behind the macros: ``rule``, ``rule_tuned`` or a mapping of ``RuleConfig`` fields."""
    start: Literal["clone", "nothing"] = "clone"
    clone: CloneConfig = CloneConfig()
    ppo: PpoConfig = PpoConfig()
    checkpoint_every: Count = 100_000
    """Steps between checkpoints."""
    progress: bool = True

    def threshold_fields(self) -> dict[str, Any]:
        """Return the thresholds behind the macros, see :func:`thresholds_of`."""
        return thresholds_of(self.thresholds)


class GoodsConfig(Section):
    """A run of ``supermarket train goods``."""

    out: str | None = None
    """Folder of the run; None: ``runs/goods-<seed>``. What is in it already is not done again."""
    seed: Annotated[int, Field(ge=0)] = 0
    steps: Annotated[int, Field(ge=1)] = 96_000
    """Environment steps of the examples."""
    search_steps: Annotated[int, Field(ge=0)] = 0
    """Environment steps of a search of habits after that; 0: habits as set by hand."""
    stores: tuple[str, ...] = ("neighbourhood",)
    """Stores trained in, in turn."""
    first_task: Annotated[int, Field(ge=0)] = 1_000_000
    """Number of the first training task; seeds take different ones."""
    mode: Literal["auto", "compiled", "plain"] = "auto"
    user: dict[str, Any] = Field(default_factory=dict)
    """Fields of the user population (``UserConfig``)."""
    thresholds: str | dict[str, Any] = "rule_tuned"
    """Thresholds of the rule assistant that leads the conversation: ``rule``, ``rule_tuned`` or a mapping."""
    epochs: Annotated[int, Field(ge=1, le=1000)] = 12
    learning_rate: Annotated[float, Field(gt=0.0, le=1.0)] = 2e-3
    width: Annotated[int, Field(ge=2, le=1024)] = 48
    progress: bool = True


def thresholds_of(value: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return thresholds as a mapping of ``RuleConfig`` fields: of ``rule``, of ``rule_tuned``, or as they are given.

    Raises:
        ConfigError: The name is unknown.
    """
    from supermarket_env.agents.registry import make_agent
    from supermarket_env.agents.rule import Rule

    if not isinstance(value, str):
        return dict(value)
    made = make_agent(value)
    if not isinstance(made, Rule):
        raise ConfigError(f"thresholds: {value!r} is no rule assistant; valid: rule, rule_tuned")
    return made.config.model_dump(mode="json")


def presets(way: str) -> list[str]:
    """Return the names of the presets of a way of learning."""
    folder = resources.files("supermarket_env.conf") / "train" / way
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir()) if folder.is_dir() else []


def from_words(words: Sequence[str], way: str = "ppo", keys: Sequence[str] = ()) -> dict[str, Any]:
    """Return the nested mapping of ``key=value`` words (dotted keys, YAML values).

    ``config=FILE`` reads a YAML file, ``preset=NAME`` a shipped one of this way of learning. Later words win.

    Args:
        words: The words.
        way: The way of learning, for its presets.
        keys: Valid keys, for the message about a word of another form.

    Raises:
        ConfigError: A word has not that form, a preset is unknown, or a file cannot be read.

    >>> from_words(["steps=1000", "ppo.gamma=0.9", "stores=[corner, hyper]"])
    {'steps': 1000, 'ppo': {'gamma': 0.9}, 'stores': ['corner', 'hyper']}
    """
    data: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            valid = ", ".join(keys or TrainConfig.dotted_keys())
            raise ConfigError(f"override {word!r} cannot be read, expected KEY=VALUE; valid keys: {valid}")
        if key == "config":
            _merge(data, _yaml_file(Path(text)))
            continue
        if key == "preset":
            if text not in presets(way):
                raise ConfigError(unknown_name(f"preset of supermarket train {way}", text, presets(way)))
            with resources.as_file(resources.files("supermarket_env.conf") / "train" / way / f"{text}.yaml") as file:
                _merge(data, _yaml_file(file))
            continue
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ConfigError(f"override {word!r}: the value is no YAML ({error})") from None
        *outer, last = key.lstrip("+").split(".")
        place = data
        for part in outer:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise ConfigError(f"override {word!r}: {part!r} is no section")
        place[last] = value
    return data


def _yaml_file(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"config={path}: cannot be read ({error})") from None
    if not isinstance(data, dict):
        raise ConfigError(f"config={path}: expected a mapping, got {type(data).__name__}")
    return data


def _merge(into: dict[str, Any], other: Mapping[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
