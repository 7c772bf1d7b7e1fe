"""The model port: who is asked, with which key, for how long, and what becomes of an answer that is none."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager

import pytest

from hub.errors import Fault, Incorrect
from hub.extract.stated import Answer
from hub.model import PAUSE, SECONDS, SILENCES, LanguageModel, Setting, chosen, setting
from hub.model.providers import MAKERS
from tests import fake_model
from tests.fake_model import provider

KEY = "sk-canary-8d1f"
TEXT = "I collect stamps, canary-5b7e"
TOLD = {"stated": [{"quote": "I collect stamps", "relation": "hobby", "value": "stamps"}]}


@pytest.fixture
def configured(monkeypatch):
    def set_to(**variables):
        for name in ("HUB_MODEL", "HUB_MODEL_URL", "HUB_MODEL_KEY", "HUB_MODEL_TIMEOUT"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return setting()

    return set_to


def asked(url, of="openai", seconds=6 * SECONDS, key=KEY):  # however busy the machine is
    return chosen(Setting(provider=of, name="m", url=url, key=key, seconds=seconds))


# --- who is asked ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "path", "header"),
    [
        ("openai", "/chat/completions", f"Bearer {KEY}"),
        ("ollama", "/chat/completions", f"Bearer {KEY}"),
        ("anthropic", "/v1/messages", KEY),
        ("google", "/v1beta/models/m:generateContent", KEY),
    ],
)
def test_each_provider_is_asked_at_its_url_with_its_key_and_answers_in_shape(of, path, header):
    answer = getattr(fake_model, of)(TOLD)
    with provider(lambda body: (200, answer)) as (url, heard):
        model = asked(url, of)
        told = model.answer("list the facts", TEXT, Answer)
        model.close()
    assert told == Answer.model_validate(TOLD)
    (line, headers, body) = heard[0]
    assert line.partition("?")[0].endswith(path)
    assert header in headers
    assert "list the facts" in body
    assert TEXT in body
    assert len(heard) == 1


def test_nothing_is_configured_by_default(configured):
    assert configured() is None
    assert configured(HUB_MODEL="none") is None
    assert chosen(None) is None


def test_without_a_key_nobody_is_asked_whatever_other_keys_lie_about(configured, monkeypatch, caplog):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    with caplog.at_level(logging.WARNING):
        for of in ("openai", "anthropic", "google"):
            assert chosen(configured(HUB_MODEL=f"{of}:m")) is None
    assert caplog.text.count("HUB_MODEL_KEY is not set") == 3
    keyless = chosen(configured(HUB_MODEL="ollama:m"))
    assert keyless is not None
    keyless.close()  # though nobody has asked it anything


ELSEWHERE = {
    "OPENAI_ORG_ID": "org-canary", "OPENAI_PROJECT_ID": "proj-canary", "OPENAI_BASE_URL": "http://127.0.0.1:9/canary",
    "OPENAI_CUSTOM_HEADERS": "X-Canary: 1\nAuthorization: Bearer canary\nUser-Agent: canary",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Canary: 1\nX-Api-Key: canary\nanthropic-beta: canary\nanthropic-version: canary",
    "ANTHROPIC_AUTH_TOKEN": "canary", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9/canary",
    "GOOGLE_API_KEY": "canary", "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "canary",
    "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9/canary", "GOOGLE_GENAI_CLIENT_MODE": "replay",
    "OLLAMA_API_KEY": "canary", "OLLAMA_BASE_URL": "http://127.0.0.1:9/canary", "OLLAMA_HOST": "127.0.0.1:9",
    **dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9"),
}  # fmt: skip
"""What the libraries of the providers, and those they go out with, look for in the environment."""


@pytest.mark.parametrize("of", ["openai", "ollama", "anthropic", "google"])
def test_no_variable_but_the_hubs_own_has_a_say_in_where_a_text_goes_and_what_goes_with_it(of, monkeypatch, tmp_path):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ELSEWHERE.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login canary password canary")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with provider(lambda body: (200, getattr(fake_model, of)(TOLD))) as (url, heard):
        model = asked(url, of)
        assert model.answer("list the facts", TEXT, Answer).stated
        model.close()
    (path, headers, body) = heard[0]
    assert "canary" not in path + headers.replace(KEY, "") + body.replace(TEXT, "")
    assert not {"x-canary", "openai-organization"} & {line.partition(":")[0].lower() for line in headers.splitlines()}


@pytest.mark.parametrize("of", ["openai", "ollama", "anthropic", "google"])
def test_nobody_sends_a_text_on_to_where_it_was_not_meant_to_go(of):
    there = provider(lambda body: (200, getattr(fake_model, of)(TOLD)))
    with there as (elsewhere, overheard), provider(lambda body: (307, {}), {"Location": elsewhere}) as (url, heard):
        model = asked(url, of)
        failed = _failure(model)
        model.close()
    assert heard
    assert not overheard
    assert failed.code == "model_refused"


def test_settings_are_read_and_no_repr_shows_the_key(configured):
    found = configured(HUB_MODEL="anthropic:claude", HUB_MODEL_KEY=KEY, HUB_MODEL_TIMEOUT="3", HUB_MODEL_URL="http://x")
    assert found == Setting(provider="anthropic", name="claude", url="http://x", key=KEY, seconds=3.0)
    assert KEY not in repr(found)
    assert found.id == "anthropic:claude"


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"HUB_MODEL": "gpt"}, "no_model"),
        ({"HUB_MODEL": "openai:"}, "no_model"),
        ({"HUB_MODEL": "skynet:m"}, "no_model"),
        ({"HUB_MODEL": "openai:m", "HUB_MODEL_TIMEOUT": "soon"}, "bad_timeout"),
        ({"HUB_MODEL": "openai:m", "HUB_MODEL_TIMEOUT": "0"}, "bad_timeout"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_at_the_start(configured, variables, code):
    with pytest.raises(Incorrect) as refused:
        configured(**variables)
    assert refused.value.code == code


# --- what is no answer -------------------------------------------------------------------------------------------


REFUSAL = fake_model.openai({}) | {
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": f"No. {TEXT}"}}]
}


@pytest.mark.parametrize(
    ("status", "answer", "code", "times"),
    [
        (200, fake_model.openai({"stated": [{"relation": TEXT}]}), "model_unreadable", 2),
        (200, fake_model.openai({"stated": [{**TOLD["stated"][0], "scope": "shared"}]}), "model_unreadable", 2),
        (200, REFUSAL, "model_unreadable", 2),
        (200, f"<html>{TEXT}", "model_unreadable", 1),
        (401, {"error": {"message": f"{KEY} is no key", "code": "invalid_api_key"}}, "model_refused", 1),
        (404, {"error": {"message": "no such model"}}, "model_refused", 1),
    ],
)
def test_an_answer_that_is_none_is_a_fault_that_quotes_neither_text_nor_key(status, answer, code, times, caplog):
    with provider(lambda body: (status, answer)) as (url, heard), caplog.at_level(logging.DEBUG, "hub"):
        model = asked(url)
        with pytest.raises(Fault) as failed:
            model.answer("list", TEXT, Answer)
        model.close()
    assert failed.value.code == code
    assert len(heard) == times  # what has not the shape may be mended once, and no more
    for told in (str(failed.value), caplog.text):
        assert KEY not in told
        assert "canary" not in told


@contextmanager
def slow(seconds=0.3):
    """A model that answers nobody until it is let go on, what it is sent, how to let it, and its clock."""
    go_on, clock = threading.Event(), [0.0]
    with provider(lambda body: (go_on.wait(20), (200, fake_model.openai(TOLD)))[1]) as (url, heard):
        wanted = Setting(provider="openai", name="m", url=url, key=KEY)
        model = LanguageModel("openai:m", lambda: MAKERS["openai"](wanted), seconds=seconds, now=lambda: clock[0])
        yield model, heard, go_on, clock
        go_on.set()
        model.close()


def test_nobody_waits_longer_than_the_timeout_nor_again_for_a_model_that_leaves_many_unanswered():
    with slow() as (model, heard, go_on, clock):
        codes = [_failure(model, f"{TEXT} {number}").code for number in range(SILENCES + 2)]
        assert codes == ["model_silent"] * SILENCES + ["model_shut"] * 2
        sent = len(heard)
        go_on.set()
        clock[0] = PAUSE + 1
        model._seconds = SECONDS
        assert model.answer("list", TEXT, Answer).stated
        assert sent == SILENCES


def test_one_text_that_takes_too_long_shuts_nobody_else_out():
    with slow() as (model, _, go_on, _):
        assert [_failure(model).code for _ in range(SILENCES + 1)] == ["model_silent"] * (SILENCES + 1)
        go_on.set()
        model._seconds = SECONDS
        assert model.answer("list", "I collect coins", Answer).stated


def test_a_model_that_has_answered_in_between_is_not_shut():
    with slow() as (model, _, go_on, _):
        for number in range(SILENCES - 1):
            assert _failure(model, str(number)).code == "model_silent"
        go_on.set()
        model._seconds = SECONDS
        assert model.answer("list", TEXT, Answer).stated
        go_on.clear()
        model._seconds = 0.3
        assert [_failure(model, text).code for text in "ab"] == ["model_silent"] * 2


def test_a_closed_model_is_not_asked():
    with provider(lambda body: (200, fake_model.openai(TOLD))) as (url, heard):
        model = asked(url)
        assert model.answer("list", TEXT, Answer).stated
        model.close()
        assert _failure(model).code == "model_shut"
        assert len(heard) == 1


def test_a_model_that_cannot_be_made_is_a_fault_and_tells_nothing():
    def broken():
        raise RuntimeError(KEY)

    model = LanguageModel("openai:m", broken)
    failed = _failure(model)
    model.close()
    assert failed.code == "model_unmade"
    assert KEY not in str(failed)


@pytest.mark.parametrize("url", ["http://[::1", "ftp://x", "x", "http://", "http://x:99999", "http://x:0"])
def test_a_url_that_is_none_is_refused_at_the_start(url):
    with pytest.raises(Incorrect) as refused:
        asked(url)
    assert refused.value.code == "bad_url"


def test_what_is_not_installed_is_said_at_the_start(monkeypatch):
    def lacking(_):
        raise ModuleNotFoundError("No module named 'openai'", name="openai")

    monkeypatch.setitem(MAKERS, "openai", lacking)
    assert asked("http://x") is not None  # it lies where packages lie
    with monkeypatch.context() as nowhere:
        nowhere.setattr("sys.path", [])
        with pytest.raises(Incorrect) as refused:
            asked("http://x")
    assert (refused.value.code, "openai" in refused.value.message) == ("no_model_library", True)
    with monkeypatch.context() as elsewhere:
        elsewhere.setitem(MAKERS, "openai", lambda _: None)
        elsewhere.setattr("sys.path", [])
        assert asked("http://x") is not None


def test_whoever_waits_when_the_hub_closes_hears_that_there_is_no_answer():
    asked_for, go_on = threading.Event(), threading.Event()

    def slowly(body):
        asked_for.set()
        go_on.wait(20)
        return 200, fake_model.openai(TOLD)

    with provider(slowly) as (url, _):
        model = asked(url, seconds=20)
        failures = []
        waiting = threading.Thread(target=lambda: failures.append(_failure(model)))
        waiting.start()
        assert asked_for.wait(20)
        model.close()
        waiting.join(20)
        go_on.set()
    assert [failure.code for failure in failures] == ["model_silent"]


def _failure(model, text=TEXT):
    with pytest.raises(Fault) as failed:
        model.answer("list", text, Answer)
    return failed.value


def test_a_provider_that_is_not_there_or_busy_is_silent():
    model = asked("http://127.0.0.1:9", seconds=5)
    with pytest.raises(Fault) as failed:
        model.answer("list", TEXT, Answer)
    assert failed.value.code == "model_silent"
    assert _failure(model).code == "model_shut"  # nobody was there, so that no text is to blame
    model.close()
    with provider(lambda body: (529, {"error": {"message": "busy"}})) as (url, _):
        model = asked(url, "anthropic", seconds=2)
        with pytest.raises(Fault) as failed:
            model.answer("list", TEXT, Answer)
        assert failed.value.code == "model_silent"
        model.close()
