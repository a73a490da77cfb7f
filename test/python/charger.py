"""A callee written with autobahn-python that counts how often it acts: `charger.py URL REALM`; says `ready` on stdout."""

import asyncio
import random
import sys
import uuid

from autobahn.asyncio.wamp import ApplicationRunner, ApplicationSession


class Charger(ApplicationSession):
    """com.example.charge acts for a key; com.example.charges tells how often it has acted for each."""

    def __init__(self, config=None):
        super().__init__(config)
        self.counts = {}

    async def onJoin(self, details):
        await self.register(self.charge, "com.example.charge")
        await self.register(self.charges, "com.example.charges")
        print("ready", flush=True)

    def onDisconnect(self):
        asyncio.get_event_loop().stop()

    async def charge(self, key):
        """Takes its time before and after: whoever asks may be killed at any moment."""
        await asyncio.sleep(random.random() / 50)
        self.counts[key] = self.counts.get(key, 0) + 1
        await asyncio.sleep(random.random() / 50)
        return str(uuid.uuid4())

    def charges(self):
        return self.counts


if __name__ == "__main__":
    url, realm = sys.argv[1:]
    ApplicationRunner(url, realm).run(Charger)
