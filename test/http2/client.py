"""A client of httpx: client.py URL AT_ONCE COUNT asks so many GETs and POSTs in turn, and prints what it got as JSON."""

import asyncio
import json
import sys

import httpx


async def main(base: str, at_once: int, count: int) -> None:
    failures: list[str] = []
    answered = 0
    numbers = iter(range(count))
    async with httpx.AsyncClient(http2=True, verify=False, timeout=20) as client:

        async def ask() -> None:
            nonlocal answered
            for number in numbers:
                expected = f'{{"n":"{number}"}}'
                try:
                    if number % 2:
                        response = await client.post(f"{base}/post", json={"n": str(number)})
                    else:
                        response = await client.get(f"{base}/{number}")
                    told = (response.http_version, response.status_code, response.text)
                    if told == ("HTTP/2", 200, expected):
                        answered += 1
                    else:
                        failures.append(f"{number}: {told}")
                except httpx.HTTPError as error:
                    failures.append(f"{number}: {error!r}")

        await asyncio.gather(*(ask() for _ in range(at_once)))
    print(json.dumps({"answered": answered, "failures": failures}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
