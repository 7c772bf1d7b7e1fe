"""Faults that users of other memories reported, and the story or test that keeps each of them shut here."""

from __future__ import annotations

import pytest

from tests.held import SCENARIOS, ByTest, Story, function
from tests.sources import ROOT

FAULTS: dict[int, tuple[str, tuple[Story | ByTest, ...]]] = {
    1: (
        "another owner slipped into a request",
        (ByTest("test_api_field.py", "test_another_owner_in_a_request_is_refused_and_the_owner_stays"),),
    ),
    2: (
        "names that are wildcards, lists, quotes or emoji",
        (
            ByTest("test_api_field.py", "test_an_odd_name_is_a_customer_of_its_own_in_every_field_and_address"),
            ByTest("test_api_field.py", "test_what_is_no_name_is_no_customer"),
            ByTest("test_api_field.py", "test_no_odd_name_means_an_agent_or_all_of_them"),
        ),
    ),
    3: (
        "a fact of another customer by its id",
        (ByTest("test_api_field.py", "test_a_fact_of_another_customer_is_answered_like_one_that_never_was"),),
    ),
    4: (
        "customers whose names begin or join alike",
        (
            ByTest("test_api_field.py", "test_customers_whose_names_begin_alike_share_nothing"),
            ByTest("test_api_field.py", "test_what_joins_alike_is_not_alike"),
            Story("cross-agent-two-customers-one-name"),
            Story("cross-agent-futari-ja"),
        ),
    ),
    5: (
        "a match behind a thousand that are hidden",
        (ByTest("test_api_field.py", "test_the_one_match_that_may_be_read_is_found_behind_a_thousand_that_may_not"),),
    ),
    6: (
        "no scope given, everything got",
        (ByTest("test_api_field.py", "test_without_a_scope_everybody_gets_its_own_view_on_every_road"),),
    ),
    7: (
        "erasing that stops at a thousand",
        (
            ByTest("test_erase.py", "test_a_thousand_and_one_facts_go_and_are_counted"),
            Story("erase-other-customers-stay"),
        ),
    ),
    8: (
        "forgetting that is late, partial or of nothing",
        (
            ByTest("test_acts.py", "test_what_is_forgotten_is_gone_with_all_that_says_the_same"),
            ByTest("test_api_input.py", "test_denied_unknown_foreign_and_odd_ids_get_one_answer_to_the_byte"),
            Story("erase-shouki-ja"),
        ),
    ),
    9: (
        "what was withdrawn comes back with the next telling",
        (
            ByTest(
                "test_told_again.py",
                "test_what_was_taken_back_and_is_told_again_is_a_new_claim_and_no_old_one_that_comes_back",
            ),
        ),
    ),
    10: (
        "an agent under the name of one that is gone",
        (
            ByTest("test_operator.py", "test_an_id_is_never_used_twice"),
            ByTest("test_keyring.py", "test_over_http_a_key_known_by_heart_is_dead_on_the_next_request"),
        ),
    ),
    12: (
        "a move or a change of heart that leaves the old standing",
        (
            ByTest("test_told_again.py", "test_the_new_word_holds_now_and_the_old_one_in_the_past_only"),
            Story("temporal-isa-ko"),
            Story("contradiction-naengmyeon-ko"),
            Story("contradiction-kirai-ja"),
        ),
    ),
    13: (
        "one fact told three times",
        (
            ByTest("test_told_again.py", "test_what_is_told_three_times_is_one_memory_and_surer_each_time"),
            Story("contradiction-three-times-is-once"),
        ),
    ),
    14: (
        "yesterday, near midnight, far from UTC",
        (
            ByTest(
                "test_told_times.py",
                "test_yesterday_is_that_of_the_customer_and_the_same_when_it_is_read_a_month_later",
            ),
            ByTest("test_moments.py", "test_the_zone_of_the_machine_changes_nothing"),
            ByTest("test_remember.py", "test_a_naive_moment_of_saying_is_refused"),
        ),
    ),
    15: (
        "a date that is none",
        (
            ByTest("test_told_times.py", "test_what_is_no_date_is_not_made_one"),
            ByTest("test_moments.py", "test_what_is_no_instant_is_refused_and_never_guessed"),
        ),
    ),
    16: (
        "a year read as its first day",
        (ByTest("test_told_times.py", "test_a_year_stays_a_year"), Story("temporal-year-is-a-year")),
    ),
    17: (
        "years of history brought along today",
        (
            ByTest(
                "test_told_again.py", "test_five_years_brought_along_today_were_not_known_last_week_and_were_so_then"
            ),
            Story("temporal-true-then-known-later"),
            Story("temporal-neujeun-isa-ko"),
        ),
    ),
    18: (
        "two things of one name",
        (
            ByTest("test_told_again.py", "test_two_of_one_name_are_two_and_what_made_them_one_is_taken_back"),
            ByTest("test_remember.py", "test_things_of_two_kinds_are_two_though_they_share_a_name"),
        ),
    ),
    19: (
        "many writers at once",
        (
            ByTest("test_ledger.py", "test_two_processes_of_a_hundred_writes_make_two_hundred_records"),
            ByTest("test_ledger.py", "test_eight_writers_beside_readers_never_find_the_database_locked"),
        ),
    ),
    20: (
        "a request sent twice",
        (
            ByTest("test_remember.py", "test_a_request_repeated_under_its_key_is_answered_alike_and_recorded_once"),
            ByTest("test_remember.py", "test_another_request_under_the_same_key_is_a_conflict"),
        ),
    ),
    21: (
        "killed in the middle",
        (
            ByTest("test_kill9.py", "test_a_server_killed_twenty_times_keeps_its_word"),
            ByTest("test_following.py", "test_what_a_killed_hub_had_not_embedded_is_embedded_by_the_next"),
        ),
    ),
    22: (
        "a language model that is silent or talks nonsense",
        (
            ByTest("test_by_model.py", "test_a_turn_nobody_could_read_is_kept_read_by_rules_and_said_to_be_unread"),
            ByTest("test_by_model.py", "test_it_is_read_again_when_it_is_due_by_its_writer_as_said_then_and_on_record"),
            ByTest("test_model.py", "test_an_answer_that_is_none_is_a_fault_that_quotes_neither_text_nor_key"),
        ),
    ),
    23: (
        "words of other scripts, marks and particles",
        (
            ByTest("test_recall_field.py", "test_a_word_of_any_script_finds_what_it_stands_in_however_it_is_written"),
            ByTest("test_recall_field.py", "test_signs_alone_ask_for_nothing_and_get_nothing_not_even_what_is_newest"),
            Story("exact-particles-ko"),
            Story("exact-without-diacritics"),
        ),
    ),
    24: (
        "operators of a query language in a question",
        (
            ByTest("test_api_field.py", "test_a_query_means_what_it_says"),
            ByTest("test_recall_field.py", "test_what_is_an_operator_elsewhere_is_read_as_it_stands"),
            Story("exact-odd-signs"),
        ),
    ),
    25: (
        "a text of a megabyte among short ones",
        (
            ByTest(
                "test_api_field.py",
                "test_a_text_of_a_megabyte_is_too_large_and_the_short_ones_beside_it_are_stored",
            ),
            ByTest("test_api_field.py", "test_a_query_of_two_hundred_words_still_finds"),
        ),
    ),
    26: (
        "lists that end in silence",
        (ByTest("test_api_field.py", "test_the_cursor_walks_more_than_a_thousand_and_no_list_is_cut_in_silence"),),
    ),
    27: (
        "another embedder over old vectors",
        (
            ByTest("test_following.py", "test_what_another_embedder_has_embedded_is_left_until_somebody_says_so"),
            ByTest("test_reindex.py", "test_a_hub_that_is_asked_meanwhile_answers_by_words_and_then_by_meaning"),
            ByTest("test_reindex.py", "test_in_the_terminal_the_doctor_says_what_to_do_and_reindexing_does_it"),
        ),
    ),
    28: (
        "an answer to nonsense, none to a paraphrase",
        (
            ByTest("test_recall_field.py", "test_nonsense_comes_back_empty_and_says_so"),
            ByTest("test_recall_field.py", "test_other_words_of_one_meaning_still_find_it"),
            Story("exact-nothing-to-say"),
        ),
    ),
    30: (
        "orders to the model in what is remembered",
        (
            Story("injection-fenced-as-data"),
            Story("injection-meirei-ja"),
            ByTest("test_recall.py", "test_nothing_stored_can_close_the_marks_it_stands_between"),
        ),
    ),
    31: (
        "pages of other sites, callers without a key, secrets in answers",
        (
            ByTest("test_api_identity.py", "test_pages_of_other_sites_are_refused"),
            ByTest("test_api_identity.py", "test_only_a_name_of_its_own_reaches_the_hub"),
            ByTest("test_api_identity.py", "test_everything_else_needs_one"),
            ByTest("test_api_secrets.py", "test_a_key_or_token_is_in_the_answer_it_is_made_in_and_in_none_after"),
        ),
    ),
    32: (
        "a clock that stands still or goes back",
        (
            ByTest("test_clock.py", "test_a_thousand_commits_under_a_frozen_clock_have_a_thousand_recorded_times"),
            ByTest("test_clock.py", "test_an_hour_back_keeps_the_order_until_the_clock_has_caught_up"),
        ),
    ),
    33: (
        "something of long ago told after newer facts",
        (
            ByTest("test_told_times.py", "test_a_move_told_late_does_not_undo_a_later_one"),
            Story("temporal-late-and-backdated"),
        ),
    ),
    34: (
        "ends in the far future, and coming back",
        (
            ByTest("test_told_times.py", "test_what_holds_until_2099_holds"),
            ByTest("test_told_again.py", "test_a_job_taken_up_again_is_a_second_stint"),
            Story("temporal-two-stints"),
        ),
    ),
    35: (
        "a change that takes others along",
        (ByTest("test_told_times.py", "test_a_move_moves_nothing_else"), Story("contradiction-likes-to-dislikes")),
    ),
    36: (
        "a search that changes the next one",
        (ByTest("test_recall.py", "test_a_search_changes_nothing_for_the_next_one"),),
    ),
}

