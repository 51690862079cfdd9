/// Must stand on both sides of the same strategy.
#define ID TEXT("example.contradicting-order")
#define STATE .before = &cooldown, .before_count = 1, .after = &cooldown, .after_count = 1
#include "belfry.h"
static const belfry_text cooldown = {"cooldown", 8};
#include "well-behaved.h"
