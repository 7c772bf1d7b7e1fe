"""Writing at the door: who may file what where, and that nothing hidden shapes what others will read."""

from __future__ import annotations

import pytest

from hub.answers import Refused
from hub.codec import replaced
from hub.door import Act
from hub.errors import Denied, HubError, Incorrect, Missing
from hub.facts import Claim, Gap, Hide, Label, Relabel, Scope, Turn, Withdraw
from hub.remember import remember
from hub.requests import Remember, checked
from tests.scene import CUSTOMER, RELATIONS, Scene, everything, label, value, values

SHARED_INCOME = RELATIONS.replace(
    "  income:\n    owner: finance\n", "  income:\n    owner: finance\n    scope: shared\n"
)


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    yield scene
    scene.close()


@pytest.fixture
def shared_income(tmp_path):
    """A hub where all six domains read the income, and finance alone has the say on it."""
    scene = Scene(tmp_path / "memory.db", relations=SHARED_INCOME)
    yield scene
    scene.close()


def refusal(answer):
    assert [type(r) for r in answer.refused] == [Refused]
    assert answer.refused[0].fix
    return answer.refused[0].code


def code_of(act, *args, **more):
    with pytest.raises(HubError) as refused:
        act(*args, **more)
    assert refused.value.fix
    return refused.value.code


# --- scope -------------------------------------------------------------------------------------------------------

SCOPES = [
    # who, relation, scope asked for, what becomes of it
    ("nova", "allergic_to", "shared", "scope_widened"),
    ("atlas", "income", "shared", "scope_widened"),
    ("penny", "allergic_to", "shared", "scope_widened"),
    ("sage", "allergic_to", "shared", "shared"),
    ("penny", "income", "shared", "shared"),
    ("mia", "address", "shared", "shared"),
    ("nova", "allergic_to", "private", "private"),
    ("nova", "allergic_to", None, "private"),
    ("nova", "likes", "private", "private"),
    ("nova", "likes", "shared", "shared"),
    ("nova", "likes", None, "shared"),
    ("kai", "lucky_number", None, "private"),
    ("kai", "lucky_number", "private", "private"),
    ("kai", "lucky_number", "shared", "shared"),
]


@pytest.mark.parametrize(("agent", "relation", "scope", "outcome"), SCOPES)
def test_a_scope_may_be_narrowed_by_all_and_widened_by_its_owner(scene, agent, relation, scope, outcome):
    fact = {"relation": relation, "value": "x"} | ({} if scope is None else {"scope": scope})
    answer = scene.remember(agent, fact)
    if outcome == "scope_widened":
        assert (refusal(answer), answer.facts) == ("scope_widened", ())
        assert not any(scene.sees(a) for a in ("mia", "kai", "atlas", "sage", "penny", "nova"))
    else:
        assert answer.facts[0].label.scope == outcome


def test_a_policy_without_the_share_act_lets_nobody_open_a_relation_of_its_own(scene):
    scene.rule(without="share,")
    fact = {"relation": "lucky_number", "value": 7, "scope": "shared"}
    assert refusal(scene.remember("kai", fact)) == "scope_widened"


def test_a_policy_without_the_write_act_lets_nobody_write(scene):
    scene.rule(without="write,")
    assert refusal(scene.remember("mia", ("likes", "tea"))) == "may_not_write"
    assert code_of(scene.remember, "mia", text="Good morning") == "may_not_write"
    assert everything(scene.look("mia")) == []


def test_the_rest_is_recorded_beside_what_is_refused(scene):
    answer = scene.remember(
        "nova", ("likes", "tea"), {"relation": "income", "value": 5, "scope": "shared"}, ("likes", "rice"), text="Hi"
    )
    assert [(r.index, r.code) for r in answer.refused] == [(1, "scope_widened")]
    assert scene.sees("mia") == {"tea", "rice"}
    assert [turn.text for turn in scene.look("nova").turns()] == ["Hi"]


# --- labels of turns and of what is derived ----------------------------------------------------------------------


