"""From the words after ``supermarket run`` to validated configurations, with errors that help.

Hydra reads the YAML and the overrides. What it reports about a mistyped group, option or key is checked here first, so
that every such mistake stops the command before the first episode with the nearest valid name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.errors import ConfigError, nearest, unknown_name
from supermarket_env.run.config import RunConfig, model_keys

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig

CONF_MODULE = "supermarket_env.conf"
CONFIG_NAME = "config"
GROUPS = ("store", "catalogue", "suite", "user", "llm", "experiment")
"""Config groups of this project; Hydra's own are passed on unchecked."""

_AGENT_ITEM = re.compile(r"^agents\.\d+(\..+)?$")


@dataclass(frozen=True, slots=True)
class Invocation:
    """The words after ``supermarket run``, split into what Hydra's own options and the overrides are."""

    overrides: tuple[str, ...]
    multirun: bool
    inspects: bool
    """Only prints (``--cfg``, ``--info``, ``--help`` ...): nothing is played."""
    config_dir: str | None
    config_name: str
    argv: tuple[str, ...]
    """The words to hand to Hydra, overrides normalised."""


def read_arguments(args: Sequence[str]) -> Invocation:
    """Split the words after ``supermarket run``.

    ``+experiment=x`` is accepted for ``experiment=x``.

    Raises:
        ConfigError: for an option Hydra does not have.
    """
    from hydra._internal.utils import get_args_parser

    parser = get_args_parser()
    options = sorted(option for action in parser._actions for option in action.option_strings)

    def refuse(message: str) -> None:
        words = [word for word in args if word.startswith("-")]
        unknown = next((w for w in words if w.partition("=")[0] not in options), "")
        hint = f"; valid: {', '.join(options)}.{nearest(unknown, options)}" if unknown else ""
        raise ConfigError(f"supermarket run: {message}{hint}")

    parser.error = refuse  # type: ignore[assignment,method-assign]
    known = parser.parse_args(list(args))
    overrides = tuple(_normalise(word) for word in known.overrides)
    rest = list(args)
    for old, new in zip(known.overrides, overrides, strict=True):
        rest[rest.index(old)] = new
    prints = (known.help, known.hydra_help, known.cfg, known.info, known.shell_completion)
    return Invocation(
        overrides=overrides,
        multirun=bool(known.multirun),
        inspects=any(prints),
        config_dir=known.config_dir,
        config_name=known.config_name or CONFIG_NAME,
        argv=tuple(rest),
    )


def _normalise(override: str) -> str:
    """Return an override in the form the config needs: experiments by name, user keys and dials without a plus sign."""
    if override.startswith("+experiment="):
        return override[1:]
    if override.startswith(("user.", "llm.", "suite.dials.", "suite.events.")) and "=" in override:
        return f"++{override}"
    return override


def compose_run(invocation: Invocation) -> RunConfig:
    """Return the validated configuration of a single run.

    Raises:
        ConfigError: for any mistyped override, group option, key or value.
    """
    with _Composer(invocation) as composer:
        return composer.compose(invocation.overrides)


def compose_sweep(invocation: Invocation) -> list[RunConfig]:
    """Return the validated configurations of a multirun, one a job, in Hydra's order.

    A sweep with a sweeper other than Hydra's basic one is not expanded: the list is empty then, and each job is
    checked when it starts.

    Raises:
        ConfigError: for any mistyped override, group option, key or value in any job.
    """
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

    if any(word.lstrip("+").startswith("hydra/sweeper=") for word in invocation.overrides):
        return []
    with _Composer(invocation) as composer:
        parsed = composer.parse(invocation.overrides)
        jobs = [job for batch in BasicSweeper.split_arguments(parsed, max_batch_size=None) for job in batch]
        return composer.compose_alike(jobs)


