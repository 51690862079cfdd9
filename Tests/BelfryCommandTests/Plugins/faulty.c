/// Counts what it is asked, and does the worst in some calls: which, goes by the subject, the time and the hook alone, so that it is the
/// same calls every time. Compiled with POLITE it answers fault in these calls by itself.
///
/// KIND: the sin, or -1 for all of them but the last two in turn; these are done to subjects with a b. RATE: one of so many calls of a hook.
/// STATUS: with which the process is ended at once.
#include "belfry.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KIND
#define KIND -1
#endif
#ifndef RATE
#define RATE 50
#endif
#ifndef STATUS
#define STATUS 0
#endif

#define TEXT(literal) {(literal), sizeof(literal) - 1}

enum { CRASH, TRAP, EXIT, ABORT, OVERFLOW, STOP, HANG, SLEEP, MEMORY, CLOSE, THREAD, KILL, LOW_EXIT, QUICK_EXIT, SPILL, KINDS,
       SCRIBBLE = KINDS, RING };

struct state {
    int64_t asked;
};

static const belfry_field fields[] = {{
    .name = TEXT("asked"), .summary = TEXT("how often"), .type = BELFRY_FIELD_INTEGER, .offset = offsetof(struct state, asked),
}};

static void state_init(void *type, void *memory) { *(struct state *)memory = (struct state){0}; }

static uint64_t hash(const belfry_context *context, unsigned hook) {
    uint64_t sum = 14695981039346656037u ^ hook * 0x9E3779B97F4A7C15u ^ (uint64_t)context->now * 0xD6E8FEB86659FD93u;
    for (uint64_t index = 0; index < context->subject.length; index++)
        sum = (sum ^ (unsigned char)context->subject.bytes[index]) * 1099511628211u;
    sum ^= sum >> 32;
    sum *= 0xD6E8FEB86659FD93u;
    return sum ^ sum >> 32;
}

static int overflow(volatile char *before) {
    volatile char room[4096];
    room[0] = before[0];
    return overflow(room) + room[1];
}

/// Memory that is shared with the host: records that were saved, or what is said to it.
static char *shared(int records) {
    char line[512];
    unsigned long start, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && strstr(line, "memfd:belfry")
            && (end - start == 1ul << 36) == records)
            return (char *)start;
    return NULL;
}

/// Writes over the records that were saved, and crashes.
static void scribble(void) {
    memset(shared(1) + 4096, 0x7f, 4096);
    abort();
}

/// Says that there is an answer of 100 bytes, where there is none yet: the next bell from the process. It waits to be heard.
static void ring(void) {
    volatile uint64_t *bells = (volatile uint64_t *)(shared(0) + 256 + 128 + 8);
    uint64_t last = 0;
    for (int place = 0; place < 8; place++)
        if (bells[place] >> 40 > last) last = bells[place] >> 40;
    memset(shared(0) + 4096 + (2ul << 30), 0x7f, 100);
    bells[(last + 1) % 8] = (last + 1) << 40 | 2ul << 36 | 100;
    for (;;) pause();
}

/// Writes to whatever is open.
static void spill(void) {
    static const char junk[64] = "what is this?";
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        if (write(descriptor, junk, sizeof junk) < 0) continue;
    abort();
}

static void sin_(unsigned kind) {
    switch (kind) {
    case CRASH: *(volatile int *)8 = 1; break;
    case TRAP: __builtin_trap();
    case EXIT: exit(0);
    case ABORT: abort();
    case OVERFLOW: overflow("x"); break;
    case STOP: raise(SIGSTOP); for (;;) pause();
    case HANG: for (volatile int forever = 0;; forever++) {}
    case SLEEP: for (;;) pause();
    case MEMORY: for (;;) memset(malloc(1 << 20), 1, 1 << 20);
    case THREAD: pthread_exit(NULL);
    case CLOSE: for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor); break;
    case KILL: kill(getpid(), SIGKILL); for (;;) pause();
    case LOW_EXIT: _exit(STATUS);
    case QUICK_EXIT: quick_exit(0);
    case SPILL: spill();
    case SCRIBBLE: scribble();
    case RING: ring();
    }
}

/// Whether this is such a call. Only a polite one lives to see it.
static int is_bad(const belfry_context *context, unsigned hook) {
    uint64_t sum = hash(context, hook);
    if (sum % RATE || (KIND >= SCRIBBLE && context->subject.bytes[0] != 'b')) return 0;
#ifndef POLITE
    sin_(KIND < 0 ? (unsigned)(sum / RATE % KINDS) : KIND);
#endif
    return 1;
}

static belfry_verdict should(const void *memory, const belfry_context *context, const belfry_reason *reason, unsigned hook) {
    static const belfry_text code = TEXT("seventh"), message = TEXT("every seventh is denied");
    if (is_bad(context, hook)) return 99;
    if (((const struct state *)memory)->asked % 7 != 6) return BELFRY_ALLOW;
    reason->explain(reason->owner, &code, &message);
    return BELFRY_DENY;
}

static belfry_verdict should_create(void *self, const void *memory, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason) {
    return should(memory, context, reason, 1);
}

static belfry_verdict should_delete(void *self, const void *memory, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason) {
    return should(memory, context, reason, 2);
}

static belfry_told told(void *memory, const belfry_context *context, unsigned hook) {
    ((struct state *)memory)->asked++;
    return is_bad(context, hook) ? BELFRY_TOLD_FAILED : BELFRY_TOLD_CHANGED;
}

static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    return told(memory, context, 3);
}

static belfry_told did_delete(void *self, void *memory, const belfry_candidate *candidate, belfry_bool deleted,
                              const belfry_context *context, const belfry_sink *error) {
    return told(memory, context, 4);
}

static belfry_told on_opened(void *self, void *memory, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_sink *error) {
    return told(memory, context, 5);
}

static belfry_told on_background(void *self, void *memory, const belfry_context *context, const belfry_sink *error) {
    return told(memory, context, 6);
}

static int instance;
static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    return &instance;
}
static void destroy(void *unused) {}

static const belfry_strategy strategy = {
    .name = TEXT("faulty"), .summary = TEXT("Does the worst."), .default_counter = TEXT("subject"),
    .state_size = sizeof(struct state), .state_alignment = _Alignof(struct state), .fields = fields, .field_count = 1,
    .create = create, .destroy = destroy, .state_init = state_init, .should_create = should_create,
    .should_delete = should_delete, .did_create = did_create, .did_delete = did_delete, .on_opened = on_opened,
    .on_background = on_background,
};
static const belfry_strategy *const items[] = {&strategy};
static const belfry_strategies strategies = {items, 1};
static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_STRATEGY) ? NULL : &strategies; }
static const belfry_plugin root = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("test.faulty"), .version = TEXT("1.0.0"), .built_with = TEXT("C"), .get_extension = get_extension,
};
__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) { return &root; }