def test_a_turn_carries_the_labels_of_all_its_claims_and_stays_where_it_was_heard(scene):
    answer = scene.remember("nova", ("budget", "800"), ("income", "5000"), text="I make 5000 and can spend 800")
    assert set(answer.turn.label) == {
        label("shopping", "shopping", "private", "turn"),
        label("finance", "shopping", "shared", "budget"),
        label("finance", "shopping", "private", "income"),
    }
    heard = {agent for agent in ("mia", "kai", "atlas", "sage", "penny", "nova") if list(scene.look(agent).turns())}
    assert heard == {"nova"}
    assert (scene.sees("atlas"), scene.sees("penny")) == ({"800"}, {"800", "5000"})


def test_a_turn_whose_every_claim_is_shared_does_not_travel_either(scene):
    scene.remember("nova", ("likes", "tea"), text="I like tea, and my knee hurts")
    assert scene.sees("atlas") == {"tea"}
    assert list(scene.look("atlas").turns()) == []


def test_a_turn_whose_claims_were_refused_is_kept_by_who_heard_it(scene):
    answer = scene.remember("nova", {"relation": "income", "value": 5, "scope": "shared"}, text="I make 5")
    assert answer.turn.label == (label("shopping", "shopping", "private", "turn"),)


def test_what_is_derived_carries_its_sources_labels(scene):
    income = scene.told("penny", "income", "5000")
    secret = scene.told("sage", "allergic_to", "peanuts")
    derived = scene.told("penny", "likes", "thrift", derived_from=[income.id])
    assert (scene.sees("penny"), scene.sees("mia"), scene.sees("atlas")) == ({"5000", "thrift"}, set(), set())
    assert scene.look("penny").row(derived.id).filing == {
        label("personal", "finance", "shared", "likes"),
        label("finance", "finance", "private", "income"),
    }
    for hidden in (secret.id, "fact_unknown"):
        answer = scene.remember("penny", {"relation": "likes", "value": "x", "derived_from": [hidden]})
        assert refusal(answer) == "not_found"


def test_a_label_no_rule_names_is_read_by_nobody_and_nobody_can_write_it(scene):
    strange = label("moon", "moon", "private", "weather")
    told = scene.told("mia", "likes", "tea")
    record = scene.look("mia").row(told.id).record
    with scene.ledger.writing(CUSTOMER) as writing:  # past the desk, as a broken import might
        writing.append(replaced(record, id="fact_x", seq=writing.next_seq(), value="cheese"), frozenset({strange}))
        both = frozenset({strange, label("personal", "personal", "shared", "likes")})
        writing.append(replaced(record, id="fact_y", seq=writing.next_seq(), value="bread"), both)
    for agent in ("mia", "kai", "atlas", "sage", "penny", "nova", "admin"):
        assert not {"cheese", "bread"} & scene.sees(agent)
    assert code_of(file, scene, "mia", record, {strange}) == "may_not_write"


# --- what the desk refuses whoever hands it in -------------------------------------------------------------------


def file(scene, agent, record, labels, act=Act.READ):
    """Hands in a record as it is, with an id of its own, as no verb would."""
    with scene.desk(agent, act=act) as desk:
        new = replaced(record, id=desk.new_id("x"), seq=desk.next_seq(), author=desk.author, recorded_at=desk.now)
        desk.file(new, frozenset(labels))


def base_of(scene, record_id, agent="admin"):
    with scene.desk(agent, act=Act.RELABEL) as desk:
        row = desk.view.row(record_id)
        return row.record, row.filing


@pytest.mark.parametrize(
    "labels",
    [
        [],
        [label("company", "personal", "global", "likes")],
        [label("personal", "travel", "shared", "likes")],
        [label("travel", "personal", "shared", "likes")],
        [label("personal", "personal", "shared", "diet")],
        [label("personal", "personal", "shared", "likes"), label("health", "health", "private", "allergic_to")],
        [label("personal", "personal", "shared", "turn")],
    ],
    ids=[
        "none",
        "the company's",
        "told to another",
        "of another owner",
        "of another relation",
        "unreadable",
        "a turn's",
    ],
)
def test_a_claim_under_a_label_that_is_not_its_writers_is_refused(scene, labels):
    told = scene.told("mia", "likes", "tea")
    scene.told("sage", "allergic_to", "peanuts")
    record, _ = base_of(scene, told.id)
    before = scene.cold("mia")
    assert code_of(file, scene, "mia", record, labels) == "may_not_write"
    assert scene.cold("mia") == before


