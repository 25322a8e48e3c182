"""A shop's discounts over HTTP, on the standard library alone."""

import json
import os
from wsgiref.simple_server import make_server


def discounted(cents: int, percent: int) -> int:
    """The price after a discount, in whole cents, rounded in the customer's favour."""
    if not 0 <= percent <= 100:
        raise ValueError(f"no discount of {percent} %")
    return cents * (100 - percent) // 100


def app(environ, start_response):
    """`GET /<cents>/<percent>` answers the price as JSON."""
    try:
        cents, percent = environ["PATH_INFO"].strip("/").split("/")
        status, body = "200 OK", {"cents": discounted(int(cents), int(percent))}
    except ValueError as error:
        status, body = "400 Bad Request", {"error": str(error)}
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]


if __name__ == "__main__":
    port = int(os.environ.get("DISCERN_WORKTREE_PORT", "8000"))
    with make_server("127.0.0.1", port, app) as server:
        print(f"http://127.0.0.1:{port}/1000/10")
        server.serve_forever()
