"""The report works in a real browser: keyboard, filter, transcripts on demand, a narrow window. Skipped without one."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

DEADLINE_S = 25.0


class Browser:
    """Chromium's own protocol over two pipes: no library, no port."""

    def __init__(self, profile: Path) -> None:
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()

        def wire() -> None:
            # First out of the way: the ends themselves may be 3 or 4.
            high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-extensions",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._next, self._rest = 0, b""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def send(self, method: str, **params: Any) -> Any:
        self._next += 1
        message: dict[str, Any] = {"id": self._next, "method": method, "params": params}
        if hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                part = os.read(self._from, 1 << 16)
                assert part, "the browser went away"
                self._rest += part
            raw, _, self._rest = self._rest.partition(b"\0")
            answer = json.loads(raw)
            if answer.get("id") == self._next:
                assert "error" not in answer, answer
                return answer["result"]

    def value(self, expression: str) -> Any:
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait(self, expression: str) -> None:
        end = time.monotonic() + DEADLINE_S
        while not self.value(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            self.value("new Promise((done) => setTimeout(done, 20))")

    def press(self, key: str, code: int = 0) -> None:
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def open(self, page: Path, width: int = 1200) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self.send("Page.navigate", url=page.as_uri())
        self.wait("document.body !== null && document.body.dataset.ready === '1'")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=10)
        os.close(self._to)
        os.close(self._from)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def page(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from supermarket_env.report.page import save_report

    return save_report([small_run], tmp_path_factory.mktemp("report") / "report.html")


def test_a_person_finds_and_reads_an_episode_by_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page)
    total = browser.value("D.episodes.length")
    assert browser.value("document.querySelectorAll('#list li').length") == total == 12
    browser.press("/")
    assert browser.value("document.activeElement.id") == "search"
    for letter in "rule":
        browser.press(letter)
    browser.wait("document.querySelectorAll('#list li').length < D.episodes.length")
    assert browser.value("[...document.querySelectorAll('#list strong')].every((x) => x.textContent === 'rule')")
    browser.press("Enter", 13)
    browser.press("ArrowDown", 40)
    assert browser.value("document.querySelectorAll('#list li')[1].getAttribute('aria-selected')") == "true"
    browser.press("Enter", 13)
    browser.wait("document.querySelectorAll('.turn').length > 2")
    assert browser.value("open.id") == browser.value("D.episodes[shown[1]][ID]")
    first = browser.value("document.querySelector('#map svg').getAttribute('aria-label')")
    browser.press("ArrowRight", 39)
    assert browser.value("document.querySelector('#map svg').getAttribute('aria-label')") != first
    assert browser.value("document.querySelectorAll('.turn')[1].classList.contains('now')")


def test_the_truth_is_shown_on_demand_only(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.value("show(0)")
    browser.wait("document.getElementById('truth') !== null")
    assert not browser.value("document.querySelectorAll('.truth').length")
    browser.value("document.getElementById('truth').click()")
    assert "best value" in browser.value("document.querySelector('.truth').textContent")


def test_a_link_to_an_episode_marks_it_in_the_list(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.value("[...document.querySelectorAll('a[data-episode]')].at(-1).click()")
    browser.wait("document.querySelectorAll('.turn').length > 2")
    marked = "[...document.querySelectorAll('#list li[aria-selected=true]')].map((x) => x.id)"
    assert browser.value(marked) == browser.value("['e' + D.episodes.findIndex((e) => e[ID] === open.id)]")


def test_a_filter_and_an_order_apply(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.value("$('f-agent').value = 'silent'; $('f-agent').dispatchEvent(new Event('change')); 0")
    browser.value("$('order').value = 'worst'; $('order').dispatchEvent(new Event('change')); 0")
    values = browser.value("shown.map((i) => D.episodes[i][NS])")
    assert values == sorted(values)
    assert browser.value("shown.every((i) => D.episodes[i][AGENT] === 'silent')")


def test_words_that_were_said_are_found_on_demand(browser: Browser, page: Path) -> None:
    browser.open(page)
    said = browser.value("unpacked(0).then((b) => b[0].turns.find((t) => t.user).user)")
    browser.value(f"$('search').value = {json.dumps(said)}; $('search').dispatchEvent(new Event('input')); 0")
    browser.wait("$('count').textContent.startsWith('0 of 12')")
    browser.value("$('deep').click()")
    browser.wait("shown.includes(0)")
    assert browser.value("unpacked(0).then((b) => shown.every((i) => said(b[i]).includes($('search').value)))")


def test_a_transcript_is_copied_without_the_truth_that_is_not_shown(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.value("show(0)")
    browser.wait("document.querySelectorAll('.turn').length > 2")
    browser.value("window.got = ''; navigator.clipboard.writeText = async (text) => { window.got = text; }; 0")
    browser.press("c")
    browser.wait("$('copy').textContent === 'Copied'")
    text = browser.value("window.got")
    assert text.startswith(browser.value("open.id"))
    assert browser.value("open.turns.filter((t) => t.user).every((t) => window.got.includes(t.user))")
    assert "best value" not in text
    assert "Show the truth" not in text


def test_an_opened_transcript_is_printed_and_the_list_is_not(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.value("show(0)")
    browser.wait("document.querySelectorAll('.turn').length > 2")
    browser.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.value("document.querySelector('.turn').offsetHeight") > 0
        assert browser.value("$('list').offsetHeight + document.querySelector('.controls').offsetHeight") == 0
    finally:
        browser.send("Emulation.setEmulatedMedia", media="")


def test_stepping_by_keys_keeps_the_turn_in_view(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.value("show(0)")
    browser.wait("document.querySelectorAll('.turn').length > 4")
    for _ in range(browser.value("open.turns.length") - 1):
        browser.press("ArrowRight", 39)
    box = "document.querySelector('.turn.now').getBoundingClientRect()"
    assert browser.value(f"{box}.bottom <= innerHeight + 1 && {box}.bottom > 0")


@pytest.mark.parametrize("width", [360, 390])
def test_a_narrow_window_has_no_sideways_scrolling(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width)
    browser.value("show(1)")
    browser.wait("document.querySelectorAll('.turn').length > 2")
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_the_page_asks_for_nothing_outside(browser: Browser, page: Path) -> None:
    browser.open(page)
    loaded = browser.value("performance.getEntriesByType('resource').map((x) => x.name)")
    assert all(name.startswith("data:") for name in loaded)
    assert browser.value("document.querySelector('img').naturalWidth") > 100
