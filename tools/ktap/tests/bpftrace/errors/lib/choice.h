#ifndef Q
#define Q
struct q { int a; };
# else
struct q { long a; };
#endif
