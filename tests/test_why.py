"""Why a memory is in an answer and why another is not, for agents of their own sight and for auditors of all."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.answers import Ruling
from hub.clock import SimulatedClock
from hub.codec import encode, plain
from hub.door import Eyes
from hub.errors import Denied, Incorrect, Missing
from hub.facts import Described, Filing, Mode, Precision, Scope, Viewer
from hub.hub import Hub
from hub.moments import DAY, HOUR, as_datetime, rendered
from hub.recall.reasons import Candidate, Reason, Why
from hub.recall.why import why
from hub.recall.why_not import MOST, Sights, why_not
from hub.requests import Recall, checked
from hub.view import View
from tests.api_world import canonical
from tests.views import START, Notebook, thing

CIVIC = thing("Honda Civic", "car")


def no_line(filing: Filing) -> tuple[Ruling, ...]:
    why = "no line allows it"
    return tuple(
        Ruling(label=label, allowed=False, line=None, text=None, why=why, version=1) for label in sorted(filing)
    )


def request(query: str, **fields: object) -> Recall:
    return checked(Recall, {"customer": "linh", "query": query, **fields})


def missed(
    book: Notebook,
    text: str,
    query: str = "anything at all?",
    domain: str = "travel",
    at: int | None = None,
    **more: object,
) -> list[Candidate]:
    """What an auditor is told of a recall by somebody of the domain, over all that is in the notebook."""
    seen, held = (one.view(at, at) for one in (book.seen_by(domain), book))
    found, more = why_not(Sights(seen, held, book.view(at)), request(query, **more), no_line, text)
    assert not more
    return list(found)


# --- one case a reason -------------------------------------------------------------------------------------------


def denied(book: Notebook) -> tuple[str, str | None]:
    return book.told("penny", "income", "3000 USD").id, None


def superseded(book: Notebook) -> tuple[str, str | None]:
    first = book.told("mia", "lives_in", "Hanoi")
    return first.id, book.told("mia", "lives_in", "Saigon", mode=Mode.CHANGE).id


def superseded_by_the_opposite(book: Notebook) -> tuple[str, str | None]:
    first = book.told("mia", "likes", "coffee")
    return first.id, book.told("mia", "dislikes", "coffee").id


def outdone(book: Notebook) -> tuple[str, str | None]:
    """The owner's word stands, whatever anybody else says: it never came to hold."""
    winner = book.told("penny", "income", "3000 USD", scope=Scope.SHARED)
    return book.told("mia", "income", "5000 USD", scope=Scope.SHARED).id, winner.id


def refuted(book: Notebook) -> tuple[str, str | None]:
    """As above, where the owner's word is that it is not so."""
    denial = book.told("penny", "income", "5000 USD", negated=True, scope=Scope.SHARED)
    return book.told("mia", "income", "5000 USD", scope=Scope.SHARED).id, denial.id


def ended(book: Notebook) -> tuple[str, str | None]:
    first = book.told("mia", "likes", "coffee")
    return first.id, book.told("mia", "likes", "coffee", negated=True).id


def ended_by_itself(book: Notebook) -> tuple[str, str | None]:
    return book.told("mia", "likes", "coffee", since=START - 9 * DAY, until=START - DAY).id, None


def withdrawn(book: Notebook) -> tuple[str, str | None]:
    first = book.told("mia", "likes", "coffee")
    return first.id, book.withdraw("mia", first).id


def hidden(book: Notebook) -> tuple[str, str | None]:
    first = book.told("mia", "likes", "coffee")
    return first.id, book.hide("mia", first).id


def expired(book: Notebook) -> tuple[str, str | None]:
    first = book.told("atlas", "planned_trip", "Da Nang", on=Described(START + DAY, Precision.DAY))
    book.wait(400 * DAY)
    return first.id, None


def not_yet_valid(book: Notebook) -> tuple[str, str | None]:
    return book.told("mia", "lives_in", "Saigon", since=START + 30 * DAY).id, None


def below_floor(book: Notebook) -> tuple[str, str | None]:
    return book.told("mia", "likes", "coffee").id, None


