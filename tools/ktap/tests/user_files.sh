#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test where the runner finds the files of programs and their symbols: libraries, debug
# files, the files of a process.
#
#	tests/user_files.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

# libraries
cat >lib.c <<'C'
int twice(int n) { return n * 2; }
int twice_before(int n) { return n + n; }
__asm__(".symver twice_before,twofold@V0");
static int third(void) { return 3; }
int (*choose(void))(void) { return third; }
int chosen(void) __attribute__((ifunc("choose")));
C
echo 'V0 { global: twofold; }; V1 { global: twice; chosen; choose; local: twice_before; } V0;' >versions
"$cc" -O2 -shared -fPIC -Wl,-soname,libtest.so.3 -Wl,--version-script=versions -o libtest.so.3 lib.c ||
	exit 1
cp libtest.so.3 libtest.so.1
ln -s libtest.so.3 libtest.so
echo 'not a library' >libtext.so
export LD_LIBRARY_PATH=$dir
list 'uprobe:libtest:twic[e]'
lists a_library_by_its_short_name "uprobe:$dir/libtest.so.3:twice\n"
list 'probe:libtest.so.1:twice'
lists a_library_by_its_file_name "uprobe:$dir/libtest.so.1:twice\n"
list 'probe:libtest:twice%return'
lists a_library_in_a_probe_of_returns "uretprobe:$dir/libtest.so.3:twice\n"
list 'uprobe:libtest:*@*'
[ "$code" = 1 ]
result $? versions_are_no_part_of_names
list 'uprobe:libtest:twofold'
lists a_version_that_is_no_longer_linked_with "uprobe:$dir/libtest.so.3:twofold\n"
list 'uprobe:libtext:x'
lists_not a_library_is_an_elf_file "no library and no program is called 'libtext'; write its path"
list 'uprobe:libtest:*'
grep -q :twice out && ! grep -q :cho out
result $? patterns_leave_out_indirect_functions
play 'exit 0\n' -e 'trace uprobe:libtest:chosen { x = 1 }' 
grep -q "^ktap: 'chosen' is an indirect function" err && grep -q '^at .* chosen$' setup
result $? an_indirect_function_is_reported
list uprobe:libtest:chosen
grep -q "^ktap: 'chosen' is an indirect function" err
result $? an_indirect_function_is_reported_beside_a_list
play 'exit 0\n' -q -e 'trace probe:libnothing:twice { x = 1 }'
printf 'frames\nstream\narg -e\n' | cmp -s - setup
result $? a_name_of_no_library_may_be_a_module
unset LD_LIBRARY_PATH
list 'uprobe:libc:mall?c'
grep -q '^uprobe:/.*/libc\.so\.[0-9]*:malloc$' out || grep -q ' Thumb code' err
result $? the_c_library_by_its_short_name
list 'uprobe:sh:*'
[ "$code" = 0 ] || grep -q 'has no symbols' err
result $? a_program_of_the_path
play 'exit 0\n' -e 'trace uprobe:libc:* { x = 1 }'
[ "$(grep -c '^at ' setup)" -gt 1000 ] || grep -q Thumb setup err
result $? thousands_of_functions

# names with control characters or newlines
objcopy --redefine-sym "alpha_again=alpha_$escape" --redefine-sym "alphabet=$line" marked unclean
list 'uprobe:./unclean:alpha*'
lists functions_with_clean_names 'uprobe:./unclean:alpha\n'
list "uprobe:./unclean:alpha_$escape"
lists an_unclean_name_is_shown_clean 'uprobe:./unclean:alpha_?]0;x\n'
list "uprobe:./unclean:alpha_]0;x"
lists_not no_unclean_name_is_suggested "./unclean has no function 'alpha_]0;x'"
LC_ALL=C sed 's/demo\x00plain/demo\x00pla\nn/; s/demo\x00args/demo\x00a\o33gs/' marked >unclean
list 'usdt:./unclean:*'
grep -q '^usdt:./unclean:demo:guarded$' out && [ "$(grep -cv '^usdt:./unclean:demo:[a-z_]*$' out)" = 0 ]
result $? markers_with_clean_names
list 'usdt:./unclean:demo:argss'
lists_not no_unclean_marker_is_suggested "./unclean has no marker 'demo:argss'"

