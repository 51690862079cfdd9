"""The service: beside `belfry run` and beside an echo, and what it does when too much comes, or too slowly."""
import json

import whole
from callers import Echo, Service, begin, call, post
from programs import Belfry


def measure(options, make_load, interleaved):
    config, signals = make_load(options)
    one = one_by_one(options, config, signals, interleaved)
    return {
        "lines": lines(options, config, signals, interleaved), "one": one, "overload": overload(options, config, signals),
        "slow": slow(options, config, signals, one), "start": start(options), "streams": streams(options, config),
    }


def with_limits(options, config, **limits):
    """The same configuration with other limits."""
    path = options.work / f"{config.stem}-{'-'.join(f'{name}{value}' for name, value in limits.items())}.yaml"
    path.write_text(config.read_text() + f"\nserve: {json.dumps({'limits': limits})}\n")
    return path


# Lines


def lines(options, config, signals, interleaved):
    """Signals per second: of `belfry run` without its start, of the service until it has ended."""
    belfry = {store: Belfry("", options.bin / "belfry", options.work, store) for store in ("memory", "sqlite")}

    def run(store):
        empty = options.work / "empty.jsonl"
        empty.touch()
        start = min(seconds_of(belfry[store], config, empty) for _ in range(2))
        result = belfry[store].run(config, signals)
        return result.signals / (result.seconds - start)

    def serve(store):
        with Service(options, config, store, "--clock", "signals") as service:
            answer = post(options, service, signals, connections=4, signals=1000)
            return answer["signals"] / (answer["seconds"] + service.stop())

    runs = {}
    for store in belfry:
        runs[f"run, {store}"] = lambda store=store: run(store)
        runs[f"serve, {store}"] = lambda store=store: serve(store)
    return interleaved(runs, options.rounds)


def seconds_of(belfry, config, signals):
    return belfry.run(config, signals).seconds


# One signal a request


def one_by_one(options, config, signals, interleaved, seconds=5, connections=32):
    """Requests per second without a pause, and what half of them have to wait."""
    words = {"connections": connections, "warmup": 1}

    def as_fast_as_it_goes(server, path):
        answer = post(options, server, signals, path=path, seconds=seconds, **words)
        return answer["signals"] / answer["seconds"]

    def echo():
        with Echo(options) as server:
            return as_fast_as_it_goes(server, "/echo")

    def service():
        with Service(options, config, "sqlite") as server:
            return as_fast_as_it_goes(server, "/v1/signals")

    rates = interleaved({"echo": echo, "service": service}, options.rounds)
    half = sorted(rates["service"])[len(rates["service"]) // 2] / 2

    def at_half(server, path):
        return post(options, server, signals, path=path, seconds=2 * seconds, rate=half, **words)["answered"]

    def half_of_echo():
        with Echo(options) as server:
            return at_half(server, "/echo")

    def half_of_service():
        with Service(options, config, "sqlite") as server:
            return at_half(server, "/v1/signals")

    waits = interleaved({"echo": half_of_echo, "service": half_of_service}, options.rounds)
    return {"connections": connections, "rates": rates, "half": half, "waits": waits}


# Overload


def overload(options, config, signals, queue=2000, times=10, seconds=4):
    """Requests of 1,000 signals, at half of what the service can do and at ten times that; its queue is bounded so that what it
    takes does not wait for long."""
    config, words = with_limits(options, config, queue=queue), {"signals": 1000, "warmup": 1, "spread": 1}
    with Service(options, config, "sqlite") as service:
        answer = post(options, service, signals, connections=4, seconds=seconds, **words)
        most = answer["answered"]["count"] / answer["seconds"]
    result = {"queue": queue, "times": times, "most": most}
    for name, share in (("half", 0.5), ("over", times)):
        with Service(options, config, "sqlite") as service:
            before = service.memory()
            answer = post(options, service, signals, connections=20 * times, seconds=seconds, rate=share * most, **words)
            result[name] = {**answer, "before": before, "peak": service.memory("VmHWM"),
                            "offered": answer["sent"] / (answer["seconds"] + 1)}
    return result


# Slow connections


def slow(options, config, signals, one, dawdlers=2000, seconds=8):
    """What others wait while so many connections bring a byte a second."""
    config = with_limits(options, config, connections=4096)
    words = {"connections": one["connections"], "rate": one["half"], "seconds": seconds, "warmup": 1}
    with Service(options, config, "sqlite") as service:
        alone = post(options, service, signals, **words)
    with Service(options, config, "sqlite") as service:
        # They stay until that is measured: to read the signals takes a while, too.
        crowd = begin(options, service, "slow", connections=dawdlers, seconds=3600)
        crowd.stdout.readline()
        beside = post(options, service, signals, **words)
        open_ones = service.metric("belfry_http_connections")
        crowd.kill()
        crowd.communicate()
    return {"dawdlers": dawdlers, "open": open_ones, "alone": alone["answered"], "beside": beside["answered"]}


# Start


def start(options, times=11):
    """Seconds from the start of the process until it takes signals: 12 plugins, as in `whole.start`."""
    config = whole.write_config(options.work / "start.json", whole.FOUR + whole.EIGHT_MORE, 1000)
    seconds = []
    for _ in range(times + 1):
        with Service(options, config, "sqlite") as service:
            seconds.append(service.start)
            service.stop()
    # Plugins are scanned once.
    return seconds[1:]


# Streams


def streams(options, config, count=100, rate=200, seconds=10, stopped=40):
    """What subscribers wait for a decision after its signal was sent, and what one costs that does not read."""
    config = with_limits(options, config, streams=2 * count)
    with Service(options, config, "sqlite") as service:
        waits = call(options, service, "follow", streams=count, stopped=1, rate=rate, seconds=seconds)
    grown = {}
    for name, silent in (("all read", 0), ("some do not", stopped)):
        with Service(options, config, "sqlite") as service:
            before = service.memory()
            # They stay until that is seen.
            reading = begin(options, service, "follow", streams=count, stopped=silent, rate=1000, seconds=seconds, stays=60)
            reading.stdout.readline()
            grown[name] = service.memory() - before
            reading.kill()
            reading.communicate()
    cost = (grown["some do not"] - grown["all read"]) / stopped
    return {**waits, "rate": rate, "stopped": stopped, "grown": grown, "cost": cost}
