/// What Linux offers and Swift's Glibc module leaves out.
#include <sys/eventfd.h>
#include <sys/inotify.h>

/// Lets the first SIGTERM or SIGINT of this process be noted only: its number can then be read from the descriptor that this
/// returns, as eight bytes. The next one ends the process, whatever it is doing. -1 and errno on failure.
int belfry_note_stop_signals(void);

/// Gives both signals back what they do by default, and closes the descriptor.
void belfry_forget_stop_signals(void);
