"""Mistakes planted in the hub's own source, one line each, and the stories and histories it takes to notice them.

`python -m tests.planted` plants them all, one a process, and prints a table; with numbers, only those.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

from tests.sources import ROOT

MOST = 400
"""So many histories a mistake may take to be noticed."""

CAUGHT, SURVIVED = 17, 18
"""What a process with a planted mistake ends with; anything else means that the plant is broken."""


@dataclass(frozen=True)
class Plant:
    mistake: str
    path: str
    old: str
    new: str

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


PLANTS = (
    # --- what is read -------------------------------------------------------------------------------------------
    Plant(
        "turns are read whatever they are filed under",
        "hub/door/bases.py",
        "if clearance.admits_all(reading.filing(number))]",
        "if any(x.relation == 'turn' or clearance.admits_all(frozenset({x})) for x in reading.filing(number))]",
    ),
    Plant(
        "one readable label opens a joint filing",
        "hub/policy/verdicts.py",
        "bool(filing) and all(map(self._verdict, filing))",
        "any(map(self._verdict, filing))",
    ),
    Plant(
        "a label no line names is readable",
        "hub/policy/verdicts.py",
        "return bool(home) and not _lacks_a_name(label) and",
        "return bool(home) and not _lacks_a_name(label) and label.owner not in self._names or",
    ),
    Plant(
        "what is near in meaning is found whatever the clearance of then",
        "hub/vectors.py",
        "if seen is not None:",
        "if seen is not None and not upto:",
    ),
    Plant(
        "what is near in meaning is found where it was filed before",
        "hub/view/records.py",
        "nearness(steps, self.prefix, seen, gone)",
        "nearness(steps, self.prefix, seen)",
    ),
    Plant(
        "where the ledger stood once is where it stands",
        "hub/ledger/heart.py",
        "if pulse is not None and pulse == self._felt else",
        "if pulse is not None else",
    ),
    Plant(
        "a memory stays as it was told first",
        "hub/memories.py",
        "last is not None and last[0] is belief",
        "last is not None",
    ),
    Plant("bases are kept by customer alone", "hub/door/bases.py", "relations, clearance.key)", "relations, ())"),
    Plant(
        "bases are kept whatever the purpose",
        "hub/door/bases.py",
        "relations, clearance.key)",
        "relations, clearance.key[:3])",
    ),
    Plant(
        "the cut of a filing is kept whoever reads it",
        "hub/door/reads.py",
        'self.key = ("cut", *sorted(map(repr, all_of)))',
        'self.key = ("cut", *writer.key)',
    ),
    Plant(
        "what others found useful is put before its equals",
        "hub/door/desk.py",
        'Scope.PRIVATE, "feedback")',
        'Scope.SHARED, "feedback")',
    ),
    # --- then and now -------------------------------------------------------------------------------------------
    Plant(
        "a question about the past skips the clearance of then",
        "hub/door/__init__.py",
        "sees=None if then is None or then.key == today.key else then.admits_all",
        "sees=None",
    ),
    Plant(
        "the binding of then is today's",
        "hub/door/rules.py",
        "binding = self.binding(reading, viewer.agent, at)",
        "binding = self.binding(reading, viewer.agent)",
    ),
    Plant(
        "the policy of then starts a moment late",
        "hub/door/rules.py",
        "version.recorded_at <= at)",
        "version.recorded_at < at)",
    ),
    Plant(
        "what is of use today was of use before",
        "hub/view/finding.py",
        "for number in among(view, view.base.uses.get(record, []))",
        "for number in view.base.uses.get(record, [])",
    ),
    Plant(
        "what is corroborated today was corroborated before",
        "hub/memories.py",
        "corroboration=max(1, len(belief.support))",
        "corroboration=len(view.base.claims_of[claim.subject.id, claim.relation])",
    ),
    Plant(
        "a moment ends just before what was recorded then",
        "hub/view/__init__.py",
        "bisect_right(base.ats, known_at)",
        "bisect_right(base.ats, known_at - 1)",
    ),
    Plant(
        "a moment holds what was recorded just after",
        "hub/view/__init__.py",
        "bisect_right(base.ats, known_at)",
        "bisect_right(base.ats, known_at + 1)",
    ),
    Plant(
        "what came into sight was always there", "hub/view/base.py", "append(row.at)", "append(row.record.recorded_at)"
    ),
    Plant(
        "what left stays in sight",
        "hub/view/base.py",
        "return [(row, left) for row, left in rows if row.record.id in open_rows]",
        "return rows",
    ),
    Plant(
        "a base is not made anew when something left it",
        "hub/view/base.py",
        "if self.after and any(",
        "if not self.after and any(",
    ),
    Plant(
        "acts count before they are recorded",
        "hub/view/records.py",
        "found = [row.record for row in self.rows(numbers)] if numbers else []",
        "found = [self.base.rows[n].record for n in numbers] if numbers else []",
    ),
    Plant(
        "what is folded is kept whatever was seen",
        "hub/view/kept.py",
        "key = (sees, id(registry))",
        "key = id(registry)",
    ),
    Plant(
        "a slot is folded once and for all",
        "hub/view/kept.py",
        "count += len(numbers) if numbers[-1] < prefix else bisect_left(numbers, prefix)",
        "count += len(numbers)",
    ),
    # --- no write-down ------------------------------------------------------------------------------------------
    Plant(
        "what shapes a record is all that its writer knows",
        "hub/door/__init__.py",
        "cut=lambda filing: Cut(clearance, self._rulebook.readers(writing), filing)",
        "cut=lambda filing: clearance",
    ),
    Plant(
        "names are resolved in the writer's own view",
        "hub/remember/__init__.py",
        "names = Names(self.desk, self.desk.cut(filing), self.lang)",
        "names = Names(self.desk, self.desk.view, self.lang)",
    ),
    Plant(
        "days are cut in a time zone that others may not know",
        "hub/remember/__init__.py",
        "zone = zone_of(self.desk.cut(filing))",
        "zone = zone_of(self.desk.view)",
    ),
    Plant(
        "two names joined by a writer are joined for all who read the new one",
        "hub/remember/naming.py",
        "self._desk.file(self._alias(claim, entity, named), place)",
        "self._desk.file(self._alias(claim, entity, named), self._desk.filing_of(claim.id))",
    ),
    Plant(
        "an alias names whatever is called so",
        "hub/remember/naming.py",
        "twins if row.filing <= place), None)",
        "twins if row), None)",
    ),
    Plant(
        "whether a name is joined depends on all that its writer knows",
        "hub/remember/naming.py",
        "seen = self._desk.cut(place)",
        "seen = self._view.plus(self._desk.filed)",
    ),
    Plant(
        "what is forgotten goes by aliases that others may not know",
        "hub/remember/acts.py",
        "seen = desk.cut(desk.filing_of(claim.id))",
        "seen = desk.view",
    ),
    Plant(
        "an alias is filed where its first name is",
        "hub/remember/__init__.py",
        "(under or own) | (over or own)",
        "(under or own)",
    ),
    Plant(
        "a turn is kept by who hears it, whatever it says",
        "hub/remember/__init__.py",
        "frozenset({desk.turn_label}).union(*filed.filings)",
        "frozenset({desk.turn_label})",
    ),
    Plant(
        "what a fact is derived from leaves no label",
        "hub/remember/__init__.py",
        "filing |= self.desk.filing_of(source)",
        "self.desk.filing_of(source)",
    ),
    Plant(
        "what is taken back for fewer is no more to be taken back for all",
        "hub/remember/acts.py",
        "return holds(desk.view, record) or holds(desk.cut(desk.filing_of(record.id)), record)",
        "return holds(desk.view, record)",
    ),
    Plant(
        "a decision is made of all that an operator knows",
        "hub/remember/deciding.py",
        "cut = desk.cut(_join(desk, contested))",
        "cut = desk.view",
    ),
    Plant(
        "a decision is filed where the value is that it is for",
        "hub/remember/deciding.py",
        "desk.file(claim, _join(desk, contested))",
        "desk.file(claim, desk.filing_of(max(contested.sides, key=lambda s: s.claim.obj == claim.obj).claim.id))",
    ),
    Plant(
        "a decision is told to those for whom nothing was at odds",
        "hub/remember/deciding.py",
        "    if _at_odds(cut, list(widest.values())):\n",
        "    if cut is not None:\n",
    ),
    Plant(
        "trust is learned from all rows of a base",
        "hub/view/trust.py",
        "rows = (*records.rows(records.base.told_by.get(relation, ())), *records.more)",
        "rows = [records.base.rows[number] for number in records.base.told_by.get(relation, ())]",
    ),
    Plant(
        "what was weighed is kept whatever has been learned since",
        "hub/view/__init__.py",
        "held.weighed is None or held.weighed == self._heard(key[1])",
        "True",
    ),
    Plant(
        "what is merged into another relation is decided from all there is",
        "hub/remember/schema.py",
        "not seen.believed(claim)",
        "not desk.view.believed(claim)",
    ),
    Plant(
        "what becomes of a name spares what was taken back in private",
        "hub/hub/governing.py",
        "if view.living(claim))",
        "if desk.view.living(claim))",
    ),
    # --- what is said back --------------------------------------------------------------------------------------
    Plant(
        "an outcome is computed from everything",
        "hub/door/__init__.py",
        "look=lambda reads: self._within(writing, reads)",
        "look=lambda reads: self._within(writing, reads if reads is not clearance else"
        " self._rulebook.clearance(writing, as_viewer('admin'), customer, None, Act.INSPECT))",
    ),
    Plant(
        "a hidden id is another error than an unknown one",
        "hub/door/reception.py",
        "        if customer is None or not looking.serves(customer, binding):\n",
        "        if customer is None:\n            from hub.errors import Incorrect\n\n"
        "            raise Incorrect('unknown_id', 'that is no id', 'check it')\n"
        "        if not looking.serves(customer, binding):\n",
    ),
    Plant(
        "to supersede something hidden is another error",
        "hub/remember/__init__.py",
        "        if old is None:\n",
        "        if old is None and self.desk._writing.customer_of(fact.supersedes) is None:\n            return\n"
        "        if old is None:\n",
    ),
    Plant(
        "a record's time is counted from the number before it",
        "hub/ledger/transactions.py",
        "self.now: Instant = ledger.clock.next(self.state.last)",
        "self.now: Instant = ledger.clock.next(self.state.last) + self.state.seq",
    ),
    Plant(
        "scores weigh words in all the rows of a base",
        "hub/recall/lexical.py",
        "rows, length = extent(view)",
        "rows, length = len(view.base.rows), sum(view.base.lengths)",
    ),
    Plant(
        "a view grows with what is recorded after it was given out",
        "hub/view/__init__.py",
        "self.prefix = min(known, bisect_right(base.seqs, snapshot))",
        "self.prefix = known",
    ),
    Plant(
        "a profile is in the order of all that its base knows",
        "hub/view/entities.py",
        "for entity in entities if self._mentioned(entity)}, key=self._first_mention)",
        "for entity in entities if self._mentioned(entity)},"
        " key=lambda one: [self._first_mention(e) for e in self.base.relations_of if self.canon(e) == one])",
    ),
    # --- settled, and asked again -------------------------------------------------------------------------------
    Plant(
        "the past is read by the registry of today",
        "hub/door/__init__.py",
        "registry=(at_the_time or rules).registry",
        "registry=rules.registry",
    ),
    Plant(
        "a promotion counts from when it was first heard of",
        "hub/door/rules.py",
        "if version.id <= reading.state.version and (at is None or version.recorded_at <= at):",
        "if version.id <= reading.state.version:",
    ),
    Plant(
        "a recall is run again on the rows of today",
        "hub/door/__init__.py",
        "snapshot=asked.state.seq",
        "snapshot=reading.state.seq",
    ),
    Plant(
        "a recall is run again by the rules of then alone",
        "hub/door/__init__.py",
        "today = self._rulebook.clearance(reading, looking, kept.customer, purpose, act)",
        "today = self._rulebook.clearance_then(reading.pinned(kept.state, kept.present), kept.viewer, kept.customer,"
        " purpose, None)",
    ),
    Plant(
        "a recall is run again by the rules of today alone",
        "hub/door/__init__.py",
        "then = self._rulebook.clearance_then(before, *whose, None)",
        "then = today",
    ),
    Plant(
        "nobody hears that a memory is no longer there",
        "hub/hub/recalls.py",
        "gone = [Unavailable(id=id_, reason=GONE) for id_, _ in kept.results if view.known(id_) is None]",
        "gone: list[Unavailable] = []",
    ),
    Plant(
        "anybody may have a recall run again",
        "hub/door/__init__.py",
        "if kept is None or not _is_own(looking, kept) or not",
        "if kept is None or not",
    ),
    # --- consents, tokens, deputies -----------------------------------------------------------------------------
    Plant(
        "a consent counts before it is recorded",
        "hub/door/consents.py",
        "known = [consent for consent in consents if consent.recorded_at <= at]",
        "known = list(consents)",
    ),
    Plant(
        "a consent that has ended goes on",
        "hub/door/consents.py",
        "and consent.interval.holds(at)",
        "and consent.interval.start <= at",
    ),
    Plant("an objection is not heard", "hub/door/consents.py", "is ConsentEffect.OBJECT]", "is None]"),
    Plant(
        "a grant opens what others own",
        "hub/door/consents.py",
        "and consent.owner in (None, label.owner)",
        "and (consent.owner in (None, label.owner) or consent.effect is ConsentEffect.GRANT)",
    ),
    Plant(
        "what is kept for a clearance is kept whatever the customer allows",
        "hub/door/consents.py",
        'self.key = (*own.key, "consents", *(consent.id for consent in consents))',
        "self.key = own.key",
    ),
    Plant(
        "a token names any purpose of its agent",
        "hub/door/keyring.py",
        "purposes = None if key.parent is None else",
        "purposes = None if key.parent is not None else",
    ),
    Plant(
        "a token serves whom its agent serves",
        "hub/door/keyring.py",
        "Viewer(agent=key.agent, customer=key.customer",
        "Viewer(agent=key.agent, customer=None",
    ),
    Plant(
        "a deputy forgets for whom it acts",
        "hub/hub/agent.py",
        "viewer = replace(self.viewer, behalf=other.viewer)",
        "viewer = self.viewer",
    ),
    # --- why, and to auditors -----------------------------------------------------------------------------------
    Plant(
        "why not looks at all there is",
        "hub/hub/whys.py",
        "ever=ever if view.known_at is not None else held,\n    )\n\n\ndef own_kept",
        "ever=lambda: door.inspect('admin', request.customer),\n    )\n\n\ndef own_kept",
    ),
    Plant(
        "why names the other tellings, whoever may read them",
        "hub/recall/why.py",
        "rows = [row for record_id in ids if (row := view.row(record_id)) is not None]",
        "rows = [view.base.rows[numbers[0]] for record_id in ids if (numbers := view.base.by_id.get(record_id))]",
    ),
    Plant(
        "an auditor looks through eyes as far as these see",
        "hub/door/__init__.py",
        "return (Both(today, looked), then) if eyes.asked_at is None",
        "return (looked, then) if eyes.asked_at is None",
    ),
    Plant(
        "through eyes an auditor reads what an agent may",
        "hub/door/__init__.py",
        "act = Act.INSPECT if through else Act.READ",
        "act = Act.READ",
    ),
    Plant(
        "why not tells an auditor of what it may not inspect",
        "hub/hub/whys.py",
        "def held() -> View:\n        return door.inspect(auditor,",
        "def held() -> View:\n        return door.inspect('admin',",
    ),
    Plant(
        "an auditor has recalls run again with their agents' eyes alone",
        "hub/hub/auditing.py",
        "replayed(self._door.look_again(self.id, kept, inspecting=True)",
        "replayed(self._door.look_again('admin', kept, inspecting=True)",
    ),
    # --- erasure ------------------------------------------------------------------------------------------------
    Plant(
        "a query loses the words of what its asker could not read",
        "hub/ledger/erasing.py",
        "return any(reads(kept, filed[id_]) for id_ in quoted)",
        "return bool(quoted)",
    ),
    Plant(
        "why something was corrected is told to those who may not read the correction",
        "hub/remember/acts.py",
        "withdrawal(desk, old, asked.reason if same else None)",
        "withdrawal(desk, old, asked.reason)",
    ),
    Plant(
        "a correction of what was merged belongs to the owner of the known relation",
        "hub/remember/acts.py",
        "(before - {label for label in own if label.owner == new.owner})",
        "(before - own)",
    ),
    Plant(
        "what is erased leaves its neighbours of then without a reason",
        "hub/ledger/erasing.py",
        "if told or put_in_place or record.id in acts:",
        "if told or put_in_place or record.id in acts or record.recorded_at in made | acted:",
    ),
    Plant(
        "an auditor's question skips the eyes it looks through",
        "hub/door/__init__.py",
        "eyes = as_viewer(through) if through else looking",
        "eyes = looking",
    ),
)


# --- planting ----------------------------------------------------------------------------------------------------


class _Loader(SourceFileLoader):
    def __init__(self, plant: Plant) -> None:
        super().__init__(plant.module, str(ROOT / plant.path))
        self._plant = plant

    def get_code(self, fullname: str) -> CodeType:
        return compile(planted(self._plant), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, plant: Plant) -> None:
        self._plant = plant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == self._plant.module else None
        if spec is not None:
            spec.loader = _Loader(self._plant)
        return spec


def planted(plant: Plant) -> str:
    """The source with the mistake in it; raises ValueError where the line is not there exactly once."""
    source = (ROOT / plant.path).read_text(encoding="utf-8")
    if source.count(plant.old) != 1:
        raise ValueError(f"{plant.path} has {source.count(plant.old)} times: {plant.old}")
    return source.replace(plant.old, plant.new)


def grow(plant: Plant, most: int = MOST) -> subprocess.CompletedProcess[str]:
    """Tells the stories, then so many histories, in a process of its own with the mistake in the hub it imports."""
    command = [sys.executable, "-W", "error", "-m", "tests.planted", "--one", str(most), *astuple(plant)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def _grow(plant: Plant, most: int, *, thorough: bool = False) -> int:
    """Prints how it was noticed; with `thorough`, by the stories and by the histories."""
    assert not any(name == "hub" or name.startswith("hub.") for name in sys.modules), "planted too late"
    sys.meta_path.insert(0, _Finder(plant))
    from tests.twin_histories import history
    from tests.twin_stories import STORIES
    from tests.twins import noticed

    by_story = noticed(STORIES.items())
    by_chance = None if by_story and not thorough else noticed((str(seed), history(seed)) for seed in range(most))
    said = [f"by the story `{by_story[1]}`"] if by_story else []
    said += [f"by the {by_chance[0]}th history"] if by_chance else []
    print(", ".join(said) or "not at all")
    return CAUGHT if said else SURVIVED


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--one"]:
        return _grow(Plant(*arguments[2:]), int(arguments[1]))
    if arguments[:1] == ["--thorough"]:
        return _grow(PLANTS[int(arguments[1])], MOST, thorough=True)
    for number in map(int, arguments or range(len(PLANTS))):
        done = grow(PLANTS[number])
        ended = done.returncode in (CAUGHT, SURVIVED)
        print(f"{number:2} {PLANTS[number].mistake:68} {done.stdout.strip() if ended else done.stderr}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
