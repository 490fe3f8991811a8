"""A wrong word stops the run before the first episode, with the nearest valid one."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from supermarket_env.errors import ConfigError
from supermarket_env.run.build import AgentPlan, make_agent
from supermarket_env.run.compose import compose_run, compose_sweep, read_arguments
from supermarket_env.run.config import UNHASHED_KEYS, RunConfig, differing_keys, flatten

CONF = Path(__file__).parent.parent.parent / "conf"


def composed(*words: str) -> RunConfig:
    return compose_run(read_arguments(words))


def test_defaults_of_yaml_and_model_are_the_same() -> None:
    assert composed() == RunConfig()
    assert [agent.name for agent in composed().agents] == ["silent", "popularity", "retrieval", "rule", "oracle"]
    assert (composed().suite.name, composed().suite.episodes) == ("dev", 100)


def test_the_yaml_names_exactly_the_keys_of_the_model() -> None:
    shipped = yaml.safe_load((CONF / "config.yaml").read_text(encoding="utf-8"))
    keys = set(shipped) - {"defaults", "hydra"}
    assert keys | {"store", "catalogue", "suite", "user", "llm"} == set(RunConfig.model_fields)


OPTIONS = [(file.parent.name, file.stem) for file in sorted(CONF.glob("*/*.yaml"))]


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_every_shipped_option_composes_and_validates(group: str, option: str) -> None:
    config = composed(f"{group}={option}")
    if group in {"store", "catalogue"}:
        assert getattr(config, group).name == (None if option == "own" else option)
    if group in {"suite", "user"}:
        assert config.resolved()[group]["name"] == option


def test_the_command_of_the_readme_composes() -> None:
    config = composed("store=hyper", "catalogue=instacart", "agents=[popularity,rule]", "suite.episodes=50")
    assert (config.store.name, config.catalogue.name, config.suite.episodes) == ("hyper", "instacart", 50)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("stor=hyper", "unknown configuration key 'stor'; valid: .* Did you mean 'store'?"),
        ("+sede=1", "unknown configuration key 'sede'; .* Did you mean 'seed'?"),
        ("run.worker=2", "unknown configuration key 'run.worker'; .* Did you mean 'run.workers'?"),
        ("++limits.strike=2", "unknown configuration key 'limits.strike'; .* Did you mean 'limits.strikes'?"),
        ("store=hypr", "unknown store 'hypr'; valid: corner, hyper, neighbourhood, own. Did you mean 'hyper'?"),
        ("seed=true", "seed: got True; expected no truth value"),
        ("run.workers=false", "run.workers: got False; expected no truth value"),
        ("suite.events.map_errors=true", "suite.events.map_errors: got True; expected no truth value"),
        ("suite=devv", "unknown suite 'devv'; .* Did you mean 'dev'?"),
        ("experiment=smok", "unknown experiment 'smok'; .* Did you mean 'smoke'?"),
        ("track=txt", "track: got 'txt'; .* Did you mean 'text'?"),
        ("run.workers=0", "run.workers: got 0; .*greater than or equal to 1 or .*'auto'"),
        ("suite.episodes=many", "suite.episodes: got 'many'; .*valid integer"),
        ("suite.episodes=0", "suite.episodes: got 0; .*greater than or equal to 1"),
        ("limits.reply_timeout_s=-1", "limits.reply_timeout_s: got -1; .*greater than 0"),
        ("limits.reply_timeout_s=nan", "limits.reply_timeout_s: got nan"),
        ("trials=1.5", "trials: got 1.5; .*valid integer"),
        ("seed=-1", "seed: got -1; .*greater than or equal to 0"),
        ("scorers=[sei]", r"unknown scorer 'sei'; valid: judge, sie, mme, grade, virtual_agent\. Did you mean 'sie'"),
        ("reference=rule", "reference: got 'rule'; .*'silent'"),
        ("agents=[]", "expected at least one assistant"),
        ("agents=[rule,rule]", "given twice: rule"),
        ("agents=[a|b]", "agents"),
        ("agents=[{name:mine,depth:2}]", "takes no further keys .got depth.; give _target_"),
        ("seed=1,2", "Ambiguous value for argument 'seed=1,2'"),
        ("seed=[", r"override 'seed=\[' cannot be read, expected KEY=VALUE"),
        ("rule", "override 'rule' cannot be read, expected KEY=VALUE"),
        ("--config-dir=nowhere", "--config-dir: expected a folder, got 'nowhere'"),
        ("--cofig=job", "unrecognized arguments: --cofig=job"),
        ("out=${nope}", "Interpolation key 'nope' not found"),
    ],
)
def test_mistakes_are_refused_with_help(words: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        composed(*words.split())


def test_a_mistake_in_one_job_of_a_sweep_stops_all() -> None:
    with pytest.raises(ConfigError, match="unknown store 'hypr'"):
        compose_sweep(read_arguments(["-m", "seed=1,2", "store=hyper,hypr"]))


def test_a_sweep_is_the_cross_product() -> None:
    jobs = compose_sweep(read_arguments(["-m", "seed=1,2", "agents=[rule],[silent]"]))
    assert sorted((job.seed, job.agents[0].name) for job in jobs) == [
        (1, "rule"), (1, "silent"), (2, "rule"), (2, "silent")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "seed=1,2 trials=1,2 store=corner,hyper",
        "experiment=smoke,dev user.mechanisms.chat=0.1,0.2",
        "suite.episodes=3,null user=noisy,scripted reference=null,silent",
        "run.workers=1,auto out=a,b agents=[rule],[silent]",
    ],
)
def test_jobs_composed_together_are_those_composed_alone(words: str) -> None:
    keys = [word.partition("=")[0] for word in words.split()]
    values = [re.findall(r"[^,\[]+|\[.*?\]", word.partition("=")[2]) for word in words.split()]
    alone = [
        composed(*(f"{key}={value}" for key, value in zip(keys, some, strict=True)))
        for some in itertools.product(*values)
    ]
    assert compose_sweep(read_arguments(["-m", *words.split()])) == alone


def test_own_options_come_from_a_config_dir(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "mine.yaml").write_text("name: mine\nepisodes: 3\n")
    assert composed("--config-dir", str(tmp_path), "suite=mine").suite.name == "mine"


@pytest.mark.parametrize("word", ["experiment=smoke", "+experiment=smoke"])
def test_experiments_are_taken_with_and_without_plus(word: str) -> None:
    assert composed(word).suite.episodes == 4


def test_user_keys_are_handed_on() -> None:
    assert composed("user.traits.trust=1.0", "user.mechanisms.u_taste=0").user == {
        "name": "scripted", "traits": {"trust": 1.0}, "mechanisms": {"u_taste": 0}
    }  # fmt: skip


def test_own_assistants_keep_their_arguments() -> None:
    agent = composed("agents=[{name:mine,_target_:pkg.Mine,depth:2,privileged:true}]").agents[0]
    assert (agent.name, agent.target, dict(agent.arguments), agent.privileged) == (
        "mine",
        "pkg.Mine",
        {"depth": 2},
        True,
    )


def test_the_resolved_form_reads_back() -> None:
    config = composed("agents=[rule,{name:mine,_target_:pkg.Mine,depth:2}]", "out=here")
    assert RunConfig.parse(config.resolved()) == config


CHANGES: list[dict[str, Any]] = [
    {"out": "x"},
    {"run": {"workers": 3}},
    {"run": {"dry_run": True}},
    {"run": {"progress": False}},
    {"run": {"compiled": False}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_how_a_run_is_carried_out_is_not_hashed(change: dict[str, Any]) -> None:
    assert RunConfig.parse(change).content_hash() == RunConfig().content_hash()
    assert set(flatten(change)) <= set(UNHASHED_KEYS)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1}, {"trials": 2}, {"track": "text"}, {"agents": ["rule"]}, {"reference": None},
        {"limits": {"strikes": 2}}, {"suite": {"name": "dev", "episodes": 7}}, {"store": {"name": "hyper"}},
        {"user": {"name": "scripted", "traits": {"trust": 1.0}}},
    ],
)  # fmt: skip
def test_what_is_simulated_is_hashed(change: dict[str, Any]) -> None:
    assert RunConfig.parse(change).content_hash() != RunConfig().content_hash()
    assert differing_keys(RunConfig.parse(change).resolved(), RunConfig().resolved())


def test_the_hash_is_stable() -> None:
    assert RunConfig().content_hash()[:8] == "349d8c1f"


@pytest.mark.parametrize("group", ["store", "user"])
def test_null_is_no_option_of_a_group(group: str) -> None:
    with pytest.raises(ConfigError, match=f"{group}: expected the name of an option"):
        compose_run(read_arguments([f"{group}=null"]))


def test_a_constructor_that_exits_is_an_error() -> None:
    with pytest.raises(ConfigError, match="cannot be built"):
        make_agent(AgentPlan("x", "sys.exit", {}, privileged=False, own=True))
