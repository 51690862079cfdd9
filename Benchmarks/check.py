"""`make bench-check`: compares what each workload takes in allocations and instructions with thresholds.json.

Both are counts and not times, so they are the same on a busy machine. Allocations are to be the same, but for tables that grow
now and then; instructions may differ by some percent, because compilers and libraries do. Fewer is fine, and worth to be written down with --update.

A workload may have a goal, in instructions. What misses it is said on every run, until it is met; it is no failure.
"""
import argparse, json, os, pathlib, re, subprocess, sys, tempfile

THRESHOLDS = pathlib.Path(__file__).parent / "thresholds.json"
FEW = 0.05  # allocations an operation
SOME = 0.10  # of the instructions
# Hash tables of Swift have a seed of their own in each process otherwise.
ENVIRONMENT = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}


def counted(command, **options):
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=ENVIRONMENT, **options).stdout
    return {line["workload"]: line for line in map(json.loads, lines.splitlines())}


def allocations(measure, names):
    return {name: count["allocations"] / count["operations"] for name, count in counted([measure, "count", *names]).items()}


def stripped(measure, folder):
    """The program and the plugins beside it in another folder, without what Debian's valgrind cannot read: DWARF 5."""
    for file in [measure, *measure.parent.glob("*.so")]:
        subprocess.run(["strip", "--strip-debug", "-o", folder / file.name, file], check=True)
    return folder / measure.name


def instructions(measure, names):
    """Callgrind leaves a file for each workload, whose description has the name and whose summary the count."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        counts = counted(
            ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=counts",
             stripped(measure, folder), "count", *names], cwd=folder)
        found = {}
        for file in folder.glob("counts*"):
            text = file.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if name and total:
                found[name[1]] = int(total[1]) / counts[name[1]]["operations"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measure", type=pathlib.Path, help="the program Measure")
    parser.add_argument("names", nargs="*", help="workloads; default: all")
    parser.add_argument("--update", action="store_true", help="write what was counted into thresholds.json")
    options = parser.parse_args()
    measure = options.measure.resolve()
    thresholds = json.loads(THRESHOLDS.read_text()) if THRESHOLDS.exists() else {}
    found_allocations, found_instructions = allocations(measure, options.names), instructions(measure, options.names)
    if not found_instructions:
        raise SystemExit("callgrind counted nothing\n  fix: install valgrind before Measure is built, which needs its header")
    complaints, gains, misses = [], [], []
    for name, each in found_allocations.items():
        found = {"allocations": round(each, 2), "instructions": round(found_instructions[name])}
        known = thresholds.get(name)
        goal = (known or {}).get("goal")
        thresholds[name] = {**found, **({"goal": goal} if goal else {})}
        print(f"{name:24} {found['allocations']:8.2f} allocations {found['instructions']:10,} instructions")
        if goal and found["instructions"] > goal:
            misses.append(f"{name}: {found['instructions']:,} instructions, and {goal:,} are the goal")
        if known is None:
            complaints.append(f"{name}: has no threshold")
            continue
        for what, tolerance in (("allocations", FEW), ("instructions", SOME * known["instructions"])):
            words = f"{name}: {found[what]:,} {what}, where there were {known[what]:,}"
            if found[what] > known[what] + tolerance:
                complaints.append(words)
            elif found[what] < known[what] - tolerance:
                gains.append(words)
    for words in misses:
        print(f"goal: {words}")
    if options.update:
        THRESHOLDS.write_text(json.dumps(thresholds, indent=2) + "\n")
        return
    for words in gains:
        print(f"less: {words}; make bench-thresholds writes it down")
    if complaints:
        print("\n".join(f"more: {words}" for words in complaints), file=sys.stderr)
        raise SystemExit("  fix: find out why (callgrind_annotate); if it is worth it, make bench-thresholds")


if __name__ == "__main__":
    main()
