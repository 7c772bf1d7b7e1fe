"""A name that nobody has heard of, but almost, is taken for a slip; one that is merely new is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner

from hub import Hub
from hub.cli import cli
from hub.client import OperatorClient
from hub.errors import HubError, Incorrect, Missing
from hub.hub import Operator

KIM = "kim"
GRANT = {"domain": "travel", "owner": "health", "relation": "allergic_to", "effect": "grant", "reason": "asked"}


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub.open(embedder="none") as opened:
        yield opened


@pytest.fixture
def admin(hub: Hub) -> Operator:
    return hub.operator()


def refused(act: Callable[[], object]) -> HubError:
    with pytest.raises(HubError) as caught:
        act()
    return caught.value


SLIPS: dict[str, tuple[Callable[[Operator], object], str]] = {
    "a domain": (lambda o: o.create_agent("x", "travle"), "travel"),
    "a purpose": (lambda o: o.create_agent("x", "travel", purposes=["bokking"]), "booking"),
    "a purpose, later": (lambda o: o.bind("kai", purposes=["bookin"]), "booking"),
    "a grant's domain": (lambda o: o.record_consent(KIM, **{**GRANT, "domain": "travell"}), "travel"),
    "a grant's owner": (lambda o: o.record_consent(KIM, **{**GRANT, "owner": "helth"}), "health"),
    "a grant's relation": (lambda o: o.record_consent(KIM, **{**GRANT, "relation": "alergic_to"}), "allergic_to"),
    "a score's domain": (lambda o: o.rate("finnance", 0.5), "finance"),
    "a score's relation": (lambda o: o.rate("finance", 0.5, relation="live_in"), "lives_in"),
    "a promotion's owner": (lambda o: o.promote("shoe_size", scope="shared", owner="shoping"), "shopping"),
    "a label's owner": (lambda o: o.relabel("fact_x", scope="private", owner="reapir"), "repair"),
    "a question's owner": (lambda o: o.explain_policy("atlas", owner="heath", relation="allergic_to"), "health"),
    "a question's relation": (
        lambda o: o.explain_policy("atlas", owner="health", relation="allergi_to"),
        "allergic_to",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_refused_and_what_was_meant_is_named(admin: Operator, slip: str) -> None:
    act, meant = SLIPS[slip]
    error = refused(lambda: act(admin))
    assert isinstance(error, Incorrect)
    assert error.code == "misspelt"
    assert f"did you mean `{meant}`?" in error.message


def test_names_are_data_so_what_is_merely_new_is_taken_and_known_from_then_on(hub: Hub, admin: Operator) -> None:
    admin.create_agent("lex", "legal", purposes=["court"])
    assert "did you mean `legal`?" in refused(lambda: admin.create_agent("lea", "legl")).message
    assert "did you mean `court`?" in refused(lambda: admin.bind("lex", purposes=["cuort"])).message
    assert admin.create_agent("tess", "travels", new_names=True).agent == "tess"
    assert admin.create_agent("theo", "travels").agent == "theo"
    admin.bind("theo", purposes=["bookings"], new_names=True)
    assert admin.record_consent(KIM, **{**GRANT, "domain": "travels"}).domain == "travels"


def test_a_role_that_means_nothing_is_refused(admin: Operator) -> None:
    error = refused(lambda: admin.create_agent("ada", "operations", roles=["auditer"]))
    assert (error.code, "did you mean `auditor`?" in error.message) == ("unknown_role", True)
    assert refused(lambda: admin.create_agent("ada", "operations", roles=["janitor"])).code == "unknown_role"
    admin.replace_policy(policy=admin.policies().policy + "p, janitor, *, *, *, forget, *, allow\n")
    assert admin.create_agent("ada", "operations", roles=["janitor", "auditor"]).agent == "ada"


@pytest.mark.parametrize(
    "ask",
    [
        lambda o: o.explain_policy("atals", owner="health", relation="allergic_to"),
        lambda o: o.beliefs(KIM, "atals"),
        lambda o: o.compare(KIM, "atals", "mia"),
        lambda o: o.rotate("atals"),
    ],
    ids=["explain_policy", "beliefs", "compare", "rotate"],
)
def test_an_agent_that_is_not_there_is_said_to_be_and_where_the_others_are_listed(admin: Operator, ask) -> None:
    error = refused(lambda: ask(admin))
    assert isinstance(error, Missing)
    assert "did you mean `atlas`?" in error.message
    assert "hub agent list" in error.fix


def test_a_policy_is_explained_for_agents_domains_and_those_who_say_where_they_would_live(admin: Operator) -> None:
    label = {"owner": "health", "relation": "allergic_to"}
    assert admin.explain_policy("sage", **label).allowed
    assert admin.explain_policy("health", **label).allowed
    assert admin.explain_policy("somebody", domain="health", **label).allowed
    assert not admin.explain_policy("somebody", domain="travel", **label).allowed


def test_the_command_line_and_http_refuse_a_slip_and_take_it_when_it_is_meant(hub: Hub, tmp_path) -> None:
    db = ("--db", str(tmp_path / "memory.db"))
    with pytest.raises(Incorrect, match="did you mean `travel`"):
        CliRunner().invoke(cli, ["agent", "add", "x", "--domain", "travle", *db], catch_exceptions=False)
    done = CliRunner().invoke(cli, ["agent", "add", "x", "--domain", "travle", "--new-names", *db])
    assert done.exit_code == 0
    from hub.api import served

    with served(hub, "the-key") as port, OperatorClient(f"http://127.0.0.1:{port}", "the-key") as operator:
        assert refused(lambda: operator.create_agent("y", "travvel")).code == "misspelt"
        assert operator.create_agent("y", "travvel", new_names=True).agent == "y"
        operator.bind("y", purposes=["mela"], new_names=True)