def test_a_claim_may_be_filed_under_more_that_its_writer_reads(scene):
    told = scene.told("mia", "likes", "tea")
    record, filing = base_of(scene, told.id)
    file(scene, "mia", record, filing | {label("personal", "personal", "private", "address")})
    assert len(scene.look("mia").base.rows) == 2


@pytest.mark.parametrize("labels", [[], ["likes"], ["other domain's turn"]])
def test_a_turn_is_filed_where_it_was_heard(scene, labels):
    turn = Turn(id="", seq=0, recorded_at=0, author=None, role="user", text="Hi", said_at=0)
    named = {
        "likes": label("personal", "personal", "shared", "likes"),
        "other domain's turn": label("health", "health", "private", "turn"),
    }
    assert code_of(file, scene, "mia", turn, [named[x] for x in labels]) == "may_not_write"


def withdraw(target, kind=Withdraw, **more):
    return kind(id="", seq=0, recorded_at=0, author=None, target=target, **more)


@pytest.mark.parametrize("kind", [Withdraw, Hide])
def test_an_act_is_filed_no_wider_than_its_target(scene, kind):
    private = scene.told("mia", "address", "Oak 1")
    wide = label("personal", "personal", "shared", "address")
    assert code_of(file, scene, "mia", withdraw(private.id, kind), [wide]) == "may_not_write"
    _, filing = base_of(scene, private.id)
    file(scene, "mia", withdraw(private.id, kind), filing | {wide})
    assert scene.sees("mia") == set()


@pytest.mark.parametrize("kind", [Withdraw, Hide])
def test_an_operators_word_is_not_taken_from_somebody_who_is_none(scene, kind):
    told = scene.told("mia", "likes", "tea")
    _, filing = base_of(scene, told.id)
    forged = withdraw(told.id, kind, as_operator=True)
    assert code_of(file, scene, "atlas", forged, filing) == "not_yours"
    assert code_of(file, scene, "atlas", forged, filing, Act.DECIDE) == "not_found"
    file(scene, "admin", forged, filing, Act.DECIDE)
    assert scene.sees("mia") == set()


@pytest.mark.parametrize("target", ["fact_unknown", "hidden"])
def test_an_act_upon_what_one_may_not_see_is_answered_as_if_it_were_not_there(scene, target):
    hidden = scene.told("sage", "allergic_to", "peanuts").id
    target = hidden if target == "hidden" else target
    some = [label("personal", "personal", "shared", "likes")]
    moved = Relabel(id="", seq=0, recorded_at=0, author=None, target=target, before=tuple(some), after=tuple(some))
    for record in (withdraw(target), withdraw(target, Hide), moved):
        assert code_of(file, scene, "mia", record, some) == "not_found"


def relabelled(target, before, after):
    return Relabel(id="", seq=0, recorded_at=0, author=None, target=target, before=tuple(before), after=tuple(after))


def test_a_gap_is_left_by_an_erasure_and_never_handed_in(scene):
    told = scene.told("mia", "likes", "tea")
    _, filing = base_of(scene, told.id)
    gap = Gap(id="", seq=0, recorded_at=0, author=None)
    assert code_of(file, scene, "mia", gap, filing) == "may_not_write"


def test_a_move_must_start_where_the_record_is_and_lead_somewhere(scene):
    told = scene.told("mia", "likes", "tea")
    _, filing = base_of(scene, told.id)
    there = {label("personal", "personal", "private", "likes")}
    for wrong, under in [
        (relabelled(told.id, there, filing), filing | there),
        (relabelled(told.id, filing, []), filing),
        (relabelled(told.id, filing, there), filing),
        (relabelled(told.id, filing, there), there),
    ]:
        assert code_of(file, scene, "admin", wrong, under, Act.RELABEL) == "not_yours"
    file(scene, "admin", relabelled(told.id, filing, there), filing | there, Act.RELABEL)
    assert (scene.sees("mia"), scene.sees("atlas")) == ({"tea"}, set())


MOVES = [
    # who, relation told by mia, owner of the new label, whether it may
    ("admin", "address", None, True),
    ("mia", "address", None, True),
    ("mia", "address", "health", False),
    ("atlas", "likes", None, False),
    ("sage", "likes", None, False),
    ("sage", "allergic_to", None, True),
    ("nova", "allergic_to", None, False),
]