STANDING = {
    denied: ("3000", Reason.DENIED),
    superseded: ("Hanoi", Reason.SUPERSEDED),
    superseded_by_the_opposite: ("likes coffee", Reason.SUPERSEDED),
    outdone: ("5000", Reason.SUPERSEDED),
    refuted: ("5000", Reason.ENDED),
    ended: ("coffee", Reason.ENDED),
    ended_by_itself: ("coffee", Reason.ENDED),
    withdrawn: ("coffee", Reason.WITHDRAWN),
    hidden: ("coffee", Reason.HIDDEN),
    expired: ("Da Nang", Reason.EXPIRED),
    not_yet_valid: ("Saigon", Reason.NOT_YET_VALID),
    below_floor: ("coffee", Reason.BELOW_FLOOR),
}


@pytest.mark.parametrize("story", STANDING, ids=lambda story: story.__name__)
def test_each_reason_is_named_with_what_brought_it_about(story):
    book = Notebook()
    memory, by = story(book)
    text, reason = STANDING[story]
    found = {candidate.memory_id: candidate for candidate in missed(book, text)}
    candidate = found[memory]
    assert (candidate.reason, candidate.by) == (reason, by)
    assert (candidate.rule is not None) == (reason is Reason.DENIED)
    assert missed(book, memory) == [candidate], "an id means that memory and no other"


@pytest.mark.parametrize("story", STANDING, ids=lambda story: story.__name__)
def test_nobody_is_told_that_something_was_denied_of_its_own_sight(story):
    book = Notebook()
    memory, _by = story(book)
    view = book.seen_by("travel").view()
    found, _ = why_not(Sights(view, view, view), request("anything at all?"), no_line, STANDING[story][0])
    assert Reason.DENIED not in {candidate.reason for candidate in found}
    assert (memory in {candidate.memory_id for candidate in found}) == (story is not denied)


def test_what_was_recorded_later_was_not_known_yet_whoever_may_read_it():
    book = Notebook()
    then = book.now
    book.told("mia", "lives_in", "Hanoi")
    book.told("penny", "income", "3000 USD")
    assert [c.reason for c in missed(book, "Hanoi", at=then)] == [Reason.NOT_YET_KNOWN]
    assert [c.reason for c in missed(book, "3000", at=then)] == [Reason.NOT_YET_KNOWN]


def test_what_the_limit_or_the_budget_left_out_says_what_it_would_have_been_ranked_by():
    book = Notebook()
    for drink in ("coffee", "tea", "milk"):
        book.told("mia", "likes", drink)
    for short in ({"limit": 1}, {"token_budget": 1}):
        over = missed(book, "likes", "what does she like to drink?", **short)
        assert {c.reason for c in over} == {Reason.OVER_BUDGET}
        assert all(c.explain is not None and c.explain.fused > c.explain.floor for c in over)


def test_what_the_answer_holds_is_no_candidate_unless_it_is_still_to_come():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    book.told("mia", "lives_in", "Saigon", since=START + 30 * DAY, mode=Mode.CHANGE)
    assert missed(book, "Hanoi", "where does she live?") == []
    assert [c.reason for c in missed(book, "Saigon", "where does she live?")] == [Reason.NOT_YET_VALID]


def test_a_recall_that_asks_for_the_past_is_not_stopped_by_it():
    book = Notebook()
    superseded(book)
    assert missed(book, "Hanoi", "where does she live?", include_past=True) == []
    assert [c.reason for c in missed(book, "Hanoi", "where does she live?")] == [Reason.SUPERSEDED]


def test_words_go_with_what_they_said():
    book = Notebook()
    said = book.said("mia", "We live in the old quarter")
    book.told("mia", "lives_in", "Hanoi", source=said)
    after = book.told("mia", "lives_in", "Saigon", mode=Mode.CHANGE)
    [candidate] = missed(book, "old quarter", domain="personal")
    assert (candidate.memory_id, candidate.reason, candidate.by) == (said.id, Reason.SUPERSEDED, after.id)
    later = book.said("mia", "I hum while I cook")
    assert [c.reason for c in missed(book, "hum", "taxes", "personal")] == [Reason.BELOW_FLOOR]
    assert [c.reason for c in missed(book, "hum", "taxes", "travel")] == [Reason.DENIED]
    book.withdraw("mia", later)
    assert [c.reason for c in missed(book, "hum", "taxes", "personal")] == [Reason.WITHDRAWN]


