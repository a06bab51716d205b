#ifdef __cplusplus
#endif
struct a { int i; };
