#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tools for functions of programs and libraries: with the C library, and with a library that
# has functions of the names that bash and OpenSSL have.

. "$(dirname "$0")/lib.sh"
plan 17

find_scripts
. "$(dirname "$0")/scripts_lib.sh"

loader=$(readlink -f "$here/loader")
standin=$(readlink -f "$here/libktapstandin.so.1")
has programs && "$loader" standin "$standin" x 2>/dev/null ||
	skip_test "programs cannot be traced, or no dynamic C library is installed"

# The C library
tool gethostlatency -- "$loader" resolve localhost 3
counted gethostlatency '^[0-9]+ +loader +[0-9]+ +localhost$' 3
tool gethostlatency --min=60000 -- "$loader" resolve localhost 3
counted gethostlatency_of_what_takes_longer loader 0
where='begin_thread.*|/.*\+0x[0-9a-f]+'
has user_files || where='0x[0-9a-f]+'
tool threadsnoop -- "$loader" threads 3
counted threadsnoop "^[0-9]+ +loader +($where)\$" 3
tool threadsnoop --comm=other -- "$loader" threads 3
counted threadsnoop_of_another_program loader 0
if has addresses; then
	run -q -Werror "$scripts/memleak.kp" --user --rows=100 -- "$loader" leak 12345 7
	counted memleak_of_a_program '^ +7 +86415$' 1
	run -q -Werror "$scripts/memleak.kp" --user --rows=100 -- "$loader" allocate 12345 7
	counted memleak_forgets_what_is_freed '86415|12345' 0
else
	skip memleak_of_a_program "this machine has no read()"
	skip memleak_forgets_what_is_freed "this machine has no read()"
fi
tool deadlock -- "$loader" order 0 2
[ "$code" = 0 ] && [ "$(lines '^[0-9]+ \(loader\) takes two mutexes in both orders$')" = 1 ]
result $? deadlock
[ "$(lines '^0x[0-9a-f]+, then 0x[0-9a-f]+$')" = 2 ]
result $? deadlock_shows_both
tool deadlock --comm=other -- "$loader" order 0 2
counted deadlock_of_another_program '^no two mutexes were taken in both orders$' 1
tool deadlock -- "$loader" threads 3
counted deadlock_of_threads_without_any '^no two mutexes were taken in both orders$' 1

# OpenSSL
mkdir "$tmp/lib" "$tmp/bin"
cp "$standin" "$tmp/lib/libssl.so.3"
export LD_LIBRARY_PATH="$tmp/lib"
if has addresses; then
	tool sslsniff -- "$loader" standin "$tmp/lib/libssl.so.3" 'GET / HTTP/1.1'
	counted sslsniff_of_what_is_sent '^[0-9]+ +loader +send +14 GET / HTTP/1\.1$' 2
	counted sslsniff_of_what_is_received '^[0-9]+ +loader +receive +14 GET / HTTP/1\.1$' 2
	tool sslsniff --bytes=3 -- "$loader" standin "$tmp/lib/libssl.so.3" 'GET / HTTP/1.1'
	counted sslsniff_of_three_bytes '^[0-9]+ +loader +send +14 GET$' 2
else
	for name in what_is_sent what_is_received three_bytes; do
		skip "sslsniff_of_$name" "this machine has no buf()"
	done
fi

# bash, and one that uses a library
cp "$standin" "$tmp/lib/libreadline.so.8"
PATH=$tmp/bin:$PATH
cp "$loader" "$tmp/bin/bash"
chmod 755 "$tmp/bin/bash"
tool bashreadline -- "$loader" standin "$tmp/lib/libreadline.so.8" 'ls -l'
counted bashreadline_of_the_library '^[0-9]+ +0 +ls -l$' 1
cp "$standin" "$tmp/bin/bash"
tool bashreadline -- "$loader" standin "$tmp/bin/bash" 'ls -l'
counted bashreadline '^[0-9]+ +0 +ls -l$' 1
rm "$tmp/lib/libreadline.so.8"
cp "$loader" "$tmp/bin/bash"
if "$KTAP" -l 'uprobe:libreadline:readline' 2>/dev/null | grep -q readline; then
	skip bashreadline_says_what_is_missing "the library of readline is installed"
else
	not_loaded bashreadline_says_what_is_missing \
		"error: no library and no program is called 'libreadline'; write its path" \
		-q "$scripts/bashreadline.kp"
fi

like_their_help

finish