def test_words_that_say_nothing_new_are_told_in_the_facts():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi", source=book.said("mia", "lives in Hanoi"))
    assert missed(book, "lives in Hanoi", "where does she live?", domain="personal") == []


@pytest.mark.parametrize("text", ["", "?!", "nothing of the kind", "fact_999999", "\u202e"])
def test_a_text_that_nothing_says_has_no_candidates(text):
    book = Notebook()
    superseded(book)
    assert missed(book, text) == []


@pytest.mark.parametrize("text", ["hanoi", "HANOI", "Hano", "lives in: Hanoi", "サイゴン"])
def test_a_text_is_found_by_its_words_or_its_letters(text):
    book = Notebook()
    superseded(book)
    book.told("mia", "likes", "サイゴン")
    assert missed(book, text)


def test_not_everything_is_told_at_once():
    book = Notebook()
    for number in range(MOST + 1):
        book.told("mia", "likes", f"coffee no {number}")
    view = book.view()
    found, more = why_not(Sights(view, view, view), request("taxes"), no_line, "coffee")
    assert (len(found), more) == (MOST, True)


# --- why ---------------------------------------------------------------------------------------------------------


def told_of(view: View, query: str, **fields: object) -> list[Why]:
    return list(why(view, request(query, **fields), no_line))


def test_a_memory_says_what_led_to_it_who_told_it_and_what_it_took_the_place_of():
    book = Notebook()
    hanoi = book.told("mia", "lives_in", "Hanoi")
    said = book.said("mia", "We moved to Saigon")
    saigon = book.told("mia", "lives_in", "Saigon", mode=Mode.CHANGE, source=said)
    again = book.told("atlas", "lives_in", "Saigon")
    [found] = [one for one in told_of(book.view(), "Where does she live?") if one.kind == "fact"]
    assert (found.memory_id, found.told.id, found.told.author.agent) == (saigon.id, saigon.id, "mia")
    assert found.told.said_at == as_datetime(saigon.said_at)
    assert found.matched.words == ("live",)
    assert found.matched.because == ("called by its label", "a query about home")
    assert [one.id for one in found.support] == [again.id]
    assert [one.text for one in found.turns] == ["We moved to Saigon"]
    assert [one.id for one in found.superseded] == [hanoi.id]
    assert [ruling.label for ruling in found.rules] == list(found.told.label)


def test_a_walk_is_told_step_by_step_and_a_name_by_the_name():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("kai", "availability", "3 days", about=CIVIC)
    [named] = [one for one in told_of(book.view(), "Is the Honda Civic there?") if "3 days" in one.text]
    assert named.matched.names == ("Honda Civic",)
    [walked] = [one for one in told_of(book.view(), "Can I drive to the airport?") if "3 days" in one.text]
    steps = walked.matched.via
    assert [(step.from_, step.relation, step.to) for step in steps] == [("customer", "owns", "Honda Civic")]


def test_what_merely_comes_along_says_so():
    book = Notebook()
    book.told("mia", "name", "Linh")
    [found] = told_of(book.view(), "What is the capital of Mongolia?")
    assert (found.text, found.ranked) == ("name: Linh", None)
    assert found.matched.because == ("a core fact, which comes along with an answer that has room",)


def test_words_that_were_forgotten_are_not_brought_up_again():
    book = Notebook()
    said = book.said("mia", "We live in the old quarter")
    book.told("mia", "lives_in", "Hanoi", source=said)
    book.hide("mia", said)
    assert [one.turns for one in told_of(book.view(), "where does she live?")] == [()]


