"""`make bench`: measures Belfry beside its alternatives in one run, and writes docs/performance.md.

Everything is measured several times in turns, so that what disturbs the machine disturbs all alike.
"""
import argparse, json, os, pathlib, subprocess, sys

import durable, inside, isolation, machine, page, service, service_page, whole
from programs import HERE, Belfry, Program, Redis, digest

ROOT = HERE.parent.parent
# What is measured, by the name of its results.
PARTS = {
    "files": lambda options: file_to_file(options),
    "inside": lambda options: inside.measure(options, interleaved),
    "start": whole.start,
    "memory": whole.memory,
    "durable": lambda options: durable.measure(options, make_load, interleaved),
    "isolation": lambda options: isolation.measure(options, make_load, interleaved),
    "service": lambda options: service.measure(options, make_load, interleaved),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the release build of belfry is")
    parser.add_argument("--measure", type=pathlib.Path, help="the program that measures inside of a process")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for what is made on the way")
    parser.add_argument("--generator", default="", help="a make_load.py; without it, the load is made here")
    parser.add_argument("--signals", type=int, default=1_000_000)
    parser.add_argument("--subjects", type=int, default=100_000)
    parser.add_argument("--campaigns", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--big", action="store_true", help="5 million subjects in SQLite, too: takes long")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure these parts again, and keep what the last run found of others")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "performance.md")
    return parser.parse_args()


def make_load(options):
    """The configuration and the signals, made once for the same arguments."""
    name = f"{'given' if options.generator else 'own'}-{options.signals}-{options.subjects}-{options.campaigns}"
    config, signals = options.work / f"{name}.yaml", options.work / f"{name}.jsonl"
    if not signals.exists():
        if options.generator:
            sizes = ["--subjects", options.subjects, "--campaigns", options.campaigns]
            configure = [sys.executable, options.generator, "--config", *sizes]
            generate = [sys.executable, options.generator, "--signals", options.signals, *sizes]
        else:
            configure = [options.work / "generate", "config", options.campaigns]
            generate = [options.work / "generate", "signals", options.signals, options.subjects, options.campaigns]
        for command, file in ((configure, config), (generate, signals)):
            unfinished = file.with_suffix(".part")
            with open(unfinished, "w") as out:
                subprocess.run(list(map(str, command)), stdout=out, check=True)
            unfinished.rename(file)
    return config, signals


def contestants(options, redis):
    """All that go from file to file, by name."""
    belfry, work, campaigns = options.bin / "belfry", options.work, options.campaigns
    found = []
    for store in ("memory", "sqlite"):
        for shards in Belfry.shard_counts(belfry):
            suffix = "" if shards is None else f", {shards} shard{'s' if shards > 1 else ''}"
            found.append(Belfry(f"Belfry, `{store}:`{suffix}", belfry, work, store, shards))
    script = HERE / "rules.lua"
    for mode, words in (("rules", ""), ("ids", ", ids of signals remembered")):
        decisions = work / f"redis-{mode}.jsonl"
        found.append(Program(
            f"Redis script, packed batches in flight{words}",
            lambda signals, mode=mode, decisions=decisions: [
                work / "redis_client", signals, decisions, campaigns, redis.port, script, mode],
            decisions, redis.empty))
    found.append(Program(
        "C by hand, for these rules only", lambda signals: [work / "limit", "file", signals, work / "limit.jsonl", campaigns],
        work / "limit.jsonl"))
    return found


def interleaved(runs, rounds):
    """Calls each of the functions once a round, beginning with another one each time: their results, by name."""
    results = {name: [] for name in runs}
    names = list(runs)
    for turn in range(rounds):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            print(f"round {turn + 1} of {rounds}: {name}", file=sys.stderr)
            results[name].append(runs[name]())
    return results


def file_to_file(options):
    config, signals = make_load(options)
    results, seen, own, counts = {}, {}, set(), {}
    with Redis(options.work) as redis:
        programs = contestants(options, redis)

        def runner(program):
            def run():
                result = program.run(config, signals)
                counts[program.name] = result.counts
                if program.name not in seen:
                    seen[program.name] = digest(program.decisions, has_ids=False)
                    if isinstance(program, Belfry):
                        own.add(digest(program.decisions, has_ids=True))
                return result.rate
            return run

        results = interleaved({program.name: runner(program) for program in programs}, options.rounds)
        results |= plain_client(options, redis, signals)
    if len({json.dumps(count, sort_keys=True) for count in counts.values()}) > 1:
        raise SystemExit(f"they decide differently, so that no rate means anything:\n{json.dumps(counts, indent=2)}")
    return {"rates": results, "counts": counts[programs[0].name], "same_bytes": len(set(seen.values())) == 1 and len(own) == 1,
            "load": {"signals": options.signals, "subjects": options.subjects, "campaigns": options.campaigns,
                     "generator": "make_load.py" if options.generator else "Benchmarks/EndToEnd/generate.c"}}


def plain_client(options, redis, signals):
    """So slow that a part of the load has to do; what it decides is compared with the C program over the same part."""
    lines = min(options.signals, 200_000)
    client = Program(
        "Redis script, a plain `pipeline()` client",
        lambda signals: ["/usr/bin/python3", HERE / "plain_client.py", signals, options.campaigns, redis.port,
                         HERE / "rules.lua", lines], before=redis.empty)
    limit = Program("", lambda signals: [
        options.work / "limit", "file", signals, options.work / "part.jsonl", options.campaigns, lines])
    runs = [client.run(None, signals) for _ in range(min(3, options.rounds))]
    if runs[0].counts != limit.run(None, signals).counts:
        raise SystemExit("the plain client decides differently")
    return {client.name: [run.rate for run in runs]}


def last_results(options):
    """What the last run found, without which there is no page."""
    try:
        return json.loads((options.work / "results.json").read_text())
    except FileNotFoundError:
        raise SystemExit(f"--only keeps what was found before, and there is no {options.work / 'results.json'}: run 'make bench' first")


def main():
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    now = {"machine": machine.describe(), "commit": machine.commit(ROOT)}
    skipped = [] if options.measure else ["inside", "service"]
    parts = options.only or [part for part in PARTS if part not in skipped]
    # These have a part of the page to themselves, with what they were measured on.
    own = {"durable": (durable.text, page.DURABLE_MARKS), "isolation": (isolation.text, page.ISOLATION_MARKS),
           "service": (service_page.text, page.SERVICE_MARKS)}
    for part, (write, marks) in own.items():
        if part in parts:
            page.write(options.page, write(PARTS[part](options) | now), marks)
    if rest := [part for part in parts if part not in own]:
        measure_rest(options, rest, now)


def measure_rest(options, parts, now):
    if options.only:
        results = last_results(options)
        results.setdefault("again", {}).update({part: now for part in parts})
    else:
        results = now
    for part in parts:
        results[part] = PARTS[part](options)
    with open(options.work / "results.json", "w") as file:
        json.dump(results, file, indent=1)
    page.write(options.page, page.measured(results))


if __name__ == "__main__":
    main()
