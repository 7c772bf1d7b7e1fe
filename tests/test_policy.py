"""The policy: Casbin's verdicts against a plain reading of the same lines, and what is remembered of them."""

from __future__ import annotations

import logging.config
import re
import threading

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis.errors import NoSuchExample

from hub.codec import replaced
from hub.errors import Incorrect
from hub.facts import Label, Scope
from hub.play import reference
from hub.play.reference import RESERVED
from hub.policy import ROLES, Act, Policy, Subject, load_folder, verdicts
from tests.policy_cases import Case, cases, parts
from tests.sources import ROOT

POLICIES = ROOT / "policies"
MODEL = (POLICIES / "model.conf").read_text(encoding="utf-8")
LINES = (POLICIES / "policy.csv").read_text(encoding="utf-8")
ALLERGY = Label("health", "shopping", Scope.PRIVATE, "allergic_to")
CITY = Label("personal", "personal", Scope.SHARED, "lives_in")
ATLAS = Subject("atlas", "travel")
SAGE = Subject("sage", "health")
READERS = "p, shared-reader, *, shared, *, read, *, allow\n"


@pytest.fixture
def shipped() -> Policy:
    return load_folder(POLICIES)


# --- against the reference -----------------------------------------------------------------------------------------


def allows(lines: str, home: str, agent: str, *rest: str) -> bool:
    *label, act, purpose = rest
    return reference.allows(lines, home, agent, reference.Label(*label), act, purpose)


def differs(case: Case, model: str) -> bool:
    policy = Policy.parse(model, case.lines)
    return any(policy.decide(*parts(question)) != allows(case.lines, *question) for question in case.questions)


@given(cases())
def test_casbin_decides_what_the_lines_plainly_say(case):
    policy = Policy.parse(MODEL, case.lines)
    for question in case.questions:
        expected = allows(case.lines, *question)
        assert policy.decide(*parts(question)) == expected, question
        assert policy.explain(*parts(question)).allowed == expected, question


@given(cases())
def test_equal_keys_mean_equal_verdicts_and_a_filing_is_the_sum_of_its_labels(case):
    policy = Policy.parse(MODEL, case.lines)
    labels = {parts(question)[1] for question in case.questions[::18]}
    verdicts_by_key: dict[tuple[str, ...], list[bool]] = {}
    for question in case.questions:
        subject, _, act, purpose = parts(question)
        clearance = policy.clearance(subject, act, purpose)
        said = [allows(case.lines, *question[:2], *label_of, act, purpose) for label_of in map(cells_of, labels)]
        assert verdicts_by_key.setdefault(clearance.key, said) == said
        assert clearance.admits_all(frozenset(labels)) == all(said)


def cells_of(label: Label) -> tuple[str, str, str, str]:
    return label.owner, label.told, str(label.scope), label.relation


# --- planted mistakes: each is seen by the differential test -------------------------------------------------------

PLANTED_MODELS = {
    "a denial is ignored": (" && !some(where (p.eft == deny))", ""),
    "what nobody denies is allowed": ("some(where (p.eft == allow)) && ", ""),
    "readers of shared memory touch owners": ('!(p.role == "shared-reader" && r.home == r.owner)', "1 == 1"),
    "told is ignored": (' || (p.role == "told" && r.home == r.told)', ""),
    "told is whoever owns it": ("r.home == r.told", "r.home == r.owner"),
    "owner is whoever was told": (
        '(p.role == "owner" && r.home == r.owner)',
        '(p.role == "owner" && r.home == r.told)',
    ),
    "purpose is ignored": ('(p.purpose == r.purpose || p.purpose == "*")', "1 == 1"),
    "no purpose opens every purpose": ('|| p.purpose == "*"', '|| p.purpose == "*" || r.purpose == ""'),
    "relation is ignored": ('(p.relation == r.relation || p.relation == "*")', "1 == 1"),
    "scope is ignored": ('(p.scope == r.scope || p.scope == "*")', "1 == 1"),
    "act is ignored": ('(p.act == r.act || p.act == "*")', "1 == 1"),
    "owner column is ignored": ('(p.owner == r.owner || p.owner == "*")', "1 == 1"),
    "a grant over one owner holds over all": ("g(r.home, p.role, r.owner)", 'g(r.home, p.role, "health")'),
    "one agent's lines are nobody's": (" || g(r.agent, p.role, r.owner)", ""),
}


def on_one_line(model: str) -> str:
    return re.sub(r" +", " ", model.replace("\\\n", " "))


