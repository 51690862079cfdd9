#include "rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

void fail(const char *what, const char *detail) {
    fprintf(stderr, "%s: %s\n", what, detail);
    exit(1);
}

double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// MARK: Texts

text text_of(const char *string) { return (text){string, strlen(string)}; }

bool text_equal(text a, text b) { return a.length == b.length && memcmp(a.at, b.at, a.length) == 0; }

static bool is(text text, const char *string) { return text_equal(text, text_of(string)); }

uint64_t text_hash(text key) {
    uint64_t hash = key.length;
    for (; key.length >= 8; key.at += 8, key.length -= 8) {
        uint64_t word;
        memcpy(&word, key.at, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    }
    uint64_t rest = 0;
    memcpy(&rest, key.at, key.length);
    hash = (hash ^ rest) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 29;
}

// MARK: Reading

typedef struct {
    const char *at, *end;
} cursor;

static bool skip(cursor *in, char expected) {
    if (in->at >= in->end || *in->at != expected) return false;
    in->at++;
    return true;
}

static void need(cursor *in, char expected) {
    if (!skip(in, expected)) fail("a line of another form than the generators write", in->at);
}

static text read_string(cursor *in) {
    need(in, '"');
    const char *quote = memchr(in->at, '"', (size_t)(in->end - in->at));
    if (!quote) fail("a string without an end", in->at);
    text string = {in->at, (size_t)(quote - in->at)};
    in->at = quote + 1;
    return string;
}

/// A string without its quotes, a number or a word.
static text read_scalar(cursor *in) {
    if (in->at < in->end && *in->at == '"') return read_string(in);
    text scalar = {in->at, 0};
    while (in->at < in->end && *in->at != ',' && *in->at != '}') in->at++;
    scalar.length = (size_t)(in->at - scalar.at);
    return scalar;
}

static int digits(const char *at, int count) {
    int number = 0;
    for (int i = 0; i < count; i++) number = number * 10 + (at[i] - '0');
    return number;
}

/// Days from 1970-01-01 (https://howardhinnant.github.io/date_algorithms.html, days_from_civil).
static int64_t days_from_civil(int year, int month, int day) {
    year -= month <= 2;
    int era = year / 400, of_era = year - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// 2026-01-01T00:00:25.920Z
static int64_t read_time(text time) {
    const char *at = time.at;
    if (time.length < 20) fail("a time of another form than the generators write", at);
    int64_t days = days_from_civil(digits(at, 4), digits(at + 5, 2), digits(at + 8, 2));
    int64_t second = digits(at + 11, 2) * 3600 + digits(at + 14, 2) * 60 + digits(at + 17, 2);
    return days * DAY + second * 1000 + (time.length == 24 ? digits(at + 20, 3) : 0);
}

static signal_kind read_kind(text type) {
    if (is(type, "notification.requested")) return REQUESTED;
    if (is(type, "notification.opened")) return OPENED;
    if (is(type, "attributes.set")) return ATTRIBUTES_SET;
    if (is(type, "attributes.updated")) return ATTRIBUTES_UPDATED;
    return OTHER;
}

/// An object, and those inside it as if their members were its own.
static void read_members(cursor *in, signal *signal) {
    need(in, '{');
    do {
        text key = read_string(in);
        need(in, ':');
        if (in->at < in->end && *in->at == '{') {
            read_members(in, signal);
            continue;
        }
        text value = read_scalar(in);
        if (is(key, "id")) signal->id = value;
        else if (is(key, "subject")) signal->subject = value;
        else if (is(key, "time")) signal->time = read_time(value);
        else if (is(key, "type")) signal->kind = read_kind(value);
        else if (is(key, "campaign") || is(key, "notification")) signal->name = value;
        else if (is(key, "tier")) signal->user.tier = value;
        else if (is(key, "country")) signal->user.country = value;
        else if (is(key, "yearOfBirth")) signal->user.year_of_birth = digits(value.at, (int)value.length);
        else if (is(key, "premiumMember")) signal->user.is_premium = is(value, "true");
    } while (skip(in, ','));
    need(in, '}');
}

signal read_signal(text line) {
    signal signal = {.kind = OTHER};
    cursor in = {line.at, line.at + line.length};
    read_members(&in, &signal);
    return signal;
}

long for_each_line(const char *path, long limit, void (*take)(text line, void *context), void *context) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) fail(path, strerror(errno));
    const char *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (at == MAP_FAILED) fail(path, strerror(errno));
    const char *end = at + status.st_size;
    long lines = 0;
    while (at < end && lines < limit) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) newline = end;
        take((text){at, (size_t)(newline - at)}, context);
        at = newline + 1;
        lines++;
    }
    return lines;
}

