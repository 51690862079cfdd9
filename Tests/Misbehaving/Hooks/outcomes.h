/// Says of itself that it makes nothing of refusals.
#include <string.h>

#include "belfry.h"

static const belfry_text happened[] = {{"steady", 6}};
static const belfry_outcomes outcomes = {happened, 1};

#define OTHER_TABLE(id) (strcmp(id, BELFRY_EXTENSION_OUTCOMES) == 0 ? &outcomes : NULL)