class _Composer:
    """Hydra's compose API, opened on the shipped configuration, with our own checks before it."""

    def __init__(self, invocation: Invocation) -> None:
        from hydra import initialize_config_module

        self._name = invocation.config_name
        self._extra: list[str] = []
        if invocation.config_dir is not None:
            folder = Path(invocation.config_dir).absolute()
            if not folder.is_dir():
                raise ConfigError(f"--config-dir: expected a folder, got {invocation.config_dir!r}")
            self._extra = [f"hydra.searchpath=[file://{folder}]"]
            self._folder: Path | None = folder
        else:
            self._folder = None
        self._context = initialize_config_module(CONF_MODULE, version_base="1.3")
        self._checked: dict[str, Override] = {}

    def __enter__(self) -> _Composer:
        self._context.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(*error)

    def parse(self, words: Sequence[str]) -> list[Override]:
        """Parse overrides, one after the other so that the message names the word."""
        from hydra.core.override_parser.overrides_parser import OverridesParser
        from hydra.errors import OverrideParseException

        parser = OverridesParser.create()
        parsed: list[Override] = []
        for word in words:
            try:
                parsed += parser.parse_overrides([word])
            except OverrideParseException as error:
                reason = str(error).partition("\nSee ")[0].replace("\n", " ")
                raise ConfigError(f"override {word!r} cannot be read, expected KEY=VALUE: {reason}") from None
        return parsed

    def compose(self, words: Sequence[str]) -> RunConfig:
        """Check and compose one job."""
        self._read(words)
        return _validated(self._composed(words))

    def compose_alike(self, jobs: Sequence[Sequence[str]]) -> list[RunConfig]:
        """Check and compose jobs one after the other.

        Jobs that differ in plain values only, as most of a sweep do, share what Hydra composed for the first of them,
        and their values are written into it: composing is nearly all of the work.
        """
        configs: list[RunConfig] = []
        composed: dict[tuple[str, ...], DictConfig] = {}
        for words in jobs:
            family, values = _plain_values(self._read(words))
            if family in composed:
                _write_values(composed[family], values)
            else:
                composed[family] = self._composed(words)
            configs.append(_validated(composed[family]))
        return configs

    def _read(self, words: Sequence[str]) -> list[Override]:
        """Parse and check the overrides of a job; words of earlier jobs are known."""
        for word in words:
            if word not in self._checked:
                (override,) = self.parse([word])
                self._check(override)
                self._checked[word] = override
        return [self._checked[word] for word in words]

    def _composed(self, words: Sequence[str]) -> DictConfig:
        from hydra import compose
        from hydra.errors import HydraException
        from omegaconf.errors import OmegaConfBaseException

        try:
            return compose(self._name, overrides=[*words, *self._extra])
        except (HydraException, OmegaConfBaseException) as error:
            raise _refused(error) from None

    def _check(self, override: Override) -> None:
        """Refuse unknown keys and group options with the nearest valid name."""
        key = override.key_or_group
        if key.split(".")[0] == "hydra" or key.startswith("hydra/"):
            return
        value = override.value()
        if key in GROUPS:
            if value is None and not override.is_delete():
                raise ConfigError(
                    f"{key}: expected the name of an option, got null; valid: {', '.join(self._options(key))}"
                )
            if isinstance(value, str) and not override.is_sweep_override():
                options = self._options(key)
                if value not in options:
                    raise ConfigError(unknown_name(key, value, options) + _by_name(key, value))
            return
        valid = valid_keys()
        if key not in valid and not _AGENT_ITEM.match(key) and not key.startswith(("user.", "llm.")):
            shown = [name for name in valid if not name.startswith("user.")]
            raise ConfigError(unknown_name("configuration key", key, [*shown, "experiment"]))

    def _options(self, group: str) -> list[str]:
        """Return the options of a config group: the shipped ones and those of ``--config-dir``."""
        from hydra.core.global_hydra import GlobalHydra

        options = set(GlobalHydra.instance().config_loader().get_group_options(group))
        if self._folder is not None:
            options |= {file.stem for file in (self._folder / group).glob("*.yaml")}
        return sorted(options)


def _by_name(group: str, value: str) -> str:
    """Return how content without a file in the group is given, where the value looks like such content.

    >>> _by_name("store", "generated:12")
    ' A drawn layout, part of a suite or file of your own is given by name: store.name=generated:12'
    """
    if group not in ("store", "catalogue", "suite") or not any(mark in value for mark in ":/.@"):
        return ""
    return f" A drawn layout, part of a suite or file of your own is given by name: {group}.name={value}"


def _refused(error: Exception) -> ConfigError:
    reason = str(error).strip().partition("\nConfig search path")[0]
    return ConfigError(f"configuration: {reason}")


def _validated(composed: DictConfig) -> RunConfig:
    """Return what Hydra composed as a configuration."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        data = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise _refused(error) from None
    if not isinstance(data, dict):
        raise ConfigError(f"configuration: expected a mapping, got {type(data).__name__}")
    return RunConfig.parse({str(key): value for key, value in data.items()})


def _plain_values(job: Sequence[Override]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return what jobs must have in common to differ in plain values only, and these values by key.

    A plain value is a number, a text, true, false or null of a key that nothing else in the job touches.
    """
    keys = [override.key_or_group for override in job]
    family, values = [], {}
    for number, override in enumerate(job):
        key, value = override.key_or_group, override.value()
        others = keys[:number] + keys[number + 1 :]
        if (
            (value is None or type(value) in (bool, int, float, str))
            and not override.is_delete()
            and not (key in GROUPS or "/" in key or key.partition(".")[0] in ("hydra", "agents"))
            and not any(f"{key}.".startswith(f"{other}.") or other.startswith(f"{key}.") for other in others)
        ):
            family.append(f"{override.type} {key}")
            values[key] = value
        else:
            family.append(str(override.input_line))
    return tuple(family), values


def _write_values(composed: DictConfig, values: Mapping[str, Any]) -> None:
    """Write values into a composed configuration, as Hydra does at the end of composing."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        for key, value in values.items():
            OmegaConf.update(composed, key, value, merge=True)
    except OmegaConfBaseException as error:
        raise _refused(error) from None


def valid_keys() -> list[str]:
    """Return every dotted key a run's configuration may set."""
    return model_keys(RunConfig)
