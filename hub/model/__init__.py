"""The LLM port: a text to an answer of a given shape, by a model of whichever provider is configured, or not at all."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from hub.errors import Fault, Incorrect
from hub.model.providers import LIBRARIES, MAKERS, SECONDS, Asked, Setting
from hub.requests import Request

if TYPE_CHECKING:
    from pydantic_ai.models import Model as Spoken

__all__ = ["NOT_ASKED", "PAUSE", "LanguageModel", "Model", "Setting", "chosen", "setting"]

PAUSE = 30.0
"""Seconds during which a model that does not answer is not asked at all: nobody has to wait for it again."""
SILENCES = 3
"""Texts in a row that a model must leave unanswered before it is not asked for a while: one may be to blame itself."""
NOT_ASKED = "model_shut"
"""The code of the Fault that says that the model was not even asked."""
LONGEST = 4_000
"""Tokens of an answer."""

S = TypeVar("S", bound=Request)
T = TypeVar("T")

_log = logging.getLogger("hub.model")


class Model(Protocol):
    """Answers in the shape it is asked for. `id`: `provider:name`."""

    id: str

    def answer(self, instructions: str, text: str, shape: type[S]) -> S:
        """Raises Fault if there is no answer in good time, or none of that shape."""

    def close(self) -> None:
        """Whoever waits for an answer hears that there is none."""


def setting() -> Setting | None:
    """What HUB_MODEL (`openai:NAME`, `anthropic:NAME`, `google:NAME`, `ollama:NAME`), HUB_MODEL_URL, HUB_MODEL_KEY and
    HUB_MODEL_TIMEOUT (in seconds) say; None if no model is named.

    INVARIANT: no other variable counts, so that a key that lies about for something else sends nothing anywhere.
    """
    named = os.environ.get("HUB_MODEL", "")
    if named in ("", "none"):
        return None
    provider, _, name = named.partition(":")
    if provider not in MAKERS or not name:
        fix = "say openai:NAME, anthropic:NAME, google:NAME or ollama:NAME"
        raise Incorrect("no_model", f"HUB_MODEL names no model (`{named[:60]}`)", fix)
    told = os.environ.get
    url, key = told("HUB_MODEL_URL") or None, told("HUB_MODEL_KEY") or None
    return Setting(provider=provider, name=name, url=url, key=key, seconds=_seconds(told("HUB_MODEL_TIMEOUT") or ""))


def chosen(wanted: Setting | None) -> Model | None:
    """The model of a setting; None if there is none, or no key for it: no key, no call.

    Raises Incorrect for what nobody can be asked with: a URL that is none, a library that is not installed.
    """
    if wanted is None:
        return None
    if wanted.key is None and wanted.provider != "ollama":
        _log.warning("`%s` is not asked, for HUB_MODEL_KEY is not set; what customers say is read by rules", wanted.id)
        return None
    _check_can_be_asked(wanted)
    return LanguageModel(wanted.id, lambda: MAKERS[wanted.provider](wanted), seconds=wanted.seconds)


def _check_can_be_asked(wanted: Setting) -> None:
    if wanted.url is not None and not _is_url(wanted.url):
        raise Incorrect("bad_url", "HUB_MODEL_URL is no http address", "say https://HOST/PATH of the provider's API")
    if not all(map(_is_installed, ("pydantic_ai", LIBRARIES[wanted.provider]))):
        try:
            MAKERS[wanted.provider](wanted)
        except ImportError as error:
            message = f"`{wanted.provider}` can't be asked, for what asks it is not installed ({error.name})"
            raise Incorrect("no_model_library", message, "install memory-hub[llm]") from error


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _is_installed(name: str) -> bool:
    """Where packages usually lie; to import one takes seconds, which nobody is to wait for only to be told that."""
    return any(Path(where, *name.split(".")).is_dir() for where in sys.path)


class LanguageModel:
    """INVARIANT: neither the key, nor a text, nor anything the model says comes into a message or a log.

    Whoever asks waits `seconds` and no longer, whatever the network does meanwhile: the asking itself is done by one
    thread of its own.
    """

    def __init__(
        self,
        id: str,
        make: Callable[[], Asked],
        *,
        seconds: float = SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id = id
        self._make = make
        self._made: Asked | None = None
        self._seconds = seconds
        self._now = now
        self._shut_until: float | None = None
        self._unanswered: set[int] = set()
        self._asking: _Asking | None = None
        self._closed = False
        self._lock = threading.Lock()

    def answer(self, instructions: str, text: str, shape: type[S]) -> S:
        """Raises Fault: `model_shut` if it is not asked, because it has not answered lately or is closed,
        `model_silent` if it does not answer in time, `model_refused` if its provider takes no such request,
        `model_unreadable` if the answer has not the shape, or there is none in it, `model_unmade` if it can't be made.
        """
        if self._shut_until is not None and self._now() < self._shut_until:
            raise _not_asked("has not answered lately")
        made = self._ready()
        asked = self._begun(self._asked(made.spoken, instructions, text, shape))
        try:
            failure = asked.exception(self._seconds)
        except concurrent.futures.TimeoutError:
            asked.cancel()
            self._unheard(text, at_once=False)
            raise _silent("takes too long to answer") from None
        except concurrent.futures.CancelledError:
            raise _silent("is not asked any more") from None
        if failure is None:
            self._unanswered.clear()
            return asked.result()
        fault = _fault(failure)
        if fault.code == "model_silent":
            self._unheard(text, at_once=_is_away(failure))
        else:
            self._unanswered.clear()
        raise fault

    def close(self) -> None:
        with self._lock:
            asking, self._asking, self._closed = self._asking, None, True
        if asking is not None:
            asking.end(self._made)

    def _ready(self) -> Asked:
        """Takes seconds the first time, which are nobody's answer's."""
        if (made := self._made) is not None:
            return made
        making = self._begun(self._making())
        failure = making.exception()
        if failure is not None:
            message = f"the model can't be made ({type(failure).__name__})"
            raise Fault("model_unmade", message, "see to HUB_MODEL and HUB_MODEL_URL, and install memory-hub[llm]")
        return making.result()

    async def _making(self) -> Asked:
        self._made = self._made or self._make()
        return self._made

    def _unheard(self, text: str, *, at_once: bool) -> None:
        """INVARIANT: a text that no model answers in time, however often it is asked about, shuts nobody else out."""
        self._unanswered.add(hash(text))
        if at_once or len(self._unanswered) >= SILENCES:
            self._unanswered.clear()
            self._shut_until = self._now() + PAUSE

    async def _asked(self, made: Spoken, instructions: str, text: str, shape: type[S]) -> S:
        from pydantic_ai import Agent
        from pydantic_ai.settings import ModelSettings

        wanted = ModelSettings(temperature=0.0, max_tokens=LONGEST, timeout=self._seconds)
        agent = Agent(made, output_type=shape, instructions=instructions, retries=1, model_settings=wanted)
        return (await agent.run(text)).output

    def _begun(self, asking: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """One loop for all, for a provider's connections belong to the loop they were opened in."""
        with self._lock:
            if self._closed:
                asking.close()
                raise _not_asked("is not asked any more")
            self._asking = self._asking or _Asking()
            return asyncio.run_coroutine_threadsafe(asking, self._asking.loop)


