#pragma pack(1)
struct a { char c; int i; };
