#ifndef BELFRY_DELIVERY_H
#define BELFRY_DELIVERY_H

#include "host.h"
#include "parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_SINK "belfry.sink/1"

/// What became of an attempt. Every other number is a failure too.
typedef uint32_t belfry_delivered;
#define BELFRY_DELIVERED ((belfry_delivered)0)           ///< taken: it is not given again
#define BELFRY_DELIVER_LATER ((belfry_delivered)1)       ///< not this one for now: its subject waits, others go on
#define BELFRY_DELIVER_NEVER ((belfry_delivered)2)       ///< not this one, whatever comes: it is given up, and told of
#define BELFRY_DELIVERY_FAILED ((belfry_delivered)3)     ///< nothing goes now: after some of these the sink is left alone for a while
#define BELFRY_DELIVERY_STOPPED ((belfry_delivered)4)    ///< nothing any more, until an operator resumes the sink

/// An attempt to deliver one decision. Borrowed until `deliver` returns.
typedef struct belfry_delivery_r1 {
    belfry_text id;       ///< of the decision, the same in each attempt: what was taken once may come again after a crash
    belfry_text subject;
    belfry_text type;     ///< notification.created, …
    belfry_text line;     ///< the whole decision, a line of JSON without its end
    const belfry_value *decision;  ///< the same as a map; never NULL
    int64_t now;          ///< the time of day, ms since 1970-01-01T00:00:00Z
    int64_t timeout;      ///< ms; an attempt that takes longer has failed, and the process is ended
} belfry_delivery;

/// One type of sinks of a plugin: constant, valid until the process ends.
///
/// Each sink of the configuration has a process of its own, which loads this plugin alone, makes one instance, and delivers one decision after the
/// other. It may use the network, files, threads and clocks as it likes; what it writes to standard output goes to standard error. When it crashes,
/// ends, or takes too long, the attempt has failed, and the next one begins with a new process. [sink] is the one thread of that process that calls.
///
/// Of the host's extensions those are of use that take no context: belfry.log/1, and of belfry.local-time/1 and belfry.conditions/1 what needs none.
typedef struct belfry_sink_type_r1 {
    belfry_text name;     ///< required; unique among the types of sinks; what `type:` of a sink names
    belfry_text summary;  ///< one sentence
    const belfry_parameter *parameters;  ///< the root description; NULL: it takes none
    void *type;           ///< the plugin's own; passed to `create`
    /// Makes an instance from checked parameters (`parameters` NULL: none given), borrowed until it returns. NULL if it cannot: then `error` has a
    /// sentence, and the attempt has failed. Required. [sink]
    void *(*create)(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
    /// Delivers one decision, and returns when it is delivered or has failed. What is not taken comes with one sentence in `why`. Required. [sink]
    belfry_delivered (*deliver)(void *instance, const belfry_delivery *delivery, const belfry_sink *why);
    /// Lets go of everything, within a second; the process ends then. Not called when the process is ended or crashes. Required. [sink]
    void (*destroy)(void *instance);
} belfry_sink_type;

/// What belfry.sink/1 of a plugin is: constant.
typedef struct belfry_sink_types_r1 {
    const belfry_sink_type *const *items;
    uint64_t count;
} belfry_sink_types;

#ifdef __cplusplus
}
#endif

#endif
