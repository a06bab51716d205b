#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the completion of command lines: which words it offers, and how the shells insert
# them. The lists of events are invented.
#
#	tests/completion.sh KTAP MADE

ktap=${1:?usage: completion.sh KTAP MADE}
made=${2:?usage: completion.sh KTAP MADE}
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$dir/tracefs/events/sched/sched_switch" "$dir/tracefs/ktap" "$dir/library" "$dir/bin" "$dir/folder" "$dir/home"
cat >"$dir/tracefs/available_events" <<'LIST'
sched:sched_switch
sched:sched_wakeup
syscalls:sys_enter_read
LIST
cat >"$dir/tracefs/available_filter_functions" <<'LIST'
vfs_read
vfs_write
__probestub_sched_switch
ext4_open [ext4]
LIST
cat >"$dir/tracefs/events/sched/sched_switch/format" <<'LIST'
name: sched_switch
ID: 316
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:__data_loc char[] file;	offset:28;	size:4;	signed:0;
LIST
cp -R "$here/scripts" "$dir/library/tools"
mv "$dir/library/tools/lib" "$dir/library"
# count the calls
cat >"$dir/bin/ktap" <<END
#!/bin/sh
echo "\$*" >>"$dir/calls"
exec "$ktap" "\$@"
END
chmod +x "$dir/bin/ktap"
export KTAP_TRACEFS="$dir/tracefs" KTAP_LIBRARY="$dir/library" PATH="$dir/bin:$PATH" HOME="$dir/home"
for file in complete ktap.bash ktap.zsh ktap.fish; do
	awk -v library="$dir/library" -f "$here/generate/fill.awk" "$made/words.txt" \
		"$here/completion/$file.in" >"$dir/library/$file" || exit
done
cd "$dir/folder" || exit

ask() {
	code=0
	: >"$dir/calls"
	sh "$dir/library/complete" "$@" >"$dir/lines" 2>"$dir/err" </dev/null || code=$?
	cut -f 1 "$dir/lines" >"$dir/out"
}

# quietly NAME STATUS: the last answer was as expected, took at most one call of ktap, and
# has no message
quietly() {
	[ "$2" = 0 ] && [ "$code" = 0 ] && [ ! -s "$dir/err" ] && [ "$(wc -l <"$dir/calls")" -le 1 ]
	result $? "$1"
}

# offers NAME LINES WORD...: these words are offered for the last one, and no others
offers() {
	name=$1
	printf %b "$2" >"$dir/wanted"
	shift 2
	ask "$@"
	cmp -s "$dir/wanted" "$dir/out"
	quietly "$name" $?
}

for program in ktap ktapc; do
	"$(dirname "$ktap")/$program" -h | grep -o '^ *-.*[^ ]   *' | grep -o -- '--*[A-Za-z-]*=*' |
		sort >"$dir/wanted"
	ask "$program" -
	sort "$dir/out" | cmp -s - "$dir/wanted"
	quietly "options_of_the_help_of_$program" $?
done
grep -q "^--dump	print the instructions" "$dir/lines"
result $? options_have_their_help
offers an_option_by_its_beginning '--max-overhead\n' ktap --ma
offers a_value_in_the_same_word ':files --output=\n' ktapc --output=x
offers words_to_explain 'lockdown\nlosses\n' ktap --explain lo
offers formats 'json\n' ktap -f j
mkdir -p "$dir/cgroup/system.slice/ssh.service" "$dir/cgroup/user.slice"
: >"$dir/cgroup/cgroup.procs"
export KTAP_CGROUPFS="$dir/cgroup"
offers cgroups '/system.slice\n/system.slice/ssh.service\n' ktap --cgroup /sys
ask ktap --comm "$(cut -c 1-2 /proc/$$/comm)"
grep -qxF "$(cat /proc/$$/comm)" "$dir/out"
result $? names_of_threads
offers when_to_use_colours 'auto\nalways\n' ktap --color a
offers when_to_use_colours_in_the_same_word '--color=never\n' ktap --color=n
offers files_for_an_option ':files \n' ktap -o ''
offers folders_for_an_option ':folders \n' ktapc -I ''
offers nothing_for_a_size '' ktap -m ''
ask ktap -p ''
grep -qx "$$	.*" "$dir/lines" && grep -qx 1 "$dir/out"
quietly processes $?

