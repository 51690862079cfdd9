"""What was measured of the service, as a part of docs/performance.md."""
from page import MIB, head, median, ms, spread, table, verdict


def goals(service):
    """Rows of (work, goal, measured, met?)."""
    rows = []

    def row(work, goal, measured, is_met):
        rows.append((work, goal, measured, verdict(is_met)))

    rates = {name: median(values) for name, values in service["lines"].items()}
    for store, goal, words in (("memory", 0.8, "memory"), ("sqlite", 0.9, "durable")):
        share = rates[f"serve, {store}"] / rates[f"run, {store}"]
        row(f"NDJSON, 1,000 signals a request, 4 connections, {words}", f"{goal} of `belfry run`",
            f"{share:.2f} ({rates[f'serve, {store}']:,.0f} beside {rates[f'run, {store}']:,.0f} signals/s)", share >= goal)
    one = service["one"]
    mine, echo = median(one["rates"]["service"]), median(one["rates"]["echo"])
    row(f"one signal a request, durable, {one['connections']} connections", "0.6 of a Hummingbird echo",
        f"{mine / echo:.2f} ({mine:,.0f} beside {echo:,.0f} requests/s)", mine >= 0.6 * echo)
    tails = {name: median([waits["p99"] for waits in each]) for name, each in one["waits"].items()}
    row(f"p99 of that at half of its most, {one['half']:,.0f} requests/s", "at most 5 ms",
        f"{ms(tails['service'])} (the echo {ms(tails['echo'])})", tails["service"] <= 0.005)
    rows += overload_rows(service["overload"])
    slow = service["slow"]
    alone, beside = slow["alone"], slow["beside"]
    row(f"{slow['dawdlers']:,} slow connections: p99 of others", "unchanged (at most 1.2 ×)",
        f"{ms(beside['p99'])}, alone {ms(alone['p99'])}; {beside['count']:,} of {alone['count']:,} requests",
        beside["p99"] <= 1.2 * alone["p99"] and beside["count"] >= 0.99 * alone["count"])
    start = median(service["start"])
    row("start to ready, 12 plugins, 1,000 campaigns", "under 250 ms", f"{start * 1000:.0f} ms", start < 0.25)
    streams = service["streams"]
    row(f"{streams['streams']} subscribers, one that stops reading: p99 from the signal to the event", "under 50 ms",
        ms(streams["waits"]["p99"]) + ("" if streams["all"] else "; **some did not get all**"),
        streams["waits"]["p99"] < 0.05 and streams["all"])
    row("memory of a subscriber that stops reading", "under 1 MiB", f"{streams['cost'] / MIB:.2f} MiB", streams["cost"] < MIB)
    return rows


def overload_rows(overload):
    half, over = overload["half"], overload["over"]
    tail, former = over["answered"]["p99"], half["answered"]["p99"]
    grown = over["peak"] - half["peak"]
    what = f"{overload['times']} × overload"
    return [
        (f"{what}: p99 of what is taken", "2 × that at half load", f"{tail / former:.1f} × ({ms(tail)}, {ms(former)})",
         verdict(tail <= 2 * former)),
        (f"{what}: p99 of the 429 and 503", "5 ms", ms(over["refused"]["p99"]), verdict(over["refused"]["p99"] <= 0.005)),
        (f"{what}: memory", "bounded", f"{over['peak'] / MIB:.0f} MiB at most, at half load {half['peak'] / MIB:.0f} MiB",
         verdict(grown < 128 * MIB)),
    ]


def lines(service):
    """Rows of (what, each value)."""
    one, overload = service["one"], service["overload"]
    rows = [(name, f"{median(values):,.0f} signals/s", spread(values)) for name, values in service["lines"].items()]
    rows += [(f"one a request, {name}", f"{median(values):,.0f} requests/s", spread(values)) for name, values in one["rates"].items()]
    for name, each in one["waits"].items():
        rows.append((f"the same at half of the service's most, {name}", f"p50 {ms(median([waits['p50'] for waits in each]))}",
                     " – ".join(ms(edge([waits["p99"] for waits in each])) for edge in (min, max)) + " (p99)"))
    over = overload["over"]
    rows.append((f"{overload['times']} × overload, 1,000 signals a request, `queue: {overload['queue']}`",
                 f"{overload['most']:.0f} requests/s at most; {over['offered']:,.0f}/s offered",
                 f"{over['answered']['count']:,} taken, {over['refused']['count']:,} refused"))
    rows.append(("start to ready", ms(median(service["start"])), " – ".join(ms(edge(service["start"])) for edge in (min, max))))
    return table(("service", "median", "least – most"), rows)


def text(results):
    return "\n\n".join([head(results), table(("work", "goal", "measured", "met"), goals(results)), lines(results)])
