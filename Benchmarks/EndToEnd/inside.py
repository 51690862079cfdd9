"""What single things cost inside of a process: measured by the Measure program, and by the C program for the same decisions."""
import json

from programs import HERE, timed

# Counting instructions takes a minute, and they are the same every time: what is written down is what counts.
THRESHOLDS = HERE.parent / "thresholds.json"
C_BY_HAND = "C by hand"


def nanoseconds(*command):
    return json.loads(timed(command)[0])["nanoseconds"]


def measure(options, interleaved):
    """Nanoseconds of each workload, by name, once for every round."""
    names = timed([options.measure, "list"])[0].split()
    runs = {name: lambda name=name: nanoseconds(options.measure, "time", name) for name in names}
    for outcome in ("created", "suppressed"):
        runs[f"{C_BY_HAND}/{outcome}"] = lambda outcome=outcome: nanoseconds(
            options.work / "limit", "loop", outcome, 100_000, 10)
    counts = [json.loads(line) for line in timed([options.measure, "count"])[0].splitlines()]
    known = json.loads(THRESHOLDS.read_text())
    return {"nanoseconds": interleaved(runs, options.rounds), "counts": counts,
            "instructions": {name: each["instructions"] for name, each in known.items()}}
