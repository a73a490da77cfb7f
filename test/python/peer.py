"""A callee and a subscriber written with autobahn-python, for the tests: `peer.py URL REALM`; says `ready` on stdout."""

import asyncio
import sys

from autobahn.asyncio.wamp import ApplicationRunner, ApplicationSession
from autobahn.wamp.exception import ApplicationError
from autobahn.wamp.serializer import MsgPackSerializer
from autobahn.wamp.types import CallResult


class Peer(ApplicationSession):
    """Procedures below com.example.py; what they see is kept and told by com.example.py.seen."""

    def __init__(self, config=None):
        super().__init__(config)
        self.running = 0
        self.most = 0
        self.calls = {}
        self.events = []

    async def onJoin(self, details):
        for name in ("fail", "echo", "describe", "slow", "flaky", "seen"):
            await self.register(getattr(self, name), f"com.example.py.{name}")
        await self.subscribe(self.on_event, "com.example.py.topic")
        print("ready", flush=True)

    def onDisconnect(self):
        asyncio.get_event_loop().stop()

    def fail(self, uri, *args, **kwargs):
        raise ApplicationError(uri, *args, **kwargs)

    def echo(self, *args, **kwargs):
        return CallResult(*args, **kwargs)

    def describe(self, value):
        """What Python sees: type and exact text."""
        return {key: [type(item).__name__, self.text(item)] for key, item in value.items()}

    @staticmethod
    def text(item):
        return item.hex() if isinstance(item, bytes) else str(item)

    async def slow(self, seconds):
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(seconds)
        self.running -= 1
        return self.most

    def flaky(self, key, failures, uri):
        """Fails so many times with the error, then says how often it was called."""
        self.calls[key] = self.calls.get(key, 0) + 1
        if self.calls[key] <= failures:
            raise ApplicationError(uri, "not yet")
        return self.calls[key]

    def on_event(self, *args, **kwargs):
        self.events.append({"args": list(args), "kwargs": kwargs})

    def seen(self):
        return {"events": self.events, "calls": self.calls, "most": self.most}


if __name__ == "__main__":
    url, realm = sys.argv[1:]
    ApplicationRunner(url, realm, serializers=[MsgPackSerializer()]).run(Peer)