// MARK: Segments

int failing_part(const campaign *campaign, const attributes *user) {
    switch (campaign->number % 4) {
    case 1: return is(user->tier, "gold") || is(user->tier, "silver") ? 0 : 1;
    case 2:
        if (user->year_of_birth < 1970 || user->year_of_birth >= 1995) return 1;
        return is(user->country, "pl") ? 2 : 0;
    case 3: return user->is_premium || is(user->tier, "gold") ? 0 : 1;
    default: return 0;
    }
}

// MARK: Writing

static void put(output *out, const char *at, size_t length) {
    memcpy(out->bytes + out->used, at, length);
    out->used += length;
}

#define PUT(out, literal) put(out, literal, sizeof(literal) - 1)

static void put_text(output *out, text text) { put(out, text.at, text.length); }

static void put_number(output *out, uint64_t number, int width) {
    char reversed[20];
    int length = 0;
    for (; number > 0 || length < width; number /= 10) reversed[length++] = (char)('0' + number % 10);
    while (length > 0) out->bytes[out->used++] = reversed[--length];
}

/// With milliseconds only where there are any.
static void put_time(output *out, int64_t time) {
    int64_t day = time / DAY, rest = time % DAY;
    // civil_from_days, from where days_from_civil is.
    int64_t shifted = day + 719468, era = shifted / 146097, of_era = shifted - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * of_year + 2) / 153, month = shifted_month + (shifted_month < 10 ? 3 : -9);
    put_number(out, (uint64_t)(year_of_era + era * 400 + (month <= 2)), 4);
    PUT(out, "-");
    put_number(out, (uint64_t)month, 2);
    PUT(out, "-");
    put_number(out, (uint64_t)(of_year - (153 * shifted_month + 2) / 5 + 1), 2);
    PUT(out, "T");
    put_number(out, (uint64_t)(rest / HOUR), 2);
    PUT(out, ":");
    put_number(out, (uint64_t)(rest / 60000 % 60), 2);
    PUT(out, ":");
    put_number(out, (uint64_t)(rest / 1000 % 60), 2);
    if (rest % 1000) {
        PUT(out, ".");
        put_number(out, (uint64_t)(rest % 1000), 3);
    }
    PUT(out, "Z");
}

static void put_head(output *out, const signal *signal, const char *what) {
    PUT(out, "{\"specversion\":\"1.0\",\"id\":\"d-");
    put_number(out, (uint64_t)(out->created + out->suppressed + out->opened), 1);
    PUT(out, "\",\"source\":\"load\",\"type\":\"notification.");
    put_text(out, text_of(what));
    PUT(out, "\",\"subject\":\"");
    put_text(out, signal->subject);
    PUT(out, "\",\"time\":\"");
    put_time(out, signal->time);
    PUT(out, "\",\"cause\":\"");
    put_text(out, signal->id);
    PUT(out, "\",\"data\":{");
}

static void put_end(output *out) {
    PUT(out, "}}\n");
    // No line is longer than this.
    if (out->used > sizeof out->bytes - 4096) end_output(out);
}

void end_output(output *out) {
    if (fwrite(out->bytes, 1, out->used, out->file) != out->used) fail("cannot write", strerror(errno));
    out->used = 0;
}

