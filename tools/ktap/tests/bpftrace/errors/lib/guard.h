#ifndef GUARD
#define GUARD
struct a { int i; };
#endif
