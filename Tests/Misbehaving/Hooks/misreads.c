/// Loads under another key than it saves.
#define LAST_KEY "latest"
#include "steady.h"
