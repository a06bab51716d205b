#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Test the tests: change the sources a little, and see whether a test fails.

A mutant is the kernel part as it is built for user space, or the compiler, with one small
change: a comparison, a bound, a condition, an operator, a result or a call that is left out.
The KUnit tests and the language tests run with each. One that no test finds has survived: either
it does the same as before (survivors.txt says why), or a test is missing. See R. A. DeMillo, R. J.
Lipton and F. G. Sayward, "Hints on Test Data Selection", Computer 11(4), 1978.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
KTAP = 'kernel/trace/ktap'
JUDGED = HERE / 'survivors.txt'
# folders of the kernel part that are built for user space, and what is not built of them
FOLDERS = ('vm', 'load', 'data', 'output', 'lib', 'btf', 'jit')
NOT_BUILT = {f'{KTAP}/btf/kernel_function.c'}
SELFTESTS = 'tools/testing/selftests/ktap'

Mutant = collections.namedtuple('Mutant', 'file line kind start end text')

# An operator stands between blanks, as in all of the kernel; one of a pointer's type does not.
OPERATORS = {
    'comparison': {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='},
    'condition': {'&&': '||', '||': '&&'},
    'arithmetic': {'+': '-', '-': '+', '<<': '>>', '>>': '<<', '&': '|', '|': '&',
                   '+=': '-=', '-=': '+=', '|=': '&='},
}
OPERATOR = re.compile(r'(?<= )(<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\|=|[<>+\-&|])(?= |$)', re.M)
NUMBER = re.compile(r'(?<=[ (\[-])(\d+)(?=[;,)\] ])')
RETURN = re.compile(r'^\t+return ([^;{}]+);$', re.M)
CALL = re.compile(r'^\t+((?:[a-z_][a-z_0-9]*)\((?:[^;{}]*)\);)$', re.M)
IF = re.compile(r'\b(?:if|while) \((?=.)')
# text that is no code of a function, or only states what is true
ASIDE = re.compile(r'(?:static_assert|BUILD_BUG_ON|WARN_ON\w*|lockdep_assert\w*|ktap_assert_\w+|'
                   r'pr_\w+|might_sleep|cond_resched|cant_\w+)\(')
HEADER = re.compile(r'^[a-zA-Z_][^;={}\n]*?\b(\w+)\([^;{}]*\)\n\{', re.M)
FUNCTION = re.compile(r'^[a-zA-Z_][^;={}]*\)\n\{\n.*?^\}', re.M | re.S)


def without_comments(text):
    """Blank comments, strings and characters, and directives; columns are kept."""
    blank = lambda found: re.sub(r'[^\n]', ' ', found.group())
    text = re.sub(r'/\*.*?\*/', blank, text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])+'", blank, text)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', blank, text, flags=re.M)


def closing(text, start):
    """The end of the parenthesis that is opened before START."""
    depth = 1
    while depth:
        depth += {'(': 1, ')': -1}.get(text[start], 0)
        start += 1
    return start - 1


def changes(code, begin, end):
    """(kind, start, end, text) of each change of the function at BEGIN to END."""
    for found in OPERATOR.finditer(code, begin, end):
        for kind, others in OPERATORS.items():
            if found[1] in others:
                yield kind, found.start(1), found.end(1), others[found[1]]
    for found in NUMBER.finditer(code, begin, end):
        yield 'bound', found.start(1), found.end(1), str(int(found[1]) + 1)
    for found in RETURN.finditer(code, begin, end):
        value = found[1]
        other = {'0': '-EINVAL', 'true': 'false', 'false': 'true', 'NULL': None}.get(value, '0')
        if other:
            yield 'result', found.start(1), found.end(1), other
    for found in CALL.finditer(code, begin, end):
        yield 'call', found.start(1), found.end(1), ';'
    for found in IF.finditer(code, begin, end):
        stop = closing(code, found.end())
        yield 'negation', found.end(), stop, f'!({code[found.end():stop]})'


def mutants_of(path):
    """All mutants of a source."""
    text = (TOP / path).read_text()
    code = without_comments(text)
    for function in FUNCTION.finditer(code):
        body = code.index('{', function.start())
        for kind, start, end, new in changes(code, body, function.end()):
            line = text.count('\n', 0, start) + 1
            begin = text.rfind('\n', 0, start) + 1
            if ASIDE.match(code[begin:].lstrip()):
                continue
            if kind == 'negation':
                new = f'!({text[start:end]})'
            yield Mutant(path, line, kind, start, end, new)