offers a_system 'sched:\n' ktap -l sch
offers events_of_a_system 'sched:sched_switch\nsched:sched_wakeup\n' ktap -l sched:
offers an_event 'sched:sched_wakeup\n' ktap -l sched:sched_w
offers a_system_after_tp 'tp:sched:\n' ktap -l tp:sch
offers an_event_after_tp 'tp:sched:sched_wakeup\n' ktap -l tp:sched:sched_w
offers functions 'probe:vfs_read\nprobe:vfs_write\n' ktap -l probe:vfs_
offers functions_by_another_name 'kretprobe:vfs_read\n' ktap -l kretprobe:vfs_r
offers functions_of_a_module 'probe:ext4:ext4_open\n' ktap -l probe:ext4:
offers raw_tracepoints 'rawtp:sched_switch\n' ktap -l rawtp:s
echo 'sources: tracepoint packet' >"$dir/tracefs/ktap/features"
offers packets 'packet:out\n' ktap -l packet:o
offers no_list_of_all_functions '' ktap -l probe:
offers nothing_after_a_pattern '' ktap -l 'sched:*'
offers files_with_functions ':files uprobe:\n' ktap -l uprobe:/bin/ba
ask ktap -l ''
grep -qx probe: "$dir/out" && grep -qx syscalls: "$dir/out" && grep -qx tick-1s "$dir/out"
quietly all_kinds_of_events $?

offers an_event_in_a_script 'trace sched:sched_switch\n' ktap -e 'trace sched:sched_s'
offers a_second_event 'n = 1 trace a:b, sched:\n' ktapc -e 'n = 1 trace a:b, sch'
offers a_field 'trace sched:sched_switch { print(args.prev_comm\ntrace sched:sched_switch { print(args.prev_pid\n' \
	ktap -e 'trace sched:sched_switch { print(args.pr'
offers a_field_of_a_pattern 'trace sched:*switch { n[args.file\n' ktap -e 'trace sched:*switch { n[args.f'
offers words_in_a_predicate 'trace sched:sched_switch /execname\n' ktap -e 'trace sched:sched_switch /exec'
offers words_in_a_handler 'trace a:b { print_hist\n' ktap -e 'trace a:b { print_h'
offers no_field_of_an_unknown_event '' ktap -e 'trace no:event { args.'

offers a_tool 'opensnoop\n:files \n' ktap opens
ask ktap ''
grep -qx "opensnoop	Which files are opened, by which process, and the result." "$dir/lines"
quietly tools_with_their_purpose $?
offers options_of_a_tool '--file=\n--failed\n' ktap opensnoop --f
cp "$here/scripts/syscount.kp" "$dir/folder/mine.kp"
ask ktap ./mine.kp --p
grep -qx -- --pid= "$dir/out"
quietly options_of_a_script $?
offers functions_for_a_tool 'vfs_read\nvfs_write\n' ktap funclatency vfs_
offers events_for_a_tool 'sched:sched_wakeup\n' ktap stackcount sched:sched_w
offers files_for_a_script ':files \n' ktap opensnoop x
offers a_command ':command 5\n' ktap -m 1M opensnoop -- ls -
offers files_for_ktapc ':files \n' ktapc -w ''

