# SPDX-License-Identifier: GPL-2.0
# A part of lab/selftest: lab/check, lab/check-arch and lab/coverage
# shellcheck shell=bash disable=SC2016,SC2034,SC2154,SC2317 # as lab/selftest; its variables
# --- lab/check, lab/check-arch and lab/coverage, on a small tree whose steps only say that they ran
repo=$tmp/checked
mkdir -p "$repo"/{lab/configs,tools/ktap/tests,tools/testing/ktap,tools/testing/selftests/ktap}
cp "$top"/lab/{lib.sh,steps.sh,check,check-arch,coverage} "$repo/lab/"
for stub in lab/{boot,build,run,kunit,cost,size,oops,panic,vmcore,selftest,style,ftrace,packages,fuzz-guest} tools/ktap/tests/tarball.sh; do
	printf '#!/bin/sh\necho "%s $*" >>"$RAN"\necho "${SAYS:-1 passed, 0 failed}"\n' "${stub#lab/}" >"$repo/$stub"
	chmod +x "$repo/$stub"
done
# it has nothing to say, and is no step
printf '#!/bin/sh\n' >"$repo/lab/promtool"
chmod +x "$repo/lab/promtool"
printf 'check fuzz:\n\t@echo "make $@" >>"$$RAN"\n' | tee "$repo/tools/ktap/Makefile" >"$repo/tools/testing/ktap/Makefile"
for config in big little; do echo "# machine: $config" >"$repo/lab/configs/$config.config"; done
# lab/compile has two ways
cat >"$repo/lab/compile" <<'EOT'
#!/bin/sh
case $1 in
--list) printf '%s\n' gcc clang ;;
*) echo "compile $*" >>"$RAN"; echo "${SAYS:-1 passed, 0 failed}" ;;
esac
EOT
chmod +x "$repo/lab/compile"
echo CONFIG_KTAP=y >"$repo/lab/configs/default.config"
printf 'all="one portable"\nall="$all two three"\n' >"$repo/tools/testing/selftests/ktap/run_all.sh"
echo /build >"$repo/.gitignore"
git -C "$repo" init -q
git -C "$repo" add .
commit_checked() { git -C "$repo" -c user.name=lab -c user.email=lab@example.org commit -q --allow-empty -m "$1"; }
commit_checked one

# checked STATUS OPTION...: run its lab/check, or the program $check, and compare the status
checked() {
	local want=$1 rc=0
	shift
	: >"$tmp/ran"
	env -u BASE -u KSRC -u KTAP_BUILD RAN="$tmp/ran" "$repo/lab/${check:-check}" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	echo "status $rc, expected $want"
	[ "$rc" = "$want" ]
}
has_run() { grep -qF -- "$1" "$tmp/ran" || { cat "$tmp/ran"; return 1; }; }
sum_of_last() { tail -n 1 "$tmp/out"; }
ok "every step is run" checked 0
ok "that of KUnit on btf, too" grep -qx 'kunit --config btf' "$tmp/ran"
ok "with barriers" grep -qx 'kunit --config btf --fenced' "$tmp/ran"
ok "once more, interpreted" grep -qx 'kunit --config btf --interpreted' "$tmp/ran"
sum_of_last >"$tmp/sum"
ok "and counted" grep -qx '[1-9][0-9]* passed, 0 failed, 0 skipped' "$tmp/sum"
ok "lab/check --resume runs nothing that has passed" checked 0 --resume
ok "nor builds what nothing boots" cmp "$tmp/ran" /dev/null
ok "its sum has all steps but the builds" grep -qx "$(awk '{ print $1 - 2 }' "$tmp/sum") passed, 0 failed, 0 skipped" "$tmp/out"
ok "lab/check --config NAME runs KUnit and the selftests there" checked 0 --config default
ran_only() { ! grep -vE "$1" "$tmp/ran"; }
ok "and nothing else" ran_only '^(build|kunit|run) --config default'
ok "a configuration that is not there is refused" checked 1 --config vax
ok "with those that are" err_has 'there are: big default little'
ok "--all excludes --config" checked 2 --all --config default
ok "--compile excludes --config" checked 2 --compile --config default
ok "lab/check --compile compiles in each way" checked 0 --compile
ok "and does nothing else" bash -c 'printf "compile %s\n" gcc clang | cmp - "$1"' - "$tmp/ran"
SAYS='0 passed, 1 failed' ok "a way that fails is its status" checked 1 --compile
SAYS='0 passed, 0 failed, 1 skipped' ok "a way that is skipped has not failed" checked 0 --compile
ok "nor passed" grep -qx '0 passed, 0 failed, 2 skipped' "$tmp/out"
ok "and is run again" checked 0 --compile --resume
ok "once it passes" grep -qx '2 passed, 0 failed, 0 skipped' "$tmp/out"
ok "when the minutes are over, no step begins" checked 0 --minutes 0
ok "none" cmp "$tmp/ran" /dev/null
ok "all are named" bash -c 'sed -n "/^left out, because 0 minutes/,/^$/p" "$1" | grep -qx "  KUnit on btf"' - "$tmp/out"
ok "and counted as skipped" grep -qx '0 passed, 0 failed, [1-9][0-9]* skipped' "$tmp/out"
# kernel_after SECONDS: build one when these of 120 are over
kernel_after() (
	. "$top/lab/steps.sh"
	logs=$tmp/late resume='' minutes=2 began=$((SECONDS - $1))
	mkdir -p "$logs"
	: >"$logs/left-out"
	step() { echo "built $2 $3 $4"; }
	kernel big 'KUnit on big'
)
left_out_are() { diff "$tmp/late/left-out" <(printf '%s' "$1"); }
ok "before half of them is over a kernel is built" bash -c '[ "$1" = "built lab/build --config big" ]' - "$(kernel_after 50)"
ok "and nothing left out" left_out_are ''
ok "afterwards it is not" bash -c '! grep -q built <<<"$1"' - "$(kernel_after 70)"
ok "nor is what boots it run" left_out_are $'build big\nKUnit on big\n'
ok "minutes are a number" checked 1 --minutes soon
ok "which the user is told" err_has "--minutes 'soon': not a number"
ok "a step that was left out is run later" checked 0 --resume --minutes 60
ok "with the time that its selftests have" has_run '-- KTAP_SECONDS='
SAYS='1 passed, 2 failed' ok "a step that fails is shown" checked 1
SAYS=$'not ok 3 one_of_many\n# expected 1\n1 passed, 1 failed' ok "a test that fails, too" checked 1
names_a_test() { tail -n 12 "$1" | grep -A 2 '^failed: ' | grep -qx '  not ok 3 one_of_many'; }
ok "again at the end, by the name of its step" names_a_test "$tmp/out"
says=$(printf 'lab/run: the kernel complained (...)\nWARNING: found early\n'
	seq -f '    ok %g case' 200
	seq 200
	echo 1 passed, 2 failed)
