#ifndef BELFRY_OUTCOMES_H
#define BELFRY_OUTCOMES_H

#include "strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_OUTCOMES "belfry.outcomes/1"

/// Which of the plugin's strategies make nothing of some outcomes, and so need not be told of them: constant.
///
/// Most candidates are refused, and most strategies count what was created: to tell them of the others is the larger part of a refusal.
/// A host that does not know this tells them of every outcome.
typedef struct belfry_outcomes_r1 {
    /// The names of strategies whose `did_create` does nothing unless it was created, and whose `did_delete` does nothing unless it was
    /// deleted.
    const belfry_text *happened;
    uint64_t count;
} belfry_outcomes;

#ifdef __cplusplus
}
#endif

#endif