class _Asking:
    """A thread with a loop in which the asking is done, from beginning to end of a model's use."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._made: Asked | None = None
        self._thread = threading.Thread(target=self._run, name="hub-model", daemon=True)
        self._thread.start()

    def end(self, made: Asked | None) -> None:
        self._made = made
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:  # which calls off what is still under way
            runner.run(self._waited())

    async def _waited(self) -> None:
        await self._over.wait()
        if self._made is not None:
            await self._made.line.aclose()


def _fault(failure: BaseException) -> Fault:
    """INVARIANT: what a library says of a failure may quote the text, or the key; its name may not."""
    from pydantic_ai import exceptions

    match failure:
        case exceptions.ModelHTTPError(status_code=status) if status in (408, 425, 429) or status >= 500:
            return _silent(f"is busy ({status})")
        case exceptions.ModelHTTPError(status_code=status):
            fix = "see to HUB_MODEL, HUB_MODEL_URL and HUB_MODEL_KEY"
            return Fault("model_refused", f"the model's provider refuses ({status})", fix)
        case exceptions.ModelConnectionError() | exceptions.ModelRequestTimeout() | OSError():
            return _silent(f"does not answer ({type(failure).__name__})")
        case exceptions.ModelAPIError(__cause__=cause) if 300 <= _status(cause) < 400:
            return Fault("model_refused", "the model's provider sends elsewhere", "see to HUB_MODEL_URL")
    message = f"the model's answer can't be read ({type(failure).__name__})"
    return Fault("model_unreadable", message, "see whether the model can answer in a given shape")


def _status(cause: BaseException | None) -> int:
    """As the libraries of the providers call it; 0 if they say none."""
    told = getattr(cause, "status_code", None) or getattr(cause, "code", None)
    return told if isinstance(told, int) else 0


def _is_away(failure: BaseException) -> bool:
    """Whether nobody was there to hear the text, which therefore can't be to blame."""
    from pydantic_ai import exceptions

    away = isinstance(failure, exceptions.ModelConnectionError | OSError)
    return away and not isinstance(failure, exceptions.ModelRequestTimeout | TimeoutError)


def _not_asked(why: str) -> Fault:
    return Fault(NOT_ASKED, f"the model {why}", "try again later; until then rules have to do")


def _silent(what: str) -> Fault:
    return Fault("model_silent", f"the model {what}", "see whether it is up; until then rules have to do")


def _seconds(text: str) -> float:
    if not text:
        return SECONDS
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 600):
        message = f"HUB_MODEL_TIMEOUT is `{text[:20]}`, and no number of seconds"
        raise Incorrect("bad_timeout", message, "say a whole number from 1 to 600")
    return float(text)
