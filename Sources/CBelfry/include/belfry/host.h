#ifndef BELFRY_HOST_H
#define BELFRY_HOST_H

#include "candidate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The host, as a plugin sees it. Valid from `init` until the process ends.
typedef struct belfry_host_r1 {
    uint32_t abi_major;
    uint32_t abi_minor;
    belfry_text name;
    belfry_text version;
    void *owner;
    /// A constant table of the host by its id, or NULL if this host does not offer it. [any, from `init` on]
    const void *(*get_extension)(const struct belfry_host_r1 *host, const char *id);
} belfry_host;

#define BELFRY_EXTENSION_LOG "belfry.log/1"
#define BELFRY_LOG_DEBUG ((uint32_t)0)
#define BELFRY_LOG_INFO ((uint32_t)1)
#define BELFRY_LOG_WARNING ((uint32_t)2)
#define BELFRY_LOG_ERROR ((uint32_t)3)

/// Writes a line to the host's log. [any]
typedef struct belfry_log_r1 {
    void (*write)(const belfry_host *host, uint32_t level, const char *message, uint64_t length);
} belfry_log;

#define BELFRY_EXTENSION_LOCAL_TIME "belfry.local-time/1"

/// A time zone of the host. Valid until the process ends.
typedef struct belfry_zone belfry_zone;

/// Local time, by the host's zone data. Pure. [any]
typedef struct belfry_local_time_r1 {
    /// The zone with that IANA name, or NULL if there is none.
    const belfry_zone *(*zone_named)(const belfry_host *host, const char *name, uint64_t length);
    /// The zone of the subject: of the channel, else of the channel registered last, else of the user, else of the configuration.
    const belfry_zone *(*zone_of_subject)(const belfry_context *context);
    /// What to add to UTC, in s.
    int32_t (*offset)(const belfry_zone *zone, int64_t instant);
    /// The first instant after this one at which the offset changes. 0: there is none, and `next` is untouched.
    belfry_bool (*next_transition)(const belfry_zone *zone, int64_t instant, int64_t *next);
    /// The local date at that instant, in days since 1970-01-01.
    int64_t (*local_day)(const belfry_zone *zone, int64_t instant);
    /// The first existing instant of a local date; of a date the zone skipped, that of the next existing one.
    int64_t (*start_of_day)(const belfry_zone *zone, int64_t day);
} belfry_local_time;

#define BELFRY_EXTENSION_CONDITIONS "belfry.conditions/1"

/// A compiled condition. Valid until it is released.
typedef struct belfry_condition belfry_condition;

/// The condition language of the configuration (GrowthBook's), compiled and evaluated by the host.
typedef struct belfry_conditions_r1 {
    /// Compiles a mapping. NULL if it is wrong; then `error` has a sentence. [any]
    const belfry_condition *(*compile)(const belfry_host *host, const belfry_value *condition, const belfry_sink *error);
    /// Gives a condition back. [any]
    void (*release)(const belfry_condition *condition);
    /// Whether it holds. Bare properties are attributes of the channel, else of the user; `user.x`, `channel.x` and
    /// `history.<campaign>.count` are as in `segmentation`. `candidate` may be NULL; with it the roots `campaign`, `region`,
    /// `trigger` and `data` hold too. [subject]
    belfry_bool (*holds)(const belfry_condition *condition, const belfry_candidate *candidate, const belfry_context *context);
} belfry_conditions;

#define BELFRY_EXTENSION_ATTRIBUTES "belfry.attributes/1"

/// The attributes of the subject.
typedef struct belfry_attributes_r1 {
    /// The value at a dotted path: `tier`, `user.tier`, `channel.osVersion`, `history.welcome.count`. NULL if there is none.
    /// Lent until the hook returns. [subject]
    const belfry_value *(*value)(const belfry_context *context, const char *path, uint64_t length);
} belfry_attributes;

#define BELFRY_EXTENSION_SCRATCH "belfry.scratch/1"

/// Memory for the texts and lists that a telling hook puts into a state.
typedef struct belfry_scratch_r1 {
    /// `size` bytes at a multiple of 16, which the host frees after the hook returned. NULL if `size` is over 16 MiB. [subject]
    void *(*allocate)(const belfry_context *context, uint64_t size);
} belfry_scratch;

#ifdef __cplusplus
}
#endif

#endif
