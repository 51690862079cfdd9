/// belfry.local-time/1, from the time zones of this machine.
#define _DEFAULT_SOURCE  // setenv, localtime_r, tm_gmtoff
#include "internal.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DAY ((int64_t)86400000)
/// No zone is as far from UTC.
#define FAR (26 * DAY / 24)
/// Where the search for a transition ends: a zone without one for so long is taken to have none.
#define AHEAD (40 * 366 * DAY)

struct belfry_zone {
    char name[64];
};

// MARK: Zones

static int is_known(const char *name) {
    char path[128];
    snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", name);
    return strcmp(name, "UTC") == 0 || access(path, R_OK) == 0;
}

/// Kept until the process ends, as the contract has it.
const belfry_zone *belfry_test_zone(const char *name, uint64_t length) {
    static struct belfry_zone zones[32];
    struct belfry_zone zone = {""};
    if (length == 0 || length >= sizeof(zone.name)) return NULL;
    memcpy(zone.name, name, length);
    if (!is_known(zone.name)) return NULL;
    for (int i = 0; i < 32; i++) {
        if (!zones[i].name[0]) zones[i] = zone;
        if (strcmp(zones[i].name, zone.name) == 0) return &zones[i];
    }
    belfry_test_require(0, "more than 32 zones are in use; there is no room for", zone.name);
    return NULL;
}

static const belfry_zone *zone_named(const belfry_host *host, const char *name, uint64_t length) {
    (void)host;
    return belfry_test_zone(name, length);
}

static const belfry_zone *zone_of_subject(const belfry_context *context) {
    const struct belfry_test *test = context->owner;
    const char *name = test->zone ? test->zone : "UTC";
    const belfry_zone *zone = belfry_test_zone(name, strlen(name));
    belfry_test_require(zone != NULL, "this machine has no time zone", name);
    return zone;
}

// MARK: Offsets

static int64_t floor_division(int64_t number, int64_t divisor) {
    return number / divisor - (number % divisor < 0);
}

/// The C library knows one zone at a time, that of TZ.
static int32_t offset(const belfry_zone *zone, int64_t instant) {
    setenv("TZ", zone->name, 1);
    tzset();
    const time_t seconds = (time_t)floor_division(instant, 1000);
    struct tm local;
    return localtime_r(&seconds, &local) ? (int32_t)local.tm_gmtoff : 0;
}

/// The first change of the offset after `from` and up to `to`; 0 if there is none.
static belfry_bool transition(const belfry_zone *zone, int64_t from, int64_t to, int64_t *next) {
    const int32_t before = offset(zone, from);
    int64_t low = from, high = from;
    while (high < to && offset(zone, high) == before) {
        low = high;
        high += DAY;
    }
    if (offset(zone, high) == before) return 0;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (offset(zone, middle) == before) low = middle;
        else high = middle;
    }
    *next = high;
    return high <= to;
}

static belfry_bool next_transition(const belfry_zone *zone, int64_t instant, int64_t *next) {
    int64_t found;
    if (!transition(zone, instant, instant + AHEAD, &found)) return 0;
    *next = found;
    return 1;
}

// MARK: Days

/// The first instant at which clocks show midnight of that day, or a later time.
static int64_t start_of_day(const belfry_zone *zone, int64_t day) {
    const int64_t midnight = day * DAY;
    int64_t from = midnight - FAR, next;
    while (transition(zone, from, midnight + FAR, &next)) {
        const int64_t start = midnight - offset(zone, from) * (int64_t)1000;
        if (start < next) return start > from ? start : from;
        from = next;
    }
    const int64_t start = midnight - offset(zone, from) * (int64_t)1000;
    return start > from ? start : from;
}

/// Days never repeat: where clocks go back over midnight, it is the later day already.
static int64_t local_day(const belfry_zone *zone, int64_t instant) {
    int64_t day = floor_division(instant + offset(zone, instant) * (int64_t)1000, DAY);
    while (start_of_day(zone, day + 1) <= instant) day++;
    return day;
}

const belfry_local_time belfry_test_local_time = {zone_named,      zone_of_subject, offset,
                                                  next_transition, local_day,       start_of_day};
