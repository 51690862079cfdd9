"""Writes what was measured into docs/performance.md, between marks; the rest of the page is written by hand."""
import statistics

MARKS = "<!-- measured by make bench -->", "<!-- end of what was measured -->"
DURABLE_MARKS = "<!-- durable, measured by make bench -->", "<!-- end of what was measured of durable runs -->"
ISOLATION_MARKS = "<!-- isolation, measured by make bench -->", "<!-- end of what was measured of isolation -->"
SERVICE_MARKS = "<!-- service, measured by make bench -->", "<!-- end of what was measured of the service -->"

MIB = 1 << 20


def median(values):
    return statistics.median(values)


def spread(values):
    return f"{min(values):,.0f} – {max(values):,.0f}"


def table(header, rows):
    return "\n".join([f"| {' | '.join(header)} |", "|" + "---|" * len(header)] + [f"| {' | '.join(row)} |" for row in rows])


def verdict(is_met):
    return "yes" if is_met else "**no**"


def head(results):
    machine = results["machine"]
    return (f"{machine['date']}, commit `{results['commit']}`, {machine['cores']} cores of {machine['cpu']}, Swift "
            f"{machine['swift']}. Load of the machine before: {machine['load']:.1f}.")


def ms(seconds):
    return f"{seconds * 1000:.2f} ms"


# Goals


def goals(results):
    """Rows of (work, goal, measured, met?)."""
    rows = []

    def row(work, goal, measured, is_met):
        rows.append((work, goal, measured, verdict(is_met)))

    rates = {name: median(values) for name, values in results["files"]["rates"].items()}
    inside = {name: median(values) for name, values in results.get("inside", {}).get("nanoseconds", {}).items()}
    counts = {count["workload"]: count for count in results.get("inside", {}).get("counts", [])}
    instructions = results.get("inside", {}).get("instructions", {})
    for outcome in ("created", "suppressed") if inside else ():
        ours, by_hand = inside[f"decision/{outcome}"], inside[f"C by hand/{outcome}"]
        row(f"one decision in process, {outcome}: 4 plugins, 100,000 subjects", "at most 2.0 × C by hand",
            f"{ours / by_hand:.1f} × ({ours:,.0f} ns; C {by_hand:,.0f} ns)", ours <= 2.0 * by_hand)
    for language, limit in (("c", 3), ("swift", 6)) if inside else ():
        hook = (inside[f"chain/noop-{language}/9"] - inside[f"chain/noop-{language}/1"]) / 16
        row(f"one more plugin in the chain, in {language.capitalize()}", f"at most {limit} ns a hook", f"{hook:.1f} ns",
            hook <= limit)
    for outcome in ("created", "suppressed") if counts else ():
        count = counts[f"decision/{outcome}"]
        each = count["allocations"] / count["operations"]
        row(f"allocations of a warm decision, {outcome}", "0", f"{each:.2f}", each < 0.005)
    one, two = rates["Belfry, `memory:`, 1 shard"], rates["Belfry, `memory:`, 2 shards"]
    for name, share, words in (("C by hand, for these rules only", 0.75, "of C by hand"),
                               ("Redis script, packed batches in flight", 6, "× a Redis script, packed batches in flight"),
                               ("Redis script, a plain `pipeline()` client", 15, "× the same script, a plain client")):
        row("file to file, memory, 2 shards", f"at least {share} {words}", f"{two / rates[name]:.2f} ({two:,.0f} beside {rates[name]:,.0f}/s)",
            two >= share * rates[name])
    row("one shard to two", "at least 1.85 ×", f"{two / one:.2f} × ({one:,.0f} to {two:,.0f}/s)", two >= 1.85 * one)
    if inside:
        time, count = inside["decode/request"], instructions["decode/request"]
        row("decode, one request", "under 250 ns, 2,000 instructions", f"{time:.0f} ns, {count:,} instructions", time < 250 and count < 2000)
    memory = results["memory"]
    row("memory of a subject, 4 strategies, beyond its id and attributes", "at most 300 bytes", f"{memory['beyond']:,.0f} bytes",
        memory["beyond"] <= 300)
    if inside:
        for what, less, more in (("regions, lookup", "geofence/1000", "geofence/100000"),
                                 ("regions, a whole position", "position/1000", "position/100000"),
                                 ("campaigns", "campaigns/100", "campaigns/10000"),
                                 ("subjects", "subjects/1000", "decision/suppressed")):
            growth, work = inside[more] / inside[less], instructions[more] / instructions[less]
            by_hand = growth_by_hand(inside, less, more)
            # C by hand knows no regions.
            goal = f"at most as in C by hand, {by_hand:.2f} ×" if by_hand else "less than 1.3 ×"
            row(f"growth, 100 times as many {what}", f"instructions at most 1.03 ×, time {goal}", f"{work:.2f} ×, {growth:.2f} ×",
                work <= 1.03 and (growth <= by_hand if by_hand else growth < 1.3))
        step = [inside["chain/noop-c/5"] - inside["chain/noop-c/1"], inside["chain/noop-c/9"] - inside["chain/noop-c/5"]]
        row("growth in entries that are asked", "linear", f"4 more: {step[0]:.0f} ns; 4 more: {step[1]:.0f} ns",
            step[1] <= 1.3 * step[0] + 5)
    start = median(results["start"]) * 1000
    row("start with 12 plugins and 1,000 campaigns, scan cached", "under 100 ms", f"{start:.0f} ms", start < 100)
    return rows


