/// Has hooks for receipts that are none, and of a strategy that it does not have.
#include "belfry.h"

static const belfry_receipt_hook hollow = {.strategy = {"polite", 6}}, other = {.strategy = {"rude", 4}};
static const belfry_receipt_hook *const both[] = {&hollow, &other};
static const belfry_receipts receipts = {both, 2};

#define ID TEXT("example.hollow-receipts")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_RECEIPTS) ? &receipts : 0)
#include "well-behaved.h"
