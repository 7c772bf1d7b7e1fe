"""Models of the providers there are, each asked over a line of the hub's own, on which nothing else goes out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model as Spoken

__all__ = ["LIBRARIES", "MAKERS", "Asked", "Setting"]

SECONDS = 10.0
"""How long an answer is waited for, all attempts together, unless HUB_MODEL_TIMEOUT says otherwise."""

LONGEST, CONNECTING = 600.0, 5.0
"""Seconds after which a request, or a connection, is given up, if nobody has given up waiting for it."""

OLLAMA = "http://127.0.0.1:11434/v1"

_SENT = frozenset("accept accept-encoding connection content-length content-type host transfer-encoding".split())
"""Headers that say how a request is written, and nothing of who makes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Which model is asked, where, and with which key, which no `repr` shows."""

    provider: str
    name: str
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    seconds: float = SECONDS

    @property
    def id(self) -> str:
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A model, and the line to its provider, which whoever asks closes."""

    spoken: Spoken
    line: httpx2.AsyncClient


Maker = Callable[[Setting], Asked]
Hook = Callable[..., Awaitable[None]]


def _line(own: Mapping[str, str]) -> httpx2.AsyncClient:
    """INVARIANT: a request goes to the URL that was set and nowhere else: no proxy and no redirect is followed. It
    carries the headers of `own`, whatever variables and files of the providers' libraries say: their organisations,
    projects, headers and credentials are taken off.
    """
    import httpx2

    async def only_own(request: httpx2.Request) -> None:
        for name in request.headers.keys() - _SENT:
            del request.headers[name]
        request.headers.update({"User-Agent": "memory-hub", **own})

    async def no_further(response: httpx2.Response) -> None:
        response.headers.pop("Location", None)

    patience = httpx2.Timeout(LONGEST, connect=CONNECTING)
    hooks: dict[str, list[Hook]] = {"request": [only_own], "response": [no_further]}
    return httpx2.AsyncClient(trust_env=False, timeout=patience, event_hooks=hooks)


def _openai(wanted: Setting) -> Asked:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client, line = _compatible(wanted.url or "https://api.openai.com/v1", wanted.key or "")
    return Asked(OpenAIChatModel(wanted.name, provider=OpenAIProvider(openai_client=client)), line)


def _ollama(wanted: Setting) -> Asked:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    client, line = _compatible(wanted.url or OLLAMA, wanted.key or "none")
    return Asked(OllamaModel(wanted.name, provider=OllamaProvider(openai_client=client)), line)


def _compatible(url: str, key: str) -> tuple[AsyncOpenAI, httpx2.AsyncClient]:
    from openai import AsyncOpenAI

    line = _line({"Authorization": f"Bearer {key}"})
    return AsyncOpenAI(base_url=url, api_key=key, organization="", project="", http_client=line), line


def _anthropic(wanted: Setting) -> Asked:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    line = _line({"X-Api-Key": wanted.key or "", "Anthropic-Version": "2023-06-01"})
    url = wanted.url or "https://api.anthropic.com"
    return Asked(
        AnthropicModel(wanted.name, provider=AnthropicProvider(base_url=url, api_key=wanted.key, http_client=line)),
        line,
    )


def _google(wanted: Setting) -> Asked:
    from google.genai import Client
    from google.genai.client import DebugConfig
    from google.genai.types import HttpOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    line = _line({"X-Goog-Api-Key": wanted.key or ""})
    url = wanted.url or "https://generativelanguage.googleapis.com"
    options = HttpOptions(base_url=url, httpx_async_client=line)
    never = DebugConfig(client_mode=None, replays_directory=None, replay_id=None)
    client = Client(vertexai=False, api_key=wanted.key, http_options=options, debug_config=never)
    return Asked(GoogleModel(wanted.name, provider=GoogleProvider(client=client)), line)


MAKERS: dict[str, Maker] = {"openai": _openai, "anthropic": _anthropic, "google": _google, "ollama": _ollama}

LIBRARIES = {"openai": "openai", "anthropic": "anthropic", "google": "google.genai", "ollama": "openai"}
"""What asks each, beside the one that asks them all."""
