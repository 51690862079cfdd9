/// The core of Belfry for C: a configuration and its plugins, which decide signals on records that the caller keeps.
///
///     struct belfry_core *core = belfry_core_open(&(belfry_core_options){.configuration = "belfry.yaml"}, &error);
///     const belfry_core_work work = {.subject = …, .record = …, .signals = …, .until = BELFRY_CORE_NEVER};
///     belfry_core_decide(core, &work, 1, owner, take_answer);
///
/// A core knows no store and no clock. Per subject, what it decides is what `belfry run` decides on the same signals, byte by byte, ids
/// included. Any number of cores and threads; one subject in one thread at a time. Memory is freed by the side that allocated it: what
/// is passed in is not kept, and what comes out is lent until the function that got it returns.
///
/// This is version 1.1. What 1.0 had is final: a released struct never changes, its tag carries its revision. 1.1 adds shards, which keep
/// records in memory between calls, and what an engine needs that owns the records: to describe one, to erase one, to go on from the
/// number that is left of one, and to say who decides.
#ifndef BELFRY_CORE_H
#define BELFRY_CORE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes, or a text in UTF-8, with a length. None: `length` is 0. A length without an address is refused.
typedef struct belfry_core_bytes_r1 {
    const void *bytes;
    uint64_t length;
} belfry_core_bytes;

/// An instant that never comes, as the time of a timer and of a tick.
#define BELFRY_CORE_NEVER INT64_MIN

#define BELFRY_CORE_OK ((int32_t)0)
#define BELFRY_CORE_FAILED ((int32_t)1)

/// Takes a text: a sentence that says what happened, why, and what to do.
typedef struct belfry_core_sink_r1 {
    void *owner;
    void (*write)(void *owner, const char *text, uint64_t length);
} belfry_core_sink;

typedef struct belfry_core_options_r1 {
    const char *configuration;  ///< required: the path of the configuration
    /// The command `belfry`: it looks at plugins in processes of its own, and the bundled plugins lie beside it. NULL: the one beside this
    /// library.
    const char *belfry;
    /// What plugins have to say, on any thread; `write` NULL: it is dropped. It must neither call a function of this header nor wait for a
    /// thread that does. A plugin is set up once in a process, for the first core that has it: what it says goes to that one's log, and, once
    /// that is closed, to that of the core which has been open for longest.
    belfry_core_sink log;
} belfry_core_options;

/// What is to be decided for one subject.
typedef struct belfry_core_work_r1 {
    belfry_core_bytes subject;  ///< required
    belfry_core_bytes record;   ///< as it was answered last; none for a subject that is new
    /// JSON Lines, each a signal of that subject, in their order; `clock.advanced` fires the timers that are due by then. The cause of a
    /// signal without an id is the number of its line within these, from 1, and not that in the input of a run; a shard is told where they begin.
    belfry_core_bytes signals;
    /// The last tick before the signals, in ms since 1970: a timer that a signal arms for that instant or before fires directly after the
    /// signal. BELFRY_CORE_NEVER: there was none.
    int64_t passed;
    int64_t until;              ///< in ms since 1970: timers due at or before it fire after the signals. BELFRY_CORE_NEVER: none
} belfry_core_work;

/// What was decided for one subject.
typedef struct belfry_core_answer_r1 {
    int32_t status;               ///< BELFRY_CORE_OK, or BELFRY_CORE_FAILED: the work or its record cannot be read, and nothing was decided
    uint32_t reserved;            ///< zero
    belfry_core_bytes error;      ///< why, for people; none if it did not fail
    belfry_core_bytes record;     ///< to be kept, and to be passed next time
    belfry_core_bytes decisions;  ///< JSON Lines, as `belfry run` writes them. Actions were run, and waited for
    belfry_core_bytes rejects;    ///< JSON Lines, one for each signal that was not processed, as `belfry run` writes them
    int64_t next_timer;           ///< when the earliest timer of the record is due, in ms since 1970, or BELFRY_CORE_NEVER
} belfry_core_answer;

/// Asks why a campaign would or would not be created for a subject, and when.
typedef struct belfry_core_question_r1 {
    belfry_core_bytes subject;   ///< required
    belfry_core_bytes record;    ///< none for a subject that is new
    belfry_core_bytes campaign;  ///< required
    belfry_core_bytes region;    ///< none: of a request
    belfry_core_bytes trigger;   ///< none: the first that fits
    belfry_core_bytes channel;
    /// In ms since 1970; at least the time of the record is taken. BELFRY_CORE_NEVER: that; a record to which nothing has happened yet has
    /// none, and there is no explanation.
    int64_t at;
} belfry_core_question;

/// A configuration with its plugins, ready to decide.
typedef struct belfry_core belfry_core;

/// Reads a configuration, and loads the plugins that it needs. NULL if either is wrong; then `error` says how. Plugins stay loaded, and with
/// them some 20 kB of each core that has loaded some, until the process ends: they may hold on to their host.
belfry_core *belfry_core_open(const belfry_core_options *options, const belfry_core_sink *error);

