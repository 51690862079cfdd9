/// The system's libsystemd: D-Bus as a client.
#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <systemd/sd-bus.h>

#endif
