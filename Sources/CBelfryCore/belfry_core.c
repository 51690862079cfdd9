#include "belfry_core.h"
