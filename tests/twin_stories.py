"""Ways in which private memory escaped once, or might, each as a history to be played with its twin."""

from __future__ import annotations

from tests.twin_histories import (
    NAMED,
    PURPOSES,
    Agree,
    Ask,
    Bind,
    Cite,
    Disagree,
    Do,
    Fact,
    History,
    Operate,
    Restart,
    Rule,
    Say,
    Wait,
    When,
)

HOME, MOVE = Fact("lives_in", thing="Hanoi", since=-40), Fact("lives_in", thing="Hue", since=-10, mode="change")
TURNS_BACK = Fact("lives_in", thing="Hanoi", since=-10, mode="change")
STAYS, ELSEWHERE = (Fact("lives_in", thing=city, since=-40, mode="state") for city in ("Hanoi", "Hue"))
"""Two observations: of personal and health neither is trusted so much more that it would win."""
COFFEE, CIVIC = Fact("likes", "coffee"), Fact("owns", thing="Civic")
NOW = (Ask("view"), Ask("recall", word="what does my car like?"), Ask("timeline"))
IRIS = ("iris reads all",)
"""A colleague of the viewer who knows more than it does."""


def private(fact: Fact) -> Fact:
    return Fact(**{**vars(fact), "scope": "private"})


STORIES = {
    # --- then and now -------------------------------------------------------------------------------------------
    "what was shared then and is revoked now is gone from the past too": History(
        "atlas",
        (),
        (Say("mia", (COFFEE,)), *NOW, Rule(("travel reads no likes",)), Ask("view", When(step=1, day=1)), *NOW),
    ),
    "a promotion of today shows nobody as having known yesterday": History(
        "atlas",
        (),
        (
            Say("mia", (Fact("fear", "coffee", subject="Civic"), Fact("owns", thing="Civic"))),
            Ask("view", When(step=0, day=1)),
            Operate("promote", existing=True),
            Ask("view", When(step=0, day=1)),
            Ask("recall", When(step=1, both=True)),
            *NOW,
        ),
    ),
    "what became private is nowhere in the past of those who may not read it now": History(
        "atlas",
        (),
        (Say("mia", (COFFEE, HOME)), Ask("view"), Operate("relabel", scope="private"), *NOW, Restart(), *NOW),
    ),
    "what had moved out of sight then is near to nothing in meaning": History(
        "iris",
        (),
        (
            Say("mia", (COFFEE,)),
            Operate("relabel", scope="private"),
            Ask("view", When(step=1, both=True)),
            Rule(IRIS),
        ),
    ),
    "a private move backdated into the past leaves the public home as it was": History(
        "zed",
        ("garden shares",),
        (Say("mia", (HOME,)), Ask("timeline"), Say("sage", (private(MOVE),)), Ask("view", When(day=-2)), *NOW),
    ),
    "a purpose opens nothing to a question without it": History(
        "atlas",
        (),
        (Say("sage", (Fact("allergic_to", "coffee"),)), Ask("view", purpose="meal"), Ask("view"), Ask("recall")),
    ),
    "a purpose taken away does not open the past": History(
        "atlas",
        (),
        (
            Say("sage", (Fact("allergic_to", "coffee"),)),
            Bind("atlas", (), ("alice",)),
            Ask("view", When(step=0, day=1)),
        ),
    ),
    "a customer given today was not served yesterday": History(
        "atlas",
        (),
        (
            Bind("atlas", (), ()),
            Say("mia", (COFFEE,)),
            Bind("atlas", PURPOSES, ("alice",)),
            Ask("view", When(step=1, day=1)),
            Ask("recall", When(step=1, both=True)),
        ),
    ),
    "a purpose given today opened nothing yesterday": History(
        "atlas",
        (),
        (
            Bind("atlas", (), ("alice",)),
            Say("sage", (Fact("allergic_to", "coffee"),)),
            Bind("atlas", PURPOSES, ("alice",)),
            Ask("view", When(step=1, day=1), purpose="meal"),
            Ask("view", purpose="meal"),
        ),
    ),
    "what was filed away is gone for a hub that had it in hand and for one that had not": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, HOME)),
            Ask("view"),
            Operate("relabel", scope="private"),
            Ask("view", When(step=0, day=1)),
            Say("mia", (Fact("likes", "tea"),)),
            Ask("view", When(step=0, day=1)),
            *NOW,
        ),
    ),
    "a private time zone moves no day that others know": History(
        "atlas",
        (),
        (
            Say("mia", (Fact("time_zone", "Asia/Tokyo", scope="private", since=-60),)),
            Say("mia", (Fact("likes", "tea", since=-10),)),
            *NOW,
        ),
    ),
    "a recall is run again as it was, whatever was said and done since": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, HOME)),
            Ask("recall", word="what does my car like?"),
            Say("mia", (Fact("likes", "tea"), MOVE)),
            Do("mia", "forget", 2),
            Operate("promote", relation="likes"),
            Ask("again"),
        ),
    ),
    "a recall run again says what was revoked or erased since": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, Fact("likes", "tea"))),
            Ask("recall", word="what does my car like?"),
            Operate("erase_fact"),
            Ask("again"),
            Rule(("travel reads no likes",)),
            Ask("again"),
        ),
    ),
    "a name goes with what gave it for those alone who know of both": History(
        "atlas",
        (),
        (
            Say("sage", (private(CIVIC),)),
            Say("mia", (CIVIC,)),
            *(Do("mia", verb, pick) for verb in ("forget", "restore", "retract") for pick in (1, 2)),
            *NOW,
            Say("mia", (Fact("fear", "tea", subject="Civic"), CIVIC)),
            *(Do("mia", verb, pick) for verb in ("forget", "restore", "retract") for pick in (0, 1, 2)),
            *NOW,
        ),
    ),
    # --- what the customer allows, tokens, deputies, auditors ----------------------------------------------------
    "a grant opens what it names from then on, and while it lasts": History(
        "atlas",
        (),
        (
            Say("sage", (Fact("allergic_to", "coffee"),)),
            Say("penny", (Fact("income", 10),)),
            Agree("travel", "health", "allergic_to", until=2),
            *NOW,
            Ask("view", When(step=0, day=1)),
            Wait(3),
            *NOW,
            Ask("view", When(step=3, day=1)),
        ),
    ),
    "an objection closes the past too, and a consent taken back was given then": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, HOME)),
            Ask("recall"),
            Agree("*", "personal", "likes", objects=True),
            Ask("view", When(step=1, day=1)),
            Ask("again"),
            Disagree(0),
            *NOW,
            Ask("view", When(step=3, day=1)),
        ),
    ),
    "a grant opens what one domain owns, and no more": History(
        "atlas",
        (),
        (
            Say("sage", (Fact("allergic_to", "coffee"),)),
            Say("penny", (Fact("income", 10),)),
            Agree("travel", "health"),
            *NOW,
        ),
    ),
    "a grant to one domain is none to another": History(
        "mia",
        (),
        (Say("sage", (Fact("allergic_to", "coffee"),)), Agree("travel", "health"), Ask("view"), Ask("consents")),
    ),
    "a token is for one customer and one purpose": History(
        "atlas",
        (),
        (
            Say("sage", (Fact("allergic_to", "coffee"),)),
            Say("mia", (HOME,), customer="bob"),
            Bind("atlas", PURPOSES),
            Ask("token", purpose="meal"),
            Ask("token"),
        ),
    ),
    "who acts for another sees what both may see": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, private(HOME))),
            Say("atlas", (private(Fact("likes", "tea")),)),
            *(Ask("deputy", pick=pick) for pick in range(4)),
        ),
    ),
    "why something is told names no words that only others have heard": History(
        "atlas",
        (),
        (Say("mia", (COFFEE,), text="coffee in Hanoi"), Say("mia", (COFFEE,)), Ask("why"), Ask("recall"), Ask("again")),
    ),
    "why something was told then names no words that can be read only since": History(
        "iris",
        (),
        (
            Say("mia", (COFFEE,), text="coffee in Hanoi"),
            Rule(IRIS),
            Ask("why"),
            Ask("why", When(step=0, both=True)),
            Ask("recall", When(step=0, both=True)),
        ),
    ),
    "what others recall leaves no trace": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, Fact("likes", "tea"))),
            Say("sage", (private(Fact("likes", "cocoa")),)),
            Ask("recall"),
            *(Ask("recall", word="tea", who="sage") for _ in range(4)),
            *(Ask("view", who="mia") for _ in range(2)),
            *NOW,
        ),
    ),
    "a burst of private words leaves everybody else the room there was": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE,), text="coffee in Hanoi"),
            *(Say("sage", (Fact(f"ache {n}", "coffee"),), text="coffee in Hanoi") for n in range(12)),
            Say("atlas", (Fact("fear", "coffee"),), text="my car likes tea"),
            *NOW,
            Ask("profile", limit=1),
            Ask("timeline", limit=1),
        ),
    ),
    "why something is told or is not says nothing of what is hidden": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE,), text="coffee in Hanoi"),
            Say("sage", (private(COFFEE), private(HOME))),
            Ask("why"),
            *(Ask("why_not", pick=pick) for pick in range(4)),
            Rule(("travel reads no likes",)),
            Ask("why_not"),
            Ask("why_not", When(step=1, both=True)),
        ),
    ),
    "a line added today opens no yesterday, and no recall of yesterday": History(
        "zed",
        (),
        (
            Say("mia", (HOME, COFFEE)),
            Ask("recall", word="Hanoi"),
            Rule(("garden reads homes", "garden shares")),
            Ask("view", When(step=0, day=1)),
            Ask("again"),
            *NOW,
        ),
    ),
    "a relation promoted today was as fleeting yesterday as it was": History(
        "mia",
        (),
        (
            Say("mia", (Fact("fear", "coffee"),)),
            Wait(35),
            Ask("view", When(step=1, both=True)),
            Ask("recall"),
            Operate("promote", relation="fear", existing=True),
            Ask("again"),
            *NOW,
        ),
    ),
    "the recalls of others are as unknown as none": History(
        "atlas",
        (),
        (Say("mia", (COFFEE,)), Ask("recall", who="iris"), Ask("again"), Ask("recall", who="mia"), Ask("again")),
    ),
    # --- names ---------------------------------------------------------------------------------------------------
    "a private alias merges nothing for others": History(
        "atlas",
        (),
        (
            Say("mia", (CIVIC, Fact("likes", "tea", subject="my car"))),
            Say("sage", (Fact("same_as", subject="Civic", thing="my car", scope="private"),)),
            *NOW,
        ),
    ),
    "an alias tells nobody of a name that only a private fact has": History(
        "atlas",
        (),
        (
            Say("sage", (Fact("fault", "brakes", subject="my car"), CIVIC)),
            Say("sage", (Fact("same_as", subject="Civic", thing="my car"),)),
            *NOW,
        ),
    ),
    "an alias that is corrected stays where its names are": History(
        "atlas",
        IRIS,
        (
            Say("sage", (Fact("fault", "brakes", subject="my car"), Fact("fault", "horn", subject="Civic"))),
            Say("iris", (Fact("same_as", subject="Civic", thing="my car"),)),
            Do("iris", "correct", 0, day=-2),
            Do("iris", "correct", 0, value="tea"),
            *NOW,
        ),
    ),
    "the past keeps its order when a wider policy shows where something had been": History(
        "atlas",
        ("atlas reads nothing private",),
        (
            Operate("hide", 3, owner="health"),
            Say(
                "atlas",
                (
                    Fact("same_as", subject="Civic", thing="my car", negated=True, scope="private"),
                    Fact("likes", "coffee", subject="my car"),
                ),
            ),
            Operate("merge_relation", existing=True),
            Ask("graph", When(step=2, both=True), "tea", 9, 2, "meal"),
            Wait(35),
            Say("zed", (Fact("same_as", subject="Civic", thing="my car", scope="private", of=10),)),
            Say("sage", (Fact("fault", "coffee", subject="my car", kind="car", scope="shared"),)),
            Ask("history", When(day=1, step=13, both=True), pick=6, purpose="booking", who="atlas"),
            Say(
                "zed",
                (
                    Fact("same_as", subject="Civic", thing="my car", scope="private"),
                    Fact("same_as", subject="Civic", thing="my car", negated=True),
                ),
            ),
            Operate("relabel", 3, owner="personal", existing=True),
            Rule(("iris reads all", "owners are named")),
        ),
    ),
    "an alias puts nothing first that only a private fact was about": History(
        "mia",
        (),
        (
            Say("zed", (Fact("owns", thing="Civic", kind="car"),)),
            Say("sage", (Fact("fear", "tea", subject="my car", scope="shared"),)),
            Say("sage", (Fact("fear", "coffee", subject="Civic", kind="car"),)),
            Rule(("iris reads all", "travel reads no possessions")),
            Say("zed", (Fact("likes", "coffee", subject="Civic", scope="shared"),), said=-10),
        ),
    ),
    "a name that a private fact uses first is new to everybody else": History(
        "atlas",
        (),
        (Say("sage", (Fact("fault", "brakes", subject="Civic", kind="car"),)), Say("mia", (CIVIC,)), *NOW),
    ),
    "what a writer files for itself and for others in one breath is named by what each may know": History(
        "atlas",
        (),
        (
            Say("mia", (Fact("fear", "tea", subject="Civic"),)),
            Say("atlas", (CIVIC,)),
            Say("mia", (Fact("fear", "coffee", subject="my car"), CIVIC)),
            *NOW,
        ),
    ),
    "a private trip does not keep an alias from those who read both homes": History(
        "mia",
        (),
        (
            Say("penny", (Fact("trip", thing="Hue", scope="private"),)),
            Say("penny", (Fact("lives_in", thing="Hue", scope="private"), Fact("lives_in", thing="Hue", since=-10))),
            *NOW,
        ),
    ),
    "an alias that others may read names the thing that they know by that name": History(
        "atlas",
        IRIS,
        (
            Say("mia", (Fact("owns", thing="my car"), CIVIC)),
            Say("zed", (Fact("soil", "dry", subject="Civic"),)),
            Say("iris", (Fact("same_as", of=0, thing="Civic"),)),
            Say("iris", (Fact("same_as", subject="Civic", thing="my car"),)),
            *NOW,
        ),
    ),
    "a hidden thing of the same name keeps no alias from those who know of one": History(
        "atlas",
        IRIS,
        (
            Say("atlas", (Fact("fear", "tea", subject="Civic"),)),
            Say("sage", (Fact("fear", "coffee", subject="Civic"),)),
            Say("iris", (CIVIC,)),
            *NOW,
        ),
    ),
    "two names said in one breath stand in the order they were said": History(
        "atlas",
        (),
        (Say("atlas", (Fact("same_as", subject="Civic", thing="my car"),)), Do("atlas", "correct", 0), *NOW),
    ),
    # --- supersession and conflict -------------------------------------------------------------------------------
    "a private contradiction raises no flag": History(
        "atlas",
        (),
        (Say("mia", (HOME,)), Say("sage", (private(Fact("lives_in", thing="Hue", since=-40)),)), *NOW),
    ),
    "a private duplicate makes no public fact a repetition": History(
        "atlas",
        (),
        (Say("sage", (private(COFFEE),)), Say("atlas", (COFFEE,)), *NOW),
    ),
    "nothing is told of an income by guessing at it": History(
        "atlas",
        (),
        (Say("penny", (Fact("income", 10),)), Say("atlas", (Fact("income", 10), Fact("income", "20"))), *NOW),
    ),
    "a hidden id is an unknown id, to whatever verb": History(
        "atlas",
        (),
        (
            Say("penny", (Fact("income", 10),)),
            *(Do("atlas", verb, 0) for verb in ("correct", "retract", "end", "forget", "restore")),
            Say("atlas", (Fact("income", "20", supersedes=0),)),
            Say("atlas", (Fact("likes", "tea", sources=(1,)),)),
            Ask("fact", pick=1),
            Ask("history", When(day=1, step=0), pick=1),
        ),
    ),
    "a wrong question about something hidden sounds like one about nothing": History(
        "atlas",
        (),
        (
            Say("penny", (Fact("income", 10),)),
            Bind("atlas", (), ("alice",)),
            Ask("fact", purpose="booking"),
            Ask("history", When(step=3, beside=1)),
        ),
    ),
    "to forget what a private alias joins forgets no more for others": History(
        "atlas",
        IRIS,
        (
            Say("mia", (Fact("likes", "tea", subject="Civic"), Fact("likes", "tea", subject="my car"))),
            Say("mia", (Fact("same_as", subject="Civic", thing="my car", scope="private"),)),
            Do("mia", "forget", 1),
            *NOW,
        ),
    ),
    # --- erasure -------------------------------------------------------------------------------------------------
    "what was heard elsewhere takes no word from a question when it is erased": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE,), text="my car likes tea"),
            Ask("recall", word="what does my car like?"),
            Operate("erase_fact", pick=1),
            Ask("again"),
        ),
    ),
    "a question keeps the words of what its asker could not read when that is erased": History(
        "atlas",
        (),
        (Say("sage", (Fact("fear", "coffee"),)), Ask("recall"), Operate("erase_fact"), Ask("again"), *NOW),
    ),
    "why something was corrected is not told to those who may not read what replaced it, erased or not": History(
        "zed",
        (),
        (
            Say("zed", (Fact("likes", "tea", scope="private"),)),
            Do("mia", "correct", 0, "coffee"),
            Ask("history", pick=1),
            Operate("erase_fact"),
            Ask("history"),
            *NOW,
        ),
    ),
    "why one's own fact was taken back is still told when what was taken back beside it is erased": History(
        "mia",
        (),
        (
            Say("mia", (Fact("fear", "tea"),)),
            Say("sage", (Fact("fear", "coffee"),)),
            Operate("reject_relation", relation="fear", existing=True),
            Operate("erase_fact"),
            Ask("history", pick=1),
            *NOW,
        ),
    ),
    "an erasure of what others say too leaves a gap that says no more than it must": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, HOME), text="coffee in Hanoi"),
            Say("sage", (private(COFFEE), private(MOVE)), text="my car likes tea"),
            Ask("recall"),
            Operate("erase_fact", pick=3),
            Ask("again"),
            Ask("view", When(step=2, day=1)),
            *NOW,
        ),
    ),
    "an alias names nothing that only other words for the same thing are filed under": History(
        "atlas",
        (),
        (
            Say(
                "atlas",
                (
                    Fact("same_as", thing="my car", subject="Civic", negated=True),
                    private(CIVIC),
                    Fact("fault", "tea", subject="Civic"),
                ),
            ),
            *NOW,
        ),
    ),
    # --- decisions and trust -------------------------------------------------------------------------------------
    "what is decided about something hidden settles nothing for whom it was never contested": History(
        "atlas",
        (),
        (
            Say("mia", (STAYS,)),
            Say("sage", (private(ELSEWHERE),)),
            *(Operate("accept", pick=1), *NOW, Operate("undo"), *NOW, Operate("edit", pick=1), *NOW),
            *(Operate("undo", pick=1), *NOW, Operate("reject", pick=2), *NOW),
        ),
    ),
    "a decision is made of what all who may read it know": History(
        "atlas",
        (),
        (
            Say("sage", (private(Fact("lives_in", thing="Hanoi", since=-60, mode="state")),)),
            Say("mia", (STAYS,)),
            Say("sage", (ELSEWHERE,)),
            Say("mia", (STAYS,)),
            Operate("accept"),
            *NOW,
            Ask("view", When(day=-50)),
            Operate("undo"),
            Operate("edit", pick=1),
            *NOW,
        ),
    ),
    "what a name is merged into holds what its readers believed, whatever has ended that in private": History(
        "atlas",
        (),
        (
            *(Say("mia", (Fact("fear", "coffee", scope="shared"),)), Say("sage", (Fact("fear", "tea"),))),
            *(Operate("merge_relation", into="likes", existing=True), *NOW),
            *(Say("mia", (Fact("fear", "tea", scope="shared"),)), Say("sage", (Fact("fear", "coffee"),)), *NOW),
        ),
    ),
    **{
        f"{verb} knows nothing of a side that was taken back in private": History(
            "atlas",
            (),
            (
                *(Say("mia", (Fact("fear", "tea", scope="shared"),)), Operate("promote", arbitration="trust")),
                *(Say("sage", (private(Fact("fear", "coffee")),)), Operate("reject", pick=1), *NOW),
                *(Operate(verb, scope="private", into="soil", existing=True), *NOW),
            ),
        )
        for verb in ("merge_relation", "reject_relation", "promote")
    },
    "a decision is told to nobody for whom only a hidden claim would put the sides at odds": History(
        "zed",
        (),
        (
            Say("zed", (Fact("lives_in", thing="Hue", mode="change"), private(TURNS_BACK)), said=-10),
            Say("penny", (private(Fact("lives_in", thing="Hue", since=-40, mode="change")),), said=-10),
            *(Operate("edit", pick=10), *NOW),
        ),
    ),
    "what is taken back for fewer can be taken back, or corrected, for all": History(
        "atlas",
        (),
        (
            Say("mia", (STAYS,)),
            Say("mia", (STAYS,)),
            Say("sage", (private(ELSEWHERE),)),
            Operate("reject", pick=1),
            *NOW,
            Do("mia", "retract", 3),
            *NOW,
            Do("mia", "correct", 2, "Hoi An"),
            *NOW,
        ),
    ),
    "a value rejected in private too is taken back for each as far as it knew it": History(
        "atlas",
        (),
        (
            Say("penny", (Fact("diet", "tea"),)),
            Say("mia", (Fact("diet", "coffee"),)),
            Say("mia", (private(Fact("diet", "coffee")),)),
            Operate("reject"),
            *NOW,
            Operate("undo"),
            *NOW,
        ),
    ),
    "what is corrected later teaches the past nothing": History(
        "atlas",
        (),
        (
            Say("zed", (Fact("lives_in", thing="Hanoi"),)),
            Say("penny", (Fact("lives_in", thing="Hue"),)),
            *NOW,
            *(Say("penny", (Fact("lives_in", thing="Hue", subject="Civic"),)) for _ in range(3)),
            *(Do("mia", "retract", pick) for pick in (0, 2, 4)),
            *NOW,
            *(
                Say(who, (Fact("lives_in", "here", subject=thing),))
                for thing in ("my car", "Hanoi", "Oslo")
                for who in ("zed", "iris")
            ),
            *NOW,
            Restart(),
            Ask("view", When(step=2, both=True)),
        ),
    ),
    "who was corrected in private is trusted by others as before": History(
        "atlas",
        (),
        (
            *(Say("penny", (private(Fact("lives_in", thing="Hue", subject="Civic")),)) for _ in range(3)),
            *(Do("mia", "retract", pick) for pick in (0, 2, 4)),
            Say("zed", (Fact("lives_in", thing="Hanoi"),)),
            Say("penny", (Fact("lives_in", thing="Hue"),)),
            *NOW,
        ),
    ),
    # --- what was of use -----------------------------------------------------------------------------------------
    "what was of use to others comes first for them alone": History(
        "atlas",
        (),
        (
            Say("mia", (COFFEE, Fact("likes", "tea"), Fact("likes", "Coffee", subject="Civic"))),
            *NOW,
            *(step for _ in range(3) for step in (Ask("recall", who="mia"), Cite("mia", place=1))),
            *NOW,
            Cite("atlas", pick=3, place=2),
            *NOW,
            Ask("recall", When(step=2, both=True)),
        ),
    ),
    "what turns out to be of use was of none before": History(
        "mia",
        (),
        (Say("mia", (COFFEE,)), Ask("recall"), Cite("mia"), Cite("mia", pick=1), *NOW),
    ),
    "a colleague's word of what was of use tells nothing of what it alone may read": History(
        "atlas",
        IRIS,
        (
            Say("mia", (private(COFFEE), Fact("likes", "tea"), HOME)),
            Ask("recall", who="iris"),
            *(Cite("iris", place=place) for place in range(3)),
            *NOW,
            Operate("erase_fact", pick=2),
            *NOW,
            Cite("iris", place=0),
            *NOW,
        ),
    ),
    # --- words and labels ----------------------------------------------------------------------------------------
    "a turn goes no further than the most private of what it says": History(
        "mia",
        (),
        (Say("sage", (COFFEE, Fact("allergic_to", "coffee")), text="coffee in Hanoi"), *NOW),
    ),
    "a label that no line names is nobody's but the domain's it was told to": History(
        "mia",
        (NAMED,),
        (Say("zed", (Fact("soil", "coffee"), Fact("grows", "coffee"))), *NOW),
    ),
    "a correction of what was derived from something private stays as private": History(
        "atlas",
        (),
        (
            Say("penny", (Fact("income", 10),)),
            Say("penny", (Fact("likes", "tea", sources=(0,)),)),
            Do("penny", "correct", 0, "coffee"),
            *NOW,
        ),
    ),
    "a correction is read by nobody new, whoever owns the relation by now": History(
        "zed",
        (),
        (
            *(Say("iris", (Fact("fear", "coffee"),)), Operate("merge_relation", into="soil", existing=True)),
            *(Do("iris", "correct", 0, "tea", day=10), *NOW),
        ),
    ),
}
