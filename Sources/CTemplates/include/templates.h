#ifndef BELFRY_TEMPLATES_H
#define BELFRY_TEMPLATES_H

#include <stddef.h>

/// A file of a package to begin a plugin with.
typedef struct belfry_template {
    const char *language;        ///< swift, c or rust
    const char *kind;            ///< strategy, filter or action; NULL: of each
    const char *path;            ///< inside the package
    const unsigned char *bytes;  ///< UTF-8
    size_t length;
} belfry_template;

/// The first of `belfry_template_count` in a row. A function, because Swift does not see an array of unknown length.
const belfry_template *belfry_template_first(void);
extern const size_t belfry_template_count;

#endif
