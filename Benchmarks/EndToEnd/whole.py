"""What a whole `belfry run` takes: the time to start, and the memory of a subject."""
import json

from programs import Belfry, timed

FOUR = [
    {"strategy": "segmentation", "parameters": {"tier": {"$in": ["gold", "silver"]}}},
    {"strategy": "schedule", "parameters": {"periods": [{"hours": ["07:00-23:00"]}]}},
    {"strategy": "cooldown", "per": "campaign", "parameters": {"period": "6h"}},
    {"strategy": "max-per-period", "parameters": {"max": 5, "period": "1d"}},
]
EIGHT_MORE = [
    {"strategy": "occurrences", "parameters": {"count": 2, "within": "1h"}}, {"strategy": "once"},
    {"strategy": "background-delay", "parameters": {"period": "1m"}}, {"strategy": "region-change"},
    {"strategy": "holdout", "parameters": {"share": 0.1, "seed": "a"}},
    {"strategy": "personalize", "parameters": {"message": "{message}"}},
]


def campaigns(count):
    return [{"id": f"campaign-{n}", "title": f"Campaign {n}", "message": "Something for you", "triggers": [{"on": "request"}],
             "with": {"cooldown": {"period": f"{n % 24 + 1}h"}}} for n in range(count)]


def write_config(path, chain, count):
    path.write_text(json.dumps({"app": "load", "chain": chain, "campaigns": campaigns(count)}))
    return path


# Start


def start(options, times=11):
    """Seconds of a run without a signal: 12 plugins (the registry of actions and its menu are always loaded)."""
    config = write_config(options.work / "start.json", FOUR + EIGHT_MORE, 1000)
    command = [options.bin / "belfry", "run", "--config", config, "--signals", "/dev/null", "--store", "memory:"]
    timed(command)  # now the plugins are scanned
    return [timed(command)[2] for _ in range(times)]


# Memory


ATTRIBUTES = {"tier": "gold", "yearOfBirth": 1980, "premiumMember": True, "country": "nl"}


def write_people(path, subjects, attributes, asks):
    def line(number, type, minute, data):
        return json.dumps({"id": f"{type[0]}-{number}", "type": type, "subject": f"u{number:06}",
                           "time": f"2026-01-01T08:{minute:02}:00Z", "data": data}, separators=(",", ":")) + "\n"

    with open(path, "w") as out:
        out.writelines(line(n, "attributes.set", 0, {"scope": "user", "values": attributes}) for n in range(subjects))
        if asks:
            out.writelines(line(n, "notification.requested", 1, {"campaign": f"campaign-{n % 50}"}) for n in range(subjects))
    return path


def memory(options, subjects=40_000, times=3):
    """Bytes of a subject: what the largest memory of a run grows by, from so many subjects to twice as many."""
    config = write_config(options.work / "memory.json", FOUR, 50)
    belfry = Belfry("", options.bin / "belfry", options.work, "memory")

    def bytes_per_subject(attributes, asks):
        peaks = []
        for count in (subjects, 2 * subjects):
            signals = write_people(options.work / "people.jsonl", count, attributes, asks)
            peaks.append(min(belfry.run(config, signals).peak for _ in range(times)))
        return (peaks[1] - peaks[0]) / subjects

    bare, known, asked = bytes_per_subject({}, False), bytes_per_subject(ATTRIBUTES, False), bytes_per_subject(ATTRIBUTES, True)
    own = known - bare + len("u000000")
    return {"bare": bare, "known": known, "asked": asked, "id_and_attributes": own, "beyond": asked - own}
