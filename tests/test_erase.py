"""Erased is erased: not a byte of it in the folder, not a note of it on any road, and nothing else is another."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing, contextmanager

import pytest
from sqlalchemy.exc import IntegrityError

from hub.errors import Conflict, Denied, Incorrect, Missing
from hub.ledger import erasing, sqlite
from hub.moments import rendered
from tests.erasing import CANARY, OTHER, SECRET, Aviary, consent, plant_customer, plant_other, rows_of

KIM = "kim"


@pytest.fixture
def aviary(tmp_path):
    made = Aviary(tmp_path / "hub")
    yield made
    made.hub.close()


def erased(aviary, name, **more):
    return aviary.hub.operator().erase_fact(aviary.facts[name], **more)


# --- a customer ------------------------------------------------------------------------------------------------------


def test_of_an_erased_customer_no_byte_is_left_and_no_road_says_a_word(aviary):
    plant_customer(aviary)
    hashes = aviary.hashes(aviary.facts.values())
    plant_other(aviary)
    others = rows_of(aviary, OTHER)
    assert len(hashes) > 10
    assert aviary.bytes_left([*hashes, CANARY])
    assert aviary.songs([CANARY], ids=[aviary.facts["lives_in"]])

    done = aviary.hub.operator().erase_customer(SECRET, f"{CANARY} asked for it")

    assert aviary.bytes_left([*hashes, CANARY]) == {}, "right after"
    counts = done.erased
    assert (counts.claims, counts.turns, counts.acts, counts.consents, counts.tokens) == (11, 2, 7, 1, 1)
    assert min(counts.entries, counts.heads, counts.vectors, counts.answers, counts.recalls) > 0
    assert done.receipt.swept
    assert rows_of(aviary, OTHER) == others

    aviary.restart()
    assert aviary.bytes_left([*hashes, CANARY]) == {}, "after a restart"
    plant_other(aviary)
    assert aviary.bytes_left([*hashes, CANARY]) == {}, "after further writes"
    assert aviary.songs([CANARY], ids=aviary.facts.values()) == []
    assert aviary.hub.faults() == []
    aviary.hub.operator().erase_customer(SECRET)  # having asked about it has left its name in recalls
    assert aviary.bytes_left([*hashes, CANARY]) == {}


def test_a_name_that_was_erased_starts_from_nothing(aviary):
    home = aviary.tell("mia", "lives_in", "Hanoi", customer=KIM, key="k")
    aviary.tell("mia", "likes", "tea", customer=OTHER)
    aviary.hub.operator().erase_customer(KIM)
    mia = aviary.hub.agent("mia", KIM)
    assert mia.timeline().slots == ()
    assert mia.recall("where do I live?").memories == ()
    with pytest.raises(Missing) as missing:
        mia.fact(home)
    with pytest.raises(Missing) as unknown:
        mia.fact("fact_000000000000000000000000")
    assert vars(missing.value) == vars(unknown.value)
    told = mia.remember(facts=[{"relation": "lives_in", "value": "Hue"}], idempotency_key="k")
    assert told.facts[0].outcome == "accepted", "not superseded, and the old key is free"
    assert [slot.intervals[0].value for slot in mia.timeline().slots] == ["Hue"]
    assert aviary.hub.faults() == []


def test_a_thousand_and_one_facts_go_and_are_counted(aviary):
    facts = [{"relation": "likes", "value": f"{CANARY} {n}"} for n in range(1001)]
    mia = aviary.hub.agent("mia", KIM)
    for start in range(0, 1001, 500):
        mia.remember(facts=facts[start : start + 500])
    plant_other(aviary)
    aviary.hub.settle()
    others = rows_of(aviary, OTHER)
    counts = aviary.hub.operator().erase_customer(KIM).erased
    assert (counts.claims, counts.turns, counts.entries, counts.vectors) == (1001, 0, 1001, 1001)
    assert aviary.bytes_left() == {}
    assert mia.timeline(limit=1000).slots == ()
    assert rows_of(aviary, OTHER) == others


def test_a_customer_nobody_wrote_about_is_erased_without_a_word(aviary):
    done = aviary.hub.operator().erase_customer("nobody")
    assert {getattr(done.erased, name) for name in done.erased.__slots__} == {0}


def test_whoever_served_an_erased_customer_serves_one_less_and_never_all(aviary):
    operator = aviary.hub.operator()
    aviary.tell("mia", "likes", "tea", customer=KIM)
    operator.create_agent("both", "travel", customers=[KIM, OTHER])
    operator.create_agent("only", "travel", customers=[KIM])
    token = aviary.hub.agent("mia", KIM).token()
    operator.erase_customer(KIM)
    assert aviary.hub.agent("both").me().customers == (OTHER,)
    assert aviary.hub.agent("only").me().customers == ()
    for agent in ("both", "only"):
        with pytest.raises(Denied, match="not bound"):
            aviary.hub.agent(agent, KIM).profile()
    with pytest.raises(Denied, match="opens nothing"):
        aviary.hub.authenticate(token.token)


def test_consents_of_an_erased_customer_are_as_if_never_given(aviary):
    aviary.tell("sage", "allergic_to", "peanuts")
    consent(aviary, domain="sage", owner="health", relation="allergic_to", effect="object", reason="no")
    consent(aviary, domain="health", effect="object", reason="no more")
    assert aviary.hub.agent("sage", SECRET).timeline().slots == ()
    aviary.hub.operator().erase_customer(SECRET)
    aviary.tell("sage", "allergic_to", "peanuts")
    assert len(aviary.hub.agent("sage", SECRET).timeline().slots) == 1


def test_the_audit_keeps_a_reference_that_leads_nowhere(aviary):
    aviary.tell("nova", f"{CANARY}_relation", "x", customer=KIM)
    aviary.hub.agent("nova", KIM).recall("x")
    before = {line.customer for line in aviary.hub.operator().audit(limit=1000).lines}
    assert KIM in before
    receipt = aviary.hub.operator().erase_customer(KIM).receipt
    operator = aviary.hub.operator()
    lines = operator.audit(limit=1000).lines
    assert KIM not in {line.customer for line in lines}
    [done] = [line for line in lines if line.verb == "erase_customer"]
    assert (done.agent, done.outcome, done.customer) == ("admin", "ok", None)
    assert done.reference in {line.reference for line in lines if line.verb == "remember"}
    assert operator.verify_audit().ok
    with aviary.rows() as file:
        [(hash_,)] = file.execute("select hash from audit where verb = 'erase_customer'")
    assert receipt.audit == hash_
    assert operator.audit(customer=KIM).lines == ()


def test_nobody_but_an_operator_erases_a_customer(aviary):
    aviary.tell("mia", "likes", "tea", customer=KIM)
    for agent in ("mia", "sage"):
        with pytest.raises(Denied):
            aviary.hub.operator(agent).erase_customer(KIM)
    with pytest.raises(Incorrect):
        aviary.hub.operator().erase_customer("")
    assert len(aviary.hub.agent("mia", KIM).timeline().slots) == 1


def test_a_customer_goes_whole_or_not_at_all(aviary):
    """One compartment that the policy holds back from erasure holds back all."""
    aviary.tell("mia", "likes", "tea", customer=KIM)
    aviary.tell("penny", "income", 3000, customer=KIM)
    add_lines(aviary, "p, operator, finance, *, *, erase, *, deny")
    with pytest.raises(Denied) as denied:
        aviary.hub.operator().erase_customer(KIM)
    assert denied.value.code == "not_yours"
    assert len(aviary.hub.agent("penny", KIM).timeline().slots) == 2


def add_lines(aviary, *lines):
    operator = aviary.hub.operator()
    operator.replace_policy(policy=operator.policies().policy + "\n".join(lines) + "\n")


def test_numbers_of_compartments_are_never_given_twice(aviary):
    aviary.tell("nova", "one_relation", "x", customer=KIM)
    with aviary.rows() as file:
        [(last,)] = file.execute("select max(id) from filing")
    aviary.hub.operator().erase_customer(KIM)
    aviary.tell("nova", "other_relation", "x", customer=OTHER)
    with aviary.rows() as file:
        [(next_,)] = file.execute("select max(id) from filing where labels like '%other_relation%'")
        [(labels,)] = file.execute("select labels from filing where id = ?", (last,))
    assert next_ > last
    assert "one_relation" not in labels


# --- a fact ------------------------------------------------------------------------------------------------------


def plant_fact(aviary):
    """One value said twice, denied, doubted, moved, forgotten and asked about, each time with words of its own."""
    tell, operator = aviary.tell, aviary.hub.operator()
    mia, nova = aviary.hub.agent("mia", KIM), aviary.hub.agent("nova", KIM)
    tell("mia", "likes", "tea", customer=KIM, text="I like tea", key="k-tea", name="tea")
    text, session = f"I love {CANARY} cocoa", f"{CANARY}-session"
    tell("mia", "likes", f"{CANARY} cocoa", customer=KIM, text=text, session=session, key=f"{CANARY}-key", name="cocoa")
    tell("nova", "likes", f"{CANARY.upper()} Cocoa", customer=KIM, text=f"{CANARY} again", key="k2", name="again")
    tell("mia", "dislikes", f"{CANARY} cocoa", customer=KIM, valid_from="2020", valid_to="2021", name="once")
    ended = mia.end(aviary.facts["again"], reason=f"{CANARY}-why-ended").id
    mia.retract(ended, reason=f"{CANARY}-why-taken-back")
    mia.forget(aviary.facts["cocoa"], reason=f"{CANARY}-why-forgotten")
    mia.restore(aviary.facts["cocoa"], reason=f"{CANARY}-why-restored")
    operator.relabel(aviary.facts["cocoa"], scope="private", reason=f"{CANARY}-why-moved")
    operator.relabel(aviary.facts["cocoa"], scope="shared", reason=f"{CANARY}-why-moved-back")
    nova.recall(f"shall I buy {CANARY} cocoa?", session="s")
    nova.recall("what do I like?")
    aviary.pass_on()
    aviary.facts["ended"] = ended


def test_of_an_erased_fact_no_byte_is_left_and_no_road_says_a_word(aviary):
    plant_other(aviary)
    plant_fact(aviary)
    hashes = aviary.hashes([aviary.facts[name] for name in ("cocoa", "again", "once", "ended")])
    assert len(hashes) == 14, "of two answers, two recalls, and twice of two turns and three claims"
    assert aviary.bytes_left([*hashes, CANARY])
    assert len(aviary.songs([CANARY], KIM)) > 20

    done = erased(aviary, "cocoa", reason=f"{CANARY} asked for it")

    assert aviary.bytes_left([*hashes, CANARY]) == {}, "right after"
    counts = done.erased
    assert (counts.claims, counts.turns, counts.answers) == (4, 2, 2)
    assert counts.vectors == 5
    assert counts.recalls > 2, "those of the search among them"
    aviary.restart()
    assert aviary.bytes_left([*hashes, CANARY]) == {}, "after a restart"
    plant_other(aviary)
    assert aviary.bytes_left([*hashes, CANARY]) == {}, "after further writes"
    gone = [aviary.facts[name] for name in ("cocoa", "again", "once", "ended")]
    assert aviary.songs([CANARY, *gone], KIM) == []
    for id_ in gone:
        with pytest.raises(Missing):
            aviary.hub.agent("mia", KIM).fact(id_)
        with pytest.raises(Missing):
            aviary.hub.operator().erase_fact(id_)
    assert aviary.hub.faults() == []


def test_what_was_said_beside_an_erased_fact_is_as_it_was_at_every_point_in_time(aviary):
    """Timelines and profiles, all but the slot of the fact, are the same to the byte."""
    plant_other(aviary)
    plant_fact(aviary)
    aviary.tell("mia", "owns", object={"kind": "car", "name": "Civic"}, customer=KIM)
    aviary.tell("kai", "availability", "3 days", subject="Civic", customer=KIM)

    def others(customer):
        found = []
        for who, road, answer in aviary.answers(customer):
            if road.startswith("timeline"):
                slots = json.loads(answer).get("slots", [])
                found.append((who, road, [slot for slot in slots if CANARY not in json.dumps(slot).lower()]))
        return found

    before = others(KIM), others(OTHER)
    assert before[0] != before[1]
    erased(aviary, "cocoa")
    assert (others(KIM), others(OTHER)) == before


def test_an_erased_winner_leaves_its_slot_silent_and_what_it_had_ended_stays_ended(aviary):
    aviary.tell("mia", "diet", "vegetarian", customer=KIM, name="first")
    aviary.tell("mia", "diet", "pescatarian", customer=KIM, mode="change", name="second")
    nova = aviary.hub.agent("nova", KIM)
    early, late = aviary.at[0], aviary.at[1]

    def ask(**point):
        return [memory.value for entity in nova.profile(**point).entities for memory in entity.beliefs]

    assert ask() == ["pescatarian"]
    erased(aviary, "second")
    assert ask() == []
    assert ask(as_of=rendered(late)) == []
    assert ask(as_of=rendered(early)) == ["vegetarian"]
    [slot] = nova.timeline().slots
    assert [(m.value, m.status.value, m.superseded_by) for m in slot.intervals] == [("vegetarian", "past", None)]
    aviary.tell("mia", "diet", "vegan", customer=KIM, mode="change", name="third")
    assert ask() == ["vegan"]


def test_a_value_that_was_corrected_away_can_be_erased_and_no_reason_quotes_it(aviary):
    old = aviary.tell("mia", "lives_in", f"{CANARY}-street", customer=KIM)
    new = aviary.hub.agent("mia", KIM).correct(old, value="Hanoi", reason=f"not {CANARY}-street").id
    aviary.hub.operator().erase_fact(old)
    assert aviary.bytes_left() == {}
    assert aviary.hub.agent("mia", KIM).fact(new).reason is None
    assert [m.value for m in aviary.hub.agent("nova", KIM).recall("where do I live?").memories] == ["Hanoi"]


def test_a_rivals_answer_that_named_the_value_goes_too(aviary):
    aviary.tell("mia", "lives_in", f"{CANARY}-street", customer=KIM)
    told = aviary.hub.agent("atlas", KIM).remember(
        facts=[{"relation": "lives_in", "value": "Hanoi"}], idempotency_key="k"
    )
    assert told.facts[0].contested_by == (f"{CANARY}-street",)
    assert erased(aviary, "lives_in").erased.answers == 1
    assert aviary.bytes_left() == {}


def test_an_answer_that_named_the_same_value_of_a_claim_that_stays_stays(aviary):
    """Whoever may not be acted upon finds nothing changed."""
    aviary.tell("mia", "lives_in", "Hanoi", customer=KIM, name="other slot", subject={"kind": "pet", "name": "Rex"})
    aviary.tell("mia", "lives_in", "Hanoi", customer=KIM)
    atlas = aviary.hub.agent("atlas", KIM)
    request = {"facts": [{"relation": "lives_in", "value": "Hue"}], "idempotency_key": "k"}
    told = atlas.remember(**request)
    assert erased(aviary, "lives_in").erased.answers == 0
    assert [fact.id for fact in atlas.remember(**request).facts] == [fact.id for fact in told.facts]


def test_a_turn_can_be_erased_by_itself(aviary):
    told = aviary.hub.agent("mia", KIM).remember(f"I drink {CANARY}", facts=[{"relation": "likes", "value": "tea"}])
    aviary.pass_on()
    done = aviary.hub.operator().erase_fact(told.turn.id)
    assert (done.erased.claims, done.erased.turns) == (0, 1)
    assert {label.relation for label in done.receipt.labels} == {"turn", "likes"}
    assert aviary.bytes_left() == {}
    assert [m.value for m in aviary.hub.agent("mia", KIM).recall("what do I like?").memories] == ["tea"]


def test_an_act_is_no_fact(aviary):
    aviary.tell("mia", "likes", "tea", customer=KIM)
    act = aviary.hub.agent("mia", KIM).forget(aviary.facts["likes"]).acts[0]
    with pytest.raises(Missing):
        aviary.hub.operator().erase_fact(act)


def test_a_query_that_was_told_what_is_erased_is_not_kept(aviary):
    aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM, name="cocoa")
    nova = aviary.hub.agent("nova", KIM)
    asked = [nova.recall(query).recall_id for query in (f"{CANARY} drinks?", "what do I like?")]
    unseen = aviary.hub.agent("penny", "somebody else").recall("what do I like?").recall_id
    aviary.hub._ledger.flush()
    assert erased(aviary, "cocoa").erased.recalls == 2
    records = [nova.recalled_before(id_) for id_ in asked]
    assert [record.request.query for record in records] == ["", ""]
    assert [record.digest for record in records] == [None, None]
    again = nova.replay(asked[1])
    assert again.memories == ()
    assert [gone.reason for gone in again.since_then.unavailable] == ["no longer available"]
    assert aviary.hub.agent("penny", "somebody else").recalled_before(unseen).digest is not None


def test_a_recall_whose_prompt_alone_told_it_loses_its_digest_too(aviary):
    """Whoever knows the rest of an answer could try values until the digest fits."""
    aviary.tell("mia", "lives_in", "Hanoi", customer=KIM)
    aviary.tell("mia", "likes", "tea", customer=KIM)
    nova = aviary.hub.agent("nova", KIM)
    told, before = nova.recall("tea?", limit=1), aviary.hub.agent("penny", KIM).recall("tea?", kinds=["turn"])
    assert [memory.value for memory in told.memories] == ["tea"]
    assert "Hanoi" in told.prompt.stable
    assert erased(aviary, "lives_in").erased.recalls == 2
    assert nova.recalled_before(told.recall_id).digest is None
    assert nova.recalled_before(told.recall_id).request.query == ""
    assert before.memories == ()


@contextmanager
def elsewhere(aviary):
    """Another process, which has answered and not written down yet what until the end of this is asked."""
    with aviary.opened() as hub:
        with hub._ledger._lock:
            yield hub
        hub._ledger.flush()


def test_a_recall_that_is_written_down_after_its_fact_was_erased_says_no_more_than_one_that_was_before(aviary):
    aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM, name="cocoa")
    with elsewhere(aviary) as hub:
        late = hub.agent("nova", KIM).recall(f"{CANARY} cocoa?")
        assert [memory.id for memory in late.memories] == [aviary.facts["cocoa"]]
        erased(aviary, "cocoa")
    assert aviary.bytes_left() == {}
    nova = aviary.hub.agent("nova", KIM)
    kept = nova.recalled_before(late.recall_id)
    assert (kept.request.query, kept.digest) == ("", None)
    assert [gone.reason for gone in nova.replay(late.recall_id).since_then.unavailable] == ["no longer available"]


def test_a_recall_that_is_written_down_after_something_else_was_erased_is_kept_as_it_was(aviary):
    """Also one that its asker could not have read: it finds nothing changed."""
    aviary.tell("mia", "likes", "tea", customer=KIM)
    aviary.tell("mia", "likes", "tea", customer=OTHER)
    aviary.tell("sage", "has_condition", f"{CANARY} asthma", customer=KIM, name="asthma")
    with elsewhere(aviary) as hub:
        late = {who: hub.agent("nova", who).recall("tea?") for who in (KIM, OTHER)}
        assert all(answer.memories for answer in late.values())
        erased(aviary, "asthma")
    for who, answer in late.items():
        assert aviary.hub.agent("nova", who).replay(answer.recall_id) == answer


def test_a_recall_that_is_written_down_after_its_customer_was_erased_is_not_kept(aviary):
    """Nor is one of a customer nobody had written about, for that might have been the one."""
    aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    with elsewhere(aviary) as hub:
        late = [hub.agent("nova", who).recall(f"{CANARY} cocoa?").recall_id for who in (KIM, "nobody")]
        aviary.hub.operator().erase_customer(KIM)
    assert aviary.bytes_left() == {}
    for id_ in late:
        with pytest.raises(Missing):
            aviary.hub.agent("nova").replay(id_)


# --- who may ---------------------------------------------------------------------------------------------------------


OWNERS_ERASE = "p, owner, *, *, *, erase, *, allow"


def test_an_agent_erases_what_its_domain_owns_once_the_policy_lets_it(aviary):
    aviary.tell("nova", "allergic_to", f"{CANARY}-nuts", customer=KIM, text=f"no {CANARY}-nuts", key="k")
    sage, nova = aviary.hub.agent("sage", KIM), aviary.hub.agent("nova", KIM)
    for agent in (sage, nova):
        with pytest.raises(Denied) as denied:
            agent.erase(aviary.facts["allergic_to"])
        assert denied.value.code == "not_yours"
    add_lines(aviary, OWNERS_ERASE)
    with pytest.raises(Denied):
        nova.erase(aviary.facts["allergic_to"])
    with pytest.raises(Missing):
        aviary.hub.agent("kai", KIM).erase(aviary.facts["allergic_to"])
    nova.recall(f"what about {CANARY}-nuts?")
    aviary.hub._ledger.flush()
    done = sage.erase(aviary.facts["allergic_to"], reason="asked to")
    assert aviary.bytes_left() == {}
    assert (done.erased.claims, done.erased.turns) == (1, 0), "the turn was heard by another domain"
    assert (done.erased.answers, done.erased.recalls, done.receipt.audit) == (0, 0, None)
    assert nova.timeline().slots == ()


def test_an_operator_without_the_right_is_told_so_of_what_it_can_read(aviary):
    aviary.tell("mia", "likes", "tea", customer=KIM)
    with pytest.raises(Denied) as denied:
        aviary.hub.operator("mia").erase_fact(aviary.facts["likes"])
    assert denied.value.code == "not_yours"
    aviary.tell("penny", "income", 1, customer=KIM)
    with pytest.raises(Missing):
        aviary.hub.operator("mia").erase_fact(aviary.facts["income"])


def test_what_may_not_be_erased_stays_and_so_does_what_has_ended_it(aviary):
    """A denial that ended something must not go alone, or that would come back."""
    add_lines(aviary, OWNERS_ERASE, "p, personal, *, *, *, erase, *, allow")
    secret = aviary.tell("penny", "debt", "much", customer=KIM)
    aviary.hub.operator().relabel(secret, scope="shared")
    aviary.tell("mia", "likes", "cocoa", customer=KIM, derived_from=[secret], name="derived")
    aviary.tell("mia", "likes", "cocoa", customer=KIM, name="own")
    mia, nova = aviary.hub.agent("mia", KIM), aviary.hub.agent("nova", KIM)
    ended = mia.end(aviary.facts["own"]).id
    aviary.tell("mia", "dislikes", "cocoa", customer=KIM, name="disliked")
    add_lines(aviary, "p, personal, finance, *, *, erase, *, deny")
    assert [m.relation for m in nova.recall("cocoa?").memories] == ["dislikes"]
    for id_ in (ended, aviary.facts["disliked"], aviary.facts["derived"]):
        with pytest.raises(Denied) as denied:
            mia.erase(id_)
        assert denied.value.code == "not_yours"
    assert mia.erase(aviary.facts["own"]).erased.claims == 1
    assert [m.relation for m in nova.recall("cocoa?").memories] == ["dislikes"]
    likes = [slot for slot in nova.timeline().slots if slot.relation == "likes"]
    assert [m.status.value for slot in likes for m in slot.intervals] == ["past"]


def test_an_id_that_was_somebodys_is_nobody_elses_ever(aviary):
    operator = aviary.hub.operator()
    operator.create_agent("concierge", "travel", customers=[KIM])
    operator.disable("concierge")
    operator.erase_customer(KIM)
    with pytest.raises(Conflict):
        operator.create_agent("concierge", "travel")


# --- names -----------------------------------------------------------------------------------------------------------


def test_the_alias_that_was_made_for_an_erased_fact_goes_with_it(aviary):
    """The same name under two labels is two things, joined by an alias of whoever knows both."""
    aviary.tell("mia", "owns", object={"kind": "car", "name": f"{CANARY} Civic"}, customer=KIM, scope="private")
    aviary.tell("mia", "visited", object={"kind": "car", "name": f"{CANARY} Civic"}, customer=KIM, scope="shared")
    with aviary.rows() as file:
        assert file.execute("select count(*) from record where body like '%same_as%'").fetchone() == (1,)
    assert erased(aviary, "visited").erased.claims == 2
    assert aviary.bytes_left() != {}, "the other fact still has that name"
    assert erased(aviary, "owns").erased.claims == 1
    assert aviary.bytes_left() == {}


def test_a_name_that_other_facts_have_stays(aviary):
    aviary.tell("mia", "owns", object={"kind": "car", "name": "Civic"}, customer=KIM)
    aviary.tell("kai", "fault", f"{CANARY} rattle", subject="Civic", customer=KIM)
    assert erased(aviary, "fault").erased.claims == 1
    assert aviary.bytes_left() == {}
    [entity] = [e for e in aviary.hub.agent("kai", KIM).graph().nodes if e.name == "Civic"]
    assert entity.kind == "car"


def test_an_erased_alias_takes_no_other_with_it(aviary):
    for name in ("one", "two", "three"):
        aviary.tell("mia", "owns", object=name, customer=KIM, name=name)
    operator = aviary.hub.operator()
    first = operator.same_as(KIM, "one", "two", reason=CANARY).id
    second = operator.same_as(KIM, "two", "three").id
    operator.erase_fact(first)
    assert aviary.bytes_left() == {}
    mia = aviary.hub.agent("mia", KIM)
    assert mia.fact(second).relation == "same_as"
    assert len(mia.timeline(relation="owns").slots) == 2


# --- the search can fail -------------------------------------------------------------------------------------------


def forgets(aviary, monkeypatch):
    aviary.hub.operator().forget(aviary.facts["cocoa"])


def leaves(name):
    """Erases, but for one kind of thing that quotes the fact."""

    def plant(aviary, monkeypatch):
        monkeypatch.setattr(erasing, name, lambda *_: ())
        erased(aviary, "cocoa")

    return plant


def leaves_vectors(aviary, monkeypatch):
    monkeypatch.setattr(erasing, "_VECTORS_OF", erasing.text("UPDATE vector SET record = record WHERE record = :seq"))
    erased(aviary, "cocoa")


def does_not_sweep(aviary, monkeypatch):
    monkeypatch.setattr(sqlite, "sweep", lambda *_: True)
    erased(aviary, "cocoa")


def only_empties_the_log(aviary, monkeypatch):
    """With rows that are not overwritten, the file still has them; so it has with rows that are, see below."""
    monkeypatch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "pragma secure_delete = off"))
    aviary.restart()
    monkeypatch.setattr(sqlite, "sweep", lambda database, _: log_emptied(database))
    erased(aviary, "cocoa")


def log_emptied(database):
    connection = database.raw_connection()
    busy, _, _ = connection.cursor().execute("pragma wal_checkpoint(truncate)").fetchone()
    connection.close()
    return not busy


def writes_anew_but_keeps_the_log(aviary, monkeypatch):
    def sweep(database, _):
        connection = database.raw_connection()
        connection.cursor().execute("vacuum")
        connection.close()
        return True

    monkeypatch.setattr(sqlite, "sweep", sweep)
    erased(aviary, "cocoa")


MISTAKES = {
    "it is only forgotten": forgets,
    "the turns stay": leaves("_turns"),
    "the reasons stay": leaves("_unsay"),
    "the answers stay": leaves("_answers"),
    "the recalls stay": leaves("_recalls"),
    "the vectors stay": leaves_vectors,
    "nothing is swept": does_not_sweep,
    "rows are not overwritten": only_empties_the_log,
    "the log is not emptied": writes_anew_but_keeps_the_log,
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_the_search_finds_what_a_mistake_leaves_behind(aviary, monkeypatch, mistake):
    plant_fact(aviary)
    hashes = aviary.hashes([aviary.facts["cocoa"]])
    mistake(aviary, monkeypatch)
    assert aviary.bytes_left([*hashes, CANARY]) != {}


CUSTOMER_MISTAKES = {
    "the bindings stay": ("_unbind", lambda *_: None),
    "the labels stay": ("_UNNAME", erasing.text("UPDATE filing SET labels = labels WHERE id = :filing")),
    "the tokens stay": ("tokens", erasing.text("UPDATE key SET agent = agent WHERE customer = :name")),
    "recalls from before stay": ("recalls", erasing.text("DELETE FROM recall WHERE customer = :customer")),
}


@pytest.mark.parametrize(("name", "instead"), CUSTOMER_MISTAKES.values(), ids=CUSTOMER_MISTAKES)
def test_the_search_finds_what_is_left_of_a_customer(aviary, monkeypatch, name, instead):
    plant_customer(aviary)
    if name in erasing._OF_CUSTOMER:
        monkeypatch.setitem(erasing._OF_CUSTOMER, name, instead)
    else:
        monkeypatch.setattr(erasing, name, instead)
    aviary.hub.operator().erase_customer(SECRET)
    assert aviary.bytes_left() != {}


@pytest.mark.parametrize("table", ["answer", "consent", "head", "entry"])
def test_rows_of_a_customer_that_are_overlooked_undo_the_whole_erasure(aviary, monkeypatch, table):
    """They point to the customer, whose own row can't go before them."""
    plant_customer(aviary)
    before = rows_of(aviary, SECRET)
    name = {"answer": "answers", "consent": "consents", "head": "heads", "entry": "entries"}[table]
    monkeypatch.setitem(erasing._OF_CUSTOMER, name, erasing.text("SELECT :customer"))
    with pytest.raises(IntegrityError):
        aviary.hub.operator().erase_customer(SECRET)
    assert rows_of(aviary, SECRET) == before


def test_overwritten_rows_are_not_all_there_is_of_them(tmp_path):
    """Where pages were split and joined, copies stay in their free space, which no removal of a row overwrites: that
    is why the file is written anew."""
    files = (written_and_emptied(tmp_path / f"{seed}.db", random.Random(seed)) for seed in range(100))
    file = next(file for file in files if CANARY.encode() in file.read_bytes())
    database = sqlite.opened(file)
    assert sqlite.sweep(database, 0)
    assert CANARY.encode() not in file.read_bytes()
    database.dispose()


def written_and_emptied(file, chance):
    """A file in which rows with canaries were, among others, until every one of them was overwritten."""
    with closing(sqlite3.connect(file, isolation_level=None)) as rows:
        rows.execute("pragma secure_delete = on")
        rows.execute("create table answer (key text primary key, body text)")
        for _ in range(5):
            rows.execute("begin")
            for _ in range(200):
                word = CANARY if chance.random() < 0.3 else "other"
                row = (f"{chance.getrandbits(60):016x}{word}", "x" * chance.randint(1, 800))
                rows.execute("insert into answer values (?, ?)", row)
            rows.execute("commit")
            rows.execute("delete from answer where key like ?", (f"%{CANARY}",))
    return file
