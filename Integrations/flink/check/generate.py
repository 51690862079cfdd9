"""Signals for a check, and the configuration that goes with them: people who walk, sleep, ask for news and open what they get.

Everything that a timer is for is in it: dwelling, deferral over the night, digests, exits from beacons. Some signals are late, some are
wrong, some come twice. The same seed gives the same bytes.
"""

import datetime
import functools
import json
import random

import streams

START = datetime.datetime(2026, 3, 2, 6, tzinfo=datetime.timezone.utc)
REGIONS = 12

CONFIGURATION = """\
app: check
beacons: { uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6, exitDelay: 90s }
chain:
  - { strategy: schedule, parameters: { periods: [ { hours: ["07:00-22:00"] } ], outside: defer } }
  - { strategy: max-per-period, per: campaign, parameters: { max: 3, calendar: day } }
  - { strategy: cooldown, per: campaign, parameters: { period: 20m } }
  - { strategy: digest, when: { campaign.id: news }, parameters: { window: 15m } }
regions:
%s
  - { id: shelf, kind: beacon, major: 7, minor: 2 }
campaigns:
  - { id: welcome, message: "Welcome at {region}", triggers: [ { on: enter, regions: all } ], data: "https://check.example/", onOpen: { type: url, value: "https://check.example/open" } }
  - { id: stay, message: "Still there?", triggers: [ { on: dwell, regions: all, dwell: 10m } ], priority: 1 }
  - { id: goodbye, triggers: [ { on: exit, regions: [shelf, r3, r4] } ], deleteOn: never }
  - { id: news, message: "{count} news", with: { cooldown: off } }
  - { id: sale, message: Sale, tags: [marketing]%s }
"""


def configuration(variant=False):
    """The configuration; as a variant, another one for the same signals."""
    regions = [
        f"  - {{ id: r{i}, kind: geofence, latitude: {52 + i / 100:.2f}, longitude: 4.9, radius: 300 }}" for i in range(REGIONS)]
    return CONFIGURATION % ("\n".join(regions), ", with: { max-per-period: { max: 1, calendar: day } }" if variant else "")


# Signals of one piece, which one process makes. No piece needs another.
PIECE = 100_000


def signals(count, subjects, seed=1, days=3):
    """Lines in the order of their arrival."""
    piece = functools.partial(signals_from, count=count, subjects=subjects, seed=seed, step=datetime.timedelta(days=days) / count)
    with streams.workers(count // PIECE) as pool:
        return [line for lines in pool.map(piece, range(0, count, PIECE)) for line in lines]


def signals_from(first, count, subjects, seed, step):
    """The lines of the piece that begins there. They are put together by hand: to encode millions of dictionaries takes three times as long."""
    chance = random.Random(seed * count + first)
    lines = []
    for index in range(first, min(first + PIECE, count)):
        time = START + index * step
        if chance.random() < 0.02:
            time -= datetime.timedelta(minutes=chance.randrange(1, 30))
        kind, data = body(chance)
        line = (f'{{"id": "s{index}", "subject": "p{int(chance.random() * subjects)}", "time": "{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z", '
                f'"type": "{kind}"{data}}}').encode()
        lines += [line, line] if chance.random() < 0.01 else [line]
    return lines


BEACON = '"uuid": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "major": 7, "minor": 2'
NAME = json.dumps("Zoë \"Z\" \U0001F514")


def body(chance):
    """The type of a signal, and what it says besides."""
    kind = chance.random()
    if kind < 0.4:
        return "location.updated", f', "data": {{"latitude": {52 + chance.randrange(2 * REGIONS) / 200}, "longitude": 4.9}}'
    if kind < 0.5:
        return "beacon.ranged", f', "data": {{{BEACON}, "distance": {chance.random() * 5}}}'
    if kind < 0.85:
        return "notification.requested", f', "data": {{"campaign": "{chance.choice(["news", "news", "sale"])}"}}'
    if kind < 0.93:
        # It may be there, or not: then the signal is rejected.
        return "notification.opened", f', "data": {{"notification": "{chance.choice(["news", "sale"])}/{chance.randrange(1, 4)}"}}'
    if kind < 0.97:
        return "attributes.set", f', "data": {{"values": {{"tier": "{chance.choice(["gold", "basic"])}", "name": {NAME}}}}}'
    return chance.choice(["app.foregrounded", "app.backgrounded", "session.started"]), ""
