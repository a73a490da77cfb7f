"""A client that keeps to what RateLimit fields tell, written from draft-ietf-httpapi-ratelimit-headers alone.

Reads a task from stdin: {"url": ..., "requests": ...}. Each request has a connection of its own. Prints the number of answers by
status, and how often the client has waited.
"""

import json
import re
import sys
import time
from collections import Counter

import requests


def remaining(field):
    """The units that are left, and the seconds until all are there again."""
    found = re.fullmatch(r'"[^"]+";r=(\d+);t=(\d+)', field)
    return int(found[1]), int(found[2])


task = json.load(sys.stdin)
statuses, waits = Counter(), 0
# undefined until the first answer since the last wait: nothing is known then
budget = None
for _ in range(task["requests"]):
    answer = requests.get(task["url"], headers={"connection": "close"}, timeout=20)
    statuses[answer.status_code] += 1
    left, seconds = remaining(answer.headers["ratelimit"])
    # another server may know less of what was used than the one before
    budget = left if budget is None else min(budget - 1, left)
    if budget <= 0:
        time.sleep(seconds)
        waits, budget = waits + 1, None
json.dump({"statuses": statuses, "waits": waits}, sys.stdout)