def line_of(text, at):
    """The line of TEXT at that place, without blanks around it."""
    return text[text.rfind('\n', 0, at) + 1:text.find('\n', at)].strip()


class Tests:
    """The scripts of the language tests, compiled, and what each should do."""

    def __init__(self, folder, compiler):
        self.folder = folder
        self.runs = []
        selftests = TOP / SELFTESTS
        examples = folder / 'examples'
        documents = [*sorted(TOP.glob('Documentation/trace/ktap*.rst')),
                     *sorted(TOP.glob('tools/ktap/Documentation/*.rst'))]
        self.quietly([selftests / 'big.sh', folder / 'big'])
        self.quietly([selftests / 'examples.sh', examples, *documents])
        for base, options, pattern in (
                (selftests, [], 'cases/*.kp'), (selftests, [], 'errors/*.kp'),
                (selftests, [], 'load/*.kp'), (folder / 'big', [], '*/*.kp'),
                (examples, [], '*.kp'), (HERE, ['-E', '-u', '-l', 'hardirq'], 'events/*.kp'),
                (HERE, ['-E', '-u', '-l', 'task'], 'events/*.kp'), (HERE, ['-E'], 'types/*.kp'),
                (HERE, ['-E', '-u', '-f', 'json'], 'json/*.kp'),
                (HERE, ['-E', '-u', '-f', 'json'], 'events/*.kp'),
                (HERE, [], 'types/load/*.kp'), (HERE, [], 'bpftrace/*.bt')):
            for script in sorted(base.glob(pattern)):
                self.add(compiler, base, script.relative_to(base), options)

    @staticmethod
    def quietly(command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def add(self, compiler, base, script, options):
        """Compile a script; its level is an argument, too, for scripts that print it."""
        chunk = self.folder / f'{len(self.runs)}.ktap'
        done = subprocess.run([compiler, '-w', '-o', chunk, script], cwd=base,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not done.returncode:
            self.runs.append(([*options], chunk, options[-1:] if '-l' in options else []))

    def answer(self, vm, run, jit):
        """The exit code of a script, its output and its messages."""
        options, chunk, args = run
        try:
            done = subprocess.run([vm, *options, chunk, *args], capture_output=True, timeout=20,
                                  stdin=subprocess.DEVNULL, check=False,
                                  env=dict(os.environ, KTAP_JIT=jit))
        except subprocess.TimeoutExpired:
            return None
        # lines of JSON have the time
        return done.returncode, re.sub(rb'"time":\d+', b'', done.stdout), done.stderr

    def learn(self, vm):
        """Keep what the unchanged sources do, of scripts that do the same twice."""
        self.expected = []
        for jit in '1', '0':
            for run in self.runs:
                answer = self.answer(vm, run, jit)
                if answer == self.answer(vm, run, jit):
                    self.expected.append((run, jit, answer))

    def find(self, vm):
        """The first script that does something else, or None."""
        for run, jit, answer in self.expected:
            # twice: one that measures time may differ on a busy machine
            if self.answer(vm, run, jit) != answer and self.answer(vm, run, jit) != answer:
                return str(run[1])
        return None


class Kernel:
    """The kernel part, built for user space."""

    copies = (KTAP, 'include', 'tools/testing/ktap', 'tools/ktap', SELFTESTS)

    def __init__(self, san):
        self.san = san

    @staticmethod
    def sources():
        for folder in FOLDERS:
            for path in sorted((TOP / KTAP / folder).glob('*.c')):
                name = str(path.relative_to(TOP))
                if name not in NOT_BUILT:
                    yield name

    def build(self, tree):
        """Build in a copy of the sources; True if that worked."""
        command = ['make', '-s', '-C', tree / 'tools/testing/ktap', 'O=build',
                   'CC=gcc -w', f'SAN={self.san}', 'build/kunit', 'build/ktapvm']
        return not subprocess.run(command, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False).returncode

    def prepare(self, tree, folder):
        compiler = HERE / 'build/compiler/ktapc'
        if not compiler.exists():
            sys.exit(f'{compiler} is missing: run make')
        self.tests = Tests(folder, compiler)
        self.tests.learn(tree / 'tools/testing/ktap/build/ktapvm')
        return len(self.tests.expected)

    def find(self, tree):
        """The tests that fail, or None."""
        build = tree / 'tools/testing/ktap/build'
        for jit in '1', '0':
            failed = self.failed_test(build, jit)
            # twice: a test that measures time may fail on a busy machine
            if failed is not None and self.failed_test(build, jit, failed) is not None:
                return 'kunit'
        return 'scripts' if self.tests.find(build / 'ktapvm') else None

    @staticmethod
    def failed_test(build, jit, only=''):
        """The first KUnit test that fails, of those with ONLY in the name; '' is no known one."""
        try:
            done = subprocess.run([build / 'kunit', only], capture_output=True, timeout=60,
                                  env=dict(os.environ, KTAP_JIT=jit, KUNIT_STOP='1'),
                                  check=False, text=True, errors='replace')
        except subprocess.TimeoutExpired:
            return ''
        if not done.returncode:
            return None
        # after what the test printed, which may look like that
        failed = re.findall(r'^not ok (\S+\.\S+)$', done.stdout, re.M)
        return failed[-1] if failed else ''


class Compiler:
    """The compiler: the tests of the tool, and the chunks of all scripts."""

    copies = (KTAP, 'include', 'tools/testing/ktap', 'tools/ktap', SELFTESTS, 'Documentation')

    def __init__(self, san):
        self.san = san

    @staticmethod
    def sources():
        for path in sorted((TOP / 'tools/ktap/compiler').rglob('*.c')):
            yield str(path.relative_to(TOP))

    def build(self, tree):
        command = ['make', '-s', '-C', tree / 'tools/ktap', 'CC=gcc -w', 'O=build', 'build/ktapc']
        return not subprocess.run(command, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False).returncode

    def prepare(self, tree, folder):
        listing = subprocess.run(self.chunks(tree), capture_output=True, check=True).stdout
        expected = (TOP / SELFTESTS / 'portable.md5').read_bytes()
        if listing != expected:
            sys.exit('portable.md5 does not hold for the unchanged sources')
        self.expected = expected
        return len(expected.splitlines())

    @staticmethod
    def chunks(tree):
        return ['sh', tree / SELFTESTS / 'portable.sh', '--print',
                tree / 'tools/ktap/build/ktapc', tree / 'tools/ktap/scripts']

    def find(self, tree):
        try:
            done = subprocess.run(['sh', tree / 'tools/ktap/tests/run.sh',
                                   tree / 'tools/ktap/build/ktapc'], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=600, check=False)
            if done.returncode:
                return 'tool'
            done = subprocess.run(self.chunks(tree), capture_output=True, timeout=600,
                                  check=False)
        except subprocess.TimeoutExpired:
            return 'tool'
        return None if done.stdout == self.expected else 'chunks'


def copy_tree(part, tree):
    for name in part.copies:
        shutil.copytree(TOP / name, tree / name, symlinks=True,
                        ignore=shutil.ignore_patterns('build', 'generated', '*.o', '*.a'))


def judge(part, tree, mutant):
    """Build a mutant in a copy and run the tests: 'not built', what found it, or 'survived'."""
    path = tree / mutant.file
    text = (TOP / mutant.file).read_text()
    path.write_text(text[:mutant.start] + mutant.text + text[mutant.end:])
    try:
        if not part.build(tree):
            return 'not built'
        return part.find(tree) or 'survived'
    finally:
        path.write_text(text)


def described(mutant, text=None):
    """The line before and after the change."""
    text = text or (TOP / mutant.file).read_text()
    changed = text[:mutant.start] + mutant.text + text[mutant.end:]
    return line_of(text, mutant.start), line_of(changed, mutant.start)


def named(mutants):
    """
    Names of mutants that stay when other lines of the file change: file, kind, the line before and
    after, and how many of the same come before it.
    """
    texts = {name: (TOP / name).read_text() for name in {mutant.file for mutant in mutants}}
    same = collections.Counter()
    names = {}
    for mutant in mutants:
        name = (mutant.file, mutant.kind, *described(mutant, texts[mutant.file]))
        names[mutant] = (*name, same[name])
        same[name] += 1
    return names


def function_of(mutant):
    """The name of the function that is changed."""
    names = HEADER.findall((TOP / mutant.file).read_text()[:mutant.start])
    return names[-1] if names else None


def judged():
    """Survivors that do the same: (file, function or None, line before, line after)."""
    same = set()
    entry = {}
    for line in [*(JUDGED.read_text().splitlines() if JUDGED.exists() else []), '']:
        key, _, value = line.partition(' ')
        if key in ('file:', 'in:', '-', '+'):
            entry[key] = value
        elif entry:
            same.add((entry['file:'], entry.get('in:'), entry['-'], entry['+']))
            entry = {}
    return same


def report(results):
    """Print a table by file, and the survivors."""
    same = judged()
    rows = collections.defaultdict(collections.Counter)
    for mutant, outcome in results:
        before, after = described(mutant)
        if outcome == 'survived' and any((mutant.file, function, before, after) in same
                                         for function in (None, function_of(mutant))):
            outcome = 'same'
        if outcome == 'survived':
            print(f'{mutant.file}:{mutant.line}: {mutant.kind}\n- {before}\n+ {after}')
        for row in mutant.file, 'all':
            rows[row][outcome] += 1
    print(f'{"file":44} {"mutants":>7} {"found":>6} {"same":>5} {"survived":>8}')
    for row, n in sorted(rows.items(), key=lambda item: (item[0] == 'all', item[0])):
        found = sum(n[what] for what in ('kunit', 'scripts', 'tool', 'chunks'))
        print(f'{row:44} {found + n["same"] + n["survived"]:7} {found:6} {n["same"]:5} '
              f'{n["survived"]:8}')
    return rows['all']['survived']


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--compiler', action='store_true', help='change the compiler')
    parser.add_argument('--count', type=int, default=500, metavar='N',
                        help='together with those in the log')
    parser.add_argument('--seed', type=int, default=1, metavar='N')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), metavar='N')
    parser.add_argument('--file', default='', metavar='TEXT', help='only files with it in the path')
    parser.add_argument('--sanitize', action='store_true',
                        help='with the sanitizers, as make check: slower, and finds more')
    parser.add_argument('--log', metavar='FILE', help='keep the results there, and go on from '
                        'them, also when the sources have changed')
    parser.add_argument('--report', action='store_true', help='only print what the log has')
    parser.add_argument('--survivors', action='store_true',
                        help='only those that have survived, by the log')
    args = parser.parse_args()

    part = (Compiler if args.compiler else Kernel)(1 if args.sanitize else 0)
    everything = [mutant for path in part.sources() if args.file in path
                  for mutant in mutants_of(path)]
    names = named(everything)
    log = pathlib.Path(args.log) if args.log else None
    known = {}
    for line in log.read_text().splitlines() if log and log.exists() else []:
        *name, outcome = json.loads(line)
        known[tuple(name)] = outcome
    logged = [mutant for mutant in everything if names[mutant] in known]
    if args.report:
        sys.exit(bool(report([(mutant, known[names[mutant]]) for mutant in logged])))
    if args.survivors:
        chosen = todo = [mutant for mutant in logged if known[names[mutant]] == 'survived']
    else:
        others = [mutant for mutant in everything if names[mutant] not in known]
        todo = random.Random(args.seed).sample(
            others, min(max(args.count - len(logged), 0), len(others)))
        chosen = logged + todo

    with tempfile.TemporaryDirectory() as folder:
        trees = [pathlib.Path(folder) / str(i) for i in range(args.jobs)]
        for tree in trees:
            copy_tree(part, tree)
            if not part.build(tree):
                sys.exit('the unchanged sources do not build')
        (pathlib.Path(folder) / 'tests').mkdir()
        count = part.prepare(trees[0], pathlib.Path(folder) / 'tests')
        if part.find(trees[0]):
            sys.exit('the tests of the unchanged sources fail')
        print(f'{len(everything)} mutants are possible, {len(todo)} are made; {count} scripts')

        def work(mutant):
            tree = trees.pop()
            try:
                return mutant, judge(part, tree, mutant)
            finally:
                trees.append(tree)

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for mutant, outcome in pool.map(work, todo):
                known[names[mutant]] = outcome
                if log:
                    with log.open('a') as file:
                        file.write(json.dumps([*names[mutant], outcome]) + '\n')
    sys.exit(bool(report([(mutant, known[names[mutant]]) for mutant in chosen])))


if __name__ == '__main__':
    main()
