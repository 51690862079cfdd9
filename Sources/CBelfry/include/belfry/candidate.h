#ifndef BELFRY_CANDIDATE_H
#define BELFRY_CANDIDATE_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_KIND_NOTIFICATION ((uint32_t)0)
#define BELFRY_KIND_GEOTRIGGER ((uint32_t)1)

/// A notification that may be created, or a current one that may be deleted, been opened, and so on.
///
/// Borrowed until the call returns. Texts that do not apply are absent.
typedef struct belfry_candidate_r1 {
    uint32_t kind;
    belfry_bool deferred;      ///< it was deferred before and is asked again now
    int64_t priority;          ///< of the campaign; larger first
    belfry_text campaign;
    belfry_text trigger;       ///< the trigger's id; absent for a request that no trigger waits for
    belfry_text event;         ///< what the trigger is on: enter, exit, dwell, near, away, request or a signal type
    belfry_text region;
    belfry_text region_name;
    belfry_text notification;  ///< its id; absent before it is created
    belfry_text counter;       ///< the key that the state of this call is kept under; absent for `per: subject`
    belfry_text title;
    belfry_text message;
    belfry_text handler;
    belfry_text category;
    const belfry_value *data;           ///< of the campaign or the request; NULL: none
    const belfry_value *presentation;   ///< NULL: none
    const belfry_value *region_fields;  ///< a map of texts; NULL: no region
} belfry_candidate;

/// Whether the app of the subject was last seen in front.
#define BELFRY_APP_UNKNOWN ((uint32_t)0)
#define BELFRY_APP_FOREGROUND ((uint32_t)1)
#define BELFRY_APP_BACKGROUND ((uint32_t)2)

/// The circumstances of one call. There is no other clock: everything a plugin may know of the world is here, or behind an
/// extension of the host that takes a context. Borrowed until the call returns.
typedef struct belfry_context_r1 {
    int64_t now;          ///< event time, ms
    belfry_text subject;
    belfry_text channel;  ///< absent if the signal has none
    uint32_t app;         ///< BELFRY_APP_…
    uint32_t reserved;
    int64_t app_since;    ///< when the app got into that state, ms; 0 while it is unknown
    void *owner;          ///< the host's
} belfry_context;

#ifdef __cplusplus
}
#endif

#endif
