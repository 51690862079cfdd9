/// An action that is called in a way that no host knows, and one that cannot be called, least of all under another name.
#include "belfry.h"
static void tapped(void) {}
static const belfry_action dial = {.type = {"dial", 4}, .signature = {"(action, number)", 16}, .function = tapped};
static const belfry_action url = {.type = {"url", 3}, .signature = {"link(action)", 12}};
static const belfry_action *const both[] = {&dial, &url};
static const belfry_actions actions = {both, 2};
#define ID TEXT("example.wrong-signature")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "well-behaved.h"
