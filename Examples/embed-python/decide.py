#!/usr/bin/env python3
"""Decides a file of signals, as `belfry run --store memory:` does, and keeps the records itself.

    decide.py LIBBELFRY CONFIGURATION SIGNALS

Needs nothing but Python: the library is called through ctypes.
"""

import ctypes
import json
import sys
from datetime import datetime, timezone

NEVER = -(2**63)


class Bytes(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("length", ctypes.c_uint64)]

    @classmethod
    def of(cls, data):
        """Lends bytes for the length of a call: the caller keeps `data`."""
        return cls(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))

    def copy(self):
        return ctypes.string_at(self.bytes, self.length) if self.length else b""


class Sink(ctypes.Structure):
    Write = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
    _fields_ = [("owner", ctypes.c_void_p), ("write", Write)]


class Options(ctypes.Structure):
    _fields_ = [("configuration", ctypes.c_char_p), ("belfry", ctypes.c_char_p), ("log", Sink)]


class Work(ctypes.Structure):
    _fields_ = [("subject", Bytes), ("record", Bytes), ("signals", Bytes), ("passed", ctypes.c_int64),
        ("until", ctypes.c_int64)]


class Answer(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int32), ("reserved", ctypes.c_uint32), ("error", Bytes), ("record", Bytes),
        ("decisions", Bytes), ("rejects", Bytes), ("next_timer", ctypes.c_int64)]


Take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(Answer))


class Core:
    """A configuration with its plugins."""

    def __init__(self, library, configuration):
        self.library = ctypes.CDLL(library)
        self.library.belfry_core_open.restype = ctypes.c_void_p
        self.library.belfry_core_decide.argtypes = [
            ctypes.c_void_p, ctypes.POINTER(Work), ctypes.c_uint64, ctypes.c_void_p, Take]
        self.library.belfry_core_close.argtypes = [ctypes.c_void_p]
        words = []
        error = Sink(None, Sink.Write(lambda _, text, length: words.append(ctypes.string_at(text, length).decode())))
        self.handle = self.library.belfry_core_open(
            ctypes.byref(Options(configuration=configuration.encode())), ctypes.byref(error))
        if not self.handle:
            raise SystemExit("".join(words))

    def close(self):
        self.library.belfry_core_close(self.handle)

    def decide(self, subject, record, signals=b"", passed=NEVER, until=NEVER):
        """Returns the new record, the lines of decisions and rejects, and when the next timer is due (ms, or NEVER)."""
        taken = []

        def take(_, index, answer):
            answer = answer.contents
            if answer.status:
                raise SystemExit(answer.error.copy().decode())
            taken.append((answer.record.copy(), answer.decisions.copy(), answer.rejects.copy(), answer.next_timer))

        name = subject.encode()
        work = Work(Bytes.of(name), Bytes.of(record), Bytes.of(signals), passed, until)
        self.library.belfry_core_decide(self.handle, ctypes.byref(work), 1, None, Take(take))
        return taken[0]


class Subjects:
    """The records, by subject, and when the next timer of each is due."""

    def __init__(self, core):
        self.core = core
        self.records, self.timers = {}, {}
        self.passed = NEVER  # the last clock.advanced

    def decide(self, subject, signals=b"", until=NEVER):
        """Returns whether no signal was rejected."""
        record, decisions, rejects, due = self.core.decide(subject, self.records.get(subject, b""), signals, self.passed, until)
        self.records[subject], self.timers[subject] = record, due
        sys.stdout.buffer.write(decisions)
        sys.stderr.buffer.write(rejects)
        return not rejects

    def pass_time(self, until):
        """Fires timers in order of due time, then subject."""
        while due := min(((d, s.encode(), s) for s, d in self.timers.items() if NEVER < d <= until), default=None):
            self.decide(due[2], until=due[0])


def milliseconds(text):
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc).timestamp() * 1000)


def head(line):
    """Returns the type, the subject and the time (ms, or NEVER) of a line, or None if it is of no subject, and no tick."""
    try:
        signal = json.loads(line)
        kind, subject = signal["type"], signal.get("subject")
        if kind != "clock.advanced" and not isinstance(subject, str):
            return None
        return kind, subject, milliseconds(signal["time"]) if "time" in signal else NEVER
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def main(library, configuration, signals):
    core = Core(library, configuration)
    subjects = Subjects(core)
    latest = NEVER
    with open(signals, "rb") as lines:
        for line in lines:
            found = head(line)
            if not found:
                sys.stderr.write(f"passed over: {line.decode(errors='replace')}")
                continue
            kind, subject, now = found
            if kind == "clock.advanced":
                subjects.pass_time(now)
                subjects.passed = max(subjects.passed, now)
            elif not subjects.decide(subject, line):
                continue  # it moves no time
            latest = max(latest, now)
    subjects.pass_time(latest)  # the end of the input, as a run does
    core.close()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
