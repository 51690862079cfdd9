#include "CServicePages.h"

// In C, since Swift's compiler needs seconds for an array literal of as many bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char inspector[] = {
#embed "Page/inspector.html"
    , 0};

static const char openapi[] = {
#embed "Page/openapi.yaml"
    , 0};

const char *belfry_inspector_page(void) { return inspector; }
const char *belfry_openapi(void) { return openapi; }
