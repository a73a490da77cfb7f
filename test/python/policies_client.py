"""Clients of rate limits and ETags, written with requests: prints as JSON what each of them is answered."""
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import requests

url = sys.argv[1]


def obedient():
    """Asks again and again; when nothing is left it waits for as long as RateLimit tells."""
    statuses = []
    with requests.Session() as session:
        for _ in range(30):
            answer = session.get(url + "/steady")
            statuses.append(answer.status_code)
            left, seconds = re.fullmatch(r'"steady";r=(\d+);t=(\d+)', answer.headers["RateLimit"]).groups()
            if left == "0":
                time.sleep(int(seconds))
    return statuses


def impatient():
    """Asks until it is refused, and waits for as long as Retry-After tells."""
    statuses = []
    with requests.Session() as session:
        for _ in range(12):
            answer = session.get(url + "/retried")
            statuses.append(answer.status_code)
            if answer.status_code == 429:
                time.sleep(int(answer.headers["Retry-After"]))
    return statuses


def crowd():
    """Sixty clients ask at the same time."""
    with ThreadPoolExecutor(max_workers=30) as pool:
        statuses = list(pool.map(lambda _: requests.get(url + "/crowded").status_code, range(60)))
    return {str(status): statuses.count(status) for status in sorted(set(statuses))}


def conditional():
    """Asks once, and then for what has changed."""
    json_type, msgpack = {"Accept": "application/json"}, {"Accept": "application/msgpack"}
    first = requests.get(url + "/tagged/1", headers=json_type)
    tag = first.headers["ETag"]
    asked = {
        "equal": ("1", json_type, tag),
        "weak": ("1", json_type, "W/" + tag),
        "one of several": ("1", json_type, '"a", W/"b,c" , ' + tag),
        "any": ("1", json_type, "*"),
        "another": ("1", json_type, '"another"'),
        "without quotes": ("1", json_type, tag.strip('"')),
        "another type": ("1", msgpack, tag),
        "another answer": ("2", json_type, tag),
    }
    found = {}
    for name, (number, headers, condition) in asked.items():
        answer = requests.get(f"{url}/tagged/{number}", headers={**headers, "If-None-Match": condition})
        found[name] = [answer.status_code, len(answer.content) > 0, answer.headers["ETag"] == tag]
    return found


programs = {"obedient": obedient, "impatient": impatient, "crowd": crowd, "conditional": conditional}
print(json.dumps(programs[sys.argv[2]]()))
