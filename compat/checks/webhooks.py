"""Webhooks by the calls of the client."""

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from harness import World, check, needs, raises

URL = "https://hooks.example.org/first"


@check
def webhook_life(world: World):
    """Made with a secret of one's own, looked at, changed, switched off and on, removed."""
    needs(HfApi, "create_webhook")
    api, watched = world.owner, [{"type": "model", "name": world.model}]
    made = api.create_webhook(url=URL, watched=watched, domains=["repo", "discussion"], secret="my-secret")
    assert made.url == URL and made.secret == "my-secret" and not made.disabled, made
    assert [(item.type, item.name) for item in made.watched] == [("model", world.model)], made
    shown = api.get_webhook(made.id)
    assert shown.secret is None and shown.domains == ["repo", "discussion"], shown
    assert made.id in [hook.id for hook in api.list_webhooks()]
    account = [{"type": "user", "name": world.owner_name}]
    changed = api.update_webhook(made.id, url=f"{URL}/2", watched=account, domains=["discussion"])
    assert changed.url == f"{URL}/2" and changed.domains == ["discussion"], changed
    assert [(item.type, item.name) for item in changed.watched] == [("user", world.owner_name)], changed
    assert api.disable_webhook(made.id).disabled
    assert not api.enable_webhook(made.id).disabled
    api.delete_webhook(made.id)
    assert made.id not in [hook.id for hook in api.list_webhooks()]
    with raises(HfHubHTTPError, text=f"no webhook {made.id}"):
        api.get_webhook(made.id)


@check
def webhooks_of_others(world: World):
    """Nobody sees the webhooks of others, or watches what they do not manage."""
    needs(HfApi, "create_webhook")
    watched = [{"type": "dataset", "name": world.bench}]
    made = world.owner.create_webhook(url=URL, watched=watched)
    assert made.domains == ["repo", "discussion"] and made.secret, made
    assert made.id not in [hook.id for hook in world.stranger.list_webhooks()]
    for act in (world.stranger.get_webhook, world.stranger.disable_webhook, world.stranger.delete_webhook):
        with raises(HfHubHTTPError, text=f"no webhook {made.id}"):
            act(made.id)
    with raises(HfHubHTTPError):
        world.stranger.create_webhook(url=URL, watched=watched)
    with raises(HfHubHTTPError, text="make one for each"):
        world.owner.create_webhook(url=URL, watched=watched * 2)
    world.owner.delete_webhook(made.id)
