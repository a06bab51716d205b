#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Compare the allocations in kernel/trace/ktap with the table in allocations.txt: an
# allocation that a script or a line can make large is charged to a memory cgroup, and
# fails before the OOM killer runs (KTAP_GFP); any other one needs a reason.
# An allocation without an entry is an error, and so is an entry without an allocation.
#
# `check_alloc.py --list` prints the allocations in the format of the table, without
# reasons.

import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
KTAP = HERE.parents[2] / 'kernel/trace/ktap'
TABLE = HERE / 'allocations.txt'

CALL = re.compile(r'''\b(
    kv?[mzc]?alloc\w* | kv?realloc\w* | kv?[mz]alloc\w* | v[mz]?alloc\w* |
    (?:__)?alloc_percpu\w* | (?:__)?alloc_pages?\w* | __get_free_pages? | get_zeroed_page |
    kmem_cache_\w+ | mempool_\w+ | bitmap_z?alloc\w* | (?:z?alloc_cpumask_var\w*) |
    kv?memdup\w* | v?memdup_user\w* | strndup_user | kv?asprintf | kasprintf |
    kstrdup\w* | kstrndup | argv_split | ring_buffer_alloc | alloc_workqueue\w* |
    kthread_(?:run|create)\w*
    )\s*\(''', re.X)
# functions of the kernel that allocate memory for us, with their own flags
KERNEL = re.compile(r'''\b(
    register_fprobe\w* | ftrace_set_filter_ips? | register_k(?:ret)?probes? |
    uprobe_register | perf_event_create_kernel_counter | tracepoint_probe_register\w* |
    dyn_event_command | trace_event_consumer_register | register_trace_\w+ |
    ring_buffer_subbuf_order_set | nf_register_net_hook
    )\s*\(''', re.X)
FLAG = re.compile(r'\b(?:KTAP_GFP|_*GFP_\w+|gfp)\b')
# flags that a function of ktap passes on
PASSED = re.compile(r'\b_*GFP_\w+(?:\s*\|\s*_*GFP_\w+)*')
FUNCTION = re.compile(r'^[a-zA-Z_][^;=\n]*?\b(\w+)\([^;{]*\)\n\{', re.M)

Call = collections.namedtuple('Call', 'file function allocator flags')


def without_comments(text):
    """Blank comments and strings; lines and columns are kept."""
    blank = lambda found: re.sub(r'[^\n]', ' ', found.group())
    text = re.sub(r'/\*.*?\*/', blank, text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', blank, text)


def arguments(text, start):
    """The text between the parenthesis before START and the closing one."""
    depth, end = 1, start
    while depth:
        depth += {'(': 1, ')': -1}.get(text[end], 0)
        end += 1
    return text[start:end - 1]


def calls(path):
    text = without_comments(path.read_text())
    functions = [(found.start(), found.group(1)) for found in FUNCTION.finditer(text)]

    def call(found, allocator, flags):
        inside = [name for start, name in functions if start < found.start()]
        return Call(str(path.relative_to(KTAP)), inside[-1] if inside else '-', allocator,
                    '|'.join(flags) or '-')

    rest = text
    for found in CALL.finditer(text):
        inner = arguments(text, found.end())
        yield call(found, found.group(1), FLAG.findall(inner))
        rest = rest[:found.end()] + ' ' * len(inner) + rest[found.end() + len(inner):]
    for found in KERNEL.finditer(rest):
        yield call(found, found.group(1), [])
    for found in PASSED.finditer(rest):
        yield call(found, 'passes', FLAG.findall(found.group()))


def judgements():
    """The table as a counter of calls."""
    table = collections.Counter()
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if not line or line.startswith('#'):
            continue
        words, colon, reason = line.partition(': ')
        fields = words.split()
        if len(fields) != 4 or not colon or not reason.strip():
            sys.exit('%s:%d: no FILE FUNCTION ALLOCATOR FLAGS: REASON' % (TABLE.name, number))
        table[Call(*fields)] += 1
    return table


found = collections.Counter(call for path in sorted(KTAP.rglob('*.[ch]'))
                            if path.parent.name != 'tests'
                            for call in calls(path))
if sys.argv[1:] == ['--list']:
    for call in found.elements():
        print('%s %s %s %s' % call)
    sys.exit()
table = judgements()
# an outdated pattern finds nothing
if sum(found.values()) < 50:
    sys.exit('only %d allocations found' % sum(found.values()))
for call in sorted((found - table).elements()):
    print('%s: %s(): %s(%s) has no entry in %s' % (*call, TABLE.name))
for call in sorted((table - found).elements()):
    print('%s: %s(): %s has an entry for %s(%s), which does not exist' %
          (call.file, call.function, TABLE.name, call.allocator, call.flags))
if found != table:
    sys.exit(1)
print('%d allocations, each with an entry' % sum(found.values()))