@given(st.data())
def test_the_parts_of_a_ranking_make_up_its_score(data):
    book = Notebook()
    for _ in range(data.draw(st.integers(1, 6))):
        relation = data.draw(st.sampled_from(["likes", "diet", "called"]))  # nobody contests these
        value = data.draw(st.sampled_from(["coffee", "Hanoi", "tea", "Hue"]))
        book.told("mia", relation, value, importance=data.draw(st.sampled_from([0.1, 0.5, 1.0])))
        book.said("mia", f"about {value}")
        book.wait(data.draw(st.sampled_from([HOUR, 90 * DAY])))
    query = data.draw(st.sampled_from(["coffee?", "where does she live?", "Hanoi and tea", "dinner with coffee"]))
    ranked = [one.ranked for one in told_of(book.view(), query, include_past=data.draw(st.booleans()), limit=20)]
    for rank in filter(None, ranked):
        relevance = 1 - math.prod(1 - part.weight * part.value for part in rank.grounds)
        whole = sum(part.weight * part.value for part in rank.shares)
        assert rank.relevance == pytest.approx(relevance, abs=2e-6)
        assert rank.score == pytest.approx(relevance * whole * rank.factor, abs=2e-6)
        assert rank.relevance >= rank.floor - 1e-6


# --- asked of a hub ----------------------------------------------------------------------------------------------

ALLERGY = {"relation": "allergic_to", "value": "peanuts"}
MEAL = "Order a meal on my flight"


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START)) as opened:
        opened.agent("nova", "linh").remember("No satay, I am allergic to peanuts", facts=[ALLERGY])
        opened.agent("mia", "linh").remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
        yield opened


def change_policy(hub: Hub, *lines: str) -> None:
    operator = hub.operator()
    operator.replace_policy(policy=operator.policies().policy + "\n".join(lines) + "\n")


def asked_of(hub: Hub, text: str, agent: str = "atlas", query: str = MEAL, **more: object) -> list[Candidate]:
    return list(hub.operator().why_not_now(query, text, agent=agent, customer="linh", **more).candidates)


def test_an_auditor_is_told_what_was_denied_and_that_no_line_allows_it(hub):
    fact, turn = sorted(asked_of(hub, "peanuts"), key=lambda candidate: candidate.memory_id)
    for candidate in (fact, turn):
        assert candidate.reason is Reason.DENIED
        assert candidate.rule is not None
        assert (candidate.rule.line, candidate.rule.why) == (None, "no line allows it")
    assert fact.text == "allergic to: peanuts"


def test_an_auditor_is_told_which_line_denied(hub):
    line = "p, shared-reader, *, shared, lives_in, read, *, deny"
    change_policy(hub, line)
    [candidate] = asked_of(hub, "Hanoi", query="where does she live?")
    assert candidate.rule is not None
    number = hub.operator().policies().policy.split("\n").index(line) + 1
    assert (candidate.rule.text, candidate.rule.line) == (line, number)
    assert candidate.rule.version == hub.operator().policies().version


def test_why_names_the_line_that_lets_the_reader_read(hub):
    told = hub.operator().why_now(agent="atlas", customer="linh", query=MEAL, purpose="meal")
    [allergy] = [one for one in told.memories if "peanuts" in one.text]
    assert [ruling.text for ruling in allergy.rules] == ["p, travel, health, private, allergic_to, read, meal, allow"]
    assert (allergy.told.author.agent, [turn.text for turn in allergy.turns]) == ("nova", [])
    own = hub.agent("atlas", "linh").why_now(MEAL, purpose="meal")
    assert canonical(own.memories) == canonical(told.memories)
    nova = hub.agent("nova", "linh").why_now("snacks and peanuts")
    assert {turn.text for one in nova.memories for turn in one.turns} == {"No satay, I am allergic to peanuts"}


