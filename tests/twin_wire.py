"""The twins over HTTP: what a viewer is answered by a server, status, headers and body, is the same to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from httpx import Response
from litestar.testing import TestClient

from hub.api import create_app
from hub.hub import Hub
from tests.twin_steps import Request
from tests.twin_worlds import World, keys

HOST = "testserver.local"
ADMIN_KEY = "the-admin-key-of-the-twins"

Args = Mapping[str, object]
Sent = tuple[str, str, dict[str, object]]
"""Method, path, and what is sent with it: in the query of a GET, in the body of a POST."""


def over_http(world: World, requests: Iterable[Request]) -> list[str]:
    """The answers of a server to those of the requests that there is a route for."""
    with _client(world.hub) as client:
        return [_text(_answer(client, request.who, sent)) for request, sent in _sent(world, requests)]


def routed(requests: Iterable[Request]) -> list[Request]:
    """Those that there is a route for, once for each request it comes to."""
    return [request for request in requests for _ in ROUTES.get(str(request.args["road"]), ())]


def _sent(world: World, requests: Iterable[Request]) -> Iterator[tuple[Request, Sent]]:
    for request in requests:
        for made in ROUTES.get(str(request.args["road"]), ()):
            yield request, made(world.meant(request.args))


def _client(hub: Hub) -> TestClient[object]:
    app = create_app(hub, admin_key=ADMIN_KEY, hosts=(HOST,))
    return TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)


def _answer(client: TestClient[object], who: str, sent: Sent) -> Response:
    method, path, asked = sent
    known = {"Authorization": f"Bearer {keys()[who]}"}
    if method == "GET":
        return client.get(path, headers=known, params=asked)
    return client.request(method, path, headers=known, json=asked)


def _text(response: Response) -> str:
    """All of it: there is no date among the headers, for a server in front adds that."""
    headers = sorted(f"{name}: {value}" for name, value in response.headers.multi_items())
    return "\n".join([str(response.status_code), *headers, response.text])


# --- what is sent for which road ---------------------------------------------------------------------------------


def _given(args: Args, *names: str) -> dict[str, object]:
    given = {**args["point"], "purpose": args["purpose"], **{name: args[name] for name in names}}
    return {name: value for name, value in given.items() if value is not None}


def _asked(args: Args) -> dict[str, object]:
    return {**_given(args, "customer", "limit"), "query": args["word"], "include_past": args["limit"] != 1}


def _of_customer(road: str, more: Callable[[Args], dict[str, object]]) -> Callable[[Args], Sent]:
    return lambda args: ("GET", f"/v1/customers/{args['customer']}/{road}", {**_given(args), **more(args)})


def _narrowed(args: Args) -> dict[str, object]:
    narrower = {"coffee": {}, "tea": {"relation": "likes"}}.get(str(args["word"]), {"subject": "my car"})
    return {"limit": args["limit"], **narrower}


ROUTES: Mapping[str, tuple[Callable[[Args], Sent], ...]] = {
    "recall": (lambda args: ("POST", "/v1/recall", {**_asked(args), "explain": True}),),
    "profile": (
        _of_customer("profile", lambda args: {"limit": args["limit"]}),
        _of_customer("profile", lambda args: {"limit": 1}),
    ),
    "timeline": (_of_customer("timeline", _narrowed),),
    "graph": (_of_customer("graph", lambda args: {}), _of_customer("graph", lambda args: {"root": "my car"})),
    "fact": (lambda args: ("GET", f"/v1/facts/{args['id']}", _given(args)),),
    "history": (lambda args: ("GET", f"/v1/facts/{args['id']}/history", _given(args)),),
    "why": (lambda args: ("POST", "/v1/recall/why", _asked(args)),),
    "why_not": (lambda args: ("POST", "/v1/recall/why-not", {**_asked(args), "text": args["id"]}),),
    "again": (
        lambda args: ("GET", f"/v1/recalls/{args['id']}", {}),
        lambda args: ("POST", f"/v1/recalls/{args['id']}/replay", {}),
        lambda args: ("GET", f"/v1/recalls/{args['id']}/why", {}),
        lambda args: ("POST", f"/v1/recalls/{args['id']}/why", {}),
        lambda args: ("GET", f"/v1/recalls/{args['id']}/why-not", {"text": "coffee"}),
        lambda args: ("POST", f"/v1/recalls/{args['id']}/why-not", {"text": "coffee"}),
    ),
    "tries": (
        lambda args: ("GET", f"/v1/admin/customers/{args['customer']}/beliefs", {"agent": "mia"}),
        lambda args: ("GET", "/v1/audit", {}),
        lambda args: ("GET", "/v1/me", {}),
    ),
}
"""Road -> what it comes to over HTTP; with what only operators may ask, as far as anybody may try."""
