#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The part of lab/bpftrace-tests that reads bpftrace's runtime tests and judges their output.

prepare CHECKOUT DIR [PATTERN...]  write the files for the guest to DIR
judge DIR OUTPUT                   print what became of the tests; 1 if any failed

A test is a paragraph of a file below tests/runtime; tests/README.md of bpftrace describes it.
The guest gets a folder for each test with its commands, and prints what they print
(lab/bpftrace_tests_guest.sh); what is expected of it is compared here.
"""
import base64
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

# Seconds for a test that does not end by itself, in a guest that is emulated
LEAST_TIMEOUT = 8

MACHINE = {'x86_64', 'le'}

# Features of bpftrace that tests may ask for, and that ktap has in its own way
FEATURES = {'loop', 'probe_read_kernel', 'btf', 'fentry', 'signal', 'jiffies64', 'kprobe_multi',
            'dpath', 'kprobe_session', 'uprobe_multi', 'libpath_resolv', 'get_func_ip',
            'lookup_percpu_elem', 'get_tai_ns', 'dwarf', 'iter'}

# Other folders below tests/runtime: no tests
OTHERS = {'engine', 'scripts', 'outputs'}

# The message of a script or an option that is refused, before anything is attached
REFUSED = re.compile(r'^(?:-e|stdin|\S+\.bt|-e \d+):\d+:\d+: |^ERROR: .* is not supported: ', re.M)
ATTACHED = re.compile(r'^Attached \d+ probes?$', re.M)

# A note on standard error: ticks that an emulated guest was too slow for
NOTE = re.compile(r"^ktap: '[^']*' missed \d+ events\n", re.M)


class Test:
    """A paragraph: @suite and @name, and its fields, each a list of texts."""

    def __init__(self, suite):
        self.suite = suite
        self.fields = collections.defaultdict(list)

    def one(self, field, default=''):
        return self.fields[field][0] if self.fields[field] else default

    @property
    def name(self):
        return f'{self.suite}.{self.one("NAME")}'

    def expects(self):
        return [(field, text) for field in ('EXPECT', 'EXPECT_NONE', 'EXPECT_REGEX',
                                            'EXPECT_REGEX_NONE', 'EXPECT_FILE', 'EXPECT_JSON')
                for text in self.fields[field]]

    def skipped(self):
        """Why the test cannot be run here; None if it can."""
        arch = {a.strip() for a in self.one('ARCH').split('|')} - {''}
        wanted = {a for a in arch if not a.startswith('!')}
        if wanted and not wanted & MACHINE or {a[1:] for a in arch - wanted} & MACHINE:
            return 'another machine'
        for feature in ' '.join(self.fields['REQUIRES_FEATURE']).split():
            if feature.startswith('!') and feature[1:] in FEATURES:
                return f'needs a bpftrace without {feature[1:]}'
            if not feature.startswith('!') and feature not in FEATURES:
                return f'needs {feature}'
        if self.fields['NEW_PIDNS']:
            return 'needs unshare and nsenter'
        absent = self.absent()
        if absent:
            return 'needs ' + ' '.join(absent)
        if self.fields['MISSING']:
            return 'needs ' + ' '.join(self.fields['MISSING'])
        return None

    def absent(self):
        """The commands that it needs and that the guest does not have."""
        texts = sum((self.fields[f] for f in ('RUN', 'PROG', 'BEFORE', 'AFTER')), [])
        return sorted(set(re.findall(r'(?:^|[ :/|])(bash|python3|nm)(?=[ :"])', ' '.join(texts))))

    def programs(self):
        """The programs and libraries of bpftrace that it names."""
        texts = sum((self.fields[f] for f in ('RUN', 'PROG', 'BEFORE', 'AFTER')), [])
        return set(re.findall(r'\./(test(?:progs|libs)/\w[\w.-]*)', ' '.join(texts)))

    def command(self):
        """The command line; bpftrace is a function of the guest's script."""
        if self.fields['RUN']:
            return self.one('RUN').replace('{{BPFTRACE}}', 'bpftrace')
        options = '-q -f json ' if self.fields['EXPECT_JSON'] else ''
        program = self.one('PROG').replace("'", "'\\''")
        return f"bpftrace {options}-e '{program}'"


