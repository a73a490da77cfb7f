"""A callee of progressive results written with autobahn-python, for the tests: `pieces.py URL REALM`; says `ready` on stdout."""

import asyncio
import sys

from autobahn.asyncio.wamp import ApplicationRunner, ApplicationSession
from autobahn.wamp.exception import ApplicationError
from autobahn.wamp.serializer import MsgPackSerializer
from autobahn.wamp.types import RegisterOptions


class Pieces(ApplicationSession):
    """Procedures below com.example.pieces: each sends so many numbers, and then ends as its name says."""

    interrupted = 0

    async def onJoin(self, details):
        options = RegisterOptions(details_arg="details")
        for name in ("count", "fail", "hang"):
            await self.register(getattr(self, name), f"com.example.pieces.{name}", options=options)
        await self.register(self.seen, "com.example.pieces.interrupted")
        print("ready", flush=True)

    def onDisconnect(self):
        asyncio.get_event_loop().stop()

    @staticmethod
    def send(count, details):
        for number in range(1, count + 1):
            if details.progress:
                details.progress(number)

    async def count(self, count, details):
        self.send(count, details)
        return "end"

    async def fail(self, count, details):
        self.send(count, details)
        raise ApplicationError("com.example.broken", "no")

    async def hang(self, count, details):
        self.send(count, details)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.interrupted += 1
            raise

    def seen(self):
        return self.interrupted


if __name__ == "__main__":
    url, realm = sys.argv[1:]
    ApplicationRunner(url, realm, serializers=[MsgPackSerializer()]).run(Pieces)