def growth_by_hand(inside, less, more):
    """What C takes longer between two workloads; None if it has none of these."""
    names = [f"C by hand/{name.removeprefix('decision/')}" for name in (less, more)]
    return inside[names[1]] / inside[names[0]] if all(name in inside for name in names) else None


# Sections


def machine_lines(results):
    machine = results["machine"]
    return (f"{machine['date']}, commit `{results['commit']}`: {machine['cores']} cores of {machine['cpu']}, {machine['memory']}, "
            f"{machine['system']}, Linux {machine['kernel']}, Swift {machine['swift']}, {machine['cc']}, Redis "
            f"{machine['redis']}. Load of the machine before: {machine['load']:.1f}." + again_lines(results))


def again_lines(results):
    """What was measured later than the rest."""
    names = {"files": "file to file", "inside": "in process", "start": "the start", "memory": "memory"}
    parts = {}
    for part, again in results.get("again", {}).items():
        when = f"{again['machine']['date']}, commit `{again['commit']}`, load {again['machine']['load']:.1f}"
        parts.setdefault(when, []).append(names[part])
    return "".join(f" Measured again {when}: {' and '.join(parts[when])}." for when in parts)


def file_lines(files):
    load, counts = files["load"], files["counts"]
    best = max(median(rates) for name, rates in files["rates"].items() if name.startswith("Belfry"))
    rows = [(name, f"{median(rates):,.0f}", spread(rates), f"{median(rates) / best:.2f}")
            for name, rates in files["rates"].items()]
    same = "and left the same bytes, but for the ids of decisions" if files["same_bytes"] else "but not the same bytes"
    return (f"{load['signals']:,} signals of {load['subjects']:,} subjects for {load['campaigns']} campaigns and five checks, made by "
            f"`{load['generator']}`. All came to the same decisions, {counts['created']:,} created, {counts['suppressed']:,} "
            f"suppressed and {counts['opened']:,} opened, {same} (the plain client does a part, and writes nothing).\n\n"
            + table(("file to file", "signals/s, median", "least – most", "of the fastest Belfry"), rows))


def inside_lines(inside):
    counts = {count["workload"]: count for count in inside["counts"]}
    rows = []
    for name, values in inside["nanoseconds"].items():
        count = counts.get(name)
        allocations = f"{count['allocations'] / count['operations']:.2f}" if count else ""
        each = f"{inside['instructions'][name]:,}" if name in inside["instructions"] else ""
        rows.append((f"`{name}`", f"{median(values):,.1f}", f"{min(values):,.1f} – {max(values):,.1f}", allocations, each))
    return table(("workload", "ns, median", "least – most", "allocations", "instructions"), rows)


def memory_lines(memory):
    return (f"A subject without attributes takes {memory['bare']:,.0f} bytes; with four attributes {memory['known']:,.0f}; "
            f"with a created notification, its history and the state of four strategies besides {memory['asked']:,.0f}. Of that, "
            f"{memory['id_and_attributes']:,.0f} bytes are its id and attributes.")


def measured(results):
    parts = [machine_lines(results), table(("work", "goal", "measured", "met"), goals(results)), "## File to file",
             file_lines(results["files"])]
    if "inside" in results:
        parts += ["## In process", inside_lines(results["inside"])]
    parts += ["## Memory", memory_lines(results["memory"])]
    return "\n\n".join(parts)


def write(path, text, marks=MARKS):
    begin, end = marks
    page = path.read_text()
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{path} does not have the lines '{begin}' and '{end}'")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
    print(f"wrote {path}")
