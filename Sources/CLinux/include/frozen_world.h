#ifndef BELFRY_FROZEN_WORLD_H
#define BELFRY_FROZEN_WORLD_H

/// Stops the clock and the dice for one loaded image: its calls of `time`, `rand` and their like, `getenv` among them, lead to
/// functions that always answer the same. `inside` is the address of a function of the image. How many were led there; -1 if the
/// image is not found.
int belfry_freeze_world(const void *inside);

/// Forgets which of them were called.
void belfry_forget_world_calls(void);

/// The name of the one that was called first since; NULL: none.
const char *belfry_first_world_call(void);

#endif