LATER = {11: "export", 29: "mcp"}
"""What waits for a part of the hub that is not there yet; with the part, its test is due."""


def test_every_fault_is_shut_or_waits_for_its_part():
    assert sorted([*FAULTS, *LATER]) == list(range(1, 37))
    assert all(held for _, held in FAULTS.values())


@pytest.mark.parametrize(("number", "part"), LATER.items())
def test_what_waits_has_nothing_to_be_tested_yet(number: int, part: str):
    there = [path.name for path in (ROOT / "hub").iterdir() if path.name.split(".")[0] == part]
    assert there == [], f"`{part}` is there now: test fault {number}"


HELD = [(number, one) for number, (_, held) in FAULTS.items() for one in held]


@pytest.mark.parametrize(("number", "held"), HELD, ids=str)
def test_what_keeps_it_shut_is_there(number: int, held: Story | ByTest):
    fault, _ = FAULTS[number]
    assert is_there(held), f"nothing keeps fault {number} shut: {fault}"


def is_there(held: Story | ByTest) -> bool:
    if isinstance(held, Story):
        return held.id in SCENARIOS
    return function(held.path, held.name) is not None


@pytest.mark.parametrize("gone", [Story("nowhere"), ByTest("test_field.py", "test_nothing")], ids=str)
def test_a_name_that_is_nowhere_is_noticed(gone: Story | ByTest):
    assert not is_there(gone)