@pytest.mark.parametrize(("agent", "relation", "owner", "may"), MOVES)
def test_who_may_file_a_fact_elsewhere_says_the_policy(scene, agent, relation, owner, may):
    told = scene.told("nova" if relation == "allergic_to" else "mia", relation, "x")
    scope = Scope.PRIVATE if relation == "likes" else Scope.SHARED
    if may:
        assert scene.relabel(told.id, scope, owner, by=agent).targets == (told.id,)
    else:
        assert code_of(scene.relabel, told.id, scope, owner, by=agent) in {"not_found", "not_yours"}


# --- taking back what others said --------------------------------------------------------------------------------

BACK = [
    # who said it, relation, who takes it back, whether it may
    ("mia", "lives_in", "mia", True),
    ("nova", "lives_in", "nova", True),
    ("nova", "lives_in", "mia", True),
    ("nova", "lives_in", "atlas", False),
    ("mia", "lives_in", "nova", False),
    ("nova", "allergic_to", "sage", True),
    ("nova", "allergic_to", "nova", True),
    ("kai", "lucky_number", "kai", True),
]


@pytest.mark.parametrize("verb", ["retract", "forget", "correct"])
@pytest.mark.parametrize(("author", "relation", "agent", "may"), BACK)
def test_the_author_and_the_owner_may_take_back_and_others_not(scene, verb, author, relation, agent, may):
    told = scene.told(author, relation, "x")
    act = {
        "retract": lambda: scene.retract(agent, told.id),
        "forget": lambda: scene.forget(agent, told.id),
        "correct": lambda: scene.correct(agent, told.id, value="y"),
    }[verb]
    if may:
        act()
        assert "x" not in scene.sees(author)
    else:
        assert code_of(act) == "not_yours"
        assert scene.sees(author) == scene.sees(agent) == {"x"}


ENDS = [
    # who said it, relation, who says that it ended, whether it may
    ("mia", "lives_in", "atlas", True),  # whoever may read it may say so
    ("penny", "income", "penny", True),
    ("nova", "income", "penny", True),
    ("nova", "income", "nova", True),
    ("penny", "income", "nova", False),
    ("nova", "income", "atlas", False),
]


@pytest.mark.parametrize(("author", "relation", "agent", "may"), ENDS)
def test_on_a_relation_with_an_owner_only_owner_and_author_say_that_it_ended(
    shared_income, author, relation, agent, may
):
    scene = shared_income
    told = scene.told(author, relation, "x")
    scene.clock.advance(1_000_000)
    if may:
        scene.end(agent, told.id)
        assert scene.sees(author) == scene.sees("kai") == set()
    else:
        assert code_of(scene.end, agent, told.id) == "not_yours"
        assert scene.sees(author) == {"x"}


@pytest.mark.parametrize("verb", ["retract", "forget", "end", "correct", "restore", "relabel"])
@pytest.mark.parametrize("hidden", [True, False])
def test_no_verb_tells_a_hidden_fact_from_one_that_never_was(scene, verb, hidden):
    record = scene.told("sage", "allergic_to", "peanuts").id if hidden else "fact_unknown"
    act = {
        "retract": lambda: scene.retract("atlas", record),
        "forget": lambda: scene.forget("atlas", record),
        "end": lambda: scene.end("atlas", record),
        "correct": lambda: scene.correct("atlas", record, value="y"),
        "restore": lambda: scene.restore("atlas", record),
        "relabel": lambda: scene.relabel(record, Scope.SHARED, by="atlas"),
    }[verb]
    with pytest.raises(Missing) as missing:
        act()
    told_back = missing.value
    assert (told_back.code, told_back.message, told_back.where) == ("not_found", "there is no such record", None)
    assert told_back.fix == "check the id, or ask an agent that may read it"
    assert scene.sees("sage") == ({"peanuts"} if hidden else set())


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"mode": "change"},
        {"mode": "correct", "valid_from": "2020"},
        {"valid_from": "2026-06-30"},
        {"confidence": 1.0},
    ],
    ids=repr,
)
def test_the_owners_value_stands_whatever_another_claims_and_how(shared_income, more):
    scene = shared_income
    owners = scene.told("penny", "income", "5,000 USD", valid_from="2026-01-01")
    for other in ("5001 USD", "0 USD"):
        receipt = scene.told("nova", "income", other, **more)
        assert receipt.outcome == "outranked"
    assert scene.told("nova", "income", "1 USD", supersedes=owners.id).outcome == "outranked"
    assert value(scene.look("kai"), "income") == value(scene.look("nova"), "income") == "5,000 USD"


