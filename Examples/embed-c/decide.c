/// Decides a file of signals, as `belfry run --store memory:` does, and keeps the records itself.
///
///     decide CONFIGURATION SIGNALS
///
/// A caller who has a stream or a database instead of a file does the same: one record for each subject, passed in and taken back.
#define _GNU_SOURCE
#include "belfry_core.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// What this program keeps of a subject.
struct subject {
    char *name;
    void *record;
    uint64_t length;
    int64_t next_timer;
    int was_rejected;  ///< the last signal
};

struct program {
    belfry_core *core;
    struct hsearch_data places;
    struct subject *subjects;
    size_t count;
    int64_t latest;  ///< of all signals that were accepted, ms
    int64_t passed;  ///< the last clock.advanced, ms
};

static void complain(void *owner, const char *text, uint64_t length) {
    (void)owner;
    fprintf(stderr, "%.*s\n", (int)length, text);
}

static belfry_core_bytes text(const char *text) { return (belfry_core_bytes){text, text ? strlen(text) : 0}; }

// MARK: Signals

/// A copy of a text member of a signal; NULL without one. Good enough for lines that a program of one's own has written.
static char *member(const char *line, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *start = strstr(line, key);
    if (!start) return NULL;
    start += strlen(key);
    return strndup(start, strcspn(start, "\""));
}

/// The time of a signal, in ms since 1970.
static int64_t time_of(const char *line) {
    char *written = member(line, "time");
    struct tm parts = {0};
    char *rest = written ? strptime(written, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
    const int64_t fraction = rest && *rest == '.' ? (int64_t)(strtod(rest, &rest) * 1000 + 0.5) : 0;
    if (rest) rest = strptime(rest, "%z", &parts);  // Z, or an offset
    const int64_t offset = parts.tm_gmtoff;
    free(written);
    return rest ? ((int64_t)timegm(&parts) - offset) * 1000 + fraction : BELFRY_CORE_NEVER;
}

// MARK: Subjects

static struct subject *subject_named(struct program *program, char *name) {
    ENTRY *found;
    if (hsearch_r((ENTRY){.key = name}, FIND, &found, &program->places)) {
        free(name);
        return &program->subjects[(size_t)found->data];
    }
    program->subjects = realloc(program->subjects, (program->count + 1) * sizeof *program->subjects);
    program->subjects[program->count] = (struct subject){.name = name, .next_timer = BELFRY_CORE_NEVER};
    if (!program->subjects || !hsearch_r((ENTRY){name, (void *)program->count}, ENTER, &found, &program->places)) exit(1);
    return &program->subjects[program->count++];
}

static void take_answer(void *owner, uint64_t index, const belfry_core_answer *answer) {
    (void)index;
    struct subject *subject = owner;
    if (answer->status != BELFRY_CORE_OK) {
        complain(NULL, answer->error.bytes, answer->error.length);
        exit(1);
    }
    fwrite(answer->decisions.bytes, 1, answer->decisions.length, stdout);
    fwrite(answer->rejects.bytes, 1, answer->rejects.length, stderr);
    subject->record = realloc(subject->record, answer->record.length);
    memcpy(subject->record, answer->record.bytes, answer->record.length);
    subject->length = answer->record.length;
    subject->next_timer = answer->next_timer;
    subject->was_rejected = answer->rejects.length != 0;
}

static void decide(struct program *program, struct subject *subject, const char *signals, int64_t until) {
    const belfry_core_work work = {
        .subject = text(subject->name),
        .record = {subject->record, subject->length},
        .signals = text(signals),
        .passed = program->passed,
        .until = until};
    belfry_core_decide(program->core, &work, 1, subject, take_answer);
}

// MARK: Timers

/// Whose timer fires next, at or before an instant: the earliest, of those the first by name.
static struct subject *next_due(struct program *program, int64_t until) {
    struct subject *next = NULL;
    for (struct subject *s = program->subjects; s < program->subjects + program->count; s++) {
        if (s->next_timer == BELFRY_CORE_NEVER || s->next_timer > until) continue;
        const int is_earlier = !next || s->next_timer < next->next_timer;
        if (is_earlier || (s->next_timer == next->next_timer && strcmp(s->name, next->name) < 0)) next = s;
    }
    return next;
}

static void pass_time(struct program *program, int64_t until) {
    for (struct subject *s; (s = next_due(program, until));) decide(program, s, NULL, s->next_timer);
}

// MARK: The program

static void take(struct program *program, const char *line) {
    const int64_t now = time_of(line);
    if (strstr(line, "\"type\":\"clock.advanced\"")) {
        pass_time(program, now);
        if (now > program->passed) program->passed = now;
    } else {
        char *name = member(line, "subject");
        if (!name) return;
        struct subject *subject = subject_named(program, name);
        decide(program, subject, line, BELFRY_CORE_NEVER);
        if (subject->was_rejected) return;  // it moves no time
    }
    if (now > program->latest) program->latest = now;
}

static void end(struct program *program) {
    for (size_t i = 0; i < program->count; i++) free(program->subjects[i].name), free(program->subjects[i].record);
    free(program->subjects);
    hdestroy_r(&program->places);
    belfry_core_close(program->core);
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: decide CONFIGURATION SIGNALS\n"), 2;
    FILE *signals = fopen(arguments[2], "r");
    if (!signals) return perror(arguments[2]), 1;
    const belfry_core_sink error = {NULL, complain};
    struct program program = {
        .core = belfry_core_open(&(belfry_core_options){.configuration = arguments[1]}, &error), 
        .latest = BELFRY_CORE_NEVER,
        .passed = BELFRY_CORE_NEVER};
    if (!program.core || !hcreate_r(1 << 16, &program.places)) return 1;
    char *line = NULL;
    for (size_t size = 0; getline(&line, &size, signals) > 0;) take(&program, line);
    pass_time(&program, program.latest);  // the end of the input, as a run does
    free(line);
    fclose(signals);
    end(&program);
    return 0;
}
