/// Has a sink that cannot deliver, and lets go of nothing.
#include "belfry.h"

static void *begin(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) { return type; }

static const belfry_sink_type hollow = {.name = {"hollow", 6}, .create = begin};
static const belfry_sink_type *const hollows[] = {&hollow};
static const belfry_sink_types sinks = {hollows, 1};

#define ID TEXT("example.hollow-sink")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_SINK) ? &sinks : 0)
#include "well-behaved.h"
