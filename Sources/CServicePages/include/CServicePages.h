/// What `belfry serve` shows of itself: the files of the folder Page, as texts.
#pragma once

const char *_Nonnull belfry_inspector_page(void);
const char *_Nonnull belfry_openapi(void);
