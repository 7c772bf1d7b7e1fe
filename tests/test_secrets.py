"""Secrets come to no disk by any road; personal data stay out of the turns of domains that the policy names."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hub.clock import SimulatedClock
from hub.errors import Denied, Incorrect
from hub.extract import Reading
from hub.hub import Hub
from hub.redaction import Redacted
from hub.registry import Registry
from hub.registry.amendments import read_amendment
from hub.remember.schema import admitted
from hub.requests import Fact
from tests.scene import RELATIONS, START

KIM = "kim"
CARD, PASSWORD = "4111 1111 1111 1111", "hunter2"
SAID = f"I'm allergic to peanuts, pay with {CARD}, and my password is {PASSWORD}"


class Listener:
    """An extractor that only keeps what it was given to read."""

    def __init__(self, *, local=True):
        self.local = local
        self.heard = []

    def read(self, text, *, lang, said_at, zone):
        self.heard.append(text)
        return Reading()


@pytest.fixture
def listener():
    return Listener()


@pytest.fixture
def hub(tmp_path, listener):
    with Hub.open(tmp_path / "hub.db", clock=SimulatedClock(START), extractor=listener) as hub:
        yield hub


def on_disk(tmp_path):
    return b"".join(file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file())


def secretless(hub, tmp_path):
    """Not a byte of either secret, but the rest is there, or nothing would be proved."""
    hub._door.flush()
    disk = on_disk(tmp_path)
    told = (PASSWORD, CARD[:9], CARD.replace(" ", "")[:9])  # fewer digits may stand in any hash
    return b"allergic" in disk and not any(part.encode() in disk for part in told)


def test_a_turn_is_kept_without_its_secrets_and_its_writer_is_told(hub, tmp_path, listener):
    answer = hub.agent("nova", KIM).remember(SAID, idempotency_key="once")
    assert [(refused.index, refused.code) for refused in answer.refused] == [(None, "secret")]
    assert answer.refused[0].detail == "it holds a secret (card number, password), which is never kept"
    assert answer.redacted == (Redacted(kind="card_number", count=1), Redacted(kind="password", count=1))
    kept = "I'm allergic to peanuts, pay with [card number], and my password is [password]"
    assert listener.heard == [kept]
    told = hub.agent("nova", KIM).recall("what may she not eat, peanuts?", include_past=True)
    assert [memory.text for memory in told.memories] == [kept]
    assert secretless(hub, tmp_path)


@pytest.mark.parametrize(
    "fact",
    [
        {"relation": "wants", "value": f"to pay with {CARD}"},
        {"relation": "payment_method", "value": int(CARD.replace(" ", ""))},
        {"relation": "owns", "object": {"kind": "account", "name": f"password: {PASSWORD}"}},
        {"relation": "likes", "value": "tea", "subject": {"kind": "person", "name": f"Lee, card {CARD}"}},
    ],
    ids=lambda fact: fact["relation"],
)
def test_a_fact_with_a_secret_is_refused_and_the_rest_is_recorded(hub, tmp_path, fact):
    answer = hub.agent("nova", KIM).remember(facts=[fact, {"relation": "allergic_to", "value": "peanuts"}])
    assert [(refused.index, refused.code) for refused in answer.refused] == [(0, "secret")]
    assert [receipt.slot for receipt in answer.facts] == ["customer/allergic_to"]
    assert secretless(hub, tmp_path)


def test_no_reason_correction_or_session_holds_a_secret(hub, tmp_path):
    mia = hub.agent("mia", KIM)
    fact = mia.remember(facts=[{"relation": "likes", "value": "allergic cats"}]).facts[0].id
    reason = f"the card is {CARD}"
    admin, grant = hub.operator(), {"domain": "travel", "owner": "health", "effect": "grant"}
    given = admin.record_consent(KIM, **grant, reason="asked").id
    for act in (
        lambda: mia.retract(fact, reason=reason),
        lambda: mia.end(fact, reason=reason),
        lambda: mia.forget(fact, reason=reason),
        lambda: mia.correct(fact, value=f"password: {PASSWORD}"),
        lambda: mia.correct(fact, value="dogs", reason=reason),
        lambda: mia.remember("hello", session=f"password: {PASSWORD}"),
        lambda: hub.operator().relabel(fact, scope="private", reason=reason),
        lambda: hub.operator().replace_policy(reason=reason),
        lambda: admin.record_consent(KIM, **grant, reason=reason),
        lambda: admin.withdraw_consent(KIM, given, reason=reason),
    ):
        with pytest.raises(Denied) as refused:
            act()
        assert refused.value.code == "secret"
    assert [b.value for e in mia.profile().entities for b in e.beliefs] == ["allergic cats"]
    assert secretless(hub, tmp_path)


def test_a_question_is_kept_without_its_secrets_and_answered_the_same_again(hub, tmp_path):
    nova = hub.agent("nova", KIM)
    nova.remember(facts=[{"relation": "allergic_to", "value": "peanuts"}])
    asked = nova.recall(f"any allergies? my password is {PASSWORD}, my card {CARD}", explain=True)
    assert [memory.value for memory in asked.memories] == ["peanuts"]
    assert nova.replay(asked.recall_id) == asked
    kept = nova.recalled_before(asked.recall_id).request.query
    assert kept == "any allergies? my password is [password], my card [card number]"
    assert secretless(hub, tmp_path)


def test_the_audit_says_that_something_was_refused_and_nothing_of_it(hub):
    hub.agent("nova", KIM).remember(SAID)
    line = hub.operator().audit(verb="remember").lines[-1]
    assert (line.outcome, line.refused) == ("ok", ("secret",))


def test_an_operator_opens_no_road_for_what_goes_under_the_name_of_a_secret(hub, tmp_path):
    operator = hub.operator()
    for act in (
        lambda: operator.promote("password", scope="shared"),
        lambda: operator.merge_relation("wifi_password", into="likes"),
        lambda: operator.merge_relation("passwords", into="likes"),
    ):
        with pytest.raises(Denied) as refused:
            act()
        assert refused.value.code == "secret_name"
    answer = hub.agent("nova", KIM).remember(
        facts=[{"relation": "password", "value": PASSWORD}, {"relation": "allergic_to", "value": "peanuts"}]
    )
    assert [refused.code for refused in answer.refused] == ["secret_name"]
    assert secretless(hub, tmp_path)


@pytest.mark.parametrize("amendment", [{"scope": "shared", "arbitration": "latest", "owner": None}, {"into": "likes"}])
def test_a_name_of_a_secret_that_was_made_known_before_admits_nothing(amendment):
    known = Registry().with_amendments((read_amendment({"relation": "password", **amendment}),))
    desk = SimpleNamespace(registry=known)
    with pytest.raises(Denied) as refused:
        admitted(desk, Fact(relation="password", value=PASSWORD))
    assert refused.value.code == "secret_name"


def test_a_document_is_published_without_its_secrets_and_its_publisher_is_told(hub, tmp_path):
    operator = hub.operator()
    text = f"# Allergic guests\n\nThe wifi password is {PASSWORD}. Pay with {CARD}.\n\n# Password: {PASSWORD}\n\nAsk."
    receipt = operator.add_knowledge("guests.md", text)
    assert receipt.redacted == (Redacted(kind="card_number", count=1), Redacted(kind="password", count=2))
    assert (receipt.added, operator.add_knowledge("guests.md", text).kept) == (2, 2)
    told = hub.agent("nova", KIM).recall("wifi password for guests", kinds=["knowledge"]).memories
    assert any("The wifi password is [password]. Pay with [card number]." in memory.text for memory in told)
    assert operator.add_knowledge("plain.md", "Tea is at four.").redacted == ()
    with pytest.raises(Denied):
        operator.add_knowledge(f"password: {PASSWORD}", "Tea.")
    assert secretless(hub, tmp_path)


# --- personal data ---------------------------------------------------------------------------------------------------


def test_where_a_phone_number_is_blanked_out_the_policy_says_and_the_extractor_still_reads_it(hub, listener):
    text = "gọi cho tôi số 0912 345 678, CCCD của tôi là 001099012345"
    heard = hub.agent("atlas", KIM).remember(text, lang="vi")
    assert not heard.refused
    assert heard.redacted == (Redacted(kind="national_id", count=1), Redacted(kind="phone", count=1))
    assert listener.heard == [text]
    own = hub.agent("mia", KIM).remember(text, lang="vi")
    assert own.redacted == (Redacted(kind="national_id", count=1),)
    shown = {agent: hub.agent(agent, KIM).recall("số cho tôi", kinds=["turn"]).memories for agent in ("atlas", "mia")}
    assert [m.text for m in shown["atlas"]] == ["gọi cho tôi số [phone], CCCD của tôi là [national id]"]
    assert [m.text for m in shown["mia"]] == ["gọi cho tôi số 0912 345 678, CCCD của tôi là [national id]"]


def test_what_is_read_elsewhere_is_sent_without_personal_data_whatever_the_policy_keeps(tmp_path):
    away = Listener(local=False)
    with Hub.open(tmp_path / "away.db", clock=SimulatedClock(START), extractor=away) as hub:
        kept = hub.agent("mia", KIM).remember("my number is 010-1234-5678 and my PIN is 4821", lang="ko")
        shown = hub.agent("mia", KIM).recall("my number", kinds=["turn"]).memories
    assert away.heard == ["my number is [phone] and my PIN is [pin]"]
    assert [m.text for m in shown] == ["my number is 010-1234-5678 and my PIN is [pin]"]
    assert kept.redacted == (Redacted(kind="pin", count=1),)


def test_a_fact_keeps_what_it_is_about(hub):
    fact = {"relation": "phone", "value": "0912 345 678"}
    answer = hub.agent("atlas", KIM).remember("my number is 0912 345 678", facts=[fact])
    assert not answer.refused
    assert [b.value for e in hub.agent("mia", KIM).profile().entities for b in e.beliefs] == ["0912 345 678"]


def test_another_policy_blanks_out_something_else_from_then_on(hub):
    before = hub.agent("mia", KIM).remember("write to kim@example.com")
    relations = RELATIONS.replace("  travel: [email, phone]\n", "  personal: [email]\n")
    hub.operator().replace_policy(relations=relations)
    after = hub.agent("mia", KIM).remember("write to kim@example.com")
    free = hub.agent("atlas", KIM).remember("write to kim@example.com")
    assert (before.redacted, free.redacted) == ((), ())
    assert after.redacted == (Redacted(kind="email", count=1),)


def test_a_kind_that_nobody_knows_is_no_policy(hub):
    relations = RELATIONS.replace("  travel: [email, phone]\n", "  travel: [shoe_size]\n")
    with pytest.raises(Incorrect) as refused:
        hub.operator().replace_policy(relations=relations)
    assert (refused.value.code, "shoe_size" in refused.value.message) == ("bad_registry", True)
