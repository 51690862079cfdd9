"""Signals for a check, and the configuration that goes with them: people who walk, sleep, ask for news and open what they get.

Everything that a timer is for is in it: dwelling, deferral over the night, digests, exits from beacons. Some signals are late, some are
wrong, some come twice. The same seed gives the same bytes.
"""

import datetime
import json
import random

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


def signals(count, subjects, seed=1, days=3):
    """Lines in the order of their arrival."""
    chance = random.Random(seed)
    step = datetime.timedelta(days=days) / count
    created = {}
    lines = []
    for index in range(count):
        name = f"p{chance.randrange(subjects)}"
        time = START + index * step
        if chance.random() < 0.02:
            time -= datetime.timedelta(minutes=chance.randrange(1, 30))
        signal = {"id": f"s{index}", "subject": name, "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z")}
        lines.append(json.dumps(signal | body(chance, created.setdefault(name, []))).encode())
        if chance.random() < 0.01:
            lines.append(lines[-1])
    return lines


def body(chance, asked):
    kind = chance.random()
    if kind < 0.4:
        return {"type": "location.updated", "data": {"latitude": 52 + chance.randrange(2 * REGIONS) / 200, "longitude": 4.9}}
    if kind < 0.5:
        return {"type": "beacon.ranged", "data": {"uuid": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "major": 7, "minor": 2, "distance": chance.random() * 5}}
    if kind < 0.85:
        campaign = chance.choice(["news", "news", "sale"])
        asked.append(campaign)
        return {"type": "notification.requested", "data": {"campaign": campaign}}
    if kind < 0.93:
        # It may be there, or not: then the signal is rejected.
        return {"type": "notification.opened", "data": {"notification": f"{chance.choice(asked or ['sale'])}/{chance.randrange(1, 4)}"}}
    if kind < 0.97:
        return {"type": "attributes.set", "data": {"values": {"tier": chance.choice(["gold", "basic"]), "name": "Zoë \"Z\" \U0001F514"}}}
    return {"type": chance.choice(["app.foregrounded", "app.backgrounded", "session.started"])}
