"""The codes by which a hub refuses: what a story can expect as its `error`."""

from __future__ import annotations

from difflib import get_close_matches

_WORDS = """
agent_exists already_known ambiguous_entity ambiguous_of audit_failed bad_act bad_admin_key bad_audit bad_chroma_url
bad_cursor bad_document bad_duration bad_field bad_instant bad_json bad_key bad_name bad_pack bad_path bad_policy
bad_query bad_rate bad_registry bad_relation bad_report bad_request bad_run bad_scope bad_story bad_table bad_timeout
bad_topic bad_url bad_vector bad_view_cache busy clock_backward clock_out_of_range correction_needs_interval damaged
document_too_long empty_document empty_interval endpoint_refused ends_before_start flag_missing foreign_host
foreign_origin future_known_at grant_to_anybody idempotency_key_reused index_closing index_failed internal
lookalike_name may_not_write method_not_allowed misspelt model_refused model_shut model_silent model_unmade
model_unreadable naive_instant negation_needs_value no_admin_key no_answer no_customer no_documents no_embedder no_hub
no_model no_model_library no_name no_object no_policy no_such_file no_such_line no_such_route no_tables no_value
not_a_ledger not_an_agent not_bound not_contested not_empty not_found not_installed not_operator not_promoted not_read
not_ready not_recalled not_settled not_yours nothing_to_remember on_behalf other_slot owner_needed port_in_use
purpose_not_bound relation_rejected repeated_header said_in_future same_thing schema_unknown scope_global scope_widened
secret secret_name text_refused too_large too_many_relations too_many_requests two_as_ofs unknown_agent unknown_field
unknown_relation unknown_role unknown_zone unreadable_file unsupported_media_type value_and_object vectors_failed
wrong_dimension
"""

CODES = frozenset(_WORDS.split())


def meant_by(code: str) -> str | None:
    """The code that one which no hub has was most likely meant to be, if any."""
    return next(iter(get_close_matches(code, sorted(CODES), 1)), None)
