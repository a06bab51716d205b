#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Compare Documentation/ABI/testing/tracefs-ktap with the sources: the files and their
# modes, the set-up lines of a session, the contents of sessions and features, the states
# of a session, and the bytes that mark code of programs. Also compare the names of perf
# counters with the list of the compiler.

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
KTAP = TOP / 'kernel/trace/ktap'
PAGE = TOP / 'Documentation/ABI/testing/tracefs-ktap'
# of kernel/trace/trace.h
MODES = {'TRACE_MODE_READ': '0440', 'TRACE_MODE_WRITE': '0640'}

problems = []


def same(what, page, source):
    """Both are lists or sets, and neither may be empty, which means an outdated pattern."""
    if not page or not source:
        problems.append('%s: found %s here and %s in the sources' % (what, page, source))
    elif page != source:
        problems.append('%s: here %s, in the sources %s' % (what, page, source))


def source(name):
    return (KTAP / name).read_text()


def between(text, start, end):
    """The text from START up to the next END, or nothing."""
    found = re.search(re.escape(start) + r'(.*?)' + re.escape(end), text, re.S)
    return found.group(1) if found else ''


def entries(page):
    """The description of each file, by its name."""
    found = re.split(r'^What:\s+/sys/kernel/tracing/ktap/(\w+)$', page, flags=re.M)
    return dict(zip(found[1::2], found[2::2]))


def blocks(entry):
    """The literal blocks: lists of lines, without their common tabs."""
    return [[line[3:] for line in block.splitlines() if line.strip()] for block in
            re.findall(r'::\n\n((?:\t\t\t.*\n|\n)+)', entry)]


def words(entry):
    return ' '.join(entry.split())


def check_files(page):
    table = between(source('tracefs.c'), 'files[] = {\n', '\n};')
    same('files', {(name, re.search(r'mode (\d+)', entry).group(1))
                   for name, entry in entries(page).items()},
         {(name, MODES.get(mode, mode))
          for name, mode in re.findall(r'\{ "(\w+)",\s*(\w+),', table)})


def check_lines(entry):
    """The set-up lines of a session: in their order, with whether a value follows."""
    table = between(source('session_input.c'), 'settings[] = {\n', '\n};')
    lines = [line.split('\t')[0] for line in blocks(entry)[0] if not line.startswith('\t')]
    same('lines that set a session up', [(line.split()[0], ' ' in line) for line in lines],
         [(name, value == 'true') for name, value in
          re.findall(r'\{ "(\w+)",\s*(\w+),', table)])
    same('lines behind the chunk', re.findall(r'After the chunk, the line ``(\w+)``', words(entry)),
         re.findall(r'strcmp\(line, "(\w+)"\)', source('session_input.c')))


def check_marks(entry):
    shown = [byte for line in blocks(entry)[-1] for byte in re.findall(r'\\x[0-9a-f]{2}', line)]
    same('bytes of marks', set(shown),
         set(re.findall(r'^#define KTAP_MARK_\w+\s+"(\\x[0-9a-f]{2})"', source('output/text.h'), re.M)))


def check_sessions(entry):
    show = between(source('session_list.c'), '\nstatic void sessions_show_session(', '\n}')
    formats = ''.join(re.findall(r'seq_printf\(m, "([^"]*)"', show))
    same('numbers of a line', re.findall(r'(\w+)=', '\n'.join(blocks(entry)[0])),
         re.findall(r'(\w+)=', formats))
    said = re.search(r'STATE is ([a-z, ]+)\.', words(entry)).group(1)
    named = between(source('session_list.c'), 'state_names[] = {\n', '\n};')
    # two of them have one name
    same('states', re.split(r', | or ', said),
         list(dict.fromkeys(re.findall(r'= "(\w+)"', named))))


def check_features(entry):
    text = source('tracefs.c')
    written = re.findall(r'(?:^|\\n)(\w+):', '\n'.join(
        re.findall(r'"([^"]*)"', between(text, 'features_show(', '\n}'))), re.M)
    limits = re.findall(r'\{ "(\w+)",', between(text, 'limits[] = {\n', '\n};'))
    for name in re.findall(r'``(\w+):', words(entry)):
        if name not in written + limits + ['name']:
            problems.append('features: nothing writes "%s:"' % name)
    for name in written:
        if '``%s:' % name not in entry:
            problems.append('features: "%s:" is not described' % name)


def check_counters():
    text = source('event/perf.c')
    known = between((TOP / 'tools/ktap/compiler/event_names.c').read_text(), 'counters[] = {\n', '\n};')
    for kind in ('software', 'hardware'):
        table = between(text, 'struct counter_name %s[] = {\n' % kind, '\n};')
        same('%s events, in tools/ktap/compiler/event_names.c' % kind, re.findall(r'"%s:([\w-]+)"' % kind, known),
             re.findall(r'\{ "([\w-]+)",', table))


def main():
    page = PAGE.read_text()
    check_files(page)
    check_lines(entries(page)['session'])
    check_marks(entries(page)['session'])
    check_sessions(entries(page)['sessions'])
    check_features(entries(page)['features'])
    check_counters()
    for problem in problems:
        print('%s: %s' % (PAGE.relative_to(TOP), problem))
    return 1 if problems else 0


sys.exit(main())
