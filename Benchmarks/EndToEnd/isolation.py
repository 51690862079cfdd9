"""What shards in processes cost beside shards in threads: a flood, and one signal at a time."""
from durable import one_by_one
from page import head, median, spread, table, verdict
from programs import Belfry, digest

STORES, ISOLATIONS = ("memory", "sqlite"), ("thread", "process")


def measure(options, make_load, interleaved):
    config, signals = make_load(options)
    both = [(store, isolation) for store in STORES for isolation in ISOLATIONS]
    seen = set()
    rates = interleaved({f"{store} {isolation}": lambda store=store, isolation=isolation: flood(
        options, config, signals, store, isolation, seen) for store, isolation in both}, options.rounds)
    if len(seen) > 1:
        raise SystemExit("shards in processes decide differently than shards in threads")
    alone = interleaved({f"{store} {isolation}": lambda store=store, isolation=isolation: one_by_one(
        options, config, signals, store, extra=["--isolation", isolation]) for store, isolation in both}, min(3, options.rounds))
    return {"load": {"signals": options.signals, "subjects": options.subjects}, "rates": rates, "alone": alone}


def flood(options, config, signals, store, isolation, seen):
    belfry = Belfry("", options.bin / "belfry", options.work, store, shards=2, extra=["--isolation", isolation])
    rate = belfry.run(config, signals).rate
    seen.add(digest(belfry.decisions, has_ids=True))
    return rate


def rows(found):
    load = f"{found['load']['signals']:,} signals, {found['load']['subjects']:,} subjects, 2 shards"
    for store in STORES:
        thread, process = (found["rates"][f"{store} {isolation}"] for isolation in ISOLATIONS)
        ratio = median(process) / median(thread)
        yield (f"{load}, file to file, `{store}:`", "0.9 of threads",
               f"{ratio:.2f} ({median(process):,.0f} beside {median(thread):,.0f} signals/s; {spread(process)} and "
               f"{spread(thread)})", verdict(ratio >= 0.9))
    for store in STORES:
        thread, process = ([round["p50"] * 1e6 for round in found["alone"][f"{store} {isolation}"]] for isolation in ISOLATIONS)
        added = median(process) - median(thread)
        yield (f"one signal at a time, `{store}:`, p50", "at most 30 µs more than threads",
               f"{added:.0f} µs ({median(process):.0f} beside {median(thread):.0f} µs)", verdict(added <= 30))


def text(results):
    return "\n\n".join([head(results), table(("work", "goal", "measured", "met"), list(rows(results)))])
