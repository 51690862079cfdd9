/// Belongs before `cooldown`.
#include "belfry.h"

static const belfry_text cooldown = {"cooldown", 8};

#define ID TEXT("test.herald")
#define NAME TEXT("herald")
#define STATE .before = &cooldown, .before_count = 1, .order_reason = TEXT("It announces what cooldown may refuse.")
#include "../../Misbehaving/well-behaved.h"
