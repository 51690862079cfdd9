/// Keeps the value of an attribute.
#include "belfry.h"
static const belfry_attributes *attributes;
static const belfry_value *kept;
static volatile uint32_t seen;
#define IN_INIT attributes = host->get_extension(host, BELFRY_EXTENSION_ATTRIBUTES);
#define IN_DID_CREATE kept = attributes->value(context, "tier", 4);
#define IN_ON_OPENED if (kept) seen = kept->kind;
#include "steady.h"