# --- no write-down -----------------------------------------------------------------------------------------------


def starts(scene, agent, relation="lives_in", day="2026-03-01"):
    told = scene.told(agent, relation, "x", valid_from=day)
    return told.valid_from.isoformat()


def test_a_day_begins_in_the_time_zone_that_all_its_readers_know(scene):
    scene.told("mia", "time_zone", "Asia/Tokyo", scope="private")
    assert starts(scene, "mia", "likes") == "2026-03-01T00:00:00+00:00"  # others will read it, and would learn the zone
    assert starts(scene, "mia", "address") == "2026-02-28T15:00:00+00:00"
    assert starts(scene, "nova", "address") == "2026-03-01T00:00:00+00:00"
    scene.told("mia", "time_zone", "Asia/Tokyo")
    assert starts(scene, "mia", "likes") == "2026-02-28T15:00:00+00:00"
    assert starts(scene, "nova", "diet") == "2026-02-28T15:00:00+00:00"


def test_in_one_request_too_a_private_time_zone_shapes_nothing_that_others_read(scene):
    zone = {"relation": "time_zone", "value": "Asia/Tokyo", "scope": "private"}
    dated = [{"relation": r, "value": "x", "valid_from": "2026-03-01"} for r in ("likes", "address")]
    _, shared, private = scene.remember("mia", zone, *dated).facts
    assert shared.valid_from.isoformat() == "2026-03-01T00:00:00+00:00"
    assert private.valid_from.isoformat() == "2026-02-28T15:00:00+00:00"


@pytest.mark.parametrize("zone", ["Mars/Base", "", 7, "../../etc/passwd", "localtime", "Asia"])
def test_a_stored_time_zone_that_there_is_none_of_stops_nobody(scene, zone, monkeypatch):
    with monkeypatch.context() as before_such_were_refused:
        before_such_were_refused.setattr("hub.remember.check_zone", lambda relation, value: None)
        scene.told("mia", "time_zone", zone or "?")
    assert starts(scene, "nova") == "2026-03-01T00:00:00+00:00"


def test_a_name_known_privately_is_a_new_thing_to_others_and_one_thing_to_its_writer(scene):
    scene.told("kai", "fault", "clutch", subject="Civic")
    receipt = scene.told("kai", "warranty_until", "2027", subject="Civic")
    private, shared = (next(iter(scene.look(a).entities()[-1:])) for a in ("kai", "mia"))
    assert receipt.outcome == "accepted"
    view = scene.look("kai")
    (entity,) = (e for e in view.entities() if e.name == "Civic")
    assert values(view) == {"clutch", "2027"}
    assert {belief.claim.value for belief in view.beliefs(entity.id)} == {"clutch", "2027"}
    assert [e.name for e in scene.look("mia").entities()] == ["Civic"]
    assert scene.look("mia").canon(shared.id) == shared.id
    assert private.name == shared.name == "Civic"
    assert len(scene.look("mia").base.rows) == 1  # the bond between the two is not for others


def test_in_one_request_too_a_private_name_and_a_shared_one_are_bound_for_their_writer(scene):
    scene.remember(
        "kai",
        {"relation": "fault", "value": "clutch", "subject": "Civic"},
        {"relation": "warranty_until", "value": "2027", "subject": "Civic"},
        {"relation": "same_as", "subject": "my car", "object": "Civic"},
        {"relation": "fault", "value": "brakes", "subject": "my car"},
    )
    assert [e.name for e in scene.look("kai").entities()] == ["Civic"]
    assert len(scene.look("mia").base.rows) == 1


HIDDEN = [
    ("lives_in", "Saigon", {"scope": "private"}),
    ("lives_in", "Hue", {"scope": "private", "valid_from": "2026-05-01", "mode": "change"}),
    ("time_zone", "Asia/Ho_Chi_Minh", {"scope": "private"}),
    ("works_at", None, {"object": "Acme Ltd"}),
    ("address", "Oak 1", {"subject": "Anna"}),
    ("likes", "tea", {"scope": "private"}),
    ("dislikes", "rice", {"scope": "private"}),
]