def is_seen(model: str, examples: int = 400) -> bool:
    """Whether the differential test would find a case that tells the mistake."""
    quick = settings(max_examples=examples, phases=[Phase.generate], derandomize=True, database=None)
    try:
        find(cases(), lambda case: differs(case, model), settings=quick)
    except NoSuchExample:
        return False
    return True


@pytest.mark.parametrize("mistake", PLANTED_MODELS)
def test_a_mistake_in_the_model_is_refused_and_would_be_seen(mistake, monkeypatch):
    right, wrong = PLANTED_MODELS[mistake]
    planted = on_one_line(MODEL).replace(right, wrong)
    assert planted != on_one_line(MODEL)
    with pytest.raises(Incorrect) as refusal:
        Policy.parse(planted, LINES)
    assert (refusal.value.code, refusal.value.where) == ("bad_policy", "model.conf")
    monkeypatch.setattr(verdicts, "KNOWN_MODELS", {verdicts.model_digest(planted)})
    assert is_seen(planted)


def all_strangers_alike(self, home, agent, label, act, purpose):
    def known(name):
        return name if name in self._names else "?"

    places = (known(home), known(f"agent:{agent}"), known(label.owner), known(label.told))
    return verdicts.Request(*places, label.scope.value, known(label.relation), act, purpose)


def strangers_as_they_are(self, home, agent, label, act, purpose):
    places = (home, f"agent:{agent}", label.owner, label.told)
    return verdicts.Request(*places, label.scope.value, label.relation, act, purpose)


def no_agents(self, subject, act, purpose):
    digest, home, _, *rest = RIGHT_KEY(self, subject, act, purpose)
    return (digest, home, "", *rest)


def deaf_to_stars(depth):
    links = RIGHT_LINKS(depth)
    links.add_domain_matching_func = lambda matches: None
    return links


RIGHT_KEY, RIGHT_LINKS = Policy._key, verdicts.DomainManager
PLANTED_CODE = {
    "all strange names are one": (Policy, "_request", all_strangers_alike),
    "grants over every owner are lost": (verdicts, "DomainManager", deaf_to_stars),
    "the agent is left out of the key": (Policy, "_key", no_agents),
    "the purpose is left out of the key": (verdicts, "_named", lambda purpose, purposes: ""),
    "any purpose will do": (verdicts, "_named", lambda purpose, purposes: min(purposes, default="")),
    "a home may be called like a role": (Subject, "is_fit", True),
}


@pytest.mark.parametrize("mistake", PLANTED_CODE)
def test_a_mistake_in_the_code_would_be_seen(mistake, monkeypatch):
    monkeypatch.setattr(*PLANTED_CODE[mistake])
    assert is_seen(MODEL)


def test_nothing_is_seen_where_nothing_is_planted():
    assert not is_seen(MODEL, examples=50)


# --- the shipped policy --------------------------------------------------------------------------------------------


def test_a_decision_names_the_line(shipped):
    nothing = shipped.explain(ATLAS, ALLERGY, Act.READ)
    assert (nothing.allowed, nothing.line_number, nothing.line, nothing.why) == (False, None, None, "no line allows it")
    meal = shipped.explain(ATLAS, ALLERGY, Act.READ, "meal")
    assert meal.line == LINES.split("\n")[meal.line_number - 1]
    assert meal.why == f"allowed by line {meal.line_number}"


def test_the_roles_of_a_subject_are_those_it_holds_somewhere(shipped):
    assert shipped.roles_of(Subject("admin", "admin")) == ["auditor", "operator"]
    assert shipped.roles_of(ATLAS) == ["shared-reader"]
    assert shipped.roles_of(Subject("lex", "legal")) == shipped.roles_of(Subject("admin", "operator")) == []
    split = Policy.parse(MODEL, READERS + "g, travel, crew, health\ng, crew, lead, finance\ng, crew, guest, *")
    assert split.roles_of(ATLAS) == ["crew", "guest"]


def test_a_denial_is_named_before_what_it_overrides():
    lines = ["g, travel, shared-reader, *", "p, travel, *, *, lives_in, *, *, deny", "p, *, *, *, *, *, *, allow"]
    policy = Policy.parse(MODEL, READERS + "\n".join(lines))
    denied = policy.explain(ATLAS, CITY, Act.READ)
    assert (denied.allowed, denied.line_number, denied.why) == (False, 3, "denied by line 3")
    assert policy.explain(ATLAS, replaced(CITY, relation="name"), Act.READ).why == "allowed by lines 1, 4"


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("home", sorted(ROLES | {"*", "agent:atlas", ""}))
def test_a_home_called_like_a_role_or_an_agent_may_do_nothing(home):
    policy = Policy.parse(MODEL, "p, *, *, *, *, *, *, allow\np, agent:atlas, *, *, *, *, *, allow")
    subject, label = Subject("atlas", home), Label(home or "x", home or "x", Scope.PRIVATE, "name")
    assert not policy.decide(subject, label, Act.READ)
    assert policy.explain(subject, label, Act.READ).why.startswith("an empty name")


