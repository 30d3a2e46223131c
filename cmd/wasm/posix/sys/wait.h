/* sys/wait.h - see posix.h. */
#include "posix.h"
