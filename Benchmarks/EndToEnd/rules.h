/// The rules of the load, written by hand in C: five checks over a hash table, and the lines that say
/// what came of them. What uses this is compared with Belfry, byte by byte.
///
/// Which segment a campaign has goes by its number modulo four, its group by its number modulo the number of groups:
/// that is how the load's configuration is made.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { HOUR = 3600 * 1000, DAY = 24 * HOUR };  // in ms
enum { OPENS = 7 * HOUR, CLOSES = 23 * HOUR, COOLDOWN = 6 * HOUR };
enum { GROUP_MAX = 2, SUBJECT_MAX = 5 };  // per rolling day

typedef struct {
    const char *at;
    size_t length;
} text;

text text_of(const char *string);
bool text_equal(text a, text b);
uint64_t text_hash(text key);

// MARK: Signals

typedef enum { ATTRIBUTES_SET, ATTRIBUTES_UPDATED, REQUESTED, OPENED, OTHER } signal_kind;

typedef struct {
    text tier, country;
    int32_t year_of_birth;
    bool is_premium;
} attributes;

/// The texts belong to the line.
typedef struct {
    signal_kind kind;
    int64_t time;
    text id, subject;
    text name;           ///< the campaign that is asked for, or the notification that was opened
    attributes user;     ///< of `ATTRIBUTES_SET`, and the tier of `ATTRIBUTES_UPDATED`
} signal;

/// Reads the lines that the generators write, and ends the process at any other.
signal read_signal(text line);

/// Calls `take` for each line of a file, of at most `limit` lines, and returns how many there were. The lines stay in memory.
long for_each_line(const char *path, long limit, void (*take)(text line, void *context), void *context);

// MARK: Rules

typedef enum { SEGMENTATION, SCHEDULE, COOLDOWN_ENTRY, GROUP_CAP, SUBJECT_CAP, ENTRIES } entry;

typedef struct {
    text id, group;
    uint32_t number, group_number;
} campaign;

typedef struct {
    entry entry;
    uint8_t part;   ///< of the segment: which part of it does not hold
    int64_t until;  ///< when it would allow; 0 if it never says
} denial;

typedef struct {
    uint32_t number;  ///< of the notification that was created; 0 if there are denials
    uint32_t count;
    denial denials[ENTRIES];
} outcome;

/// The part of the campaign's segment that does not hold, from 1; 0 if it holds.
int failing_part(const campaign *campaign, const attributes *user);

// MARK: Decisions

/// Counts what is written, and writes it in one go when there is much of it.
typedef struct {
    FILE *file;
    long created, suppressed, opened;
    size_t used;
    char bytes[1 << 16];
} output;

void write_outcome(output *out, const signal *signal, const campaign *campaign, const outcome *outcome);
void write_opened(output *out, const signal *signal, int64_t first_opened_at);
/// Writes what is left.
void end_output(output *out);

/// Seconds on a clock that only goes forward.
double seconds(void);
_Noreturn void fail(const char *what, const char *detail);
