"""Configuration of the language models of a run: who answers for which role, how often, at what price."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from supermarket_env.errors import ConfigError, unknown_name

ROLES: Final = ("user", "assistant", "judge")
TRANSPORT_KEYS: Final = frozenset(
    {
        "mode", "recording", "concurrency", "budget", "base_url", "api_key_env", "timeout_s", "retries",
        "backoff_s", "max_wait_s", "requests_per_minute", "max_bytes", "structured", "local", "money", "tokens",
        "calls",
    }
)  # fmt: skip
"""Keys that cannot change what is asked, only how it travels: left out of the hash of a run's configuration."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EndpointConfig(_Part):
    """One endpoint as one role uses it."""

    base_url: str = "http://127.0.0.1:8000/v1"
    """Up to and without ``/chat/completions``."""
    model: Annotated[str, Field(min_length=1)] = "default"
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself stands nowhere."""
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = 0.7
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 400
    max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    send_seed: bool = True
    """Send a seed made of the call's place, for servers that keep to one."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request body, as they are."""
    structured: Literal["auto", "json_schema", "json_schema_unbounded", "json_object", "prompt"] = "auto"
    """How an answer's form is asked for; ``auto`` begins with the schema and falls back, in this order, when the server
    refuses. ``json_schema_unbounded`` has no limits of length and number in it, which strict servers do not take."""
    timeout_s: Annotated[float, Field(gt=0.0)] = 120.0
    """From the first byte sent to the last byte received, of one attempt."""
    retries: Annotated[int, Field(ge=0, le=20)] = 4
    backoff_s: Annotated[float, Field(ge=0.0)] = 0.5
    """Pause before the first repetition; it doubles each time."""
    max_wait_s: Annotated[float, Field(ge=0.0)] = 30.0
    """Longest pause, whatever the server asks for."""
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 8
    """Calls in flight at one endpoint."""
    requests_per_minute: Annotated[float, Field(gt=0.0)] | None = None
    max_bytes: Annotated[int, Field(ge=1024)] = 2_000_000
    """Longer answers are broken off."""

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("expected an http or https address such as http://127.0.0.1:8000/v1")
        try:
            usable = parts.port != 0
        except ValueError:  # no number, or too large a one
            usable = False
        if not usable:
            raise ValueError(f"expected a port in 1..65535 in the address, got {parts.netloc.rpartition(':')[2]!r:.40}")
        if parts.username or parts.password or parts.query:
            raise ValueError("no credentials in the address: api_key_env names the variable that holds the key")
        return url.rstrip("/")


class BudgetConfig(_Part):
    """Limits of a run, what its recording already holds included; ``None`` is no limit."""

    money: Annotated[float, Field(ge=0.0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    calls: Annotated[int, Field(ge=0)] | None = None


class Price(_Part):
    """Money per million tokens, in the currency of the budget."""

    input: Annotated[float, Field(ge=0.0)]
    output: Annotated[float, Field(ge=0.0)]


class LocalConfig(_Part):
    """The model that comes with ``supermarket llm install``: a server is started when none answers."""

    port: Annotated[int, Field(ge=1, le=65535)] = 8089
    threads: Annotated[int, Field(ge=1, le=256)] = 2
    slots: Annotated[int, Field(ge=1, le=64)] = 1
    context: Annotated[int, Field(ge=512, le=8192)] = 2048
    """Tokens of prompt and answer together, per slot."""
    start_s: Annotated[float, Field(gt=0.0)] = 60.0
    """Longest wait for the server to be ready."""


class LLMConfig(_Part):
    """All of it: ``default`` holds for every role that has no entry of its own."""

    default: EndpointConfig | None = None
    user: EndpointConfig | None = None
    assistant: EndpointConfig | None = None
    judge: EndpointConfig | None = None
    mode: Literal["record", "replay", "refresh", "off"] = "record"
    """``record`` asks what is not recorded yet, ``replay`` asks nobody, ``refresh`` asks anew, ``off`` records
    nothing."""
    recording: str | None = None
    """The SQLite file; ``None``: ``llm.sqlite`` in the run directory."""
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    """Episodes played at once, in threads of one process."""
    budget: BudgetConfig = BudgetConfig()
    prices: str | dict[str, Price] = Field(default_factory=dict)
    """Per model, or a YAML or JSON file of them; a model that is missing has an unknown price."""
    local: LocalConfig | None = None

    @model_validator(mode="after")
    def _someone_answers(self) -> LLMConfig:
        if self.default is None and not any(getattr(self, role) for role in ROLES):
            raise ValueError(f"expected an endpoint: default, or one of {', '.join(ROLES)}")
        return self

    def endpoint(self, role: str) -> EndpointConfig:
        """Return the endpoint of a role.

        Raises:
            ConfigError: If the role is unknown or has no endpoint.
        """
        if role not in ROLES:
            raise ConfigError(unknown_name("role", role, ROLES))
        found: EndpointConfig | None = getattr(self, role) or self.default
        if found is None:
            raise ConfigError(f"llm.{role}: no endpoint; give llm.{role} or llm.default")
        return found

    def price_table(self) -> Mapping[str, Price]:
        """Return prices by model.

        Raises:
            ConfigError: If the price file cannot be read or holds something else.
        """
        if not isinstance(self.prices, str):
            return self.prices
        return read_prices(Path(self.prices))


def read_prices(path: Path) -> dict[str, Price]:
    """Read a file of prices: ``model: {input: 0.15, output: 0.6}``, money per million tokens.

    Raises:
        ConfigError: naming the file and the model whose entry does not fit.
    """
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read as a price file ({type(error).__name__})") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected a mapping of models to prices, got {type(data).__name__}")
    found = {}
    for model, entry in data.items():
        try:
            found[str(model)] = Price.model_validate(entry)
        except ValidationError:
            raise ConfigError(
                f"{path}: {model}: expected input and output, money per million tokens, got {entry!r:.80}"
            ) from None
    return found


def load_config(source: str) -> LLMConfig:
    """Return the configuration of a shipped name (``local``, ``openai`` ...) or of a YAML file.

    Raises:
        ConfigError: If there is no such name or file, or its content does not fit.
    """
    from importlib.resources import files

    import yaml

    shipped = files("supermarket_env.conf") / "llm" / f"{source}.yaml"
    try:
        named = source.replace("_", "").isalnum() and shipped.is_file()
        text = shipped.read_text(encoding="utf-8") if named else Path(source).read_text(encoding="utf-8")
        data = yaml.safe_load(text) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = type(error).__name__
        raise ConfigError(f"llm {source!r}: no shipped name and no readable YAML file ({reason})") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{source}: expected a mapping, got {type(data).__name__}")
    try:
        return LLMConfig.model_validate(data.get("llm", data))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{source}: llm.{place}: {first['msg']}") from None