def heard(path, hidden):
    """What nova is told on one day, with and without what only mia knows."""
    scene = Scene(path)
    for relation, said, more in HIDDEN:
        if hidden:
            scene.told("mia", relation, said, **more)
        else:
            scene.clock.tick()
    told = [
        scene.told("nova", "lives_in", "Saigon", valid_from="2026-01-01"),
        scene.told("nova", "lives_in", "Hanoi"),
        scene.told("nova", "works_at", object="Acme Ltd"),
        scene.told("nova", "likes", "tea", subject="Acme Ltd"),
        scene.told("nova", "likes", "tea"),
        scene.told("nova", "likes", "rice"),
        scene.told("nova", "likes", "pho", subject="Anna"),
        scene.told("nova", "lives_in", negated=True),
    ]
    scene.close()
    return [(t.outcome, t.label, t.contested_by, t.valid_from, t.valid_to, t.slot.split("/")[1]) for t in told]


def test_receipts_and_labels_are_the_same_whatever_hidden_facts_say(tmp_path):
    with_them, without = heard(tmp_path / "one.db", True), heard(tmp_path / "other.db", False)
    assert with_them == without
    assert [outcome for outcome, *_ in without] == ["accepted", "contested", *["accepted"] * 5, "accepted"]


def test_a_new_agent_narrows_at_once_what_may_shape_what_it_will_read(scene):
    """Nobody but finance is here to read what is shared, until somebody comes."""
    for agent, domain in (
        ("mia", "personal"),
        ("kai", "repair"),
        ("atlas", "travel"),
        ("sage", "health"),
        ("nova", "shopping"),
    ):
        scene.bind(agent, domain, enabled=False)
    scene.told("penny", "time_zone", "Asia/Tokyo", scope="private")
    scene.rule("p, finance, personal, private, time_zone, read, *, allow")
    assert starts(scene, "penny", "budget") == "2026-02-28T15:00:00+00:00"
    scene.bind("kai", "repair")
    assert starts(scene, "penny", "budget") == "2026-03-01T00:00:00+00:00"


def test_what_was_undone_shapes_nothing_later_and_no_other_customer(scene):
    """Numbers of an undone request are given anew: whatever was kept under them must be gone."""
    scene.told("mia", "likes", "tea", of="zoe")
    zone = {"relation": "time_zone", "value": "Asia/Tokyo", "subject": "customer"}
    broken = {"relation": "likes", "value": "x", "valid_from": "yesterday"}
    asked = (zone, {"relation": "likes", "value": "x", "subject": "Civic"}, ("allergic_to", "nuts"), broken)
    assert code_of(scene.remember, "nova", *asked, customer="ann") == "bad_instant"
    for liked in ("tea", "rice", "pho"):
        scene.told("nova", "likes", liked, of="ben")
    told = scene.told("nova", "allergic_to", "nuts", valid_from="2026-03-01", of="ben")
    assert told.valid_from.isoformat() == "2026-03-01T00:00:00+00:00"
    assert everything(scene.look("nova", customer="ann")) == []
    with scene.desk("nova", "ben") as desk:
        cut = desk.cut(frozenset({desk.label("allergic_to")}))
        assert values(cut) == {"tea", "rice", "pho", "nuts"}


def test_a_write_that_breaks_off_is_as_if_it_had_not_been(scene):
    told = scene.told("mia", "likes", "tea")
    before = scene.cold("mia")
    assert code_of(half_a_request, scene, told.id) == "stop"
    assert everything(scene.look("mia")) == scene.cold("mia") == before


def half_a_request(scene, known):
    with scene.desk("mia") as desk:
        record = desk.view.row(known).record
        new = replaced(record, id="fact_half", seq=desk.next_seq(), value="rice")
        desk.file(new, desk.filing_of(known))
        assert desk.after.row("fact_half") is not None
        raise Incorrect("stop", "it stops here", "go on")


# --- who is at the desk ------------------------------------------------------------------------------------------