SAYS=$says ok "so does one whose kernel complains" checked 1
ok "with the complaint, however early it was" grep -qx 'WARNING: found early' "$tmp/out"
ok "and without what has passed" bash -c '! grep -q "ok 200 case" "$1"' - "$tmp/out"
ok "a failed step is run again" checked 0 --resume
ok "with the kernel that it boots" has_run 'build --config btf'
ok "steps of --all come on top" checked 1 --all --resume
ok "only these are run" bash -c '! grep -qx "cost --config btf" "$1" && grep -q "kunit --config rt" "$1"' - "$tmp/ran"

table_is() { sed -n '/^machine/,$p' "$tmp/out" | diff - <(printf '%s\n' "$@"); }
head_of_table='machine   tool          build         KUnit         chunks        selftests    (passed/failed/skipped)'
big='big       1/0/0         1/0/0         2/0/0         1/0/0         2/0/0'
check=check-arch ok "lab/check-arch tests every machine" checked 0
ok "and prints a table" table_is "$head_of_table" "$big" "little${big#big   }" '' '14 passed, 0 failed, 0 skipped'
ok "the chunks are a suite of their own" has_run '/ktap/selftests/run_all.sh portable'
ok "the selftests run in parts" has_run '/ktap/selftests/run_all.sh two three'
ok "without the chunks" grep -q 'run_all.sh one$' "$tmp/ran"
ok "the tool is built by itself" has_run 'build --config little --tool'
check=check-arch ok "with --resume it runs nothing that has passed" checked 0 --resume
ok "nor builds what nothing boots" cmp "$tmp/ran" /dev/null
check=check-arch SAYS='1 passed, 2 failed, 3 skipped' ok "what fails is its status" checked 1 --tests 'portable three' big
ok "and stands in the table, without suites that need the kernel if that does not build" \
	table_is "$head_of_table" 'big       1/2/3         1/2/3         -             -             -' \
	'' 'failed: tool for big' 'failed: build big' '' '2 passed, 4 failed, 6 skipped'
check=check-arch ok "only the machines and tests that were named are run" checked 0 --tests 'portable three' big
ok "each of them once" table_is "$head_of_table" "${big%2/0/0}1/0/0" '' '6 passed, 0 failed, 0 skipped'
check=check-arch ok "a machine that does not exist is refused" checked 2 default
ok "with those that do" err_has "'default' is not another machine; there are: big little"

