"""The scenario player: how stories are read and checked, what a step does, and when a check holds."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree
from textwrap import dedent, indent

import pytest

from hub.errors import Incorrect, no_such_record
from hub.hub import shipped
from hub.play import Ablation, Category, Inside, Kind, Report, State, Story, Wanted, check, load, play, read_story
from hub.play.judging import judged
from hub.play.sight import Told, sight_of

HEAD = "id: tale\ncategory: {category}\nsteps:\n"


def story(steps: str, category: str = "temporal", **head: str) -> Story:
    more = "".join(f"{key}: {value}\n" for key, value in head.items())
    return read_story(more + HEAD.format(category=category) + indent(dedent(steps), "  "), "tale.yaml")


def failures(steps: str, **head: str) -> list[tuple[Kind, str]]:
    report = play(story(steps, **head))
    return [(v.kind, v.wanted) for o in report.outcomes for played in o.steps for v in played.failures]


def whole(steps: str, **head: str) -> Report:
    """A story that has to pass."""
    report = play(story(steps, **head))
    assert report.passed, [outcome.complaints for outcome in report.outcomes]
    return report


# --- reading -----------------------------------------------------------------------------------------------------

STALE = HEAD.format(category="stale") + "  - {mark: a}\n"
REFUSED = {
    "an unknown key of a story": (STALE + "steppes: []", "`steppes`"),
    "another category": (HEAD.format(category="gossip") + "  - {mark: a}", "`category`"),
    "another language": ("lang: fr\n" + STALE, "`lang`"),
    "no steps": ("id: tale\ncategory: stale\nsteps: []", "no steps"),
    "no id": ("category: stale\nsteps: [{mark: a}]", "`id`"),
    "an agent called like a role": ("agents: {auditor: audit}\n" + STALE, "`auditor`"),
    "an agent moved elsewhere": ("agents: {mia: legal}\n" + STALE, "`mia`"),
    "purposes for one who has its own": ("agents: {atlas: {domain: travel, purposes: [tax]}}\n" + STALE, "`atlas`"),
    "an agent of no domain": ("agents: {lex: {purposes: [tax]}}\n" + STALE, "`domain`"),
    "an agent with something else": ("agents: {lex: {domain: legal, roles: [x]}}\n" + STALE, "`roles`"),
    "a start without offset": ("start: 2026-07-01T09:00:00\n" + STALE, "`start`"),
    "a start that is a list": ("start: [1]\n" + STALE, "`start`"),
    "a policy that is not there": ("policy: nowhere\n" + STALE, "no folder"),
    "a need nobody meets": ("requires: luck\n" + STALE, "requires"),
}


@pytest.mark.parametrize(("text", "named"), REFUSED.values(), ids=REFUSED)
def test_a_story_with_a_broken_head_is_refused(text: str, named: str):
    with pytest.raises(Incorrect) as refusal:
        read_story(text, "tale.yaml")
    assert refusal.value.code == "bad_story"
    assert refusal.value.message.startswith("tale.yaml")
    assert named in refusal.value.message


STEPS = {
    "{agent: mia}": "no verb",
    "{}": "no verb",
    "{agent: mia, say: hi, recall: hi}": "the verbs `say`, `recall`",
    "{agent: mia, recall: hi, asof: now}": "an unknown key `asof`",
    "{agent: mia, recall: hi, asOf: now, as_of: now}": "an argument twice",
    "{agent: mia, recall: hi, limit: 1000}": "`limit`",
    "{agent: mia, recall: [hi]}": "a list under `recall`",
    "{agent: mia, recall: null}": "nothing under `recall`",
    "{agent: mia, timeline: lives_in}": "a bare value under `timeline`",
    "{agent: mia, remember: {facts: [{relation: likes, valu: tea}]}}": "facts.0.valu",
    "{recall: hi}": "which `agent` acts",
    "{agent: bob, recall: hi}": "an agent `bob` nobody knows",
    "{agent: mia, end: {}}": "what it acts upon",
    "{agent: mia, recall: hi, of: tea}": "has an `of`",
    "{agent: mia, profile: true, as: tea}": "records nothing",
    "{agent: mia, say: a, facts: [{relation: a, value: 1}, {relation: b, value: 2}], as: one}": "gives 1 names to 2",
    "{advance: soon}": "not a length of time",
    "{advance: true}": "a bare value under `advance`",
    "{mark: then, expect: {remembers: [tea]}}": "which answers nothing",
    "{mark: [then]}": "a list under `mark`",
    "{policy: {add: []}}": "adds and removes nothing",
    "{policy: {add: [1]}}": "`add`",
    "{policy: {ad: []}}": "an unknown key `ad`",
    "{promote: {scope: shared}}": "`relation`",
    "{promote: {relation: tier, scope: open}}": "`scope`",
    "{sleep: true, deeply: true}": "an unknown key `deeply`",
    "{restart: later}": "a bare value under `restart`",
    "{agent: mia, recall: hi, expect: {forgets: [tea]}}": "an unknown key `forgets`",
    "{agent: mia, recall: hi, expect: {remembers: tea}}": "needs a list as `remembers`",
    "{agent: mia, recall: hi, expect: {remembers: [[tea]]}}": "no text in `remembers`",
    "{agent: mia, recall: hi, expect: {private: ['']}}": "no text in `private`",
    "{agent: mia, recall: hi, expect: {remembers: ['/(/']}}": "no pattern",
    "{agent: mia, recall: hi, expect: {remembers: ['/a/g']}}": "the flags",
    "{agent: mia, recall: hi, expect: {status: {tea: [past]}}}": "`status` of `tea`",
    "{agent: mia, recall: hi, expect: {empty: maybe}}": "`empty`",
    "{agent: mia, recall: hi, expect: {status: {tea: gone}}}": "that no memory has",
}


@pytest.mark.parametrize(("step", "named"), STEPS.items(), ids=STEPS)
def test_a_broken_step_is_refused_by_file_and_number(step: str, named: str):
    with pytest.raises(Incorrect) as refusal:
        story(f"- {{mark: first}}\n- {step}")
    assert refusal.value.code == "bad_story"
    assert refusal.value.message.startswith("tale.yaml, line 5, step 2")
    assert named in refusal.value.message
    assert refusal.value.fix


def test_stories_are_found_below_a_folder_and_told_apart_by_their_ids(tmp_path):
    text = HEAD.format(category="stale") + "  - {mark: a}"
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "b.json").write_text('{"id": "b", "category": "stale", "steps": [{"restart": true}]}', encoding="utf-8")
    (tmp_path / "NOTICE.md").write_text("no story", encoding="utf-8")
    assert [found.id for found in load(tmp_path)] == ["b", "tale"]
    assert [found.id for found in load(tmp_path / "b.json")] == ["b"]
    (tmp_path / "c.yml").write_text(text, encoding="utf-8")
    with pytest.raises(Incorrect, match="has the id `tale`"):
        load(tmp_path)


def test_what_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(Incorrect, match="holds no story"):
        load(tmp_path)
    with pytest.raises(Incorrect, match="cannot be read"):
        load(tmp_path / "missing.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff")
    with pytest.raises(Incorrect, match="not UTF-8"):
        load(tmp_path / "bytes.yaml")


def test_a_story_may_bring_its_own_policies(tmp_path):
    strict = copytree(shipped("policies"), tmp_path / "strict") / "policy.csv"
    strict.write_text(strict.read_text(encoding="utf-8") + "p, shopping, *, *, *, read, *, deny\n", encoding="utf-8")
    (tmp_path / "a.yaml").write_text(
        "policy: strict\nid: a\ncategory: policy\nsteps:\n"
        "- {agent: nova, remember: {facts: [{relation: diet, value: vegan}]}}\n"
        "- {agent: nova, profile: true, expect: {empty: true}}\n",
        encoding="utf-8",
    )
    (read,) = load(tmp_path / "a.yaml")
    assert play(read).passed
    assert play(replace(read, policy=None)).failed
    assert play(replace(read, policy=None), target=Inside(tmp_path / "strict")).passed


def test_another_players_words_mean_the_same():
    read = story("""
        - {mark: then}
        - {agent: mia, recall: hello, asOf: then}
        - {promote: {relation: tier, scope: shared, policy: trust}}
        - {promote: {relation: tier, scope: shared, arbitration: trust}}
    """)
    assert read.steps[1].arguments == {"query": "hello", "as_of": "then"}
    assert read.steps[2].arguments == {"relation": "tier", "scope": "shared", "arbitration": "trust", "existing": True}
    assert "existing" not in read.steps[3].arguments


MATCHES = [
    ("hanoi", "lives in: Hanoi", True),
    ("Đà Nẵng", "chuyến đi đến: đà nẵng", True),
    ("hanoi", "lives in: Hue", False),
    ("/^likes: tea/i", "Likes: tea", True),
    ("/^likes: tea/", "Likes: tea", False),
    ("/^likes/", "dislikes: tea", False),
    ("a/b", "a/b", True),
]


@pytest.mark.parametrize(("wanted", "text", "holds"), MATCHES)
def test_a_text_is_matched_as_a_part_or_as_a_pattern(wanted: str, text: str, holds: bool):
    assert Wanted.read(wanted).is_in(text) is holds


# --- checking ----------------------------------------------------------------------------------------------------

TOLD = "- {agent: sage, remember: {facts: [{relation: allergic_to, value: peanuts}]}, as: nuts}\n"
CONTROL = "- {agent: sage, recall: allergies, expect: {remembers: [peanut]}}\n"
OTHER_CONTROL = "- {agent: sage, recall: snacks, expect: {remembers: [allergic to]}}"
USELESS = {
    "a private text nobody says": (
        "- {agent: nova, recall: snacks, expect: {private: [walnut]}}",
        "step 2 keeps `walnut` private, but no step ever says it",
    ),
    "a private pattern that fits nothing said": (
        "- {agent: nova, recall: snacks, expect: {private: ['/^nuts/']}}",
        "step 2 keeps `/^nuts/` private, but no step ever says it",
    ),
    "a text that the same answer has to hold": (
        "- {agent: nova, recall: snacks, expect: {private: [pea], remembers: [peanut]}}",
        "step 2 keeps `pea` private, and expects `peanut` in the same answer",
    ),
    "no positive control": (
        "- {agent: nova, recall: snacks, expect: {private: [peanut]}}",
        "step 2 keeps `peanut` private, but no step shows",
    ),
    "a control of something else": (
        "- {agent: nova, recall: snacks, expect: {private: [peanut]}}\n" + OTHER_CONTROL,
        "step 2 keeps `peanut` private, but no step shows",
    ),
    "nothing private in a leakage story": (CONTROL, "step 2 ends a leakage story without a `private` check"),
    "a mark nobody set": (
        "- {agent: nova, recall: snacks, as_of: then}\n- {mark: then}",
        "step 2 has `as_of: then`, which is no mark",
    ),
    "a mark in a fact": (
        "- {agent: mia, remember: {facts: [{relation: diet, value: vegan, valid_from: then}]}}",
        "step 2 has `valid_from: then`",
    ),
    "a mark in an expectation": (
        "- {agent: sage, timeline: true, expect: {valid_to: {peanut: then}}}",
        "step 2 has `valid_to: then`",
    ),
    "an of that nothing explains": (
        "- {agent: sage, retract: {}, of: shrimps}",
        "step 2 acts upon `shrimps`, which no earlier step names or says",
    ),
    "an error that no hub answers with": (
        "- {agent: nova, retract: {}, of: nuts, expect: {error: not_fond}}",
        "step 2 expects the error `not_fond`, which no hub answers with; did you mean `not_found`?",
    ),
    "an error that resembles none": (
        "- {agent: nova, retract: {}, of: nuts, expect: {error: kaboom}}",
        "step 2 expects the error `kaboom`, which no hub answers with",
    ),
}


@pytest.mark.parametrize(("steps", "named"), USELESS.values(), ids=USELESS)
def test_a_story_that_proves_nothing_is_refused(steps: str, named: str):
    with pytest.raises(Incorrect) as refusal:
        check(story(TOLD + steps, category="leakage"))
    assert (refusal.value.code, refusal.value.where) == ("bad_story", "tale.yaml, line 5, step 2")
    assert named in refusal.value.message
    assert refusal.value.fix


@pytest.mark.parametrize("of", ["", ", of_recall: last", ", of_recall: booking"])
def test_a_story_asks_why_of_a_recall_that_was_made(of: str):
    asked = f"- {{agent: auditor, why: tea{of}}}\n"
    with pytest.raises(Incorrect) as refusal:
        check(story(asked + "- {agent: mia, recall: tea, as: booking}"))
    assert "which no earlier step made" in refusal.value.message
    check(story("- {agent: mia, recall: tea, as: booking}\n" + asked))


def test_what_stopped_a_memory_and_who_told_it_can_be_expected():
    told = TOLD + "- {agent: atlas, recall: any peanuts, as: first}\n- {agent: sage, recall: allergies}\n"
    assert failures(told + "- {agent: auditor, why: peanut, of_recall: first, expect: {remembers: [denied]}}") == []
    assert failures(told + "- {agent: sage, why: true, expect: {remembers: [told by sage], private: [coffee]}}") == []
    assert failures(told + "- {agent: sage, why: peanut, expect: {remembers: [denied]}}") == [
        (Kind.REMEMBERS, "denied")
    ]
    assert failures(told + "- {agent: atlas, why: peanut, expect: {error: not_found}}") == []


def test_a_sound_story_is_not_refused():
    check(
        story(
            TOLD
            + CONTROL
            + """
