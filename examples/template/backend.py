"""The backend of my-api: what it registers, the paths of api-spec.json call. It knows nothing of HTTP."""
import sys

from autobahn.asyncio.component import Component, run
from autobahn.wamp.exception import ApplicationError

url = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:18080/ws"

# a backend waits for its router, however long that is away
component = Component(
    transports={"type": "websocket", "url": url, "max_retries": -1, "max_retry_delay": 2},
    realm="com.example.my_api",
)


@component.register("com.example.my_api.hello")
def hello(name):
    if name == "nobody":
        raise ApplicationError("com.example.my_api.error.not_found", "there is nobody of that name")
    return f"Hello, {name}!"


@component.on_ready
def ready(_session):
    print("com.example.my_api.hello is registered", flush=True)


run([component], log_level="warn")
