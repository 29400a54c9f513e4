"""The README's walk with the client that openapi-python-client generates. Arguments: the server's address, and the folder in
which the package `pegboard_client` is."""
import sys

sys.path.insert(0, sys.argv[2])

from pegboard_client import Client, models  # noqa: E402
from pegboard_client.api.favorites import delete_favorite, put_favorite  # noqa: E402
from pegboard_client.api.layout import apply_operations, get_layout, get_page  # noqa: E402

client = Client(base_url=sys.argv[1])


def move(item, at, **more):
    operation = models.MoveItem(op=models.MoveItemOp.MOVE, id=item, at=at)
    base = {"base_version": more.pop("base_version")} if "base_version" in more else {}
    return apply_operations.sync_detailed("alice", client=client, body=models.Operations(operations=[operation], **base), **more)


read = get_layout.sync_detailed("alice", client=client)
assert read.parsed.version == 0 and read.parsed.favorites[0] == "scan" and read.headers["etag"] == '"0+c1"', read

moved = move("ride", models.AtIndex(index=2), if_match=read.headers["etag"])
assert moved.parsed.layout.favorites[2] == "ride" and moved.headers["etag"] == '"1"', moved

refused = move("scan", models.AtIndex(index=3))
assert refused.status_code == 422 and refused.parsed.code == models.ProblemCode.ITEM_NOT_MOVABLE, refused

stale = move("ride", models.AtEdge(edge=models.AtEdgeEdge.LAST), if_match=read.headers["etag"])
assert stale.status_code == 412 and stale.parsed.current.version == 1, stale

added = put_favorite.sync_detailed("alice", "metro", client=client, body=models.Placement())
assert added.status_code == 201 and added.parsed.layout.favorites[-1] == "metro", added

removed = delete_favorite.sync("alice", "food-delivery", client=client)
assert "food-delivery" not in removed.layout.favorites, removed

rebased = move("transfer", models.AtAfter(after="food-delivery"), base_version=1).parsed
assert rebased.rebased_from == 1 and rebased.outcomes[0].result == models.OutcomeResult.ANCHOR_SUBSTITUTED, rebased
assert rebased.outcomes[0].at == models.AtAfter(after="phone-topup"), rebased

page = get_page.sync("alice", client=client, accept_language="de", platform="ios", app_version="10.3")
assert page.locale == "de" and page.sections[0].cells[0].refusal.code == models.ProblemCode.ITEM_NOT_MOVABLE, page