# stripped files
strip -o stripped marked
refuses a_stripped_program "uprobe:$dir/stripped:alpha" "$dir/stripped has no symbols, it is stripped; \
install its debug symbols, or write an offset: 0xOFFSET"
id=$(id_of marked)
mkdir -p "debug/.build-id/$(echo $id | cut -c 1-2)"
debug=debug/.build-id/$(echo $id | cut -c 1-2)/$(echo $id | cut -c 3-).debug
export KTAP_DEBUG=$dir/debug
if [ -n "$id" ]; then
	objcopy --only-keep-debug marked "$debug"
	list "uprobe:./stripped:alphabet"
	lists symbols_in_a_debug_file 'uprobe:./stripped:alphabet\n'
	ln -s "$ktap" bpftrace
	unset KTAP_DEBUG
	for dirs in "--debuginfo=/nowhere:$dir/debug" "--debuginfo $dir/debug --debuginfo=/nowhere"; do
		# shellcheck disable=SC2086 # an option and its value
		"$dir/bpftrace" -l 'uprobe:./stripped:alphabet' $dirs >out 2>err
		lists "debug_files_of_${dirs%%[= ]*}" 'uprobe:./stripped:alphabet\n'
	done
	export KTAP_DEBUG=$dir/debug
	cp "$debug" good
	"$cc" -O2 -o other -x c - <<'C'
int alphabet(void) { return 1; }
int main(void) { return alphabet(); }
C
	objcopy --only-keep-debug other "$debug"
	list "uprobe:./stripped:alphabet"
	[ "$code" = 1 ]
	result $? a_debug_file_of_another_build_is_ignored
	cp good "$debug"
else
	skip symbols_in_a_debug_file "no build ids"
	skip debug_files_of_--debuginfo "no build ids"
	skip debug_files_of_--debuginfo "no build ids"
	skip a_debug_file_of_another_build_is_ignored "no build ids"
fi
unset KTAP_DEBUG
if command -v xz >/dev/null; then
	objcopy -S --keep-symbol=alphabet marked packed.debug
	xz -c packed.debug >packed.xz
	objcopy --add-section .gnu_debugdata=packed.xz stripped packed
	list "uprobe:./packed:alphabet"
	lists symbols_in_gnu_debugdata 'uprobe:./packed:alphabet\n'
	head -c 300 packed.xz >cut.xz
	objcopy --add-section .gnu_debugdata=cut.xz stripped packed
	list "uprobe:./packed:alphabet"
	[ "$code" = 1 ] && grep -q '^ktap: error: ./packed has no' err
	result $? a_damaged_gnu_debugdata_has_none
else
	skip symbols_in_gnu_debugdata "no xz"
	skip a_damaged_gnu_debugdata_has_none "no xz"
fi

# a lease, which makes others wait for 45 seconds
"$cc" -O2 -o lease -x c - <<'C' || exit 1
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	pid_t pid;

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK))
		return 1;
	pid = fork();
	if (pid)
		return pid < 0 || printf("%d\n", (int)pid) < 0;
	close(STDOUT_FILENO);
	return sleep(60);
}
C
cp marked leased
if holder=$(./lease leased); then
	run -l uprobe:./leased:alpha
	lists_not a_leased_file_does_not_stop_us "./leased is leased for writing"
	kill "$holder"
else
	skip a_leased_file_does_not_stop_us "no leases here"
fi

# one process
sleep 60 &
sleeper=$!
list "uprobe:sleep:*" -p $sleeper
[ "$code" = 0 ] || grep -q 'has no symbols' err
result $? the_program_of_a_process
list "uprobe:*:mall?c" -p $sleeper
grep -q '/libc[-.].*:malloc$' out || grep -q ' Thumb code' err
result $? all_files_of_a_process
kill $sleeper
list uprobe:libc:malloc -p $gone
lists_not a_process_that_is_not_there "no process $gone"
play 'exit 0\n' -q -p $gone -e "trace uprobe:$marked:0x10 { x = 1 }"
grep -qx "unresolved uprobe:$marked:0x10 no.040process.040$gone" setup
result $? a_process_that_is_not_there_has_no_offsets
list uprobe:libnothing:f -p $gone
lists_not a_library_of_a_process_that_is_not_there "no process $gone"
if [ "$(id -u)" = 0 ] && setpriv --reuid 4242 --clear-groups test -x "$ktap" 2>/dev/null; then
	code=0
	setpriv --reuid 4242 --clear-groups "$ktap" -l uprobe:libc:malloc -p 1 >out 2>err || code=$?
	lists_not a_process_of_somebody_else \
		"cannot see the files of process 1: Permission denied: try sudo"
else
	skip a_process_of_somebody_else "not root"
