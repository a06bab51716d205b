struct two { int a; int b; };