def read_tests(path):
    """The tests of a file."""
    suite = os.path.basename(path)
    tests, test, field = [], None, ''
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.rstrip('\n')
            if line.startswith('#'):
                continue
            if not line:
                test = None
                continue
            if test and line[:len(field) + 1].isspace() and field in ('PROG', 'EXPECT',
                                                                       'EXPECT_REGEX'):
                test.fields[field][-1] += '\n' + line[len(field) + 1:]
                continue
            if not test:
                test = Test(suite)
                tests.append(test)
            field, _, text = line.strip().partition(' ')
            test.fields[field].append(text.strip())
    return tests


def all_tests(checkout, patterns):
    folder = os.path.join(checkout, 'tests', 'runtime')
    tests = []
    for suite in sorted(set(os.listdir(folder)) - OTHERS):
        if os.path.isfile(os.path.join(folder, suite)) and not suite.startswith('.'):
            tests += read_tests(os.path.join(folder, suite))
    return [t for t in tests if not patterns or any(re.search(p, t.name) for p in patterns)]


def build_programs(source, target):
    """Compile the programs that tests trace, as far as they need nothing but a C library."""
    os.makedirs(target)
    for name in sorted(os.listdir(source)):
        if name.endswith('.c'):
            subprocess.run(['gcc', '-g', '-O0', '-no-pie', '-static', '-w', '-pthread',
                            '-fno-omit-frame-pointer', '-o', os.path.join(target, name[:-2]),
                            os.path.join(source, name)],
                           stderr=subprocess.DEVNULL, check=False)


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text + '\n')


def write_test(folder, test):
    os.makedirs(folder)
    write(os.path.join(folder, 'command'), test.command())
    timeout = max(LEAST_TIMEOUT, int(test.one('TIMEOUT', '5')))
    write(os.path.join(folder, 'timeout'), str(timeout))
    for field, name in (('AFTER', 'after'), ('SETUP', 'setup'), ('CLEANUP', 'cleanup')):
        if test.fields[field]:
            write(os.path.join(folder, name), test.one(field))
    for n, text in enumerate(test.fields['BEFORE']):
        write(os.path.join(folder, f'before.{n}'), text)
    if test.fields['REQUIRES']:
        write(os.path.join(folder, 'requires'), ' && '.join(test.fields['REQUIRES']))
    if test.fields['ENV']:
        write(os.path.join(folder, 'env'), 'export ' + ' '.join(test.fields['ENV']))


def prepare(checkout, target, patterns):
    tests = all_tests(checkout, patterns)
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(os.path.join(target, 'tests'))
    for part in ('scripts', 'outputs'):
        source = os.path.join(checkout, 'tests', 'runtime', part)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(target, 'runtime', part))
    build_programs(os.path.join(checkout, 'tests', 'testprogs'),
                   os.path.join(target, 'testprogs'))
    for n, test in enumerate(tests):
        test.fields['MISSING'] = [p for p in sorted(test.programs())
                                  if not os.path.exists(os.path.join(target, p))]
        if not test.skipped():
            write_test(os.path.join(target, 'tests', f'{n:04}'), test)
    with open(os.path.join(target, 'list'), 'w', encoding='utf-8') as file:
        json.dump([[t.suite, t.fields] for t in tests], file)


def objects_of(text):
    return [json.loads(line) for line in text.strip().splitlines()]


def wanted_file(target, test, name):
    """The expected output; it may be a format for a time, here in UTC as ktap shows it."""
    with open(os.path.join(target, name), encoding='utf-8') as file:
        text = file.read().strip()
    moment = test.one('LOCALIZE_TIMESTAMPS')
    return time.strftime(text, time.gmtime(int(moment))) if moment else text


