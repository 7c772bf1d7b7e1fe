"""How far a domain's word counts: learned from what others confirmed and refuted, in one view, up to one instant."""

from __future__ import annotations

import random

import pytest

from hub.facts import Claim, Mode, Withdraw, value_key
from hub.hub import Hub
from hub.salience import earned
from tests.scene import CUSTOMER, Scene, everything, values

HOME = "lives_in"
CUSTOMER_ID = "customer"


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path / "hub.db")
    yield made
    made.close()


def score(scene, viewer, domain, relation=HOME, known_at=None):
    return scene.look(viewer, known_at).trust(relation)(domain)


def contested(scene, viewer, known_at=None):
    belief = scene.look(viewer, known_at).believe((CUSTOMER_ID, HOME, None))
    return {belief.claim.value, *(claim.value for claim in belief.contested)}


def misled(scene, times=2, **more):
    """Travel says where somebody lives, and the owner of homes has to take it back."""
    for number in range(times):
        subject = {"kind": "person", "name": f"Friend {number}"}
        scene.retract("mia", scene.told("atlas", HOME, f"Town {number}", subject=subject, **more).id)


def disagreeing(scene):
    scene.told("nova", HOME, "Hanoi")
    scene.told("atlas", HOME, "Hue")


# --- learned ---------------------------------------------------------------------------------------------------------


def test_a_word_counts_as_its_author_has_been_confirmed_and_refuted():
    assert [earned(0, 0), earned(1, 0), earned(2, 0), earned(0, 1), earned(0, 2)] == [0.5, 0.6, 0.666667, 0.4, 0.333333]
    assert earned(0, 10_000) > 0
    assert earned(10_000, 0) < 1


def test_whom_nobody_has_rated_is_contested_by_whom_nobody_has_rated(scene):
    disagreeing(scene)
    assert contested(scene, "mia") == {"Hanoi", "Hue"}


def test_who_had_to_be_corrected_twice_loses_a_contest(scene):
    misled(scene, 1)
    disagreeing(scene)
    assert (score(scene, "mia", "travel"), contested(scene, "mia")) == (0.4, {"Hanoi", "Hue"})
    misled(scene, 1)
    assert (score(scene, "mia", "travel"), contested(scene, "mia")) == (0.333333, {"Hanoi"})
    assert score(scene, "mia", "travel", "name") == 0.5, "in other relations its word counts as before"


def test_what_others_say_again_makes_a_word_count_for_more(scene):
    for number in range(2):
        for agent in ("atlas", "nova", "kai"):
            scene.told(agent, HOME, f"Town {number}", subject={"kind": "person", "name": f"Friend {number}"})
    assert score(scene, "mia", "travel") == 0.666667
    assert score(scene, "mia", "shopping") == 0.666667
    assert score(scene, "mia", "repair") == 0.5, "the last to say so has been confirmed by nobody"
    scene.told("sage", HOME, "Hanoi")
    scene.told("atlas", HOME, "Hue")
    assert contested(scene, "mia") == {"Hue"}


def test_who_mends_its_own_mistakes_or_repeats_itself_is_trusted_as_before(scene):
    for _ in range(3):
        scene.retract("atlas", scene.told("atlas", HOME, "Oslo").id)
        scene.correct("atlas", scene.told("atlas", HOME, "Olso").id, value="Oslo")
        scene.told("atlas", HOME, "Oslo", mode="correct", valid_from="2020-01-01")
        scene.told("atlas", HOME, "Bergen", mode="correct", valid_from="2020-01-01")
    assert score(scene, "mia", "travel") == 0.5


def test_a_correction_refutes_what_it_meets_and_says_otherwise(scene):
    scene.told("atlas", HOME, "Oslo", valid_from="2010-01-01", valid_to="2012-01-01")
    scene.told("atlas", HOME, "Hue", valid_from="2020-01-01")
    scene.told("nova", HOME, "Hue", valid_from="2019-01-01", mode="correct")
    assert score(scene, "mia", "travel") == 0.6, "it said the same, and never met the other stretch"
    scene.told("mia", HOME, "Hanoi", valid_from="2019-01-01", mode="correct")
    assert (score(scene, "mia", "travel"), score(scene, "mia", "shopping")) == (0.4, 0.4)
    scene.told("mia", HOME, "Saigon", valid_from="2021-01-01", mode="change")
    assert score(scene, "mia", "personal") == 0.5, "that the world changes refutes nobody"


def test_an_undone_correction_never_happened(scene):
    told = scene.told("atlas", HOME, "Oslo")
    taken = scene.retract("mia", told.id).acts[0]
    assert score(scene, "mia", "travel") == 0.4
    scene.retract("mia", taken)
    assert score(scene, "mia", "travel") == 0.5


def test_what_somebody_decided_confirms_one_side_and_refutes_the_other(tmp_path):
    with Hub.open(tmp_path / "hub.db") as hub:
        fact = {"relation": HOME, "value": "Hanoi"}
        right = hub.agent("nova", CUSTOMER).remember(facts=[fact]).facts[0].id
        hub.agent("atlas", CUSTOMER).remember(facts=[{**fact, "value": "Hue"}])
        hub.operator().accept(right)
        trust = hub._door.look("mia", CUSTOMER).trust(HOME)
        assert [trust(domain) for domain in ("shopping", "travel", "operations")] == [0.6, 0.4, 0.5]


# --- in one view, up to one point in time ----------------------------------------------------------------------------


def test_the_past_stays_as_contested_as_it_was(scene):
    disagreeing(scene)
    before = scene.now()
    misled(scene)
    assert contested(scene, "mia", before) == {"Hanoi", "Hue"}
    assert contested(scene, "mia") == {"Hanoi"}
    assert scene.cold("mia", before) == everything(scene.look("mia", before))


