"""The text of a policy: what a loader must refuse, and the tables that say what it must allow."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import Incorrect
from hub.facts import Label, Scope
from hub.policy import Act, Policy, Subject, check_tables, load_folder, rules
from tests.sources import ROOT

POLICIES = ROOT / "policies"
MODEL = (POLICIES / "model.conf").read_text(encoding="utf-8")
LINES = (POLICIES / "policy.csv").read_text(encoding="utf-8")
TABLE = (POLICIES / "shipped.test.yaml").read_text(encoding="utf-8")
ATLAS = Subject("atlas", "travel")


@pytest.fixture
def shipped() -> Policy:
    return load_folder(POLICIES)


# --- loading -------------------------------------------------------------------------------------------------------

GOOD = "p, owner, *, private, *, read, *, allow"
BAD_LINES = {
    "an unknown kind": ("q, owner, *, private, *, read, *, allow", "starts with `p` or `g`"),
    "a second policy type": ("p2, owner, *, private, *, read, *, allow", "not with `p2`"),
    "a kind in capitals": ("P, owner, *, private, *, read, *, allow", "not with `P`"),
    "a short line": ("p, owner, *, private, *, read, allow", "here are 6"),
    "a long line": ("p, owner, *, private, *, read, *, allow, allow", "here are 8"),
    "a truncated line": ("p, owner, *, pri", "here are 3"),
    "a truncated effect": ("p, told, *, private, *, read, *, al", "eft `al`"),
    "an effect in capitals": ("p, told, *, private, *, read, *, Deny", "eft `Deny` is none of allow, deny"),
    "an open effect": ("p, told, *, private, *, read, *, *", "eft `*`"),
    "an unknown act": ("p, told, *, private, *, reads, *, allow", "act `reads`"),
    "an unknown scope": ("p, told, *, Private, *, read, *, allow", "scope `Private`"),
    "an empty cell": ("p, told, *, private, , read, *, allow", "relation `` is empty"),
    "a pattern": ("p, told, *, private, .*, read, *, allow", "relation `.*` is no name"),
    "a pattern at the end": ("p, told, *, private, allergic*, read, *, allow", "is no name"),
    "two dots": ("p, told, .., private, *, read, *, allow", "owner `..` is no name"),
    "a quoted comma": ('p, told, *, private, "a,b", read, *, allow', "here are 8"),
    "a quote": ('p, told, *, private, "ab", read, *, allow', "is no name"),
    "a space inside": ("p, told, *, private, all ergic, read, *, allow", "is no name"),
    "a comment behind": ("p, told, *, private, *, read, *, allow # because", "eft `allow # because`"),
    "a space that is none": ("p, told, *, private, *, read, *, allow\u00a0", "eft `allow\\u00a0`"),
    "a carriage return inside": ("p, told, *, private, a\rb, read, *, allow", "U+000D"),
    "NUL": ("p, told, *, private, a\0b, read, *, allow", "U+0000"),
    "half a surrogate pair": ("p, told, *, private, a\ud800, read, *, allow", "U+D800"),
    "a hidden character": ("p, told, *, private, a\u200bb, read, *, allow", "U+200B"),
    "a line that hides in a comment": ("# fine\u2028p, told, *, private, *, read, *, deny", "U+2028"),
    "a byte order mark": ("\ufeffp, told, *, private, *, read, *, allow", "U+FEFF"),
    "letters in two parts": ("p, told, *, private, e\u0301, read, *, allow", "is no name"),
    "a letter that is two": ("p, told, *, private, \ufb01n, read, *, allow", "NFKC"),
    "an endless name": (f"p, told, *, private, {'a' * (rules.MAX_NAME + 1)}, read, *, allow", "is longer than"),
    "an agent without a name": ("p, agent:, *, private, *, read, *, allow", "role `agent:` is no name"),
    "a role as owner": ("p, told, told, private, *, read, *, allow", "owner `told` is a role"),
    "an agent as owner": ("p, told, agent:atlas, private, *, read, *, allow", "owner `agent:atlas` is an agent"),
    "the same again": ("p,owner,*,private ,*,\tread,*,allow", "says the same as line 1"),
    "a short grant": ("g, travel, crew", "`g` takes 3 fields (subject, role, owner), here are 2"),
    "a grant to everybody": ("g, *, crew, *", "subject `*` is no name"),
    "a grant of everything": ("g, travel, *, *", "role `*` is no name"),
    "a grant of owner": ("g, travel, owner, health", "role `owner` holds by itself"),
    "a grant of told": ("g, travel, told, *", "role `told` holds by itself"),
    "a grant from owner": ("g, owner, crew, *", "subject `owner` passes nothing on"),
    "a grant of an agent": ("g, travel, agent:atlas, *", "role `agent:atlas` is an agent"),
    "a grant over a role": ("g, travel, crew, operator", "owner `operator` is a role"),
    "a self-grant": ("g, crew, crew, *", "`crew` is granted to itself"),
}


def refused(lines: str) -> Incorrect:
    with pytest.raises(Incorrect) as refusal:
        Policy.parse(MODEL, lines)
    assert refusal.value.code == "bad_policy"
    assert "in force stays" in refusal.value.fix
    assert refusal.value.message.isprintable()
    return refusal.value


@pytest.mark.parametrize("form", BAD_LINES)
def test_a_bad_line_is_refused_by_number(form):
    line, seen = BAD_LINES[form]
    error = refused(f"{GOOD}\n# a comment\n{line}\n")
    assert error.where == "line 3"
    assert "line 3: " in error.message
    assert seen in error.message


def test_every_bad_line_is_named_at_once():
    error = refused(f"{GOOD}\nx\n\ng, a, owner, *\n{GOOD}\np, A B, told, secret, *, *, *, no\n")
    assert [f"line {n}: " in error.message for n in range(1, 8)] == [False, True, False, True, True, True, False]
    assert error.message.count("line 6: ") == 4


@pytest.mark.parametrize(
    ("grants", "lines"),
    [
        ("g, a, b, *\ng, b, a, *", "23"),
        ("g, a, b, *\ng, b, c, health\ng, c, a, *\ng, d, a, *", "234"),
        ("g, a, b, health\ng, b, a, *\ng, c, d, travel\ng, d, c, travel", "2345"),
    ],
)
def test_roles_that_lead_back_to_themselves_are_refused(grants, lines):
    error = refused(f"{GOOD}\n{grants}")
    assert [f"line {n}: " in error.message for n in range(1, 7)] == [str(n) in lines for n in range(1, 7)]


def test_a_way_back_over_another_owner_is_no_cycle():
    policy = Policy.parse(
        MODEL, "g, travel, health, finance\ng, health, travel, shopping\np, health, *, *, *, read, *, allow"
    )
    assert policy.decide(ATLAS, Label("finance", "odd", Scope.PRIVATE, "income"), Act.READ)
    assert not policy.decide(ATLAS, Label("shopping", "odd", Scope.PRIVATE, "size"), Act.READ)


@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        ("", "no `p` line"),
        ("\n\n  \n", "no `p` line"),
        ("# p, owner, *, private, *, read, *, allow\n", "no `p` line"),
        ("g, travel, crew, *", "no `p` line"),
        ("\n".join(f"p, r{n}, *, *, *, *, *, allow" for n in range(rules.MAX_RULES + 1)), "201 rules"),
        ("#\n" * rules.MAX_LINES, "2001 lines"),
    ],
    ids=["empty", "blank", "comments", "grants only", "too many rules", "too many lines"],
)
def test_a_policy_of_no_use_is_refused(lines, seen):
    assert seen in refused(lines).message


def outcome(lines: str) -> str:
    try:
        Policy.parse(MODEL, lines)
    except Incorrect as refusal:
        return refusal.code
    return "read"


TORN_LINES = st.lists(st.sampled_from([GOOD, *(line for line, _ in BAD_LINES.values())])).map("\n".join)


@given(TORN_LINES | st.text("pg,*#:owntadlrevish \t\r\n\0é\ud800ﬁ", max_size=120))
def test_any_text_is_a_policy_or_refused(lines):
    assert outcome(lines) in ("read", "bad_policy")


def test_windows_line_ends_and_names_in_any_script_are_read():
    policy = Policy.parse(MODEL, "p, owner, sức_khỏe, private, 알레르기, read, *, allow\r\n# 健康\r\n")
    label = Label("sức_khỏe", "sức_khỏe", Scope.PRIVATE, "알레르기")
    assert policy.decide(Subject("an", "sức_khỏe"), label, Act.READ)


@pytest.mark.parametrize("gap", ["\n\n", "\n# a thought\n", "\n   \n"])
def test_a_gap_inside_the_matcher_does_not_cut_it_short(gap):
    holed = MODEL.replace('"*") \\\n', f'"*") \\{gap}')
    assert holed != MODEL
    assert check_tables(Policy.parse(holed, LINES), TABLE) == []


@pytest.mark.parametrize("model", ["", "\ud800", "[matchers]\nm = true", MODEL + "\n[matchers]\nm = true"])
def test_another_model_is_refused(model):
    with pytest.raises(Incorrect) as refusal:
        Policy.parse(model, LINES)
    assert refusal.value.where == "model.conf"


def test_a_folder_that_cannot_be_read_is_refused(tmp_path):
    for file, content, seen in [
        ("model.conf", None, "model.conf cannot be read: No such file"),
        ("model.conf", MODEL.encode(), "policy.csv cannot be read"),
        ("policy.csv", b"p, \xff", "policy.csv is not UTF-8"),
    ]:
        if content is not None:
            (tmp_path / file).write_bytes(content)
        with pytest.raises(Incorrect, match=seen):
            load_folder(tmp_path)


# --- the shipped policy --------------------------------------------------------------------------------------------


def test_the_shipped_policy_keeps_its_own_table(shipped):
    assert [str(failure) for failure in check_tables(shipped, TABLE, "shipped.test.yaml")] == []


@pytest.mark.parametrize("line", [it for it in LINES.split("\n") if it[:2] in ("p,", "g,")])
def test_no_shipped_line_can_be_dropped_unnoticed(line):
    policy = Policy.parse(MODEL, "\n".join(it for it in LINES.split("\n") if it != line))
    assert check_tables(policy, TABLE)


def test_every_shipped_line_is_preceded_by_its_reason():
    rows = LINES.split("\n")
    assert all(above.startswith("# ") for above, row in pairwise(rows) if row[:2] in ("p,", "g,"))


# --- assertion tables ----------------------------------------------------------------------------------------------


def test_a_failing_assertion_says_where_and_by_which_line(shipped):
    table = """