def test_the_reference_and_the_policy_reserve_the_same_names():
    assert ROLES | {"*"} == RESERVED


@pytest.mark.parametrize("empty", ["owner", "told", "relation", "agent", "domain"])
def test_an_empty_name_may_do_nothing(empty):
    policy = Policy.parse(MODEL, "p, *, *, *, *, *, *, allow")
    names = {"owner": "travel", "told": "travel", "relation": "name", "agent": "atlas", "domain": "travel"} | {
        empty: ""
    }
    subject = Subject(names["agent"], names["domain"])
    label = Label(names["owner"], names["told"], Scope.PRIVATE, names["relation"])
    assert policy.decide(ATLAS, Label("travel", "travel", Scope.PRIVATE, "name"), Act.READ)
    assert not policy.decide(subject, label, Act.READ)
    assert not policy.explain(subject, label, Act.READ).allowed


@pytest.mark.parametrize(
    "name",
    ["*", ".*", "..", "trave", "travels", "Travel", "travel ", "p, admin", "a\nb", "'", "\0", "\ud800", "?0", "?1"],
)
def test_a_name_that_looks_like_a_pattern_is_only_a_name(name):
    lines = ["p, travel, travel, *, travel, read, travel, allow", "p, crew, *, shared, *, write, *, allow"]
    policy = Policy.parse(MODEL, "\n".join([*lines, "g, travel, crew, travel"]))
    for place in range(5):
        home, owner, told, relation, purpose = ["travel"] * place + [name] + ["travel"] * (4 - place)
        label = Label(owner, told, Scope.SHARED, relation)
        assert policy.decide(Subject("x", home), label, Act.READ, purpose) == (place == 2)
        assert policy.decide(Subject("x", home), label, Act.WRITE, purpose) == (place > 1)


def test_names_that_no_line_knows_do_not_pile_up_in_casbin(shipped, monkeypatch):
    def remembered():
        by_owner = shipped._enforcer.get_role_manager().rm_map
        return sum(len(roles.all_roles) for roles in by_owner.values()), len(shipped._asked)

    def ask(start):
        for n in range(start, start + 400):
            label = Label(f"owner{n % 7}", f"told{n % 5}", Scope.SHARED, f"relation{n}")
            shipped.decide(Subject(f"agent{n}", f"home{n % 3}"), label, Act.READ, f"purpose{n}")

    ask(0)
    before = remembered()
    ask(400)
    assert remembered() == before
    monkeypatch.setattr(Policy, "_request", strangers_as_they_are)
    ask(800)
    assert remembered() != before


def test_a_full_memo_starts_over_and_still_answers():
    memo = verdicts._Memo[int, bool](3)
    assert [memo.keep(n, n == 2) for n in range(5)] == [False, False, True, False, False]
    assert list(memo) == [3, 4]


# --- clearances ----------------------------------------------------------------------------------------------------


def test_subjects_that_cannot_be_told_apart_share_a_clearance(shipped):
    clearance = shipped.clearance(ATLAS, Act.READ)
    assert clearance is shipped.clearance(Subject("nimbus", "travel"), Act.READ)
    assert clearance is shipped.clearance(ATLAS, Act.READ, "sightseeing")
    assert clearance.key == (shipped.digest, "travel", "", "", "read")
    assert shipped.clearance(ATLAS, Act.READ, "meal").key == (shipped.digest, "travel", "", "meal", "read")
    assert shipped.clearance(Subject("admin", "travel"), Act.ERASE).key == (
        shipped.digest,
        "travel",
        "admin",
        "",
        "erase",
    )
    assert shipped.clearance(Subject("", "travel"), Act.READ).key != clearance.key


def test_what_is_filed_nowhere_is_admitted_nowhere(shipped):
    clearance = shipped.clearance(SAGE, Act.READ)
    assert not clearance.admits_all(frozenset())
    assert clearance.admits_all(frozenset({ALLERGY, CITY}))
    assert not clearance.admits_all(frozenset({ALLERGY, Label("finance", "finance", Scope.PRIVATE, "income")}))