- {mark: then}
- {agent: nova, recall: snacks, as_of: then, expect: {private: [peanut, 'allergic to: peanuts', '/^pea/']}}
- {agent: nova, recall: snacks, known_at: '2026-07-01'}
- {agent: sage, end: {at: then}, of: nuts}
- {agent: sage, retract: {}, of: is allergic to, expect: {error: not_found}}
""",
            category="leakage",
        )
    )


# --- playing -----------------------------------------------------------------------------------------------------


def test_a_second_passes_at_every_step_and_marks_are_moments():
    whole("""
        - {agent: mia, remember: {facts: [{relation: diet, value: vegan}]}, expect: {}}
        - {mark: then}
        - {agent: mia, end: {at: then}, of: vegan}
        - {agent: mia, timeline: true, expect: {valid_to: {vegan: then}, valid_from: {vegan: '2026-07-01'}}}
        - {agent: mia, timeline: true, expect: {valid_to: {vegan: '2026-07-01'}}}
    """)


def test_records_are_meant_by_name_or_by_the_only_text_that_fits():
    whole("""
        - agent: mia
          remember: {facts: [{relation: likes, value: tea}, {relation: likes, value: green tea}]}
          as: [tea, green]
        - {agent: mia, retract: {}, of: likes, expect: {error: ambiguous_of}}
        - {agent: mia, retract: {}, of: coffee, expect: {error: not_found}}
        - {agent: mia, retract: {}, of: green tea, as: gone}
        - {agent: nova, profile: true, expect: {remembers: ['likes: tea'], absent: [green]}}
        - {agent: mia, retract: {reason: it was so after all}, of: gone}
        - {agent: nova, profile: true, expect: {remembers: [green tea]}}
        - {agent: nova, fact: true, of: green, expect: {remembers: [green tea]}}
        - {agent: nova, history: true, of: green, expect: {remembers: [green tea]}}
        - {agent: mia, remember: {facts: [{relation: likes, value: mate, supersedes: tea}]}}
        - {agent: operator, relabel: {scope: private}, of: mate}
        - {agent: nova, profile: true, expect: {absent: [mate]}}
    """)


def test_a_message_can_be_named_too():
    whole("""
        - {agent: mia, say: "I walked the dog", as: walk}
        - {agent: mia, recall: "Did I walk the dog?", expect: {remembers: [walked the dog]}}
        - {agent: mia, forget: {}, of: walk}
        - {agent: mia, recall: "Did I walk the dog?", expect: {absent: [walked the dog]}}
    """)


def test_a_restart_keeps_what_was_said():
    whole("""
        - {agent: mia, remember: {facts: [{relation: diet, value: vegan}]}, as: diet}
        - {restart: true}
        - {agent: nova, fact: true, of: diet, expect: {remembers: [vegan]}}
    """)


def test_policy_lines_come_and_go():
    whole("""
        - {agent: mia, remember: {facts: [{relation: diet, value: vegan}]}}
        - {policy: {add: ["p, shopping, *, *, *, read, *, deny"]}}
        - {agent: nova, profile: true, expect: {empty: true}}
        - {policy: {remove: ["p,shopping,*,*,*,read,*,deny"]}}
        - {agent: nova, profile: true, expect: {empty: false, remembers: [vegan]}}
        - {policy: {remove: ["p, nobody, *, *, *, read, *, deny"]}, expect: {error: no_such_line}}
    """)


def test_every_check_fails_where_it_should():
    told = """
        - {agent: mia, remember: {facts: [{relation: lives_in, value: Hanoi}, {relation: diet, value: vegan}]}}
        - {agent: nova, profile: true, expect: {%s}}
    """
    wrong = {
        Kind.REMEMBERS: "remembers: [Hue]",
        Kind.ABSENT: "stale: [Hanoi]",
        Kind.PRIVATE: "private: [Hanoi]",
        Kind.CONFLICT: "conflict: [Hanoi]",
        Kind.EMPTY: "empty: true",
        Kind.ORDER: "order: [vegan, Hanoi]",
        Kind.VALID_FROM: "valid_from: {Hanoi: '2026-07-02'}",
        Kind.VALID_TO: "valid_to: {Hanoi: '2026-07-02'}",
        Kind.STATUS: "status: {Hanoi: past}",
        Kind.VIA: "via: {Hanoi: owns}",
        Kind.ERROR: "error: not_found",
    }
    for kind, expected in wrong.items():
        assert [failed for failed, _ in failures(told % expected)] == [kind]


def test_a_refusal_nobody_expected_fails_the_story():
    assert failures("- {agent: mia, retract: {}, of: tea}") == [(Kind.OUTCOME, "no error")]
    refused = "{agent: nova, remember: {facts: [{relation: allergic_to, value: pollen, scope: shared}]}}"
    assert failures(f"- {refused}") == [(Kind.OUTCOME, "no error")]
    missing = "{agent: mia, fact: true, of: tea, expect: {remembers: [tea], error: not_found}}"
    assert failures(f"- {missing}") == [(Kind.OUTCOME, "tea")]


def test_private_texts_are_looked_for_in_the_whole_answer():
    steps = """
        - {agent: nova, say: "Peanuts make me ill", facts: [{relation: allergic_to, value: peanuts}]}
        - {agent: nova, recall: "snacks", limit: 1, explain: true, expect: {private: [%s]}}
    """
    assert failures(steps % "peanut") == [(Kind.PRIVATE, "peanut")]
    error = Incorrect("bad_field", "`peanut` is no field", "leave it out", where="facts.0")
    asked = story(TOLD + "- {agent: nova, profile: true, expect: {private: [peanut]}}").steps[1]
    assert (Kind.PRIVATE, False) in {(verdict.kind, verdict.held) for verdict in judged(asked.expect, error, {})}


def test_a_number_that_was_said_is_a_text_and_one_that_was_measured_is_none():
    steps = """
        - {agent: penny, remember: {facts: [{relation: income, value: 8125}]}}
        - {agent: penny, recall: "income", explain: true, expect: {private: ['/^8125$/']}}
        - {agent: penny, recall: "income", explain: true, expect: {private: ['/^[01][.][0-9]+$/']}}
    """
    assert failures(steps) == [(Kind.PRIVATE, "/^8125$/")]


def test_ids_and_instants_are_no_texts():
    error = Incorrect("a", "fact_0123456789abcdef0123 at 2026-07-01T09:00:00.3000Z", "b")
    assert {told.text for told in sight_of(error).texts} == {"a", "<id> at <instant>", "b"}
    assert Told("message", "there is no such record") in sight_of(no_such_record()).texts


def test_a_step_whose_part_is_missing_is_skipped_and_so_is_its_story():
    report = play(story("- {sleep: true}\n- {agent: mia, recall: hi}\n- {burst: {agents: [mia], turns: 3}}"))
    (outcome,) = report.outcomes
    assert [played.state for played in outcome.steps] == [State.SKIPPED, State.PASSED, State.SKIPPED]
    assert (outcome.state, report.passed, report.failed) == (State.SKIPPED, False, False)
    assert outcome.complaints[0] == "tale.yaml, line 4, step 1: skipped, `sleep` is not built yet"


def test_a_story_that_needs_a_model_is_skipped():
    report = play(story("- {agent: mia, recall: hi}", requires="llm"))
    assert report.outcomes[0].state is State.SKIPPED
    assert report.summary().latency_p50 is None


SKIPS = {
    "failed before": ("- {agent: mia, recall: hi, expect: {remembers: [tea]}}\n- {sleep: true}", State.FAILED),
    "failed after": ("- {sleep: true}\n- {agent: mia, recall: hi, expect: {remembers: [tea]}}", State.SKIPPED),
    "leaked after": (
        TOLD + "- {sleep: true}\n- {agent: sage, recall: allergies, expect: {private: [peanut]}}",
        State.FAILED,
    ),
}


@pytest.mark.parametrize(("steps", "state"), SKIPS.values(), ids=SKIPS)
def test_a_skipped_story_may_have_failed_already_or_leaked(steps: str, state: State):
    assert play(story(steps)).outcomes[0].state is state


# --- ablations and figures ---------------------------------------------------------------------------------------

LEAK = TOLD + CONTROL + "- {agent: nova, profile: true, expect: {private: [peanut]}}\n"


def test_with_the_door_off_everybody_knows_everything():
    leakage = story(LEAK + "- {policy: {add: ['p, shopping, health, *, *, read, *, deny']}}\n" + LEAK, "leakage")
    assert play(leakage).passed
    report = play(leakage, ablation=Ablation(door=False))
    assert (report.failed, report.summary().leaks) == (True, 2)


def test_without_as_ofs_every_question_is_about_now():
    steps = """
        - {agent: mia, remember: {facts: [{relation: diet, value: vegan}]}}
        - {mark: then}
        - {agent: mia, remember: {facts: [{relation: diet, value: vegetarian, mode: change}]}}
        - {agent: nova, profile: true, as_of: then, expect: {remembers: [vegan]}}
    """
    assert play(story(steps)).passed
    assert play(story(steps), ablation=Ablation(as_of=False)).failed


def test_reports_add_up():
    told = story(LEAK, "leakage", lang="vi")
    report = Report() + play(told) + play(told, ablation=Ablation(door=False)) + play(story("- {sleep: true}"))
    summary = report.summary()
    assert (summary.stories.passed, summary.stories.failed, summary.stories.skipped) == (1, 1, 1)
    assert list(summary.categories) == [Category.LEAKAGE, Category.TEMPORAL]
    assert summary.languages["vi"].failed == 1
    assert (summary.leaks, summary.leak_checks, summary.controls.held, summary.controls.made) == (1, 2, 2, 2)
    assert summary.recall.share == 1
    assert summary.temporal.share is None
    assert summary.latency_p50 is not None
    assert summary.latency_p95 is not None
    assert 0 < summary.latency_p50 <= summary.latency_p95
