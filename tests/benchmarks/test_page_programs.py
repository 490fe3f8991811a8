"""The programs that write pages say what they do before they do it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["workflow", "readme"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    module: ModuleType = __import__(request.param)
    return module


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), (["--nonsense"], 2)])
def test_help_and_unknown_options_play_nothing(
    program: ModuleType,
    words: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(*args: object, **options: object) -> None:
        pytest.fail(f"a command was run: {args}")

    monkeypatch.setattr("subprocess.run", refuse)
    with pytest.raises(SystemExit) as stop:
        program.main(words)
    assert stop.value.code == code
    captured = capsys.readouterr()
    assert "usage: " in captured.out + captured.err


def test_pages_show_the_commands_the_program_runs() -> None:
    text = (ROOT / "benchmarks" / "workflow.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
    for command in (
        "run experiment=quick trials=4 out=quick4",
        "compare quick4:retrieval quick4:rule --out comparison",
        "trials quick4 --out pass_k.png",
        "plan quick4:retrieval quick4:rule --delta 5 --power 0.8",
    ):
        assert command in page
        assert command in text
