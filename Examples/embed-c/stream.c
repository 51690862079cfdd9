/// Decides a file of signals as decide.c does, with records that stay in memory: what a task of a stream engine does.
///
///     stream CONFIGURATION SIGNALS
///
/// A shard has the records that are at work. Every 100 lines all that changed are collected, as at a checkpoint, and all but ten leave, as
/// where there is no room for all.
#define _GNU_SOURCE
#include "belfry_core.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subject {
    char *name;
    void *record;
    uint64_t length;
    int64_t next_timer;
};

struct program {
    belfry_core_shard *shard;
    struct hsearch_data places;
    struct subject *subjects;
    size_t count;
    int64_t latest;  ///< of all signals that were accepted, ms
    int64_t passed;  ///< the last tick, ms
};

static void complain(void *owner, const char *text, uint64_t length) {
    (void)owner;
    fprintf(stderr, "%.*s\n", (int)length, text);
}

// MARK: Records

static struct subject *subject_named(struct program *program, belfry_core_bytes name) {
    char *key = strndup(name.bytes, name.length);
    ENTRY *found;
    if (hsearch_r((ENTRY){.key = key}, FIND, &found, &program->places)) {
        free(key);
        return &program->subjects[(size_t)found->data];
    }
    program->subjects = realloc(program->subjects, (program->count + 1) * sizeof *program->subjects);
    program->subjects[program->count] = (struct subject){.name = key, .next_timer = BELFRY_CORE_NEVER};
    if (!program->subjects || !hsearch_r((ENTRY){key, (void *)program->count}, ENTER, &found, &program->places)) exit(1);
    return &program->subjects[program->count++];
}

static void keep(void *owner, belfry_core_bytes name, belfry_core_bytes record) {
    struct subject *subject = subject_named(owner, name);
    subject->record = realloc(subject->record, record.length);
    memcpy(subject->record, record.bytes, record.length);
    subject->length = record.length;
}

/// Returns whether no signal was rejected.
static int decide(struct program *program, struct subject *subject, belfry_core_bytes signals, uint64_t line, int64_t until) {
    belfry_core_work work = {
        .subject = {subject->name, strlen(subject->name)}, .signals = signals, .passed = program->passed, .until = until};
    belfry_core_step step;
    belfry_core_shard_decide(program->shard, &work, line, &step);
    if (step.status == BELFRY_CORE_NEEDS_RECORD) {
        work.record = (belfry_core_bytes){subject->record ? subject->record : "", subject->length};
        belfry_core_shard_decide(program->shard, &work, line, &step);
    }
    if (step.status != BELFRY_CORE_OK) complain(NULL, step.error.bytes, step.error.length), exit(1);
    fwrite(step.decisions.bytes, 1, step.decisions.length, stdout);
    fwrite(step.rejects.bytes, 1, step.rejects.length, stderr);
    subject->next_timer = step.next_timer;
    return step.rejects.length == 0;
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
    for (struct subject *s; (s = next_due(program, until));) decide(program, s, (belfry_core_bytes){0}, 0, s->next_timer);
}

// MARK: The program

static void take(struct program *program, belfry_core_bytes line, uint64_t number) {
    belfry_core_head head;
    belfry_core_shard_head(program->shard, line, 1, &head);
    int is_accepted = head.is_tick;
    if (head.is_tick) {
        pass_time(program, head.time);
        if (head.time > program->passed) program->passed = head.time;
    } else if (head.subject.length) {
        is_accepted = decide(program, subject_named(program, head.subject), line, number, BELFRY_CORE_NEVER);
    }
    if (is_accepted && head.time > program->latest) program->latest = head.time;
    if (number % 100 == 0) belfry_core_shard_collect(program->shard, 10, program, keep);
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: stream CONFIGURATION SIGNALS\n"), 2;
    FILE *signals = fopen(arguments[2], "r");
    if (!signals) return perror(arguments[2]), 1;
    const belfry_core_sink error = {NULL, complain};
    belfry_core *core = belfry_core_open(&(belfry_core_options){.configuration = arguments[1]}, &error);
    if (!core) return 1;
    struct program program = {
        .shard = belfry_core_shard_open(core), .latest = BELFRY_CORE_NEVER, .passed = BELFRY_CORE_NEVER};
    if (!hcreate_r(1 << 16, &program.places)) return 1;
    char *line = NULL;
    uint64_t number = 0;
    ssize_t length;
    for (size_t size = 0; (length = getline(&line, &size, signals)) > 0;) {
        take(&program, (belfry_core_bytes){line, (uint64_t)length}, ++number);
    }
    pass_time(&program, program.latest);  // the end of the input, as a run does
    for (size_t i = 0; i < program.count; i++) free(program.subjects[i].name), free(program.subjects[i].record);
    free(program.subjects), free(line);
    hdestroy_r(&program.places);
    fclose(signals);
    belfry_core_shard_close(program.shard);
    belfry_core_close(core);
    return 0;
}
