/* types */
#ifndef TYPES_H
#define TYPES_H
#pragma once
struct pair { int a; int b; };
enum color { RED, GREEN };
# define MANY 100
#endif
