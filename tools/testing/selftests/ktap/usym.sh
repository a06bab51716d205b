#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Functions of programs by name, and names in user stacks: symbols that ktap finds in ELF
# files.

. "$(dirname "$0")/lib.sh"
needs programs
plan 39

marked=$(readlink -f "$here/marked")
pie=$(readlink -f "$here/marked-pie")
n=200
end='trace_end { print(n) }'

# by name
run -q -e "trace uprobe:$marked:alpha { n[arg0 > 0, probefunc] += 1 } $end" -- "$marked" call alpha $n
out function_is_counted_exactly "true, alpha: $n\n"
run -q -e "trace probe:$pie:alpha { n += 1 s += arg0 } trace_end { print(n, s) }" -- "$pie" call alpha $n
out function_of_a_program_at_any_address "$n\t$((n * (n + 1) / 2))\n"
run -q -e "trace uretprobe:$marked:alphabet { n += 1 s += retval } trace_end { print(n, s) }" -- \
	"$marked" call alphabet $n
out return_has_its_value "$n\t$((3 * n * (n + 1) / 2))\n"
run -q -e "trace probe:$marked:alphabet%return { n += 1 s += arg0 } trace_end { print(n, s) }" -- \
	"$marked" call alphabet $n
out_kept return_has_its_argument "$n\t$((n * (n + 1) / 2))\n"
run -q -e "trace uprobe:$marked:alpha_again { n[probefunc] += 1 } $end" -- "$marked" call alpha $n
out another_name_of_a_function "alpha_again: $n\n"
run -q -e "trace uprobe:$marked:alpha+0 { n += 1 } $end" -- "$marked" call alpha $n
out offset_zero_is_the_function "$n\n"
run -q -e "trace uprobe:$marked:alpha* { n[probefunc] += 1 } $end" -- \
	sh -c "$marked call alpha $n; $marked call alphabet $n"
out pattern_of_functions "alpha: $n\nalphabet: $n\n"
run -q -e "trace uprobe:$here/marked*:alpha { n += 1 } $end" -- sh -c "$marked call alpha $n; $pie call alpha $n"
out pattern_of_paths "$((2 * n))\n"
run -q -e "trace uprobe:$marked:alpha { n += 1 } trace uretprobe:$marked:alpha* { m += 1 } trace_end { print(n, m) }" -- \
	"$marked" call alpha $n
out several_events_of_a_program "$n\t$n\n"
(cd "$here" && "$KTAP" -q -e "trace uprobe:./marked:alpha { n += 1 } $end" -- ./marked call alpha $n) >"$tmp/out" 2>"$tmp/err"
code=$?
out relative_path "$n\n"
PATH=$here:$PATH run -q -e "trace uprobe:marked:alpha { n += 1 } $end" -- marked call alpha $n
out program_of_the_path "$n\n"
run -q -e "kdebug.probe('uprobe:$marked:alpha', function () { n += 1 }) $end" -- "$marked" call alpha $n
out event_in_a_string "$n\n"
run -q -e "trace ('probe:' .. \$1) { n += 1 } trace ('probe:' .. \$1 .. '%return') { m += retval } trace_end { print(n, m) }" \
	"$marked:alpha" -- "$marked" call alpha $n
out event_made_of_an_argument "$n\t$((n * (n + 1)))\n"

# names of the source
if "$KTAP" -l "uprobe:$marked:ns::add" >/dev/null 2>&1; then
	run -q -e "trace uprobe:$marked:ns::add { n[probefunc] += 1 } $end" -- \
		sh -c "$marked call add_int $n; $marked call add_long $n"
	out functions_of_cpp "ns::add(int): $n\nns::add(long): $n\n"
	run -q -e "trace 'uprobe:$marked:ns::add(long)' { n += 1 } $end" -- \
		sh -c "$marked call add_int $n; $marked call add_long $n"
	out one_of_several_functions_of_cpp "$n\n"
	run -q -e "trace uprobe:$marked:core::fmt::write { n[probefunc] += 1 } trace uprobe:$marked:mycrate::* { n[probefunc] += 1 } $end" -- \
		sh -c "$marked call rust_legacy $n; $marked call rust_new $n"
	out functions_of_rust "core::fmt::write: $n\nmycrate::foo: $n\n"
else
	skip functions_of_cpp "built without libiberty"
	skip one_of_several_functions_of_cpp "built without libiberty"
	skip functions_of_rust "built without libiberty"
fi