- {agent: health, owner: health, scope: private, relation: x, expect: allow}
- {agent: sage, domain: health, owner: health, told: shopping, scope: private, relation: x, expect: deny}
- {agent: lex, owner: health, scope: private, relation: x, act: erase, purpose: meal, expect: allow}
"""
    allowed, missing = check_tables(shipped, table, "mine.test.yaml")
    number = LINES.split("\n").index(GOOD) + 1
    assert str(allowed) == (
        "mine.test.yaml, assertion 2 "
        "(agent: sage, domain: health, owner: health, told: shopping, scope: private, relation: x): "
        f"expected deny, but allowed by line {number}: `{GOOD}`"
    )
    assert (allowed.position, allowed.expected, allowed.decision.line_number) == (2, "deny", number)
    assert str(missing).endswith("act: erase, purpose: meal): expected allow, but no line allows it")


SOUND = {"agent": "sage", "owner": "health", "scope": "private", "relation": "x", "expect": "deny"}


@pytest.mark.parametrize(
    ("table", "seen"),
    [
        ([], "no list of assertions"),
        ({"agent": "sage"}, "no list of assertions"),
        ("", "no list of assertions"),
        (["sage"], "assertion 1 is not a mapping"),
        ([SOUND, SOUND | {"agnet": "x"}], "assertion 2 has an unknown key `agnet`"),
        ([{key: SOUND[key] for key in SOUND if key != "owner"}], "needs a text as `owner`"),
        ([SOUND | {"told": 5}], "needs a text as `told`"),
        ([SOUND | {"scope": "*"}], "has no such `scope`"),
        ([SOUND | {"act": "reads"}], "has no such `act`"),
        ([SOUND | {"expect": "yes"}], "has no such `expect`"),
    ],
)
def test_a_table_with_a_slip_is_refused(shipped, table, seen):
    with pytest.raises(Incorrect, match=seen) as refusal:
        check_tables(shipped, table)
    assert refusal.value.code == "bad_table"
