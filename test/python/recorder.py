"""A callee and a subscriber written with autobahn-python that keep all they see: `recorder.py URL REALM`; says `ready` on stdout."""

import asyncio
import sys

from autobahn.asyncio.wamp import ApplicationRunner, ApplicationSession
from autobahn.wamp.exception import ApplicationError
from autobahn.wamp.types import CallResult, RegisterOptions, SubscribeOptions


class Recorder(ApplicationSession):
    """Serves every procedure and topic below com.example.truth; com.example.recorder.take tells what was seen since the last time."""

    def __init__(self, config=None):
        super().__init__(config)
        self.seen = []

    async def onJoin(self, details):
        await self.register(self.take, "com.example.recorder.take")
        await self.register(
            self.on_call,
            "com.example.truth",
            RegisterOptions(match="prefix", details_arg="details"),
        )
        await self.subscribe(
            self.on_event,
            "com.example.truth",
            SubscribeOptions(match="prefix", details_arg="details"),
        )
        print("ready", flush=True)

    def onDisconnect(self):
        asyncio.get_event_loop().stop()

    def on_call(self, *args, details=None, **kwargs):
        """Answers with what it is given, or fails with it."""
        self.seen.append({"procedure": details.procedure, "args": list(args), "kwargs": kwargs})
        if details.procedure.endswith(".fail"):
            raise ApplicationError("com.example.truth.failed", *args, **kwargs)
        return CallResult(*args, **kwargs)

    def on_event(self, *args, details=None, **kwargs):
        self.seen.append({"topic": details.topic, "args": list(args), "kwargs": kwargs})

    def take(self):
        seen, self.seen = self.seen, []
        return seen


if __name__ == "__main__":
    url, realm = sys.argv[1:]
    ApplicationRunner(url, realm).run(Recorder)
