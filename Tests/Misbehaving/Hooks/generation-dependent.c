/// Decides by how often it was set up in the process.
#define IN_INIT setenv("EXAMPLE_GENERATION", getenv("EXAMPLE_GENERATION") ? "2" : "1", 1);
static int generation(void);
#define IN_SHOULD_CREATE if (generation() == 2) return BELFRY_ABSTAIN;
#include "steady.h"
extern char **environ;
static int generation(void) {
    for (char **line = environ; *line; line++)
        if (strncmp(*line, "EXAMPLE_GENERATION=", 19) == 0) return (*line)[19] - 48;
    return 0;
}
