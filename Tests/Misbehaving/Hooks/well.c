/// A sink that takes everything, as far as the id of a decision is one.
#define DELIVER return delivery->id.length && delivery->decision->count && delivery->line.bytes[0] == '{' ? BELFRY_DELIVERED : 77
#include "sink.h"
