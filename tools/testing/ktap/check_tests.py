#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Check the table of Documentation/trace/ktap-testing.rst that has a test for each capability:
# the tests exist. They are "FILE.sh: NAME, NAME" or "ktap_SUITE: NAME" of KUnit, and
# "FOLDER/NAME.kp"; "FILE.sh" alone is all of it. Semicolons separate them.
#
# usage: check_tests.py [DOCUMENT]

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
PAGE = TOP / 'Documentation/trace/ktap-testing.rst'
KUNIT = TOP / 'kernel/trace/ktap/tests'
FOLDERS = [TOP / name for name in
           ('tools/testing/selftests/ktap', 'tools/testing/ktap', 'tools/ktap/tests')]

problems = []


def rows(page):
    """[capability, tests] of each row; a line without a capability continues a row."""
    table = re.search(r'^(=+)  =+\nCapability .*\n=+  =+\n((?:.*\n)+?)=+  =+$', page, re.M)
    if not table:
        return []
    width, found = len(table[1]), []
    lines = table[2].splitlines()
    for line, after in zip(lines, lines[1:] + ['']):
        # a heading within the table, and the rules around it
        if line.startswith('---') or re.fullmatch(r'-+', after):
            continue
        if line[:width].strip():
            found.append([line[:width].strip(), ''])
        found[-1][1] += ' ' + line[width:].strip()
    return found


def path_of(name):
    return next((folder / name for folder in FOLDERS if (folder / name).is_file()), None)


def check(capability, test):
    suite, _, names = test.partition(':')
    suite, names = suite.strip(), re.findall(r'\w+', names)
    kunit = re.fullmatch(r'ktap_(\w+)', suite)
    path = KUNIT / ('%s_kunit.c' % kunit[1]) if kunit else path_of(suite)
    if not path or not path.is_file():
        problems.append('%s: there is no test %s' % (capability, suite or 'at all'))
        return
    text = path.read_text()
    for name in names:
        pattern = r'KUNIT_CASE\w*\(%s\b' if kunit else r'^[^#]*\b%s\b'
        if not re.search(pattern % name, text, re.M):
            problems.append('%s: %s has no test %s' % (capability, suite, name))


def main():
    page = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    found = rows(page.read_text())
    if not found:
        problems.append('there is no table of capabilities')
    for capability, tests in found:
        for test in tests.split(';'):
            check(capability, test)
    for problem in problems:
        print('%s: %s' % (page, problem))
    return 1 if problems else 0


sys.exit(main())
