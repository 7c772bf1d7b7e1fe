"""One application of one hub: routes, keys, errors."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import Litestar
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.middleware import DefineMiddleware

from hub.api import agents, audits, clocks, erasures, knowledge, loading, operators, problems, relations, reviews, whys
from hub.api.answer import Answer
from hub.api.asked import LARGEST_BODY
from hub.api.callers import Keys, addressed
from hub.api.gate import LOOPBACK, Gate, usable
from hub.api.health import alive, ready
from hub.api.rates import Rates, rated
from hub.api.schema import CONFIG, schema
from hub.errors import HubError, Incorrect
from hub.hub import Hub


def create_app(
    hub: Hub, *, admin_key: str | None = None, hosts: Sequence[str] = LOOPBACK, rates: Rates | None = None
) -> Litestar:
    """`hosts`: the names the hub answers to, in `Host` and `Origin`, without ports.

    Raises Incorrect `bad_admin_key` for one that no request could bring.
    """
    if admin_key is not None and not usable(admin_key):
        message = "the admin key holds a space, a line break or a character beyond ASCII, or nothing at all"
        raise Incorrect("bad_admin_key", message, "choose a long random one of letters and digits", where="admin_key")
    rates = rates or rated()
    timekeeping = [clocks.ROUTES] if hub.simulated else []
    rooms = [agents.ROUTES, operators.ROUTES, relations.ROUTES, reviews.ROUTES, knowledge.ROUTES, loading.ROUTES]
    rooms += [*audits.ROUTES, *erasures.ROUTES, *whys.ROUTES]
    app = Litestar(
        [alive, ready, schema, *rooms, *timekeeping],
        middleware=[DefineMiddleware(Keys, hub=hub, admin_key=admin_key, rates=rates), addressed],
        exception_handlers={
            HubError: problems.of_the_hub,
            HTTPException: problems.of_the_framework,
            Exception: problems.unforeseen,
        },
        response_class=Answer,
        request_max_body_size=LARGEST_BODY,
        openapi_config=CONFIG,
        state=State({"hub": hub, "rates": rates}),
        logging_config=None,
        debug=False,
        pdb_on_exception=False,
    )
    app.asgi_handler = Gate(app.asgi_handler, hosts, rates, hub.note_refusal)
    return app
