"""A language model of this process: what it answers is written down beforehand, and what it is asked is kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any

from hub.errors import Fault
from hub.extract.by_model import ByModel
from hub.extract.rules import Rules
from hub.extract.stated import Answer
from hub.hub import shipped_words
from hub.registry import kind_words

DOWN = Fault("model_silent", "the model does not answer", "try again")
RULES = Rules(kind_words(shipped_words()))


class FakeModel:
    """Gives the answers in turn, the last one for ever; a Fault is raised. An answer is a list of facts as told."""

    id = "fake:1"

    def __init__(self, *answers: Sequence[dict[str, object]] | Fault) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def answer(self, instructions, text, shape):
        assert shape is Answer
        self.asked.append((instructions, text))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Fault):
            raise answer
        return shape.model_validate({"stated": answer})

    def close(self) -> None:
        pass


def asker(*answers: Sequence[dict[str, object]] | Fault) -> tuple[ByModel, FakeModel]:
    model = FakeModel(*answers)
    return ByModel(model, RULES), model


# --- a provider on a port ----------------------------------------------------------------------------------------


def openai(answer: dict[str, object]) -> dict[str, object]:
    call = {"name": "final_result", "arguments": json.dumps(answer)}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": call}]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def ollama(answer: dict[str, object]) -> dict[str, object]:
    return openai(answer)


def anthropic(answer: dict[str, object]) -> dict[str, object]:
    part = {"type": "tool_use", "id": "1", "name": "final_result", "input": answer}
    usage = {"input_tokens": 1, "output_tokens": 1}
    told = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": [part]}
    return {**told, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}


def google(answer: dict[str, object]) -> dict[str, object]:
    part = {"functionCall": {"name": "final_result", "args": answer}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "1"}


Sent = tuple[str, str, str]
Reply = Callable[[str], tuple[int, Any]]
"""From the body of a request to a status and an answer: something for JSON, or text as it is."""


@contextmanager
def provider(reply: Reply, headers: Mapping[str, str] = MappingProxyType({})) -> Iterator[tuple[str, list[Sent]]]:
    """The URL of a provider on this machine, and (path, headers, body) of everything it is sent."""
    heard: list[Sent] = []

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            heard.append((self.path, str(self.headers), body))
            status, answer = reply(body)
            payload = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