fi
mkdir -p root/lib
cp marked root/marked
ln -s /marked root/lib/link
if [ "$(id -u)" = 0 ] && "$cc" -O2 -static -o root/sleeper -x c - <<'C'
#include <unistd.h>
int main(void) { return sleep(60); }
C
then
	chroot root /sleeper &
	sleeper=$!
	# wait until it has changed its root
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(readlink /proc/$sleeper/root)" != / ] && break
		sleep 0.1
	done
	play 'exit 0\n' -q -p $sleeper -e 'trace uprobe:/marked:alpha { x = 1 } trace uprobe:/lib/link:alphabet { x = 1 }'
	grep -qx "uprobe uprobe:/marked:alpha \(/proc/self/fd/[0-9]*\|$dir/root\)/marked" setup &&
		grep -qx "uprobe uprobe:/lib/link:alphabet \(/proc/self/fd/[0-9]*\|$dir/root\)/marked" setup
	result $? paths_of_a_process_with_another_root
	list "uprobe:/etc/passwd:f" -p $sleeper
	lists_not files_outside_of_its_root_are_not_there \
		"no file '/etc/passwd' where the process has its files"
	ln -s "$dir/marked" root/lib/outside
	list "uprobe:/lib/outside:alpha" -p $sleeper
	lists_not links_lead_not_out_of_its_root \
		"no file '/lib/outside' where the process has its files"
	mkdir -p "root$dir"
	cp stripped "root$dir/marked"
	list "uprobe:/lib/outside:alpha" -p $sleeper
	[ "$code" = 1 ] && grep -q "^ktap: error: /lib/outside has no symbols" err
	result $? links_lead_to_files_below_its_root
	rm -r "root/${dir#/}"
	# a filter of system calls, as of older container runtimes: without openat2
	"$cc" -O2 -o without_openat2 -x c - <<'C' || exit 1
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (argc < 2 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 99;
	return execv(argv[1], argv + 1);
}
C
	code=0
	./without_openat2 "$ktap" -l uprobe:/marked:alphabet -p $sleeper >out 2>err || code=$?
	if [ "$code" = 99 ]; then
		skip paths_of_a_process_without_openat2 "no filters of system calls"
	else
		lists paths_of_a_process_without_openat2 'uprobe:/marked:alphabet\n'
	fi
	mkdir root/etc
	mkfifo root/etc/ld.so.cache
	list "uprobe:libnothing:f" -p $sleeper
	lists_not a_pipe_for_a_cache_of_libraries_does_not_stop_us \
		"no library and no program is called 'libnothing'; write its path"
	rm root/etc/ld.so.cache
	# of N paths of a library only the last one is there
	"$cc" -O2 -o cache -x c - <<'C' || exit 1
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	static const char strings[] = "libmany.so.1\0/none/libmany.so.1\0/real/libmany.so.1";
	uint32_t n = argc == 2 ? atoi(argv[1]) : 0, begin = 48 + 24 * n;
	uint32_t header[7] = { n, sizeof(strings) };

	fwrite("glibc-ld.so.cache1.1", 20, 1, stdout);
	fwrite(header, sizeof(header), 1, stdout);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t entry[6] = { 0, begin, begin + (i + 1 < n ? 13 : 32) };

		fwrite(entry, sizeof(entry), 1, stdout);
	}
	return fwrite(strings, sizeof(strings), 1, stdout) != 1;
}
C
	mkdir root/real
	cp libtest.so.3 root/real/libmany.so.1
	./cache 64 >root/etc/ld.so.cache
	list "uprobe:libmany:twice" -p $sleeper
	lists a_library_by_the_cache_of_a_process 'uprobe:/real/libmany.so.1:twice\n'
	./cache 65 >root/etc/ld.so.cache
	list "uprobe:libmany:twice" -p $sleeper
	lists_not a_cache_with_too_many_paths_is_not_believed \
		"no library and no program is called 'libmany'; write its path"
	# --debuginfo adds to the usual folders, which are those of the process
	if [ -n "$id" ]; then
		mkdir -p "root/usr/lib/${debug%/*}"
		cp stripped root/stripped
		cp "$debug" "root/usr/lib/$debug"
		code=0
		"$dir/bpftrace" -p $sleeper -l uprobe:/stripped:alphabet --debuginfo /nowhere >out 2>err ||
			code=$?
		lists debug_files_where_the_process_has_its_files 'uprobe:/stripped:alphabet\n'
	else
		skip debug_files_where_the_process_has_its_files "no build ids"
	fi
	kill $sleeper
else
	skip debug_files_where_the_process_has_its_files "not root"
	skip paths_of_a_process_with_another_root "not root"
	skip files_outside_of_its_root_are_not_there "not root"
	skip links_lead_not_out_of_its_root "not root"
	skip links_lead_to_files_below_its_root "not root"
	skip paths_of_a_process_without_openat2 "not root"
	skip a_pipe_for_a_cache_of_libraries_does_not_stop_us "not root"
	skip a_library_by_the_cache_of_a_process "not root"
	skip a_cache_with_too_many_paths_is_not_believed "not root"
fi
wait 2>/dev/null

finish