def meets(target, test, field, expected, output):
    """Is the output as the field says?"""
    if field in ('EXPECT_FILE', 'EXPECT_JSON'):
        # reports of ktap about what was lost are no output of the script
        output = NOTE.sub('', output)
    if field == 'EXPECT_FILE':
        # as bpftrace does: what comes before its probes are attached is not compared
        output = re.sub(r'(?s)\A.*?^Attached \d+ probes?$', '', output, count=1, flags=re.M)
    if field.startswith('EXPECT_REGEX'):
        found = re.search(expected, output, re.M)
        return not found if field.endswith('NONE') else found
    if field in ('EXPECT', 'EXPECT_NONE'):
        found = re.search(rf'^\s*{re.escape(expected)}\s*$', output, re.M)
        return not found if field.endswith('NONE') else found
    wanted = wanted_file(target, test, expected)
    if field == 'EXPECT_FILE':
        return output.strip() == wanted
    try:
        if expected.endswith('.ndjson'):
            return objects_of(output) == objects_of(wanted)
        return objects_of(output) == [json.loads(wanted)]
    except ValueError:
        return False


def judge_test(target, test, status, output):
    """Return 'passed', 'failed' or 'not supported', and the reason."""
    missed = [text for field, text in test.expects() if not meets(target, test, field, text, output)]
    if not missed and status != 'timeout':
        code = int(status)
        if test.fields['WILL_FAIL']:
            missed = [] if code else ['it should fail']
        elif code != int(test.one('RETURN_CODE', '0')):
            missed = [f'exit code {code}']
    if not missed:
        return 'passed', ''
    refused = REFUSED.search(output)
    lines = output.strip().splitlines() or ['no output']
    if refused and status == '1' and not ATTACHED.search(output) and not test.fields['WILL_FAIL']:
        return 'not supported', output[refused.start():].splitlines()[0]
    wanted = missed[0].splitlines()[0] if missed[0] else 'an empty line'
    return 'failed', f'wanted "{wanted}", got "{lines[0]}" ({status})'


def outcomes(path):
    """By number of the test: status and output."""
    found = {}
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            words = line.split()
            if len(words) in (3, 4) and words[0] == '@test':
                text = base64.b64decode(words[3]) if len(words) == 4 else b''
                found[int(words[1])] = words[2], text.decode('utf-8', 'backslashreplace')
    return found


def judge(target, path):
    with open(os.path.join(target, 'list'), encoding='utf-8') as file:
        listed = json.load(file)
    found = outcomes(path)
    areas = collections.defaultdict(collections.Counter)
    for n, (suite, fields) in enumerate(listed):
        test = Test(suite)
        test.fields.update(fields)
        reason = test.skipped()
        if reason:
            result = 'skipped'
        elif n not in found:
            result, reason = 'failed', 'the guest has not run it'
        elif found[n][0] == 'skipped':
            result, reason = 'skipped', f'needs: {test.fields["REQUIRES"]}'
        else:
            result, reason = judge_test(target, test, *found[n])
        areas[suite][result] += 1
        if result != 'passed':
            print(f'{result}: {test.name}: {reason}')
    columns = ('passed', 'failed', 'not supported', 'skipped')
    print(f'\n{"area":20}' + ''.join(f'{c:>15}' for c in columns))
    for suite, counts in areas.items():
        print(f'{suite:20}' + ''.join(f'{counts[c]:15}' for c in columns))
    total = sum(areas.values(), collections.Counter())
    print(f'{"all":20}' + ''.join(f'{total[c]:15}' for c in columns))
    return 1 if total['failed'] else 0


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == 'prepare':
        return prepare(sys.argv[2], sys.argv[3], sys.argv[4:])
    if len(sys.argv) == 4 and sys.argv[1] == 'judge':
        return judge(sys.argv[2], sys.argv[3])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main())
