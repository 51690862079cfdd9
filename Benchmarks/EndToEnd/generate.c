/// A load where there is no other: many subjects, a few of them busy, who are asked for notifications.
///
///     generate config CAMPAIGNS                      the configuration, in YAML
///     generate signals SIGNALS SUBJECTS CAMPAIGNS    the signals, lines of JSON; the counts to expect go to stderr
///     generate endless SIGNALS SUBJECTS CAMPAIGNS    the same without an end, so many signals in each 30 days, and each
///                                                    notification is deleted, so that records do not grow for ever
///     generate people SUBJECTS                       the attributes of all subjects, a day before
///
/// The first signal of a subject sets its attributes. Of the others nine in ten ask for a notification; the rest change an
/// attribute, leave the app, or open the last notification. The same arguments give the same bytes.
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t START = 20454LL * DAY;  // 2026-01-01
enum { DAYS = 30 };

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
static uint64_t random_bits(void) {
    static uint64_t state = 1;
    uint64_t bits = state += 0x9E3779B97F4A7C15;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
    return bits ^ bits >> 31;
}

static double chance(void) { return (double)(random_bits() >> 11) / 9007199254740992.0; }

static uint32_t below(uint32_t end) { return (uint32_t)(chance() * end); }

// MARK: Configuration

static const char *const SEGMENTS[4] = {
    "", ", with: { segmentation: { tier: { $in: [gold, silver] } } }",
    ", with: { segmentation: { yearOfBirth: { $gte: 1970, $lt: 1995 }, country: { $ne: pl } } }",
    ", with: { segmentation: { $or: [ { premiumMember: true }, { tier: gold } ] } }"};

static int write_config(uint32_t campaigns) {
    table table = table_for(campaigns);
    puts("app: load\ntimeZone: UTC\nstore: \"memory:\"\nchain:\n"
         "  - strategy: segmentation\n"
         "  - { strategy: schedule, parameters: { periods: [ { hours: [\"07:00-23:00\"] } ] } }\n"
         "  - { strategy: cooldown, per: campaign, parameters: { period: 6h } }\n"
         "  - { strategy: max-per-period, id: group-cap, per: group, parameters: { max: 2, period: 1d } }\n"
         "  - { strategy: max-per-period, id: subject-cap, parameters: { max: 5, period: 1d } }\n"
         "groups:");
    for (uint32_t i = 0; i < campaigns && table.campaigns[i].group_number == i; i++) printf("  - { id: group-%u }\n", i);
    puts("campaigns:");
    for (uint32_t i = 0; i < campaigns; i++)
        printf("  - { id: campaign-%u, title: \"Campaign %u\", message: \"Something for you\", groups: [group-%u], "
               "triggers: [ { on: request } ]%s }\n",
               i, i, table.campaigns[i].group_number, SEGMENTS[i % 4]);
    return 0;
}

// MARK: Signals

static const char *const TIERS[] = {"gold", "silver", "basic", "basic", "basic"};
static const char *const COUNTRIES[] = {"nl", "be", "de", "fr", "es", "it", "pl", "se"};

static void write_head(const char *prefix, long number, const char *subject, int64_t time, const char *type) {
    time_t seconds = time / 1000;
    struct tm date;
    gmtime_r(&seconds, &date);
    printf("{\"id\":\"%s-%ld\",\"type\":\"%s\",\"subject\":\"%s\",\"time\":\"%d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", prefix,
           number, type, subject, date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
           (int)(time % 1000));
}

static void set_attributes(attributes *user) {
    *user = (attributes){text_of(TIERS[below(5)]), text_of(COUNTRIES[below(8)]), 1940 + (int)below(70), chance() < 0.2};
    printf(",\"data\":{\"scope\":\"user\",\"values\":{\"tier\":\"%s\",\"yearOfBirth\":%d,\"premiumMember\":%s,"
           "\"country\":\"%s\"}}}\n",
           user->tier.at, user->year_of_birth, user->is_premium ? "true" : "false", user->country.at);
}