# a chunk compiled on another machine, without the program
mkdir "$tmp/elsewhere"
"$KTAPC" -e "trace uprobe:$tmp/elsewhere/marked:alpha { n += 1 } $end" -o "$tmp/chunk"
cp "$marked" "$tmp/elsewhere/marked"
run -q "$tmp/chunk" -- "$tmp/elsewhere/marked" call alpha $n
out chunk_is_resolved_where_it_runs "$n\n"

# a process with its own files
mkdir -p "$tmp/root/bin" "$tmp/root/tmp"
cp "$marked" "$tmp/root/bin/inside"
can_wait
chroot "$tmp/root" /bin/inside wait $n <&9 &
inside=$!
is_inside() { [ "$(readlink "/proc/$inside/root")" != / ]; }
wait_until is_inside
start -q -p $inside -e "trace usdt:/bin/inside:demo:guarded { n += 1 } trace uprobe:/bin/inside:fire { m += 1 } trace_end { print(n, m) }"
go_on
wait $inside
stop
out paths_of_a_process_with_another_root "$n\t$n\n"

cp "$marked" "$tmp/lost"
"$tmp/lost" wait $n <&9 &
lost=$!
wait_until grep -q "$tmp/lost" "/proc/$lost/maps"
rm "$tmp/lost"
start -q -p $lost -e "trace usdt:lost:demo:guarded { n += 1 } trace uprobe:lost:fire { m += 1 } trace_end { print(n, m) }"
go_on
wait $lost
stop
out program_whose_file_was_deleted "$n\t$n\n"
if unshare -m true 2>/dev/null; then
	mkdir "$tmp/hidden"
	# shellcheck disable=SC2016 # the shell inside expands it
	unshare -m sh -c 'mount -t tmpfs hidden "$1" && cp "$2" "$1/inside" && exec "$1/inside" wait "$3"' \
		sh "$tmp/hidden" "$marked" $n <&9 &
	inside=$!
	wait_until grep -q hidden/inside "/proc/$inside/maps"
	start -q -p $inside -e "trace usdt:$tmp/hidden/inside:demo:guarded { n += 1 } trace uprobe:inside:fire { m[ustack(1)] += 1 }
trace_end { print(n) print(m) }"
	go_on
	wait $inside
	stop
	frame='fire\+0x0 \(inside\)'
	has user_files || frame='0x[0-9a-f]+'
	grep -qx "$n" "$tmp/out" && matches "$tmp/out" "^ *$frame: $n\$"
	result $? program_in_a_mount_namespace
	[ ! -e "$tmp/hidden/inside" ]
	result $? namespace_was_another
else
	skip program_in_a_mount_namespace "no mount namespaces"
	skip namespace_was_another "no mount namespaces"
fi

# errors have the position in the script
refused() {
	run -q -e "$(printf '\ntrace %s { n += 1 }' "$2")" -- true
	[ "$code" = 2 ] && matches "$tmp/err" "$3"
	result $? "$1"
}
refused no_such_function "uprobe:$marked:alhpa" "^-e:2:7: error: $marked has no function 'alhpa'; did you mean 'alpha'\?"
refused no_such_file uprobe:/no/such:f "^-e:2:7: error: no file '/no/such'"
refused no_elf_file "uprobe:$here/lib.sh:f" "^-e:2:7: error: $here/lib.sh is not an ELF file"
refused no_function_matches "uprobe:$marked:xyz*" "^-e:2:7: error: .* no function that matches 'xyz\*'"
refused after_the_function "uprobe:$marked:alpha+100000" "^-e:2:7: error: .*'alpha' has [0-9]+ bytes only"
run -q -e "try { kdebug.probe('uprobe:$marked:alhpa', function () { }) } catch (e) { print('caught') } exit(0)"
out unknown_event_can_be_caught 'caught\n'

