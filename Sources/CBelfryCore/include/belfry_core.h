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
/// This is version 1.0, and it is final: a released struct never changes, its tag carries its revision.
#ifndef BELFRY_CORE_H
#define BELFRY_CORE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes, or a text in UTF-8, with a length. None: `length` is 0.
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
    belfry_core_sink log;       ///< what plugins have to say, on any thread; `write` NULL: nobody wants to know
} belfry_core_options;

/// What is to be decided for one subject.
typedef struct belfry_core_work_r1 {
    belfry_core_bytes subject;  ///< required
    belfry_core_bytes record;   ///< as it was answered last; none for a subject that is new
    /// JSON Lines, each a signal of that subject, in their order; `clock.advanced` fires the timers that are due by then.
    belfry_core_bytes signals;
    /// The last tick before the signals, in ms since 1970: a timer that a signal arms for that instant or before fires directly after the
    /// signal. BELFRY_CORE_NEVER: there was none.
    int64_t passed;
    int64_t until;              ///< in ms since 1970: timers due at or before it fire after the signals. BELFRY_CORE_NEVER: none
} belfry_core_work;

/// What was decided for one subject.
typedef struct belfry_core_answer_r1 {
    int32_t status;               ///< BELFRY_CORE_OK, or BELFRY_CORE_FAILED: the record cannot be read, and nothing was decided
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
    int64_t at;                  ///< in ms since 1970; at least the time of the record is taken
} belfry_core_question;

/// A configuration with its plugins, ready to decide.
typedef struct belfry_core belfry_core;

/// Reads a configuration, and loads the plugins that it needs. NULL if either is wrong; then `error` says how.
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

#ifdef __cplusplus
}
#endif

#endif
