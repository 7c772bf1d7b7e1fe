"""The graph of a view, whole or around a root, and the walk that recall takes."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub import graph as graphs
from hub.facts import CUSTOMER, Mode
from hub.graph import along, graph, walk
from hub.moments import DAY
from tests.views import SHIPPED, START, Notebook, thing

CIVIC, HONDA, TOKYO = thing("Honda Civic", "car"), thing("Honda", "company"), thing("Tokyo", "city")
ANNA, BOB, CARL = (thing(name, "person") for name in ("Anna", "Bob", "Carl"))


def garage() -> Notebook:
    book = Notebook()
    book.told("mia", "name", "Linh")
    book.told("mia", "owns", CIVIC)
    book.told("mia", "made_by", HONDA, about=CIVIC)
    book.told("kai", "availability", "3 days", about=CIVIC)
    book.told("mia", "likes", "coffee")
    book.told("kai", "hotline", "1800-1234", about=HONDA)
    return book


def drawn(answer) -> tuple[dict[str, dict], list[tuple[str, str, str]]]:
    names = {node.id: node.name for node in answer.nodes}
    return (
        {node.name: node.attributes for node in answer.nodes},
        [(names[edge.source], edge.relation, names[edge.target]) for edge in answer.edges],
    )


# --- the whole ---------------------------------------------------------------------------------------------------


def test_things_are_nodes_single_values_their_attributes_and_facts_between_them_edges():
    answer = graph(garage().view())
    nodes, edges = drawn(answer)
    assert nodes == {
        "customer": {"name": "Linh"},
        "Honda Civic": {"availability": "3 days"},
        "Honda": {"hotline": "1800-1234"},
    }
    assert edges == [("customer", "owns", "Honda Civic"), ("Honda Civic", "made_by", "Honda")]
    assert [node.kind for node in answer.nodes] == ["person", "car", "company"]
    assert all(edge.key == edge.memory_id for edge in answer.edges)
    assert answer.directed
    assert answer.multigraph


def test_networkx_reads_it_back():
    answer = graph(garage().view())
    nodes = [{"id": node.id, "kind": node.kind, **node.attributes} for node in answer.nodes]
    edges = [{"source": e.source, "target": e.target, "key": e.key, "relation": e.relation} for e in answer.edges]
    plain = {"directed": answer.directed, "multigraph": answer.multigraph, "graph": {}, "nodes": nodes, "edges": edges}
    read = nx.node_link_graph(plain, edges="edges")
    assert nx.shortest_path(read, CUSTOMER, HONDA.id) == [CUSTOMER, CIVIC.id, HONDA.id]


def test_a_root_keeps_what_lies_near_it_whichever_way_the_edges_point():
    view = garage().view()
    assert list(drawn(graph(view, "Honda", 0))[0]) == ["Honda"]
    assert list(drawn(graph(view, "honda", 1))[0]) == ["Honda Civic", "Honda"]
    assert list(drawn(graph(view, HONDA.id))[0]) == ["customer", "Honda Civic", "Honda"]
    assert graph(view, "nobody").nodes == ()


def test_what_is_contested_is_no_attribute_but_an_edge_to_each_side():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    book.told("atlas", "lives_in", TOKYO)
    nodes, edges = drawn(graph(book.view()))
    assert nodes == {"customer": {}, "Tokyo": {}}
    assert edges == [("customer", "lives_in", "Tokyo")]
    book.told("kai", "lives_in", thing("Hue", "city"))
    assert len(graph(book.view()).edges) == 2
    other = Notebook()
    other.told("mia", "lives_in", "Hanoi")
    other.told("atlas", "lives_in", negated=True)
    assert drawn(graph(other.view()))[0] == {"customer": {}}


def test_the_past_the_expired_and_the_forgotten_are_in_no_graph():
    book = garage()
    boat = book.told("mia", "owns", thing("Boat"))
    book.told("mia", "name", "Lan", mode=Mode.CHANGE)
    book.hide("mia", boat)
    nodes, _ = drawn(graph(book.view(START + 10 * DAY)))
    assert nodes["customer"] == {"name": "Lan"}
    assert nodes["Honda Civic"] == {}
    assert "Boat" not in nodes


def test_two_names_for_one_thing_are_one_node():
    book = garage()
    rocket = thing("Red Rocket", "car")
    book.told("kai", "colour", "red", about=rocket)
    book.told("mia", "same_as", CIVIC, about=rocket)
    nodes, edges = drawn(graph(book.view()))
    assert nodes["Honda Civic"] == {"availability": "3 days", "colour": "red"}
    assert "Red Rocket" not in nodes
    assert len(edges) == 2


# --- a walk ------------------------------------------------------------------------------------------------------


def reached(view, seeds, hops=2):
    """What a walk came to, with its strength and path in short."""
    return {
        (key[0], key[1]): (round(found.strength, 3), [(s.from_, s.relation, s.to) for s in found.via])
        for found in walk(view, seeds, hops)
        for key in [found.key]
    }


def chain_of_friends() -> Notebook:
    book = Notebook()
    book.told("mia", "friend_of", BOB, about=ANNA)
    book.told("mia", "friend_of", CARL, about=BOB)
    book.told("mia", "plays", "chess", about=CARL)
    book.told("mia", "plays", "go", about=BOB)
    book.told("mia", "plays", "poker", about=ANNA)
    return book


def test_a_walk_goes_two_facts_far_and_says_by_which_path():
    view = chain_of_friends().view()
    found = reached(view, {ANNA.id: 1.0})
    assert found[ANNA.id, "plays"] == (1.0, [])
    assert found[ANNA.id, "friend_of"] == (1.0, [])
    assert found[BOB.id, "plays"] == (0.6, [("Anna", "friend_of", "Bob")])
    strength, path = found[CARL.id, "plays"]
    assert path == [("Anna", "friend_of", "Bob"), ("Bob", "friend_of", "Carl")]
    assert strength < 0.6
    assert (CARL.id, "plays") not in reached(view, {ANNA.id: 1.0}, hops=1)
    assert (BOB.id, "plays") not in reached(view, {ANNA.id: 1.0}, hops=0)


def test_along_some_relations_a_walk_leads_less_far():
    relations = SHIPPED.relations["likes"]
    assert relations.weight < SHIPPED.relations["owns"].weight == 1.0
    book = Notebook()
    book.told("mia", "likes", HONDA, about=ANNA)
    book.told("mia", "owns", CIVIC, about=ANNA)
    book.told("kai", "hotline", "1800-1234", about=HONDA)
    book.told("kai", "colour", "red", about=CIVIC)
    found = reached(book.view(), {ANNA.id: 1.0})
    liked, owned = found[HONDA.id, "hotline"][0], found[CIVIC.id, "colour"][0]
    assert liked == pytest.approx(relations.weight * owned, abs=0.001)


def test_a_walk_also_goes_against_the_facts():
    found = reached(chain_of_friends().view(), {BOB.id: 1.0}, hops=1)
    assert found[ANNA.id, "plays"][1] == [("Anna", "friend_of", "Bob")]


def test_a_step_back_is_called_by_the_inverse_if_there_is_one():
    book = Notebook()
    claim = book.told("mia", "owns", CIVIC)
    step = along(book.view(), claim, back=True)
    assert (step.from_, step.relation, step.to, step.memory_id) == ("Honda Civic", "owned_by", "customer", claim.id)


def test_nothing_is_walked_to_through_the_customer():
    book = garage()
    book.told("atlas", "planned_trip", TOKYO)
    book.told("atlas", "weather", "rain", about=TOKYO)
    found = reached(book.view(), {CIVIC.id: 1.0})
    assert (CUSTOMER, "owns") in found
    assert not {place for place in found if place[0] == TOKYO.id or place == (CUSTOMER, "planned_trip")}


def test_a_walk_follows_neither_the_past_nor_the_expired():
    book = Notebook()
    book.told("mia", "friend_of", BOB, about=ANNA, until=START + DAY)
    book.told("mia", "plays", "go", about=BOB)
    assert (BOB.id, "plays") in reached(book.view(), {ANNA.id: 1.0})
    assert (BOB.id, "plays") not in reached(book.view(START + 2 * DAY), {ANNA.id: 1.0})
    assert (BOB.id, "plays") not in reached(book.view(START + 40 * DAY), {ANNA.id: 1.0})


def test_a_thing_with_many_neighbours_leads_on_weakly_and_not_for_ever():
    book = Notebook()
    for number in range(300):
        book.told("mia", f"met_{number}", thing(f"Guest {number}", "person"), about=ANNA)
        book.told("mia", "plays", "chess", about=thing(f"Guest {number}", "person"))
    found = reached(book.view(), {ANNA.id: 1.0})
    guests = [strength for (subject, relation), (strength, _) in found.items() if relation == "plays"]
    assert len(guests) == graphs.MOST_EDGES
    assert max(guests) < 0.2


def test_what_pointed_to_a_thing_once_is_not_about_it_any_more():
    book = Notebook()
    book.told("atlas", "planned_trip", TOKYO)
    assert (CUSTOMER, "planned_trip") in reached(book.view(), {TOKYO.id: 1.0})
    book.told("atlas", "planned_trip", thing("Seoul", "city"))
    assert reached(book.view(), {TOKYO.id: 1.0}) == {}


def test_a_walk_takes_both_ways_of_a_contest():
    book = Notebook()
    book.told("mia", "lives_in", TOKYO, about=ANNA)
    book.told("atlas", "lives_in", thing("Hue", "city"), about=ANNA)
    book.told("atlas", "weather", "rain", about=TOKYO)
    book.told("atlas", "weather", "sun", about=thing("Hue", "city"))
    found = reached(book.view(), {ANNA.id: 1.0})
    assert {place for place in found if place[1] == "weather"} == {(TOKYO.id, "weather"), ("ent_Hue", "weather")}


PEOPLE = [ANNA, BOB, CARL, thing("Dora", "person")]
links = st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(["knows", "likes_best"]), st.sampled_from(PEOPLE)))


@given(links, st.integers(0, 2))
def test_a_walk_reaches_what_the_graph_says_is_near(facts, hops):
    book = Notebook()
    for subject, relation, obj in facts:
        book.told("mia", relation, obj, about=subject, mode=Mode.CHANGE)
    view = book.view()
    ends = {ANNA.id} if graph(view, ANNA.id).nodes else set()
    for found in walk(view, {ANNA.id: 1.0}, hops):
        claim = view.believe(found.key).claim
        ends |= {claim.subject.id, claim.obj.id}
    assert ends == {node.id for node in graph(view, ANNA.id, hops + 1).nodes}