def test_a_grant_revoked_since_is_named_for_a_question_about_the_past(hub):
    grant = "p, travel, health, private, allergic_to, read, *, allow"
    before = rendered(hub._door.now())
    hub._ledger.clock.advance(HOUR)
    change_policy(hub, grant)
    hub._ledger.clock.advance(HOUR)
    then = rendered(hub._door.now())
    assert [c.text for c in asked_of(hub, "peanuts", as_of=then)] == ["No satay, I am allergic to peanuts"]
    hub._ledger.clock.advance(HOUR)
    operator = hub.operator()
    operator.replace_policy(policy=operator.policies().policy.replace(grant + "\n", ""))
    [fact] = [c for c in asked_of(hub, "peanuts", as_of=then) if c.text == "allergic to: peanuts"]
    assert fact.reason is Reason.DENIED
    assert fact.rule is not None
    assert fact.rule.version == operator.policies().version, "that of then allowed it"
    change_policy(hub, grant)
    early = [c for c in asked_of(hub, "peanuts", as_of=before) if c.text == fact.text]
    assert [c.rule and c.rule.version for c in early] == [1], "that of now allows it"


def test_a_fact_filed_elsewhere_since_is_denied_by_where_it_lies_now(hub):
    home = hub.agent("mia", "linh").profile().entities[0].beliefs[0].id
    hub._ledger.clock.advance(HOUR)
    then = rendered(hub._door.now())
    hub._ledger.clock.advance(HOUR)
    hub.operator().relabel(home, scope="private")
    [candidate] = asked_of(hub, "Hanoi", query="where does she live?", as_of=then)
    assert candidate.reason is Reason.DENIED
    assert candidate.rule is not None
    assert candidate.rule.label.scope is Scope.PRIVATE


def test_an_objection_of_the_customer_is_named_where_no_line_denies(hub):
    consent = {"domain": "travel", "owner": "personal", "relation": "lives_in", "effect": "object", "reason": "no"}
    hub.operator().record_consent("linh", **consent)
    [candidate] = asked_of(hub, "Hanoi", query="where does she live?")
    assert candidate.rule is not None
    assert (candidate.rule.line, candidate.rule.why) == (None, "the customer objects")
    granted = {"domain": "travel", "owner": "health", "relation": "allergic_to", "effect": "grant", "reason": "yes"}
    hub.operator().record_consent("linh", **granted)
    told = hub.operator().why_now(agent="atlas", customer="linh", query=MEAL)
    [allergy] = [one for one in told.memories if "peanuts" in one.text]
    assert allergy.rules[0].why.endswith("by the customer's grant")


def test_any_agent_of_a_domain_can_be_asked_about_by_the_domain(hub):
    whole = {c.memory_id for c in asked_of(hub, "peanuts")}
    assert {c.memory_id for c in asked_of(hub, "peanuts", agent="travel")} == whole
    assert asked_of(hub, "allergic to peanuts", agent="health", query="any allergies?")[-1:] != whole


def test_an_agent_that_does_not_serve_the_customer_is_denied_by_no_line(hub):
    hub.agent("lena", domain="travel", customers=["another"])
    [candidate] = asked_of(hub, "Hanoi", agent="lena", query="where does she live?")
    assert candidate.rule is not None
    assert (candidate.reason, candidate.rule.line) == (Reason.DENIED, None)
    assert candidate.rule.why == "it was not at work here then, or not bound to this customer"


def test_on_behalf_of_another_the_lines_of_both_have_a_say(hub):
    atlas, nova = hub.agent("atlas", "linh"), hub.agent("nova", "linh")
    both = nova.on_behalf_of(atlas.token().token)
    [home] = [one for one in both.why_now("where does she live?").memories if one.kind == "fact"]
    assert [ruling.allowed for ruling in home.rules] == [True]
    assert both.why_not_now("any peanuts?", "peanuts").candidates == ()
    kept = both.recall("where does she live, any peanuts?").recall_id
    denied = {c.text: c.rule and c.rule.allowed for c in hub.operator().why_not(kept, "peanuts").candidates}
    assert denied == {"allergic to: peanuts": False, "No satay, I am allergic to peanuts": False}