/// Which subjects are busy does not show in their names: 2^31-1 is a prime, so that ranks and names go together one to one.
static uint32_t shuffled(uint32_t rank, uint32_t subjects) { return (uint32_t)(rank * 2147483647ULL % subjects); }

/// `count` signals in 30 days. Endless ones go on at that rate until the pipe that they are written to is closed.
static int write_signals(long count, uint32_t subjects, uint32_t campaigns, bool is_endless) {
    table table = table_for(campaigns);
    long created = 0, suppressed = 0, opened = 0;
    for (long n = 0; (n < count || is_endless) && !ferror(stdout); n++) {
        // Ranks are spread evenly on a logarithmic scale: near to Zipf's law with exponent 1.
        uint32_t rank = (uint32_t)(pow(subjects + 1.0, chance()) - 1);
        char id[16];
        text name = {id, (size_t)snprintf(id, sizeof id, "u%u", shuffled(rank, subjects))};
        int64_t now = START + (int64_t)((double)n / (double)count * DAYS * DAY);
        subject *subject = subject_of(&table, name);
        double draw = chance();
        if (!subject->user.tier.at) {
            write_head("s", n, id, now, "attributes.set");
            set_attributes(&subject->user);
        } else if (draw < 0.04) {
            subject->user.tier = text_of(TIERS[below(5)]);
            write_head("s", n, id, now, "attributes.updated");
            printf(",\"data\":{\"scope\":\"user\",\"values\":{\"tier\":\"%s\"}}}\n", subject->user.tier.at);
        } else if (draw < 0.07) {
            write_head("s", n, id, now, "app.backgrounded");
            puts("}");
        } else if (draw < 0.10 && subject->latest_number && (!is_endless || subject->is_current)) {
            write_head("s", n, id, now, "notification.opened");
            printf(",\"data\":{\"notification\":\"%s/%u\"}}\n", subject->latest.at, subject->latest_number);
            opened++;
        } else if (is_endless && subject->is_current) {
            write_head("s", n, id, now, "notification.requested");
            printf(",\"data\":{\"campaign\":\"%s\",\"delete\":true}}\n", subject->latest.at);
            subject->is_current = false;
        } else {
            const campaign *campaign = &table.campaigns[below(campaigns)];
            write_head("s", n, id, now, "notification.requested");
            printf(",\"data\":{\"campaign\":\"%s\"}}\n", campaign->id.at);
            bool is_created = decide(&table, subject, campaign, now).number;
            if (is_created) subject->is_current = true;
            is_created ? created++ : suppressed++;
        }
    }
    fprintf(stderr, "%ld signals of %zu subjects\nexpected decisions: %ld created, %ld suppressed, %ld opened\n", count,
            table.count, created, suppressed, opened);
    return 0;
}

static int write_people(uint32_t subjects) {
    for (uint32_t i = 0; i < subjects; i++) {
        char id[16];
        attributes user;
        snprintf(id, sizeof id, "u%u", i);
        write_head("p", i, id, START - DAY + i * (int64_t)DAY / subjects, "attributes.set");
        set_attributes(&user);
    }
    return 0;
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "config") == 0) return write_config((uint32_t)atol(words[2]));
    if (count == 5 && strcmp(words[1], "signals") == 0)
        return write_signals(atol(words[2]), (uint32_t)atol(words[3]), (uint32_t)atol(words[4]), false);
    if (count == 5 && strcmp(words[1], "endless") == 0)
        return write_signals(atol(words[2]), (uint32_t)atol(words[3]), (uint32_t)atol(words[4]), true);
    if (count == 3 && strcmp(words[1], "people") == 0) return write_people((uint32_t)atol(words[2]));
    fail("generate", "config CAMPAIGNS, signals or endless SIGNALS SUBJECTS CAMPAIGNS, or people SUBJECTS");
}
