/// Says which outcomes a strategy need not be told that it does not have.
#include "belfry.h"

static const belfry_text names[] = {{"polite", 6}, {"rude", 4}};
static const belfry_outcomes outcomes = {names, 2};

#define ID TEXT("example.strange-outcomes")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_OUTCOMES) ? &outcomes : 0)
#include "well-behaved.h"