static const char *const CODES[ENTRIES] = {"segmentation", "schedule", "cooldown", "max-per-period", "max-per-period"};
static const char *const IDS[ENTRIES] = {"segmentation", "schedule", "cooldown", "group-cap", "subject-cap"};
static const char *const MESSAGES[ENTRIES] = {
    "the segment does not match: ", "no period of the schedule is open", "the last one was created less than 6h ago",
    "2 of 2 in 1d are used", "5 of 5 in 1d are used"};
static const char *const PARTS[4][2] = {
    {"", ""},
    {"tier does not match {\\\"$in\\\":[\\\"gold\\\",\\\"silver\\\"]}", ""},
    {"yearOfBirth does not match {\\\"$gte\\\":1970,\\\"$lt\\\":1995}", "country does not match {\\\"$ne\\\":\\\"pl\\\"}"},
    {"$or of [{\\\"premiumMember\\\":true},{\\\"tier\\\":\\\"gold\\\"}] does not hold", ""}};

static void put_denial(output *out, const campaign *campaign, const denial *denial) {
    PUT(out, "{\"strategy\":\"");
    put_text(out, text_of(IDS[denial->entry]));
    PUT(out, "\",\"code\":\"");
    put_text(out, text_of(CODES[denial->entry]));
    PUT(out, "\",\"message\":\"");
    put_text(out, text_of(MESSAGES[denial->entry]));
    if (denial->entry == SEGMENTATION) put_text(out, text_of(PARTS[campaign->number % 4][denial->part - 1]));
    PUT(out, "\"");
    if (denial->until) {
        PUT(out, ",\"until\":\"");
        put_time(out, denial->until);
        PUT(out, "\"");
    }
    if (denial->entry == COOLDOWN_ENTRY || denial->entry == GROUP_CAP) {
        PUT(out, ",\"counter\":\"");
        put_text(out, denial->entry == GROUP_CAP ? campaign->group : campaign->id);
        PUT(out, "\"");
    }
    PUT(out, "}");
}

static void write_created(output *out, const signal *signal, const campaign *campaign, uint32_t number) {
    out->created++;
    put_head(out, signal, "created");
    PUT(out, "\"notification\":\"");
    put_text(out, campaign->id);
    PUT(out, "/");
    put_number(out, number, 1);
    PUT(out, "\",\"campaign\":\"");
    put_text(out, campaign->id);
    PUT(out, "\",\"trigger\":\"1\",\"title\":\"Campaign ");
    put_number(out, campaign->number, 1);
    PUT(out, "\",\"message\":\"Something for you\",\"handler\":\"none\"");
    put_end(out);
}

/// `until` of the whole is the largest, if every denial has one.
static int64_t until(const outcome *outcome) {
    int64_t latest = 0;
    for (uint32_t i = 0; i < outcome->count; i++) {
        if (!outcome->denials[i].until) return 0;
        if (outcome->denials[i].until > latest) latest = outcome->denials[i].until;
    }
    return latest;
}

void write_outcome(output *out, const signal *signal, const campaign *campaign, const outcome *outcome) {
    if (outcome->number) return write_created(out, signal, campaign, outcome->number);
    out->suppressed++;
    put_head(out, signal, "suppressed");
    PUT(out, "\"campaign\":\"");
    put_text(out, campaign->id);
    PUT(out, "\",\"trigger\":\"1\",\"reasons\":[");
    for (uint32_t i = 0; i < outcome->count; i++) {
        if (i > 0) PUT(out, ",");
        put_denial(out, campaign, &outcome->denials[i]);
    }
    PUT(out, "]");
    int64_t latest = until(outcome);
    if (latest) {
        PUT(out, ",\"until\":\"");
        put_time(out, latest);
        PUT(out, "\"");
    }
    put_end(out);
}

void write_opened(output *out, const signal *signal, int64_t first_opened_at) {
    out->opened++;
    put_head(out, signal, "opened");
    PUT(out, "\"notification\":\"");
    put_text(out, signal->name);
    PUT(out, "\",\"firstOpenedAt\":\"");
    put_time(out, first_opened_at);
    PUT(out, "\"");
    put_end(out);
}
