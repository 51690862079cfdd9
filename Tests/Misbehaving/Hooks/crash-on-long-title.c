/// Has room for a title of ordinary length only.
#define IN_SHOULD_CREATE if (candidate->title.bytes && candidate->title.length > 300) abort();
#include "steady.h"
