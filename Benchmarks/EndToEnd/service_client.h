/// What the callers of a service have in common.
#pragma once

#include "http.h"

#include <stdio.h>

typedef struct {
    char **words;  ///< NAME=VALUE
    int count;
} options;

const char *text_of_option(const options *options, const char *name);
double number_of_option(const options *options, const char *name, double fallback);

/// How long things took, all of them.
typedef struct {
    double *seconds;
    size_t count, room;
} waits;

void note(waits *waits, double seconds);
/// As a member of a JSON object.
void print_waits(const char *name, waits *waits);

int post(const options *options);
int be_slow(const options *options);
int follow(const options *options);
