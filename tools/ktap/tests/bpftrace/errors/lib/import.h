import "probe.h"
