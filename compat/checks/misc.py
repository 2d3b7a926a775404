"""What clients ask beside the point."""

from harness import World, check


@check
def telemetry_and_harness_are_tolerated(world: World):
    """Answered at once, and never with our fault."""
    status, _, _ = world.raw("HEAD", "/api/telemetry/compat/x")
    assert status in (200, 404), status
    status, _, _ = world.raw("GET", "/api/agent-harnesses")
    assert status == 404, status


@check
def health_and_metrics(world: World):
    """An operator sees that the hub lives and what it does."""
    status, _, _ = world.raw("GET", "/healthz")
    assert status == 200, status
    status, _, body = world.raw("GET", "/metrics")
    assert status == 200 and b"# TYPE" in body, body[:200]