def test_eyes_on_behalf_of_another_see_what_both_see(hub):
    def sees(viewer: Viewer) -> set[str]:
        view = hub._door.inspect("admin", "linh", None, Eyes(viewer=viewer))
        return {view.registry.render(belief.claim) for belief in view.beliefs()}

    atlas, nova = Viewer(agent="atlas"), Viewer(agent="nova")
    assert sees(nova) == {"lives in: Hanoi", "allergic to: peanuts"}
    assert sees(Viewer(agent="nova", behalf=atlas)) == sees(Viewer(agent="atlas", behalf=nova)) == sees(atlas)


REFUSED = [
    (Denied, "not_operator", "atlas", {"agent": "nova"}),
    (Missing, "not_found", "admin", {"agent": "nobody"}),
    (Incorrect, "purpose_not_bound", "admin", {"agent": "nova", "purpose": "meal"}),
    (Incorrect, "unknown_field", "admin", {"agent": "nova", "include_private": True}),
    (Incorrect, "future_known_at", "admin", {"agent": "nova", "as_of": "2050-01-01"}),
]


@pytest.mark.parametrize(("kind", "code", "who", "asked"), REFUSED)
def test_only_auditors_ask_about_others_and_only_what_makes_sense(hub, kind, code, who, asked):
    operator = hub.operator(who)
    for ask in (operator.why_now, lambda **more: operator.why_not_now(text="peanuts", **more)):
        with pytest.raises(kind) as caught:
            ask(customer="linh", query=MEAL, **asked)
        assert caught.value.code == code


def test_an_auditor_of_one_domain_is_told_nothing_of_another(hub):
    hub.agent("vera", domain="audit")
    change_policy(hub, "p, auditor, company, global, hub, inspect, *, allow", "p, wary, *, *, *, inspect, *, deny")
    change_policy(hub, "g, agent:vera, auditor, company", "g, agent:vera, auditor, personal")
    vera = hub.operator("vera")
    assert vera.why_not_now(MEAL, "peanuts", agent="atlas", customer="linh").candidates == ()
    [home] = vera.why_not_now("any loans?", "Hanoi", agent="atlas", customer="linh").candidates
    assert home.reason is Reason.BELOW_FLOOR


# --- a recall that was kept ---------------------------------------------------------------------------------------


def test_a_kept_recall_is_explained_by_what_was_known_and_allowed_then(hub):
    clock, atlas, operator = hub._ledger.clock, hub.agent("atlas", "linh"), hub.operator()
    asked = atlas.recall("where does she live, any peanuts?")
    clock.advance(HOUR)
    change_policy(hub, "p, shared-reader, *, shared, lives_in, read, *, deny")
    moved = {"relation": "lives_in", "value": "Saigon", "mode": "change"}
    hub.agent("mia", "linh").remember(facts=[moved, {"relation": "likes", "value": "jazz"}])
    told = operator.why(asked.recall_id)
    assert [one.text for one in told.memories] == [memory.text for memory in asked.memories]
    [home] = [one for one in told.memories if "Hanoi" in one.text]
    assert {(ruling.allowed, ruling.version) for ruling in home.rules} == {(True, 1)}
    [jazz] = operator.why_not(asked.recall_id, "jazz").candidates
    assert jazz.reason is Reason.NOT_YET_KNOWN
    assert {c.reason for c in operator.why_not(asked.recall_id, "peanuts").candidates} == {Reason.DENIED}
    assert operator.why_not(asked.recall_id, "Hanoi").candidates == ()
    own = atlas.why(asked.recall_id)
    assert "Hanoi" not in text_of(own), "what was revoked since is explained to auditors only"
    assert atlas.why_not(asked.recall_id, "Hanoi").candidates == ()
    assert [c.reason for c in atlas.why_not(asked.recall_id, "jazz").candidates] == [Reason.NOT_YET_KNOWN]


