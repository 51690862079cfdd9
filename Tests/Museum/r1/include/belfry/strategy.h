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
#define BELFRY_DEFER ((belfry_verdict)3)    ///< with a reason that has `until`: ask everybody again then
#define BELFRY_FAULT ((belfry_verdict)4)    ///< the check itself failed; the reason says how

/// Takes the reason of a verdict other than ABSTAIN and ALLOW. Not calling it leaves the reason without words.
typedef struct belfry_reason_r1 {
    void *owner;
    /// `code`: a short word for machines; absent stands for the strategy's name. `message`: one sentence for people.
    void (*explain)(void *owner, belfry_text const *code, belfry_text const *message);
    /// The first instant, in ms, at which this rule would allow. Left out if there is none.
    void (*until)(void *owner, int64_t instant);
} belfry_reason;

/// One strategy of a plugin: constant, valid until the process ends.
///
/// Parameters and state are two things. `create` makes an *instance*, which is immutable and holds parameters only; the host
/// makes one for every set of parameters that the cascade of the configuration yields. *State* belongs to a subject (and a counter): the
/// host owns a piece of memory of `state_size` bytes in the subject's record and hands it to the hooks, so that a decision
/// costs no decoding. Checks get it as const. Hooks that are not needed are NULL, save those marked required.
typedef struct belfry_strategy_r1 {
    belfry_text name;            ///< required; unique in the host; what `strategy:` names
    belfry_text summary;         ///< one sentence
    const belfry_parameter *parameters;  ///< the root description; NULL: it takes none
    belfry_text default_counter; ///< of `per`; absent: subject
    const belfry_text *before;   ///< names of strategies that it must stand before in a chain
    uint64_t before_count;
    const belfry_text *after;    ///< names of strategies that it must stand after
    uint64_t after_count;
    belfry_text order_reason;    ///< why, in one sentence; wanted when there is a `before` or `after`
    void *type;                  ///< the plugin's own; passed to `create` and the state functions

    uint64_t state_size;         ///< bytes; 0: it keeps none, and then the state functions may be NULL
    uint64_t state_alignment;    ///< a power of two, at most 16
    uint32_t state_version;      ///< of what `state_save` writes
    uint32_t reserved;

    /// Makes an instance from checked parameters (`parameters` NULL: none given). It may keep `host`. NULL if they are wrong after
    /// all; then `error` has a sentence. Required. [any]
    void *(*create)(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
    /// Frees an instance. Required. [any]
    void (*destroy)(void *instance);

    /// Turns raw memory into the state of a subject who is new. [subject]
    void (*state_init)(void *type, void *state);
    /// Frees what the state owns; the memory itself is the host's. [subject]
    void (*state_destroy)(void *type, void *state);
    /// Fills a fresh state from what was saved. `version` is at most `state_version`; an older one is to be migrated here. [subject]
    belfry_status (*state_load)(void *type, void *state, uint32_t version, const belfry_state_reader *reader, const belfry_sink *error);
    /// Writes the state by key. [subject]
    void (*state_save)(void *type, const void *state, const belfry_state_writer *writer);

    /// May this be created? Pure: called any number of times, also to explain. Required. [subject]
    belfry_verdict (*should_create)(void *instance, const void *state, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason);
    /// Tells the outcome, to every strategy that was asked. [subject]
    void (*did_create)(void *instance, void *state, const belfry_candidate *candidate, belfry_bool created,
                       const belfry_context *context);
    /// May the current notification be deleted? Pure. NULL abstains. [subject]
    belfry_verdict (*should_delete)(void *instance, const void *state, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason);
    /// Tells the outcome, to every strategy that was asked. [subject]
    void (*did_delete)(void *instance, void *state, const belfry_candidate *candidate, belfry_bool deleted,
                       const belfry_context *context);
    /// The notification was opened; each time. [subject]
    void (*on_opened)(void *instance, void *state, const belfry_candidate *candidate, const belfry_context *context);
    /// The app went to the background. Told for every counter that has state, and for the subject's own. [subject]
    void (*on_background)(void *instance, void *state, const belfry_context *context);
    /// The app came to the front. Told for every counter that has state, and for the subject's own. [subject]
    void (*on_foreground)(void *instance, void *state, const belfry_context *context);
    /// A region became watched for the subject: with the subject's first signal, when the configuration got a new region, or when
    /// it came among the nearest that the region budget allows. A host keeps account of watched regions only if some strategy in
    /// the chain has this hook. Told for every counter that has state, and for the subject's own. [subject]
    void (*on_start_monitoring)(void *instance, void *state, const belfry_text *region, const belfry_context *context);
    /// The configuration of the entry changed since the state was last used; `instance` has the new parameters. [subject]
    void (*update_parameters)(void *instance, void *state, const belfry_context *context);
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