KTAP_TRACEFS=$dir/nowhere
offers nothing_without_tracefs '' ktap -l sched:
offers no_field_without_tracefs '' ktap -e 'trace sched:sched_switch { args.'
KTAP_TRACEFS=$dir/tracefs
chmod 755 "$dir"
mkdir "$dir/user"
cp "$ktap" "$dir/user/ktap"
user=
[ "$(id -u)" != 0 ] || user='setpriv --reuid 12345 --clear-groups'
# shellcheck disable=SC2086 # words
if [ "$user" ] && $user true 2>/dev/null; then
	chmod 700 "$dir/tracefs" "$dir/library/tools/opensnoop.kp"
	$user env PATH="$dir/user:$PATH" sh "$dir/library/complete" ktap -l sched: >"$dir/out" 2>"$dir/err"
	[ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
	result $? nothing_of_what_only_root_may_read
	$user env PATH="$dir/user:$PATH" sh "$dir/library/complete" ktap o >"$dir/out" 2>"$dir/err"
	grep -q '^offcputime' "$dir/out" && ! grep -q opensnoop "$dir/out" && [ ! -s "$dir/err" ]
	result $? no_tool_that_only_root_may_read
	chmod 755 "$dir/tracefs" "$dir/library/tools/opensnoop.kp"
else
	skip nothing_of_what_only_root_may_read "it takes root and setpriv"
	skip no_tool_that_only_root_may_read "it takes root and setpriv"
fi

# in_bash LINE WORD...: bash has split the line into these words
in_bash() {
	bash --norc -c '
		source "$KTAP_LIBRARY/ktap.bash"
		complete -p ktap ktapc >/dev/null || exit
		compopt() { [[ $2 = filenames ]] || echo "$2"; }
		COMP_LINE=$1 COMP_POINT=${#1}
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_ktap
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@" 2>"$dir/err" | LC_ALL=C sort >"$dir/out"
}

# bash_adds NAME OUTPUT LINE WORD...
bash_adds() {
	name=$1
	printf %b "$2" >"$dir/wanted"
	shift 2
	in_bash "$@"
	cmp -s "$dir/wanted" "$dir/out" && [ ! -s "$dir/err" ]
	result $? "$name"
}

mkdir -p "$dir/folder/a folder"
: >"$dir/folder/a file"
if command -v bash >/dev/null; then
	bash_adds bash_adds_an_option '--follow\n' 'ktap --foll' ktap --foll
	bash_adds bash_splits_an_event 'sched_wakeup\n' 'ktap -l sched:sched_w' ktap -l sched : sched_w
	bash_adds bash_ends_in_a_colon 'sched_switch\nsched_wakeup\n' 'ktap -l sched:' ktap -l sched :
	bash_adds bash_adds_no_blank_to_a_system 'nospace\nsched:\n' 'ktap -l sc' ktap -l sc
	bash_adds bash_completes_a_quoted_script 'nospace\ntrace sched:sched_switch\n' \
		"ktap -e 'trace sched:sched_s" ktap -e "'trace sched:sched_s"
	bash_adds bash_completes_files_of_values 'a file\na folder/\nnospace\n' 'ktapc --output=a' \
		ktapc --output = a
	bash_adds bash_adds_folders 'a folder\n' 'ktap -I a' ktap -I a
	bash_adds bash_knows_the_options_of_a_tool '--failed\n' 'ktap opensnoop --fa' ktap opensnoop --fa
	in_bash 'ktap opensnoop -- prin' ktap opensnoop -- prin && grep -qx printf "$dir/out" && [ ! -s "$dir/err" ]
	result $? bash_completes_commands
else
	skip bash "there is no bash"
fi

# zsh_adds NAME OUTPUT PREFIX WORD...: with the builtins of completion replaced
zsh_adds() {
	name=$1
	printf %b "$2" >"$dir/wanted"
	shift 2
	zsh -f -c '
		compadd() { local n=$@[-1]; (( ${#${(P)n}} )) && print -rl -- "${(@P)n}"; }
		compset() { print -r -- "compset $*"; }
		_files() { print -r -- "files $*"; }
		_normal() { print -r -- "command $words[*], $CURRENT"; }
		typeset -A compstate
		PREFIX=$1
		shift
		words=("$@") CURRENT=$#
		[[ $words[CURRENT] != \"* ]] || compstate[quote]=\"
		source $KTAP_LIBRARY/ktap.zsh' zsh "$@" >"$dir/out" 2>"$dir/err"
	cmp -s "$dir/wanted" "$dir/out" && [ ! -s "$dir/err" ]
	result $? "$name"
}

if command -v zsh >/dev/null; then
	zsh_adds zsh_adds_an_option '--follow\n' --foll ktap --foll
	zsh_adds zsh_adds_an_event 'sched:sched_wakeup\n' sched:sched_w ktap -l sched:sched_w
	zsh_adds zsh_completes_a_quoted_script 'trace sched:sched_switch\n' 'trace sched:sched_s' \
		ktap -e '"trace sched:sched_s'
	zsh_adds zsh_completes_files_of_values 'compset -P --output=\nfiles \n' --output=a ktapc --output=a
	zsh_adds zsh_adds_folders 'compset -P \nfiles -/\n' a ktap -I a
	zsh_adds zsh_knows_the_options_of_a_tool '--file=\n--failed\n' --f ktap opensnoop --f
	zsh_adds zsh_completes_commands 'command ls -l, 2\n' -l ktap opensnoop -- ls -l
else
	skip zsh "there is no zsh"
fi

# fish_adds NAME OUTPUT LINE
fish_adds() {
	printf %b "$2" >"$dir/wanted"
	fish --no-config -c 'source $KTAP_LIBRARY/ktap.fish; complete -C $argv[1]' "$3" >"$dir/lines" 2>"$dir/err"
	cut -f 1 "$dir/lines" >"$dir/out"
	cmp -s "$dir/wanted" "$dir/out" && [ ! -s "$dir/err" ]
	result $? "$1"
}

if command -v fish >/dev/null && fish --no-config -c true 2>/dev/null; then
	fish_adds fish_adds_an_option '--follow\n' 'ktap --foll'
	fish_adds fish_adds_an_event 'sched:sched_wakeup\n' 'ktap -l sched:sched_w'
	fish_adds fish_completes_a_quoted_script 'trace sched:sched_switch\n' "ktap -e 'trace sched:sched_s"
	fish_adds fish_completes_files_of_values '--output=mine.kp\n' 'ktapc --output=mi'
	fish_adds fish_knows_the_options_of_a_tool '--failed\n--file=\n' 'ktap opensnoop --f'
	fish_adds fish_completes_commands '/usr/\n' 'ktap opensnoop -- ls /us'
else
	skip fish "there is no fish"
fi

finish
