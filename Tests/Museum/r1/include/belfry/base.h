#ifndef BELFRY_BASE_H
#define BELFRY_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// 0 is false, 1 is true; a host and a plugin write nothing else.
typedef uint32_t belfry_bool;

/// Whether a call did what it was asked. Every other number is a failure too.
typedef int32_t belfry_status;
#define BELFRY_OK ((belfry_status)0)
#define BELFRY_FAILED ((belfry_status)1)

/// UTF-8 text with a length. Absent text has `bytes` NULL; empty text has `bytes` not NULL and `length` 0.
typedef struct belfry_text_r1 {
    const char *bytes;
    uint64_t length;
} belfry_text;

/// Where a callee writes bytes for its caller, for example the sentence that belongs to a failure.
typedef struct belfry_sink_r1 {
    void *owner;  ///< of the side that made the sink; pass it on
    /// Copies `length` bytes. May be called several times: the pieces are joined. [same thread as the call that got the sink]
    void (*write)(void *owner, const char *bytes, uint64_t length);
} belfry_sink;

#ifdef __cplusplus
}
#endif

#endif
