#ifndef BELFRY_STRATEGY_H
#define BELFRY_STRATEGY_H

#include "host.h"
#include "parameters.h"
#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_STRATEGY "belfry.strategy/1"

/// What a check answers.
typedef uint32_t belfry_verdict;
#define BELFRY_ABSTAIN ((belfry_verdict)0)  ///< not my question
#define BELFRY_ALLOW ((belfry_verdict)1)
#define BELFRY_DENY ((belfry_verdict)2)     ///< with a reason
#define BELFRY_DEFER ((belfry_verdict)3)    ///< with a reason that has `until`: ask the whole chain again then
#define BELFRY_FAULT ((belfry_verdict)4)    ///< the check itself failed; the reason says how
#define BELFRY_COLLECT ((belfry_verdict)5)  ///< with a reason that has `until`: keep it until then, with others, and ask the whole chain again
#define BELFRY_WITHHOLD ((belfry_verdict)6)  ///< with a reason: where it would be created, tell the entries that it was, and do not show it

/// What a telling hook did. Every other number is a failure too.
typedef uint32_t belfry_told;
#define BELFRY_TOLD_UNCHANGED ((belfry_told)0)  ///< the state is what it was
#define BELFRY_TOLD_CHANGED ((belfry_told)1)
#define BELFRY_TOLD_FAILED ((belfry_told)2)     ///< with a sentence; the state stays what it was

/// Takes the reason of a verdict other than ABSTAIN and ALLOW. Not calling it leaves the reason without words.
typedef struct belfry_reason_r1 {
    void *owner;
    /// `code`: a short word for machines; absent stands for the strategy's name. `message`: one sentence for people. Each has at most 65,536
    /// bytes; with a longer one the answer is a fault.
    void (*explain)(void *owner, belfry_text const *code, belfry_text const *message);
    /// The first instant, in ms, at which this rule would allow. Left out if there is none.
    void (*until)(void *owner, int64_t instant);
} belfry_reason;

/// One strategy of a plugin: constant, valid until the process ends.
///
/// Parameters and state are two things. `create` makes an *instance*, which is immutable and holds parameters only; the host
/// makes one for every set of parameters that the cascade of the configuration yields. *State* belongs to a subject and a counter:
/// hooks get a pointer to `state_size` bytes of it, which is good until they return. Questions get it as const; telling hooks may
/// change it, and say whether they did. Hooks that are not needed are NULL, save those marked required.
///
/// A state is of one of two kinds:
///
/// - It *declares its fields*. The host keeps them by name, copies them, shows them, and fills in the fields of a state that another
///   version stored: those of the same name and type are taken over, others begin as in a new state. Nothing else is needed.
///   A state has no other members, and padding is not kept. The texts and lists of fields are lent; a telling hook may point them to memory of
///   its own that is still there when it has returned, until the next call of the plugin (belfry.scratch/1 has some; a local array is not).
/// - Without fields, it saves and loads itself: `state_init`, `state_destroy`, `state_load` and `state_save` are required. A telling hook that
///   fails leaves the state as it found it. Such states cost more.
typedef struct belfry_strategy_r1 {
    belfry_text name;            ///< required; unique in the host; what `strategy:` names
    belfry_text summary;         ///< one sentence
    const belfry_parameter *parameters;  ///< the root description; NULL: it takes none
    belfry_text default_counter; ///< as `per` has it in a configuration; absent: subject
    const belfry_text *before;   ///< names of strategies that it must stand before in a chain
    uint64_t before_count;
    const belfry_text *after;    ///< names of strategies that it must stand after
    uint64_t after_count;
    belfry_text order_reason;    ///< why, in one sentence; wanted when there is a `before` or `after`
    void *type;                  ///< the plugin's own; passed to `create` and the state functions

    uint64_t state_size;         ///< bytes; 0: it keeps none, and then the state functions may be NULL
    uint64_t state_alignment;    ///< a power of two, at most 16
    const belfry_field *fields;  ///< NULL: the state saves and loads itself
    uint64_t field_count;
    uint32_t state_version;      ///< of what `state_save` writes, below 2^31; without meaning for declared fields
    uint32_t reserved;           ///< zero

    /// Makes an instance from checked parameters (`parameters` NULL: none given). It may keep `host`. NULL if they are wrong after
    /// all; then `error` has a sentence, or several, one per line, each of which begins with the parameter that it is about:
    /// `periods[0].hours: …`. Required. [any]
    ///
    /// The process that decides may be forked after this: a thread that was started here is not in it, and a lock that such a thread
    /// holds is never let go there. So start threads, and take locks that others hold, no earlier than in the first hook.
    void *(*create)(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
    /// Frees an instance. Required. [any]
    void (*destroy)(void *instance);

    /// Turns raw memory into the state of a subject who is new. NULL, with declared fields: all zeros. [any]
    void (*state_init)(void *type, void *state);
    /// Frees what the state owns; the memory itself is the host's. Not called for declared fields. [subject]
    void (*state_destroy)(void *type, void *state);
    /// Fills a fresh state from what was saved. `version` is at most `state_version`; an older one is to be migrated here, as of `now`, the
    /// time of the subject in ms. [subject]
    belfry_status (*state_load)(void *type, void *state, uint32_t version, int64_t now, const belfry_state_reader *reader,
                                const belfry_sink *error);
    /// Writes the state by key. [subject]
    void (*state_save)(void *type, const void *state, const belfry_state_writer *writer);

    /// May this be created? Pure: called any number of times, also to explain. Required. [subject]
    belfry_verdict (*should_create)(void *instance, const void *state, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason);
    /// Tells the outcome, to every strategy that was asked. [subject]
    belfry_told (*did_create)(void *instance, void *state, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error);
    /// May the current notification be deleted? Pure. NULL abstains. [subject]
    belfry_verdict (*should_delete)(void *instance, const void *state, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason);
    /// Tells the outcome, to every strategy that was asked. [subject]
    belfry_told (*did_delete)(void *instance, void *state, const belfry_candidate *candidate, belfry_bool deleted,
                              const belfry_context *context, const belfry_sink *error);
    /// The notification was opened; each time. [subject]
    belfry_told (*on_opened)(void *instance, void *state, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_sink *error);
    /// The app went to the background. This hook and the next two are told under each counter that has state; a strategy that counts per
    /// subject, under the subject's own in any case. [subject]
    belfry_told (*on_background)(void *instance, void *state, const belfry_context *context, const belfry_sink *error);
    /// The app came to the front. [subject]
    belfry_told (*on_foreground)(void *instance, void *state, const belfry_context *context, const belfry_sink *error);
    /// A region became watched for the subject: with the subject's first signal, when the configuration got a new region, or when
    /// it came among the nearest that the region budget allows. A host keeps account of watched regions only if some strategy in
    /// the chain has this hook. [subject]
    belfry_told (*on_start_monitoring)(void *instance, void *state, const belfry_text *region, const belfry_context *context,
                                       const belfry_sink *error);
    /// The parameters of the entry changed since the state was last used; `instance` has the new ones. Called before the next question
    /// about the state, and perhaps again before the one after that, as long as nothing is told. [subject]
    belfry_told (*update_parameters)(void *instance, void *state, const belfry_context *context, const belfry_sink *error);
} belfry_strategy;

/// What belfry.strategy/1 of a plugin is: constant.
typedef struct belfry_strategies_r1 {
    const belfry_strategy *const *items;
    uint64_t count;
} belfry_strategies;

#ifdef __cplusplus
}
#endif

#endif
