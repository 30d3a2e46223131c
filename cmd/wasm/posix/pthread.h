/* pthread.h - see posix.h. */
#include "posix.h"
