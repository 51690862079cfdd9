"""The rules as a Redis script, with the client that one writes first: a call for each signal, a thousand calls in a
pipeline(), then their answers. Decisions are counted and not written.

    plain_client.py SIGNALS CAMPAIGNS PORT SCRIPT LINES
"""
import datetime, itertools, json, struct, sys, time

import redis

KINDS = {"attributes.set": 0, "attributes.updated": 1, "notification.requested": 2, "notification.opened": 3}


def packed(elements):
    """MessagePack of a short array of texts and numbers."""
    out = bytearray([0x90 | len(elements)])
    for element in elements:
        if isinstance(element, int):
            out += struct.pack(">Bq", 0xD3, element)
        else:
            text = element.encode()
            out += bytes([0xA0 | len(text)]) + text
    return bytes(out)


def elements(signal, campaigns):
    """What rules.lua takes; None where it has nothing to do."""
    kind, data = KINDS.get(signal["type"]), signal.get("data")
    if kind is None:
        return None
    head = [kind, signal["subject"]]
    if kind == 0:
        values = data["values"]
        return head + [values["tier"], values["yearOfBirth"], int(values["premiumMember"]), values["country"]]
    if kind == 1:
        return head + [data["values"]["tier"]]
    now = round(datetime.datetime.fromisoformat(signal["time"].replace("Z", "+00:00")).timestamp() * 1000)
    if kind == 3:
        return head + [now, data["notification"]]
    number = int(data["campaign"].removeprefix("campaign-"))
    return head + [now, data["campaign"], number % 4, f"group-{number % max(1, campaigns // 5)}"]


def main():
    path, campaigns, port, script, limit = sys.argv[1], *map(int, sys.argv[2:4]), sys.argv[4], int(sys.argv[5])
    client = redis.Redis(port=port)
    sha = client.script_load(open(script).read())
    counts = {"created": 0, "suppressed": 0, "opened": 0}
    start, lines = time.monotonic(), 0
    with open(path) as file:
        signals = itertools.islice(file, limit)
        while batch := list(itertools.islice(signals, 1000)):
            lines += len(batch)
            calls = [call for line in batch if (call := elements(json.loads(line), campaigns))]
            pipeline = client.pipeline(transaction=False)
            for call in calls:
                pipeline.evalsha(sha, 0, packed(call))
            for call, answer in zip(calls, pipeline.execute()):
                if call[0] == 2:
                    counts["created" if answer.startswith(b"+") else "suppressed"] += 1
                elif call[0] == 3:
                    counts["opened"] += 1
    print(json.dumps({"signals": lines, "seconds": time.monotonic() - start, **counts}))


if __name__ == "__main__":
    main()
