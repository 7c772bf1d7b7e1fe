"""What the company knows: published by operators, read by all agents that may, beside what they know of a customer."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.answers import Recalled
from hub.clock import SimulatedClock
from hub.errors import HubError
from hub.facts import COMPANY
from hub.hub import DEMO_AGENTS, Hub, shipped
from hub.knowledge import screened_pieces
from hub.moments import DAY, as_datetime
from hub.recall.shelved import among
from tests.erasing import searched
from tests.scene import START

RETURNS = "# Returns\n\nShoes may be returned within 30 days.\n\n## Refunds\n\nMoney comes back within a week."
CHANGED = RETURNS.replace("30 days", "60 days")
SALARIES = "# Salaries\n\nA clerk who takes returned shoes earns 4321 a month."
QUESTION = "How long may shoes be returned?"
NO_SALARIES_FOR_TRAVEL = "\np, travel, company, global, salaries, read, *, deny\n"
SALARIES_FOR_MEALS = "\np, *, company, global, salaries, read, *, deny\n"


@pytest.fixture
def clock():
    return SimulatedClock(START)


@pytest.fixture
def hub(clock, tmp_path):
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub:
        yield hub


@pytest.fixture
def admin(hub):
    return hub.operator()


def ask(hub: Hub, agent: str, query: str = QUESTION, **asked: object) -> Recalled:
    return hub.agent(agent, "kim").recall(query, **asked)


def shelf(hub: Hub, agent: str, query: str = QUESTION, **asked: object) -> list[str]:
    """The last line of each passage in an answer."""
    return [m.text.split("\n")[-1] for m in ask(hub, agent, query, **asked).memories if m.kind == "knowledge"]


def amend(admin, lines: str) -> None:
    admin.replace_policy(policy=(shipped("policies") / "policy.csv").read_text(encoding="utf-8") + lines)


def code_of(act, /, *args, **more) -> str:
    with pytest.raises(HubError) as refused:
        act(*args, **more)
    assert refused.value.fix
    return refused.value.code


# --- published, and read -----------------------------------------------------------------------------------------


def test_every_agent_finds_what_the_company_knows(hub, admin):
    receipt = admin.add_knowledge("handbook/returns.md", RETURNS)
    assert (receipt.topic, receipt.added, receipt.kept, receipt.removed) == ("knowledge", 2, 0, 0)
    for agent in DEMO_AGENTS:
        [memory] = ask(hub, agent).memories
        assert memory.kind == "knowledge"
        assert memory.text == "Returns\nShoes may be returned within 30 days."
        assert (memory.subject, memory.relation, memory.scope) == ("handbook/returns.md", "knowledge", "global")
        assert memory.author.agent == "admin"
    assert "from the company's handbook/returns.md: Returns Shoes may be" in ask(hub, "nova").prompt.dynamic


def test_a_heading_counts_among_the_words(hub, admin):
    admin.add_knowledge("handbook/returns.md", RETURNS)
    assert shelf(hub, "nova", "refunds") == ["Money comes back within a week."]


@pytest.mark.parametrize("query", ["Who won the chess match?", "asdf qwer", "", "🙈", "몽골의 수도는 어디예요?"])
def test_what_the_company_does_not_know_is_not_answered_by_what_it_does(hub, admin, query):
    admin.add_knowledge("returns.md", RETURNS)
    answer = ask(hub, "nova", query)
    assert (answer.memories, answer.confidence.level) == ((), "none")


def test_the_customers_own_memory_and_the_companys_are_one_answer(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    hub.agent("nova", "kim").remember(facts=[{"relation": "likes", "value": "shoes that may be returned"}])
    answer = ask(hub, "nova", "shoes returned", explain=True)
    assert [memory.kind for memory in answer.memories] == ["fact", "knowledge", "knowledge"]
    scores = [memory.score for memory in answer.memories]
    assert scores == sorted(scores, reverse=True)
    assert answer.memories[1].explain.lexical > 0
    assert [m.kind for m in ask(hub, "nova", "shoes returned", kinds=["knowledge"]).memories] == ["knowledge"] * 2
    assert [m.kind for m in ask(hub, "nova", "shoes returned", kinds=["fact"]).memories] == ["fact"]
    one = ask(hub, "nova", "shoes returned", limit=1)
    assert ([memory.kind for memory in one.memories], one.truncated) == (["fact"], True)


def test_of_equals_the_customers_own_comes_first():
    class Scored:
        def __init__(self, name: str, score: float) -> None:
            self.name, self.score = name, score

    own, companys = [Scored("a", 0.9), Scored("b", 0.5)], [Scored("c", 0.9), Scored("d", 0.6), Scored("e", 0.1)]
    assert [one.name for one in among(own, companys, 9)[0]] == ["a", "c", "d", "b", "e"]
    assert [(len(found), more) for found, more in (among(own, companys, 5), among(own, companys, 4))] == [
        (5, False),
        (4, True),
    ]


def test_a_budget_of_tokens_and_a_least_score_hold_for_it_too(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    [memory] = ask(hub, "nova").memories
    assert ask(hub, "nova", min_score=memory.score).memories
    assert ask(hub, "nova", min_score=memory.score + 0.01).memories == ()
    short = ask(hub, "nova", token_budget=10)
    assert (short.memories, short.truncated) == ((), True)


def test_the_same_words_in_two_documents_are_said_once(hub, admin):
    admin.add_knowledge("one.md", RETURNS)
    admin.add_knowledge("two.md", RETURNS)
    assert [memory.subject for memory in ask(hub, "nova").memories] == ["one.md"]


# --- replaced and taken back -------------------------------------------------------------------------------------


def test_a_changed_document_replaces_what_it_no_longer_says(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    refunds = ask(hub, "nova", "refunds").memories[0]
    receipt = admin.add_knowledge("returns.md", CHANGED)
    assert (receipt.added, receipt.kept, receipt.removed) == (1, 1, 1)
    assert shelf(hub, "nova") == ["Shoes may be returned within 60 days."]
    assert [memory.id for memory in ask(hub, "nova", "refunds").memories] == [refunds.id]
    again = admin.add_knowledge("returns.md", CHANGED)
    assert (again.added, again.kept, again.removed) == (0, 2, 0)


def test_what_has_been_replaced_many_times_does_not_crowd_out_what_stands(hub, admin):
    for day in range(1, 70):
        admin.add_knowledge("returns.md", RETURNS.replace("30 days", f"{day} days, shoes, shoes"))
    assert shelf(hub, "nova") == ["Shoes may be returned within 69 days, shoes, shoes."]


def test_a_document_or_a_folder_is_taken_back_by_name(hub, admin):
    for name in ("a/returns.md", "a/b/more.md", "abc.md"):
        admin.add_knowledge(name, RETURNS + name)
    assert [document.document for document in admin.knowledge().documents] == ["a/b/more.md", "a/returns.md", "abc.md"]
    assert [receipt.document for receipt in admin.remove_knowledge("a").documents] == ["a/b/more.md", "a/returns.md"]
    assert [memory.subject for memory in ask(hub, "nova").memories] == ["abc.md"]
    assert code_of(admin.remove_knowledge, "a") == "not_found"
    assert code_of(admin.remove_knowledge, "ab") == "not_found"


def test_the_list_comes_in_pages(admin):
    for n in range(5):
        admin.add_knowledge(f"{n}.txt", f"number {n}")
    first = admin.knowledge(limit=2)
    second = admin.knowledge(limit=2, cursor=first.next)
    last = admin.knowledge(limit=2, cursor=second.next)
    assert [d.document for page in (first, second, last) for d in page.documents] == [f"{n}.txt" for n in range(5)]
    assert [(page.truncated, page.next is None) for page in (first, last)] == [(True, False), (False, True)]
    assert code_of(admin.knowledge, cursor="?") == "bad_cursor"


REFUSED = {
    "empty_document": {"text": " \n"},
    "bad_topic": {"topic": "No Topic"},
    "bad_field": {"document": "a\nb"},
}


@pytest.mark.parametrize(("code", "fields"), REFUSED.items(), ids=REFUSED)
def test_what_is_no_document_is_refused_and_leaves_nothing(hub, admin, code, fields):
    assert code_of(admin.add_knowledge, **{"document": "a.md", "text": RETURNS, **fields}) == code
    assert code_of(admin.add_knowledge, "a.md", RETURNS, topic="hub") == "bad_topic"
    assert code_of(admin.add_knowledge, "a.md", "x\x00") == "bad_field"
    assert admin.knowledge().documents == ()


# --- who may -----------------------------------------------------------------------------------------------------


def test_agents_read_and_operators_write(hub, admin):
    assert code_of(hub.operator("nova").add_knowledge, "a.md", RETURNS) == "may_not_write"
    admin.add_knowledge("a.md", RETURNS)
    assert code_of(hub.operator("nova").add_knowledge, "a.md", CHANGED) in ("may_not_write", "not_found")
    assert code_of(hub.operator("nova").remove_knowledge, "a.md") == "not_found"
    assert code_of(hub.operator("nova").erase_knowledge, "a.md") == "not_found"
    assert shelf(hub, "nova") == ["Shoes may be returned within 30 days."]


def test_a_topic_that_is_denied_is_not_there(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    before = ask(hub, "atlas", explain=True)
    admin.add_knowledge("salaries.md", SALARIES, topic="salaries")
    after = ask(hub, "atlas", explain=True)
    assert after.memories == before.memories
    assert "4321" in str(ask(hub, "nova"))
    assert ask(hub, "atlas", "What does a clerk earn?").memories == ()
    assert "4321" not in str(hub.agent("atlas", "kim").why_not_now(QUESTION, "salaries clerk earns"))
    assert "4321" not in str(hub.agent("atlas", "kim").why_now(QUESTION))


def test_a_document_stays_under_its_topic_until_another_is_named(hub, admin):
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    admin.add_knowledge("salaries.md", SALARIES, topic="salaries")
    assert admin.add_knowledge("salaries.md", SALARIES.replace("4321", "5432")).topic == "salaries"
    assert ask(hub, "atlas", "What does a clerk earn?").memories == ()
    opened = admin.add_knowledge("salaries.md", SALARIES.replace("4321", "5432"), topic="knowledge")
    assert (opened.added, opened.kept, opened.removed) == (1, 0, 1)
    assert "5432" in str(ask(hub, "atlas", "What does a clerk earn?"))
    closed = admin.add_knowledge("salaries.md", SALARIES.replace("4321", "5432"), topic="salaries")
    assert (closed.topic, closed.removed) == ("salaries", 1)
    assert ask(hub, "atlas", "What does a clerk earn?").memories == ()


def test_a_purpose_may_open_a_topic(hub, admin):
    amend(admin, "\np, travel, company, global, menus, read, meal, allow\n")
    policy = admin.policies().policy.replace("p, *, company, global, *, read, *, allow", "")
    admin.replace_policy(policy=policy)
    admin.add_knowledge("menus.md", "Lunch is soup.", topic="menus")
    assert shelf(hub, "atlas", "What is for lunch?") == []
    assert shelf(hub, "atlas", "What is for lunch?", purpose="meal") == ["Lunch is soup."]


def test_on_behalf_of_another_what_both_may_read_counts(hub, admin):
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    admin.add_knowledge("salaries.md", SALARIES, topic="salaries")
    token = hub.agent("atlas", "kim").token(customer="kim").token
    both = hub.agent("nova", "kim").on_behalf_of(token)
    assert shelf(hub, "nova") == ["A clerk who takes returned shoes earns 4321 a month."]
    assert both.recall(QUESTION).memories == ()


def test_an_agent_bound_to_one_customer_reads_it_there_and_nowhere_else(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    admin.bind("nova", customers=["kim"])
    assert shelf(hub, "nova") == ["Shoes may be returned within 30 days."]
    assert code_of(hub.agent("nova", "lee").recall, QUESTION) == "not_bound"


def test_what_a_customer_objects_to_is_not_what_the_company_knows(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    objection = {"domain": "*", "effect": "object", "reason": "asked to"}
    hub.agent("mia", "kim").remember(facts=[{"relation": "likes", "value": "returned shoes"}])
    admin.record_consent("kim", **objection)
    [memory] = ask(hub, "nova").memories
    assert memory.kind == "knowledge"
    [why] = hub.agent("nova", "kim").why_now(QUESTION).memories
    assert [ruling.allowed for ruling in why.rules] == [True]


@pytest.mark.parametrize("name", [COMPANY, "\tcompany", " "])
def test_no_customer_can_be_asked_for_by_the_companys_name(hub, admin, name):
    admin.add_knowledge("returns.md", RETURNS)
    nova = hub.agent("nova", name)
    for act in (nova.profile, nova.timeline, nova.graph, lambda: nova.recall("x"), lambda: nova.remember("x")):
        assert code_of(act) == "bad_field"


def test_a_passage_is_no_fact_to_any_verb(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    passage = ask(hub, "nova").memories[0].id
    nova = hub.agent("nova", "kim")
    verbs = (nova.fact, nova.history, nova.retract, nova.end, nova.forget, nova.restore)
    assert {code_of(verb, passage) for verb in verbs} == {"not_found"}
    acts = (admin.forget, admin.restore, admin.retract, admin.erase_fact)
    assert {code_of(act, passage) for act in acts} == {"not_found"}
    assert code_of(admin.relabel, passage, scope="private") == "not_found"


def test_a_refused_operator_leaves_a_line_and_nothing_of_the_company_is_called_a_customer(hub, admin):
    code_of(hub.operator("nova").add_knowledge, "a.md", RETURNS)
    admin.add_knowledge("a.md", RETURNS)
    refused, added = sorted(admin.audit(limit=100, verb="add_knowledge").lines, key=lambda line: line.outcome)
    assert (refused.agent, refused.verb, refused.outcome) == ("nova", "add_knowledge", "may_not_write")
    assert (added.agent, added.verb, added.outcome, added.customer) == ("admin", "add_knowledge", "ok", None)
    assert [label.relation for label in added.labels] == ["knowledge"]


# --- points in time ----------------------------------------------------------------------------------------------


def test_yesterday_nobody_knew_what_is_published_today(hub, admin, clock):
    admin.add_knowledge("returns.md", RETURNS)
    yesterday = as_datetime(clock.now())
    clock.advance(DAY)
    admin.add_knowledge("returns.md", CHANGED)
    today = as_datetime(clock.now())
    clock.advance(DAY)
    admin.remove_knowledge("returns.md")
    assert shelf(hub, "nova") == []
    assert shelf(hub, "nova", as_of=today) == ["Shoes may be returned within 60 days."]
    assert shelf(hub, "nova", as_of=yesterday) == ["Shoes may be returned within 30 days."]
    assert shelf(hub, "nova", as_of=as_datetime(START)) == []
    assert shelf(hub, "nova", known_at=today) == ["Shoes may be returned within 60 days."]
    assert shelf(hub, "nova", valid_at=as_datetime(START), known_at=today) == []


def test_who_may_read_it_only_now_may_not_read_it_in_the_past(hub, admin, clock):
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    admin.add_knowledge("salaries.md", SALARIES, topic="salaries")
    then = as_datetime(clock.now())
    clock.advance(DAY)
    amend(admin, "")
    assert "4321" in str(ask(hub, "atlas"))
    assert ask(hub, "atlas", as_of=then).memories == ()
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    assert ask(hub, "atlas").memories == ()


def test_an_auditor_sees_through_an_agents_eyes_what_it_knew_of_the_company(hub, admin, clock):
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    admin.add_knowledge("salaries.md", SALARIES, topic="salaries")
    asked = {"agent": "nova", "customer": "kim", "query": QUESTION}
    [why] = admin.why_now(**asked).memories
    assert (why.kind, why.matched.words) == ("knowledge", ("shoe", "return"))
    assert why.told.kind == "knowledge"
    assert admin.why_now(**{**asked, "agent": "atlas"}).memories == ()
    [hidden] = admin.why_not_now(text="clerk earns", **{**asked, "agent": "atlas"}).candidates
    assert (hidden.reason, hidden.rule.line is None) == ("denied", False)
    assert "salaries" in hidden.rule.text


# --- why not -----------------------------------------------------------------------------------------------------


def test_why_not_says_what_became_of_a_passage(hub, admin, clock):
    admin.add_knowledge("returns.md", RETURNS)
    admin.add_knowledge("returns.md", CHANGED)
    nova = hub.agent("nova", "kim")
    reasons = {c.text.split("\n")[-1]: c.reason for c in nova.why_not_now("Where is the airport?", "Shoes").candidates}
    assert reasons == {
        "Shoes may be returned within 30 days.": "withdrawn",
        "Shoes may be returned within 60 days.": "below_floor",
    }
    [over] = nova.why_not_now(QUESTION, "Shoes 60", token_budget=10).candidates
    assert (over.reason, over.explain.lexical > 0) == ("over_budget", True)
    assert [c.reason for c in nova.why_not_now(QUESTION, "Shoes").candidates] == ["withdrawn"]
    early = nova.why_not_now(QUESTION, "Shoes 60", valid_at=as_datetime(START)).candidates
    assert [candidate.reason for candidate in early] == ["not_yet_valid"]
    assert nova.why_not_now(QUESTION, ask(hub, "nova").memories[0].id).candidates == ()


# --- replay and erasure ------------------------------------------------------------------------------------------


def test_a_recall_is_run_again_to_the_same_bytes_whatever_was_published_since(hub, admin):
    empty = ask(hub, "nova")
    admin.add_knowledge("returns.md", RETURNS)
    told = ask(hub, "nova")
    admin.add_knowledge("returns.md", CHANGED)
    admin.add_knowledge("more.md", "Returned shoes are sold again.")
    admin.remove_knowledge("returns.md")
    for answer in (empty, told):
        assert hub.agent("nova").replay(answer.recall_id) == answer
        assert admin.replay(answer.recall_id) == answer
    assert [r.available for r in hub.agent("nova").recalled_before(told.recall_id).results] == [True]


def test_what_is_no_longer_to_be_read_is_no_longer_available(hub, admin):
    admin.add_knowledge("salaries.md", SALARIES, topic="salaries")
    told = ask(hub, "atlas")
    amend(admin, NO_SALARIES_FOR_TRAVEL)
    again = hub.agent("atlas").replay(told.recall_id)
    assert [gone.reason for gone in again.since_then.unavailable] == ["no longer available"]
    assert "4321" not in str(again)
    [revoked] = admin.replay(told.recall_id).since_then.unavailable
    assert (revoked.reason, "salaries" in revoked.rule.text) == ("revoked", True)


def test_an_erased_document_is_gone_from_every_byte_and_every_as_of(hub, admin, clock, tmp_path: Path):
    canaries = ("xylophonist", "quagmire")
    admin.add_knowledge("secret.md", f"# Xylophonist\n\nShoes may be returned to the {canaries[1]}.")
    then = as_datetime(clock.now())
    told = ask(hub, "nova", "quagmire shoes")
    admin.add_knowledge("secret.md", "Shoes may be kept.")
    admin.add_knowledge("returns.md", RETURNS)
    erasure = admin.erase_knowledge("secret.md", reason="a mistake")
    assert (erasure.erased.passages, erasure.erased.recalls, erasure.receipt.swept) == (2, 1, True)
    assert [label.relation for label in erasure.receipt.labels] == ["knowledge"]
    assert shelf(hub, "nova", as_of=then) == []
    assert shelf(hub, "nova") == ["Shoes may be returned within 30 days."]
    again = hub.agent("nova").replay(told.recall_id)
    assert (len(again.since_then.unavailable), again.memories) == (1, ())
    assert [gone.reason for gone in admin.replay(told.recall_id).since_then.unavailable] == ["erased"]
    assert code_of(admin.erase_knowledge, "secret.md") == "not_found"
    hub.close()
    assert searched(tmp_path, canaries) == {}


def test_a_database_with_company_knowledge_is_sound(hub, admin):
    admin.add_knowledge("returns.md", RETURNS)
    admin.erase_knowledge("returns.md")
    admin.add_knowledge("returns.md", CHANGED)
    assert hub.faults() == []


def test_it_is_there_after_the_hub_was_opened_anew(hub, admin, clock, tmp_path):
    admin.add_knowledge("returns.md", RETURNS)
    with Hub.open(tmp_path / "memory.db", clock=clock) as another:
        assert shelf(another, "nova") == ["Shoes may be returned within 30 days."]
        another.operator().add_knowledge("returns.md", CHANGED)
    assert shelf(hub, "nova") == ["Shoes may be returned within 60 days."]


def test_nobody_waits_while_a_long_document_is_looked_through_for_secrets(hub, admin, monkeypatch):
    """It is done before the transaction: somebody else writes meanwhile."""

    def meanwhile(asked):
        pieces = screened_pieces(asked)
        hub.agent("mia", "kim").remember(facts=[{"relation": "likes", "value": "tea"}])
        return pieces

    monkeypatch.setattr("hub.hub.publishing.screened_pieces", meanwhile)
    receipt = admin.add_knowledge("returns.md", f"{RETURNS} The password is hunter2.")
    assert [part.kind for part in receipt.redacted] == ["password"]
    assert "likes: tea" in [m.text for m in ask(hub, "mia", "what does she like, tea?").memories]