mkdir -p "$repo/Documentation/trace"
echo more >"$repo/README.md"
printf '.. begin lab/coverage\nnumbers\n.. end lab/coverage\n' >"$repo/Documentation/trace/ktap-testing.rst"
git -C "$repo" add .
commit_checked records
ok "a commit of recorded results needs no guest" checked 0 --resume
ok "but tests that may read them" has_run 'make check'
ok "only these" bash -c '! grep -E "^(kunit|run) " "$1"' - "$tmp/ran"
ok "results are recorded" bash -c '"$1/lab/coverage" --record "$1/build/check" >/dev/null' - "$repo"
rm -r "$repo/build"
git -C "$repo" add .
commit_checked recorded
ok "another machine goes on from there" checked 0 --resume
ok "with what is not recorded of guests" bash -c '! grep -E "^(kunit|run) " "$1"' - "$tmp/ran"
ok "all of it is counted" grep -q 'KUnit on btf, interpreted' "$tmp/out"
echo 'a listing' >>"$repo/Documentation/trace/ktap-testing.rst"
git -C "$repo" add .
commit_checked two
ok "a commit of other files, also of a document, has passed nothing" checked 0 --resume
ok "so all is run" has_run 'kunit --config btf'
SAYS=$'# left out: two\n1 passed, 0 failed, 1 skipped' ok "selftests that are left out are no failure" checked 0
ok "they are named" bash -c 'sed -n "/^left out, /,/^$/p" "$1" | grep -qx "  two, of selftests on btf"' - "$tmp/out"
ok "and run later" checked 0 --resume
ok "with the others of their step" has_run 'run --config btf'
echo changed >"$repo/lab/build"
ok "--resume wants a work tree without changes" checked 1 --resume
ok "and says so" err_has 'without changes in the work tree'
ok "an option that does not exist is refused" checked 2 --some

mkdir "$tmp/logs"
printf '%s\n' '# 0123, Linux 7.2, 2026-01-02T03:04Z' '# one' 'ok 1 a' 'ok 2 b # SKIP why' '# two' 'not ok 1 c' \
	>"$tmp/logs/selftests-on-rt.log"
printf '%s\n' '# one' 'ok 1 a' '# three' '1..0 # SKIP no' >"$tmp/logs/selftests-on-default.log"
coverage_is_right() {
	"$repo/lab/coverage" "$tmp/logs" | diff - <(cat <<-EOT
		selftest  default  rt
		one       1        1+1
		portable  -        -
		two       -        FAILED 1
		three     0+1      -

		selftests-on-default: unknown commit
		selftests-on-rt: 0123, Linux 7.2, 2026-01-02T03:04Z

		4 holes: portable on default, two on default, portable on rt, three on rt
	EOT
	)
}
ok "lab/coverage shows what has run where, and what has not" coverage_is_right
ok "it says what it lacks" bash -c '! "$1/lab/coverage" "$1/no" 2>&1 | grep -v "there is no folder"' - "$repo"

# what is recorded, and its document
rm "$repo/lab/results.tsv"
printf 'before\n.. begin lab/coverage\nold\n.. end lab/coverage\nafter\n' \
	>"$repo/Documentation/trace/ktap-testing.rst"
printf '0123, Linux 7.2\t%d\t%d\t%d\t%s\t%s\n' 7 0 0 style 2026-01-02T03:04Z \
	8 1 2 'KUnit on rt' 2026-01-02T03:04Z >"$tmp/logs/runs"
echo $'0123-changed, Linux 7.2\t9\t0\t0\tcosts\t2026-01-02T03:04Z' >>"$tmp/logs/runs"
ok "nothing is written of nothing" bash -c '! "$1/lab/coverage" --document 2>&1 | grep -v "nothing is recorded"' - "$repo"
ok "lab/coverage --record keeps the numbers" "$repo/lab/coverage" --record "$tmp/logs"
ok "but not those of changed files" bash -c '! grep costs "$1"' - "$repo/lab/results.tsv"
printf '4567, Linux 7.2\t6\t0\t0\t%s\t%s\n' style 2026-01-03T03:04Z 'KUnit on rt' 2026-01-01T03:04Z >"$tmp/logs/runs"
ok "numbers that are newer" "$repo/lab/coverage" --record --document "$tmp/logs"
document_is_right() {
	diff "$repo/Documentation/trace/ktap-testing.rst" - <<-EOT
		before
		.. begin lab/coverage

		=============  ===  ======  ======  =======  =======
		Selftests on   Run  Passed  Failed  Skipped  Commits
		=============  ===  ======  ======  =======  =======
		rt, Linux 7.2  2    1       1       1        0123
		=============  ===  ======  ======  =======  =======

		Not run on rt, Linux 7.2: portable, three.

		Failed on rt, Linux 7.2: two.

		===========  ======  ======  =======  ======  ==========
		Step         Passed  Failed  Skipped  Commit  Date
		===========  ======  ======  =======  ======  ==========
		KUnit on rt  8       1       2        0123    2026-01-02
		style        6       0       0        4567    2026-01-03
		===========  ======  ======  =======  ======  ==========

		.. end lab/coverage
		after
	EOT
}
ok "they are in the document" document_is_right

# the tests of the kernel's tree, and those of run_all.sh
selftests=$top/tools/testing/selftests/ktap
its_tests() {
	sed -e ':more' -e '/\\$/ { N; s/\\\n//; b more' -e '}' "$selftests/Makefile" |
		sed -n 's/\.sh\>//g; s/^TEST_\(GEN_\)*PROGS := //p' | xargs -n 1
}
all_are_run() { diff <(its_tests | sort) <(sed -n 's/^all="\($all \)*\(.*\)"$/\2/p' "$selftests/run_all.sh" | xargs -n 1 | sort); }
ok "run_all.sh runs every selftest" all_are_run