def test_a_label_is_decided_once(shipped, monkeypatch):
    asked = []
    enforce = shipped._enforcer.enforce
    monkeypatch.setattr(shipped._enforcer, "enforce", lambda *request: asked.append(request) or enforce(*request))
    for _ in range(3):
        assert shipped.decide(SAGE, ALLERGY, Act.READ)
        assert shipped.clearance(SAGE, Act.READ).admits_all(frozenset({ALLERGY}))
    assert len(asked) == 1


def test_a_failing_casbin_means_no_and_is_asked_again(shipped, monkeypatch, caplog):
    def broken(*request):
        raise RuntimeError("secret words")

    with monkeypatch.context() as patched:
        patched.setattr(shipped._enforcer, "enforce", broken)
        assert not shipped.decide(SAGE, ALLERGY, Act.READ)
        assert not shipped.clearance(SAGE, Act.READ).admits_all(frozenset({ALLERGY}))
    assert shipped.decide(SAGE, ALLERGY, Act.READ)
    assert shipped.clearance(SAGE, Act.READ).admits_all(frozenset({ALLERGY}))
    assert "counts as no" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("answer", [None, 1, "yes", [True]])
def test_only_true_is_yes(shipped, monkeypatch, answer):
    monkeypatch.setattr(shipped._enforcer, "enforce", lambda *request: answer)
    assert not shipped.decide(SAGE, ALLERGY, Act.READ)


def test_a_denial_at_the_end_of_a_long_chain_of_roles_is_seen(monkeypatch):
    lines = [f"g, role{n}, role{n + 1}, {'*' if n % 2 else 'health'}" for n in range(150)]
    lines += ["p, *, *, *, *, *, *, allow", "p, role150, *, *, *, *, *, deny", "g, travel, role0, *"]
    policy = Policy.parse(MODEL, "\n".join(lines))
    assert not policy.decide(ATLAS, ALLERGY, Act.READ)
    assert policy.decide(ATLAS, CITY, Act.READ)
    monkeypatch.setattr(verdicts, "DomainManager", lambda depth: RIGHT_LINKS(10))
    assert Policy.parse(MODEL, "\n".join(lines)).decide(ATLAS, ALLERGY, Act.READ)


def test_versions_differ_by_their_text():
    same, other = Policy.parse(MODEL, READERS), Policy.parse(MODEL, READERS + "# looked through\n")
    assert same.digest == Policy.parse(MODEL, READERS).digest != other.digest
    assert (same.model, same.lines) == (MODEL, READERS)


def test_swapping_policies_while_deciding_never_lets_a_denied_one_through():
    opened = "p, *, *, *, *, read, *, allow\ng, travel, crew, *\n"
    shut = opened + "p, crew, health, *, *, *, *, deny\n"
    labels = [Label(owner, "odd", Scope.SHARED, f"r{n}") for n in range(8) for owner in ("health", "odd")]
    current, wrong, seen, done = [Policy.parse(MODEL, shut)], [], set(), threading.Event()
    read = threading.Condition()

    def read_on():
        while not done.is_set():
            policy = current[0]
            allowed = [label.owner for label in labels if policy.decide(ATLAS, label, Act.READ)]
            with read:
                seen.add(policy.digest)
                read.notify()
            if ("health" in allowed) == ("deny" in policy.lines) or "odd" not in allowed:
                wrong.append((policy.lines, allowed))

    readers = [threading.Thread(target=read_on) for _ in range(4)]
    for reader in readers:
        reader.start()
    for n in range(60):
        current[0] = Policy.parse(MODEL, f"{opened if n % 2 else shut}# version {n}\n")
        with pytest.raises(Incorrect):
            current[0] = Policy.parse(MODEL, "")
        with read:  # each version is in force for as long as it takes somebody to decide by it
            assert read.wait_for(lambda: current[0].digest in seen, timeout=60)
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(seen) > 59


def test_casbin_stays_silent_whatever_logging_is_configured_later(shipped, capsys):
    config = {"version": 1, "disable_existing_loggers": False}
    heard = config | {
        "handlers": {"out": {"class": "logging.StreamHandler", "level": 1}},
        "root": {"handlers": ["out"], "level": 1},
    }
    for loggers in ({"casbin": {"level": "DEBUG"}}, {}):
        logging.config.dictConfig(heard | {"loggers": loggers})
        logging.getLogger("other").info("heard")
        assert shipped.decide(SAGE, ALLERGY, Act.READ)
        assert not shipped.decide(ATLAS, ALLERGY, Act.READ)
        shipped._asked.clear()
        shipped._clearances.clear()
    said = capsys.readouterr()
    logging.config.dictConfig(config | {"root": {"handlers": [], "level": "WARNING"}})
    assert said.out + said.err == "heard\n" * 2
