#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Compare syzkaller/ktap.txt with include/uapi/linux/ktap.h and the lines that
# kernel/trace/ktap/session_input.c knows: each constant exists, each opcode, function,
# section and line is described, and each struct has the fields and sizes of the ABI. The
# compiler of syzkaller checks the rest.

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
ABI = TOP / 'include/uapi/linux/ktap.h'
FEED = TOP / 'kernel/trace/ktap/session_input.c'
TEXT = pathlib.Path(__file__).resolve().parent / 'syzkaller/ktap.txt'
SIZES = {'u8': 1, 'le16': 2, 'le32': 4, 'le64': 8}
# Structs of the ABI, and their descriptions. A string is a pair of numbers.
STRUCTS = {
    'ktap_section': r'ktap_section_\w+',
    'ktap_function': 'ktap_function',
    'ktap_probe_desc': 'ktap_probe_desc',
    'ktap_try': 'ktap_try',
    'ktap_option': 'ktap_option',
    'ktap_type': 'ktap_type',
    'ktap_member': 'ktap_member',
    'ktap_insn': r'ktap_insn_\w+',
}
# Sections that are used only for messages, or that a fuzzer cannot make.
NOT_RUN = {'LINES', 'FILES', 'SIGNATURE'}
# It would act on the system that runs the fuzzer.
LEFT_OUT = {'unsafe'}

problems = []


def expect(is_right, problem):
    if not is_right:
        problems.append(problem)


def fields_of_abi(abi, struct):
    """Name and size of each field."""
    body = re.search(r'^struct %s \{\n(.*?)^\};' % struct, abi, re.M | re.S).group(1)
    numbers = dict(re.findall(r'^#define (KTAP_\w+)\s+(\d+)', abi, re.M))
    return [(name, SIZES[kind] * int(numbers.get(count, count or 1))) for kind, name, count in
            re.findall(r'^\t__(\w+)\t(\w+)(?:\[(\w+)\])?;', body, re.M)]


def size_of(kind):
    count = re.match(r'array\[(.*), (\d+)\]$', kind)
    if count:
        size = size_of(count.group(1))
        return size and size * int(count.group(2))
    bits = re.search(r'int(8|16|32|64)', kind)
    return int(bits.group(1)) // 8 if bits else None


def structs_of_text(text):
    """Name, then name and size of each field."""
    return {name: [(field, size_of(kind.strip())) for field, kind in
                   re.findall(r'^\t(\w+)\s+(.*)$', body, re.M)]
            for name, body in re.findall(r'^(\w+) \{\n(.*?)^\}', text, re.M | re.S)}


def check_structs(abi, text):
    described = structs_of_text(text)
    for struct, pattern in STRUCTS.items():
        wanted = fields_of_abi(abi, struct)
        found = [name for name in described if re.fullmatch(pattern, name)]
        expect(found, 'struct %s is not described' % struct)
        for name in found:
            expect(described[name] == wanted, '%s has %s, struct %s has %s' %
                   (name, described[name], struct, wanted))
    names = [name for name, size in fields_of_abi(abi, 'ktap_header')]
    header = [name for name, size in described['ktap_chunk']][:len(names)]
    expect(header == names, 'ktap_chunk begins with %s, struct ktap_header is %s' % (header, names))
    sections = described.get('ktap_sections', [])
    number = re.search(r'^\tnsections\s+const\[(\d+), int32\]', text, re.M)
    expect(number and int(number.group(1)) == len(sections),
           'ktap_sections has %d, nsections is another number' % len(sections))


def check_constants(abi, text):
    defined = set(re.findall(r'^(?:#define |\t)(KTAP_\w+)', abi, re.M))
    used = set(re.findall(r'\bKTAP_\w+', text))
    for name in sorted(used - defined):
        problems.append('%s is not in the ABI' % name)
    for prefix in 'OP', 'FN', 'SEC':
        for name in re.findall(r'^\tKTAP_%s_(\w+)\s*= \d+,' % prefix, abi, re.M):
            expect('KTAP_%s_%s' % (prefix, name) in used or name in NOT_RUN,
                   'KTAP_%s_%s is not described' % (prefix, name))


def check_magic(abi, text):
    magic = re.search(r'KTAP_MAGIC\t+"\\x(..)(\w+)"', abi)
    hexed = magic.group(1) + magic.group(2).encode().hex()
    expect('`%s`' % hexed in text, 'the magic number is not `%s`' % hexed)


def check_lines(text):
    table = re.search(r'settings\[\] = \{\n(.*?)^\};', FEED.read_text(), re.M | re.S).group(1)
    lines = set(re.findall(r'\{ "(\w+)",', table))
    expect(lines, 'session_input.c has no lines')
    for line in sorted(lines - LEFT_OUT):
        expect(re.search(r'stringnoz\["%s[ \\]|ktap_setting\["%s ' % (line, line), text),
               "the line '%s' is not described" % line)
    expect('"unsafe' not in text, 'scripts may become unsafe')


def main():
    abi, text = ABI.read_text(), TEXT.read_text()
    check_structs(abi, text)
    check_constants(abi, text)
    check_magic(abi, text)
    check_lines(re.sub(r'^#.*\n', '', text, flags=re.M))
    for problem in problems:
        print('%s: %s' % (TEXT.relative_to(TOP), problem))
    return 1 if problems else 0


sys.exit(main())
