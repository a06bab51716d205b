#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: see lab/bpftrace-tests. Prints a line for each test: @test, its number,
# the exit code (or timeout, skipped), and what its command printed, in base64.

cd /bt || exit 1
sessions=/sys/kernel/tracing/ktap/sessions
mkdir -p /bt/bin
PATH=/bt/bin:$PATH
export PATH

# ktap with the options of bpftrace. Those that only bpftrace's own tests need are left out.
cat >/bt/bin/bpftrace <<'END'
#!/bin/sh
script='' command='' list='' named='' probes='' n=$#
while [ "$n" -gt 0 ]; do
	word=$1
	shift
	n=$((n - 1))
	case $named$word in
	-e | -ve | -c | --cmd | -p | --pid | -f | -o | --output | -B | --include | -I | --probe-filter)
		value=$1
		shift
		n=$((n - 1))
		;;
	esac
	case $named$word in
	-e) script=$value ;;
	-ve) script=$value options="$options -v" ;;
	-c | --cmd) command=$value ;;
	-l | --list) list=1 ;;
	-lv) list=1 options="$options -v" ;;
	-p | --pid) options="$options -p $value" ;;
	-f) options="$options -f $value" ;;
	-o | --output) options="$options -o $value" ;;
	-q | -v | --unsafe | --dry-run) options="$options $word" ;;
	--probe-filter) probes=$value ;;
	--no-warnings) options="$options -w" ;;
	-B | --usdt-file-activation | --verify-llvm-ir | -k | -kk) ;;
	--include | -I) ;;
	--) named=named ;;
	-?*)
		echo "-e:1:1: ktap has no option $word of bpftrace" >&2
		exit 64
		;;
	# the script and its arguments, in their order
	*) set -- "$@" "$word" ;;
	esac
done
if [ "$list" ]; then
	if [ "$script" ]; then
		echo "$script" >/tmp/list.bt
		set -- /tmp/list.bt
	fi
	[ $# -gt 0 ] || set -- '*:*'
	exec /bt/lib/bpftrace --bt $options -l "$@"
fi
# After -e, --help is the help of ktap, and after a file that of the script.
case $named$* in
named*--help*)
	echo "$script" >/tmp/script.bt
	set -- /tmp/script.bt "$@"
	;;
*)
	[ -z "$script" ] || set -- -e "$script" "$@"
	;;
esac
if [ $# -gt 0 ]; then
	[ -z "$probes" ] || set -- --probe-filter "$probes" "$@"
	set -- --bt $options "$@"
fi
[ -z "$command" ] || set -- "$@" -- $command
exec /bt/lib/bpftrace "$@"
END
chmod +x /bt/bin/bpftrace
# Tests look for a process with this name.
mkdir -p /bt/lib
cp "$(command -v ktap)" /bt/lib/bpftrace

one() {
	dir=/bt/tests/$1
	limit=$(cat "$dir/timeout")
	if [ -e "$dir/requires" ] && ! timeout 5 sh "$dir/requires" >/dev/null 2>&1; then
		echo "@test $1 skipped"
		return
	fi
	[ ! -e "$dir/setup" ] || timeout 10 sh "$dir/setup" >/dev/null 2>&1
	befores=''
	for before in "$dir"/before.*; do
		[ -e "$before" ] || continue
		# shellcheck disable=SC2046
		setsid $(cat "$before") >/dev/null 2>&1 &
		befores="$befores $!"
	done
	[ -z "$befores" ] || sleep 0.3
	command=$(cat "$dir/command")
	if [ "$befores" ]; then
		name=$(awk '{ print $NF }' "$dir/before.0")
		pid=$(pidof "$(basename "$name")" | awk '{ print $1 }')
		command=$(printf '%s' "$command" | sed "s/{{BEFORE_PID}}/$pid/g")
	fi
	[ ! -e "$dir/env" ] || command="$(cat "$dir/env"); $command"
	# the session of the last test may not have ended
	running=$(grep -c ' running ' $sessions)
	timeout -k 2 -s TERM "$limit" sh -c "$command" >/tmp/out 2>&1 </dev/null &
	job=$!
	after=''
	if [ -e "$dir/after" ]; then
		n=0
		while [ $n -lt 40 ] && kill -0 $job 2>/dev/null &&
			[ "$(grep -c ' running ' $sessions)" -le "$running" ]; do
			sleep 0.05
			n=$((n + 1))
		done
		setsid sh "$dir/after" >/dev/null 2>&1 &
		after=$!
	fi
	wait $job
	status=$?
	[ $status != 143 ] && [ $status != 137 ] || status=timeout
	for pid in $befores $after; do
		kill -9 -"$pid" 2>/dev/null || kill -9 "$pid" 2>/dev/null
	done
	[ ! -e "$dir/cleanup" ] || timeout 10 sh "$dir/cleanup" >/dev/null 2>&1
	echo "@test $1 $status $(head -c 60000 /tmp/out | base64 | tr -d '\n')"
}

for dir in /bt/tests/*; do
	one "${dir##*/}"
done