def test_nobody_learns_from_corrections_it_may_not_see(scene):
    """Shopping may not read what was corrected in private; to it both still stand."""
    disagreeing(scene)
    misled(scene, scope="private")
    assert (score(scene, "mia", "travel"), contested(scene, "mia")) == (0.333333, {"Hanoi"})
    assert (score(scene, "nova", "travel"), contested(scene, "nova")) == (0.5, {"Hanoi", "Hue"})


def test_a_ledger_without_what_is_hidden_teaches_its_viewer_the_same(scene, tmp_path):
    twin = Scene(tmp_path / "twin.db")
    for world in (scene, twin):
        disagreeing(world)
        if world is scene:
            misled(world, 3, scope="private")
    for viewer in ("nova", "kai"):
        for world in (scene, twin):
            assert contested(world, viewer) == {"Hanoi", "Hue"}
        assert [score(w, viewer, "travel") for w in (scene, twin)] == [0.5, 0.5]
    twin.close()


def test_a_writer_is_told_by_what_it_may_see_itself(scene):
    """Shopping saw travel refuted, repair did not: the same words, and each is told what its own view makes of them."""
    scene.told("nova", HOME, "Hanoi")
    for number in range(2):
        subject = {"kind": "person", "name": f"Friend {number}"}
        told = scene.told("atlas", HOME, f"Town {number}", subject=subject, scope="private")
        scene.retract("mia", told.id)
    assert scene.told("atlas", HOME, "Hue").outcome == "outranked", "travel can see that it was taken back"
    assert scene.told("kai", HOME, "Hue").outcome == "contested"


def test_scores_that_operators_set_stand_in_place_of_what_was_learned(tmp_path):
    with Hub.open(tmp_path / "hub.db") as hub:
        admin = hub.operator()
        for agent, value in (("nova", "Hanoi"), ("atlas", "Hue")):
            hub.agent(agent, CUSTOMER).remember(facts=[{"relation": HOME, "value": value}])

        def seen(**point):
            beliefs = [b for e in hub.agent("mia", CUSTOMER).profile(**point).entities for b in e.beliefs]
            return {belief.value for belief in beliefs}

        assert admin.rate("travel", 0.9).score == 0.9
        assert seen() == {"Hue"}
        admin.rate("travel", 0.1, relation=HOME)
        assert seen() == {"Hanoi"}
        admin.rate("travel", None, relation=HOME)
        assert seen() == {"Hue"}
        admin.rate("travel", None)
        assert seen() == {"Hanoi", "Hue"}


# --- against a second reading ----------------------------------------------------------------------------------------


def naive(rows, domain):
    """Every claim of the domain held against every other record, in the plainest way."""
    records = [row.record for row in rows]
    claims = [r for r in records if isinstance(r, Claim) and r.relation == HOME and not r.negated]
    dead = _withdrawn(records)
    good = bad = 0
    for claim in (c for c in claims if c.author.domain == domain):
        others = [c for c in claims if c.author.domain != domain and c.seq > claim.seq and c.id not in dead]
        others = [c for c in others if c.subject.id == claim.subject.id]
        same = [c for c in others if value_key(c.value) == value_key(claim.value)]
        wrong = [c for c in others if c not in same and c.mode is Mode.CORRECT and _meet(c, claim)]
        taken = [r for r in records if isinstance(r, Withdraw) and r.target == claim.id and r.id not in dead]
        if wrong or any(_allowed(r, claim) and r.author.domain != domain for r in taken):
            bad += 1
        elif same and claim.id not in dead:
            good += 1
    return round((2 + good) / (4 + good + bad), 6)


def _withdrawn(records):
    dead = set()
    by_id = {r.id: r for r in records}
    for record in reversed(records):
        if isinstance(record, Withdraw) and record.id not in dead and _allowed(record, _root(record, by_id)):
            dead.add(record.target)
    return dead


def _root(record, by_id):
    while isinstance(record, Withdraw):
        record = by_id[record.target]
    return record


def _allowed(act, claim):
    return act.as_operator or act.author.domain in (claim.author.domain, "personal")


def _meet(one, other):
    return any(one.interval.holds(x.interval.start) and other.interval.holds(x.interval.start) for x in (one, other))


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_the_scores_are_those_of_a_plain_count_and_a_warm_view_is_a_cold_one(scene, seed):
    dice = random.Random(seed)
    told, marks = [], []
    for _ in range(22):
        agent = dice.choice(("atlas", "nova", "mia"))
        what = dice.random()
        subject = dice.choice((None, {"kind": "person", "name": "Lee"}))
        if told and what < 0.3:
            scene.retract("mia" if what < 0.2 else told[-1][0], told[-1][1])
        else:
            more = {"mode": "correct", "valid_from": "2020-01-01"} if what > 0.8 else {}
            more |= {"scope": "private"} if dice.random() < 0.2 and agent == "mia" else {}
            receipt = scene.told(agent, HOME, dice.choice(("Hanoi", "Hue", "Oslo")), subject=subject, **more)
            told.append((agent, receipt.id))
        if dice.random() < 0.3:
            marks.append(scene.now())
        for viewer in ("mia", "kai"):
            view = scene.look(viewer)
            for domain in ("travel", "shopping", "personal"):
                assert view.trust(HOME)(domain) == naive(view.all_rows(), domain)
    for known_at in (None, *marks):
        for viewer in ("mia", "kai"):
            assert scene.cold(viewer, known_at) == everything(scene.look(viewer, known_at))
            assert values(scene.look(viewer, known_at)) == scene.sees(viewer, known_at)
