"""What single things cost inside of a process: measured by the Measure program, and by the C program for the same decisions."""
import json

from programs import HERE, timed

# Counting instructions takes a minute, and they are the same every time: what is written down is what counts.
THRESHOLDS = HERE.parent / "thresholds.json"
C_BY_HAND = "C by hand"
# An outcome, how many subjects, how many rounds and, if not 50, how many campaigns: as the workloads of these names have.
C_LOOPS = {
    "created": ("created", 100_000, 10), "suppressed": ("suppressed", 100_000, 10),
    "subjects/1000": ("suppressed", 1000, 300),
    "campaigns/100": ("suppressed", 10_000, 30, 100), "campaigns/10000": ("suppressed", 10_000, 30, 10_000),
}


def nanoseconds(*command):
    return json.loads(timed(command)[0])["nanoseconds"]


def measure(options, interleaved):
    """Nanoseconds of each workload, by name, once for every round."""
    names = timed([options.measure, "list"])[0].split()
    runs = {name: lambda name=name: nanoseconds(options.measure, "time", name) for name in names}
    for name, words in C_LOOPS.items():
        runs[f"{C_BY_HAND}/{name}"] = lambda words=words: nanoseconds(options.work / "limit", "loop", *words)
    counts = [json.loads(line) for line in timed([options.measure, "count"])[0].splitlines()]
    known = json.loads(THRESHOLDS.read_text())
    return {"nanoseconds": interleaved(runs, options.rounds), "counts": counts,
            "instructions": {name: each["instructions"] for name, each in known.items()}}