def test_the_desk_knows_its_writer_from_the_hub_and_not_from_the_request(scene):
    with scene.desk("nova") as desk:
        assert (desk.author.agent, desk.author.domain) == ("nova", "shopping")
        assert desk.label("allergic_to") == Label("health", "shopping", Scope.PRIVATE, "allergic_to")
        assert desk.label("lucky_number", Scope.SHARED) == Label("shopping", "shopping", Scope.SHARED, "lucky_number")
        assert desk.as_operator is False
        with pytest.raises(Missing):
            desk.filing_of("fact_unknown")


def test_one_write_at_a_time_and_each_sees_the_one_before(scene):
    with scene.desk("mia") as desk:
        assert isinstance(desk.view.valid_at, int)
        assert desk.view.valid_at == desk.now
    scene.told("mia", "likes", "tea")
    with scene.desk("mia") as desk:
        assert [row.record.value for row in desk.view.all_rows() if isinstance(row.record, Claim)] == ["tea"]


@pytest.mark.parametrize(
    ("agent", "customer", "code"), [("ghost", CUSTOMER, "unknown_agent"), ("atlas", "lee", "not_bound")]
)
def test_whoever_may_not_come_in_changes_nothing(scene, agent, customer, code):
    scene.bind("atlas", "travel", customers=(CUSTOMER,))
    with pytest.raises(Denied) as refused, scene.desk(agent, customer):
        raise AssertionError("came in")
    assert refused.value.code == code


# --- what settles, and what is called otherwise ----------------------------------------------------------------------


def _decision(desk, fact):
    """A claim that would settle what its slot holds."""
    old = desk.view.claim(fact)
    return replaced(old, id=desk.new_id("fact"), seq=desk.next_seq(), recorded_at=desk.now, settles=True)


@pytest.mark.parametrize(("agent", "act"), [("sage", Act.READ), ("admin", Act.RELABEL), ("admin", Act.SHARE)])
def test_nobody_settles_anything_who_is_not_here_to_decide(scene, agent, act):
    fact = scene.told("sage", "blood_type", "A").id
    with scene.desk(agent, act=act) as desk:
        assert code_of(desk.file, _decision(desk, fact), desk.filing_of(fact)) == "not_yours"


def test_what_settles_is_filed_where_its_author_may_decide_and_nowhere_else(scene):
    fact = scene.told("sage", "blood_type", "A").id
    scene.rule("p, agent:admin, finance, private, *, decide, *, deny")
    with scene.desk("admin", act=Act.DECIDE) as desk:
        elsewhere = frozenset({label("finance", "finance", "private", "blood_type")})
        assert code_of(desk.file, _decision(desk, fact), desk.filing_of(fact) | elsewhere) == "not_yours"
        desk.file(_decision(desk, fact), desk.filing_of(fact))
    assert scene.sees("sage") == {"A"}


def test_only_an_operator_who_may_move_it_has_a_fact_called_otherwise(scene):
    fact = scene.told("kai", "fond_of", "jazz").id
    likes = frozenset({label("repair", "repair", "private", "likes")})
    with scene.desk("kai") as desk:
        assert code_of(desk.rename, desk.view.claim(fact), "likes", likes) == "not_yours"
    with scene.desk("admin", act=Act.RELABEL) as desk:
        desk.rename(desk.view.claim(fact), "likes", likes)
    assert {claim.relation for claim in (b.claim for b in scene.look("kai").beliefs())} == {"fond_of", "likes"}
    scene.rule("p, agent:admin, repair, private, *, relabel, *, deny")
    with scene.desk("admin", act=Act.DECIDE) as desk:
        assert code_of(desk.rename, desk.view.claim(fact), "likes", likes) == "not_yours"


def test_of_what_is_handed_in_together_readers_of_a_fact_know_no_more_than_they_may_read(scene):
    told = [{"relation": name, "value": name} for name in ("likes", "has_condition", "likes", "likes")]
    with scene.door.admit("sage", CUSTOMER) as desk:
        remember(desk, checked(Remember, {"customer": CUSTOMER, "facts": told}), extractor=None)
        known = desk.cut(frozenset({desk.label("likes")})).more
        assert [row.record.relation for row in known] == ["likes"] * 3
        assert [row.record.relation for row in desk.after.more] == [fact["relation"] for fact in told]
