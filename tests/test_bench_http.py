"""The bench of recalls over HTTP asks what it says it asks, and every recall it counts is in the audit."""

from __future__ import annotations

from bench import http


def test_a_short_run_of_the_bench_is_served_recorded_and_audited(monkeypatch):
    monkeypatch.setattr(http, "BATCH", 20)
    found = http.measured("none", beliefs=5, recalls=40, connections=2)
    over_http, without = 20 + 40 + 20, 3 * 200  # the server keeps to its own batches
    assert over_http + without <= found.audited <= over_http + without + 2
    assert min(found.in_process_ms, found.cpu_ms, found.per_second, found.latency_ms) > 0