# names in stacks
if has user_files; then
	called='inner middle outer do_stack'
	has user_callers || called='inner outer do_stack'
	# the caller of the caller is what it lacks
	[ "$(uname -m)" != riscv64 ] || called='inner middle do_stack'
	# names PROGRAM COUNT FUNCTION...
	names() {
		program=$1 times=$2
		shift 2
		printf '%s\n' "$@" | sed "s/\$/ ($program)/; \$s/\$/: $times/"
	}
	depth=$(echo $called main | wc -w)
	run -q -e "trace uprobe:$marked:inner { s[ustack($depth)] += 1 } trace_end { print(s) }" -- "$marked" stack $n
	sed 's/+0x[0-9a-f]*//; s/^ *//' "$tmp/out" | sed '/^$/d' >"$tmp/names"
	names marked $n $called main | cmp -s - "$tmp/names"
	result $? stack_has_names
	run -q -e "trace uprobe:$pie:inner { s[ustack($((depth - 1)))] += 1 } trace_end { print(len(s)) print(s) }" -- \
		sh -c "$pie stack $n; $pie stack $n"
	sed -n '1d; s/+0x[0-9a-f]*//; s/^ *//p' "$tmp/out" | sed '/^$/d' >"$tmp/names"
	[ "$(head -n 1 "$tmp/out")" = 1 ] &&
		names marked-pie $((2 * n)) $called | cmp -s - "$tmp/names"
	result $? stacks_of_two_runs_are_one
	run -q -e "trace uprobe:$marked:inner { print(ustack(2)) }" -- "$marked" stack 3
	[ "$(grep -c '^ *inner+0x0 (marked)$' "$tmp/out")" = 3 ] &&
		[ "$(grep -Ec "^ *$(echo $called | cut -d ' ' -f 2)\+0x[1-9a-f][0-9a-f]* \(marked\)$" "$tmp/out")" = 3 ]
	result $? stack_begins_where_the_event_is
	run -q -e "trace uretprobe:$marked:inner { print(ustack(1)) }" -- "$marked" stack 1
	matches "$tmp/out" '^ *middle\+0x[1-9a-f][0-9a-f]* \(marked\)$'
	result $? stack_of_a_return
	run -q --no-symbols -e "trace uprobe:$marked:inner { print(ustack(1)) }" -- "$marked" stack 1
	out names_can_be_left_out "        $marked+$("$marked" where inner)\n"
	run -q --lines -e "trace uprobe:$marked:inner { print(ustack(1)) }" -- "$marked" stack 1
	if grep -q 'built without libdw' "$tmp/err"; then
		skip frames_have_lines "built without libdw"
		skip line_of_a_source_file "built without libdw"
		skip arguments_have_the_names_of_the_source "built without libdw"
	else
		# the line that is shown is an event, too
		matches "$tmp/out" '^ *inner\+0x0 \(marked\) at .*/marked\.c:[1-9][0-9]*$'
		result $? frames_have_lines
		line=$(sed -n 's/.*marked\.c:\([0-9]*\)$/\1/p' "$tmp/out")
		run -q -e "trace uprobe:$marked@marked.c:$line { n[probefunc] += 1 } $end" -- \
			"$marked" stack $n
		matches "$tmp/out" "^inner: $n\$"
		result $? line_of_a_source_file
		run -q -e "trace uprobe:$marked:alpha { n += args.n } trace uretprobe:$marked:alpha { m += args.n }
trace_end { print(n, m) }" -- "$marked" call alpha $n
		out arguments_have_the_names_of_the_source "$((n * (n + 1) / 2))\t$((n * (n + 1) / 2))\n"
	fi
else
	for name in stack_has_names stacks_of_two_runs_are_one stack_begins_where_the_event_is \
		stack_of_a_return names_can_be_left_out frames_have_lines line_of_a_source_file arguments_have_the_names_of_the_source; do
		skip $name "without CONFIG_PER_VMA_LOCK addresses get no names"
	done
fi
run -q -e "trace uprobe:$marked:alpha { n[usym(arg0)] += 1 }" -- "$marked" call alpha 1
[ "$code" = 0 ]
result $? address_without_code
cp "$marked" "$tmp/gone"
start -q -e "trace uprobe:$tmp/gone:inner { print(ustack(2)) }"
"$tmp/gone" stack 1
rm "$tmp/gone"
stop
[ "$code" = 0 ] && [ "$(wc -l <"$tmp/out")" = 2 ] && ! grep -q "$(printf '\036')" "$tmp/out"
result $? file_that_is_deleted_before
if [ "$(uname -m)" = x86_64 ]; then
	run -q -e 'trace profile-1ms /execname == "marked"/ { s[ustack(1)] += 1 } trace_end { print(s) }' -- "$marked" jit 1000
	matches "$tmp/out" '^ *hot_loop\+0x[0-9a-f]+ \(perf-[0-9]+\.map\): [0-9]+$'
	result $? compiled_code_has_names
	rm -f /tmp/perf-*.map
else
	skip compiled_code_has_names "written for x86"
fi

no_complaints kernel_did_not_complain
finish