def test_a_recall_about_the_past_is_explained_by_both_policies(hub):
    clock, atlas = hub._ledger.clock, hub.agent("atlas", "linh")
    clock.advance(HOUR)
    then = rendered(clock.now())
    clock.advance(HOUR)
    change_policy(hub, "p, shared-reader, *, shared, lives_in, read, *, deny")
    asked = atlas.recall("where does she live?", as_of=then)
    clock.advance(HOUR)
    operator = hub.operator()
    operator.replace_policy(policy=operator.policies().policy.replace("lives_in, read, *, deny", "diet, read, *, deny"))
    [home] = operator.why_not(asked.recall_id, "Hanoi").candidates
    assert home.reason is Reason.DENIED
    assert home.rule is not None
    assert home.rule.text == "p, shared-reader, *, shared, lives_in, read, *, deny"
    assert home.rule.version == 2


def test_nobody_asks_about_a_recall_of_another(hub):
    kept = hub.agent("nova", "linh").recall("peanuts").recall_id
    atlas = hub.agent("atlas", "linh")
    for ask in (atlas.why, lambda recall: atlas.why_not(recall, "peanuts")):
        codes = set()
        for recall_id in (kept, "recall_" + "0" * 24, "…"):
            with pytest.raises(Missing) as caught:
                ask(recall_id)
            codes.add((caught.value.code, caught.value.message))
        assert len(codes) == 1
    with pytest.raises(Denied):
        hub.operator("atlas").why(kept)
    with pytest.raises(Missing):
        hub.operator().why("recall_" + "0" * 24)


def text_of(answer: object) -> str:
    return encode(answer).decode()


# --- nothing hidden shows ----------------------------------------------------------------------------------------

WORDS = ["tea", "peanuts", "Hanoi", "clinic", "3000", "coffee", "lives in", "nothing of the kind"]


def world(hidden: bool) -> list[str]:
    """All that atlas is told in a world with, or without, what it may not read; the clock ticks alike."""
    clock = SimulatedClock(START)
    with Hub.open(clock=clock) as hub:
        mia, penny, nova, atlas = (hub.agent(name, "linh") for name in ("mia", "penny", "nova", "atlas"))
        mia.remember(facts=[{"relation": "lives_in", "value": "Hanoi"}, {"relation": "likes", "value": "coffee"}])
        clock.advance(HOUR)
        then = rendered(clock.now())
        clock.advance(HOUR)
        if hidden:
            secret = mia.remember(facts=[{"relation": "lives_in", "value": "the clinic", "scope": "private"}]).facts[0]
            penny.remember("She earns 3000 in Hanoi", facts=[{"relation": "income", "value": "3000 USD"}])
            nova.remember("Peanuts, no coffee", facts=[ALLERGY])
            mia.retract(secret.id)
        else:
            for _ in range(4):
                clock.tick()
        clock.advance(HOUR)
        mia.remember(facts=[{"relation": "likes", "value": "coffee", "negated": True}])
        mia.remember(facts=[{"relation": "likes", "value": "tea"}])
        clock.advance(HOUR)
        answers = []
        for point in ({}, {"as_of": then}, {"valid_at": then}, {"known_at": then}):
            for query in ("where does she live?", "coffee, peanuts or 3000?"):
                kept = atlas.recall(query, limit=2, **point).recall_id
                answers += [plain(atlas.why_now(query, limit=2, **point)), plain(atlas.why(kept))]
                answers += [plain(atlas.why_not_now(query, word, **point)) for word in WORDS]
                answers += [plain(atlas.why_not(kept, word)) for word in WORDS]
        return [encode(answer).decode() for answer in canonical(answers)]


def test_nothing_hidden_changes_a_byte_of_what_an_agent_is_told():
    answers = world(hidden=False)
    assert world(hidden=True) == answers
    told = "".join(answers)
    assert all(f'"{reason}"' in told for reason in ("ended", "below_floor", "not_yet_known"))
    assert f'"{Reason.DENIED}"' not in told


def test_an_id_that_is_hidden_is_answered_like_one_that_never_was(hub):
    secret = hub.agent("sage", "linh").profile().entities[0].beliefs[0].id
    atlas = hub.agent("atlas", "linh")
    one, other = (atlas.why_not_now(MEAL, record).candidates for record in (secret, "fact_" + "0" * 24))
    assert one == other == ()
    assert [c.memory_id for c in hub.agent("sage", "linh").why_not_now("the weather", secret).candidates] == [secret]