/// Closes a core that no thread uses any more. Its plugins stay loaded until the process ends.
void belfry_core_close(belfry_core *core);

/// Decides for each subject of a batch, in turn. `answer` is called once for each, on this thread, with its index.
void belfry_core_decide(
    const belfry_core *core, const belfry_core_work *work, uint64_t count, void *owner,
    void (*answer)(void *owner, uint64_t index, const belfry_core_answer *answer));

/// Writes an explanation to `explanation`, as JSON in the form of `belfry explain --json`; or why there is none to `error`.
int32_t belfry_core_explain(
    const belfry_core *core, const belfry_core_question *question, const belfry_core_sink *explanation,
    const belfry_core_sink *error);

// MARK: Since 1.1

/// Writes what a record knows to `description`, as JSON in the form of `belfry state show --json`; or why it cannot be read to `error`.
int32_t belfry_core_describe(
    const belfry_core *core, belfry_core_bytes subject, belfry_core_bytes record, const belfry_core_sink *description,
    const belfry_core_sink *error);

/// Writes what is to be kept of a subject whose record is erased to `remains`: whose it is, and the number of the last decision, so that no
/// id of a decision is used twice. Or why the record cannot be read to `error`.
int32_t belfry_core_erase(
    const belfry_core *core, belfry_core_bytes subject, belfry_core_bytes record, const belfry_core_sink *remains,
    const belfry_core_sink *error);

/// The same where only the number of the last decision is left of a subject: what a line of `belfry state export --all` with a digest says of
/// one that was erased. Or why not to `error`: the number is 2^62 or more.
int32_t belfry_core_remains(
    const belfry_core *core, belfry_core_bytes subject, uint64_t last_decision, const belfry_core_sink *remains,
    const belfry_core_sink *error);

/// Writes which configuration decides, and by which plugins, to `provenance`:
/// `{"generation":"…","plugins":{"cooldown":"sha256:…"}}`. Two cores of one generation decide alike.
void belfry_core_provenance(const belfry_core *core, const belfry_core_sink *provenance);

/// Subjects whose records stay in memory between calls, for an engine that asks again and again about the same ones, and keeps their bytes
/// at its checkpoints. One thread at a time; any number of shards of one core. A core stays open until its shards are closed.
typedef struct belfry_core_shard belfry_core_shard;

/// The shard does not have the record, and nothing was done. Ask again with it; or, for a subject that is new, with one that has an address
/// and no length.
#define BELFRY_CORE_NEEDS_RECORD ((int32_t)2)

/// What a shard decided. All of it is lent until the next call with this shard.
typedef struct belfry_core_step_r1 {
    int32_t status;               ///< BELFRY_CORE_OK, BELFRY_CORE_NEEDS_RECORD, or BELFRY_CORE_FAILED as in belfry_core_answer
    uint32_t reserved;            ///< zero
    belfry_core_bytes error;      ///< why, for people; none if it did not fail
    belfry_core_bytes decisions;  ///< as in belfry_core_answer
    belfry_core_bytes rejects;    ///< as in belfry_core_answer
    int64_t timer_before;         ///< when the earliest timer of the record was due before the call, or BELFRY_CORE_NEVER
    int64_t next_timer;           ///< when it is due now, or BELFRY_CORE_NEVER
} belfry_core_step;

/// What a line says before it is decided.
typedef struct belfry_core_head_r1 {
    belfry_core_bytes subject;  ///< none: it is a tick, or no signal. Lent until the next call with this shard
    int64_t time;               ///< when it happened, in ms since 1970; BELFRY_CORE_NEVER: it was not asked for, or the line does not say
    uint32_t is_tick;           ///< 1 for `clock.advanced`, whose time is always there
    uint32_t reserved;          ///< zero
} belfry_core_head;

belfry_core_shard *belfry_core_shard_open(const belfry_core *core);

/// What was not collected is lost.
void belfry_core_shard_close(belfry_core_shard *shard);

/// Tells whose a line is, so that it can be brought to the shard that has the subject; and its time, if `with_time` is not 0.
void belfry_core_shard_head(belfry_core_shard *shard, belfry_core_bytes line, int32_t with_time, belfry_core_head *head);

/// Decides for one subject on the record that the shard has, or gets with `work`. Where it has one, that of `work` is not looked at: to put
/// another one in its place (an erased one), collect before with `keep` 0.
///
/// `line` is the number of the first line of the signals: the cause of one that has no id, and the place of a reject.
void belfry_core_shard_decide(
    belfry_core_shard *shard, const belfry_core_work *work, uint64_t line, belfry_core_step *step);

/// Shows each record that changed since it was collected last, as it is to be kept, and then lets go of the records used longest ago, as far
/// as there are more than `keep`. Returns how many there are. `take` cannot call this shard: to decide is BELFRY_CORE_FAILED there.
uint64_t belfry_core_shard_collect(
    belfry_core_shard *shard, uint64_t keep, void *owner,
    void (*take)(void *owner, belfry_core_bytes subject, belfry_core_bytes record));

#ifdef __cplusplus
}
#endif

#endif
