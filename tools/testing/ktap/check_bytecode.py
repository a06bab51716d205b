#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Compare Documentation/trace/ktap-bytecode.rst with the sources: the opcodes, sections
# and built-in functions of the ABI, the messages of loader and verifier, and the tests of
# the rules, including the list of those that run only in user space. Each message must be
# expected by a test.

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
KTAP = TOP / 'kernel/trace/ktap'
DOC = TOP / 'Documentation/trace/ktap-bytecode.rst'
ABI = TOP / 'include/uapi/linux/ktap.h'
RULES = {
    'load/chunk.c': 'chunk_rules_kunit.c',
    'load/declare.c': 'declare_rules_kunit.c',
    'load/verifier.c': 'verifier_rules_kunit.c',
    'load/verifier_insn.c': 'verifier_rules_kunit.c',
    'load/verifier_types.c': 'verifier_types_kunit.c',
}
# Tests of rules that are separate functions, named RULE_...
OWN_TESTS = {
    'complexity': 'verifier_rules_kunit.c',
    'names': 'verifier_names_kunit.c',
    'declared-members': 'declare_rules_kunit.c',
    'declared-names': 'declare_rules_kunit.c',
    'member-owner': 'declare_rules_kunit.c',
    'type-complete': 'declare_rules_kunit.c',
}
# Functions that end with a message, and the text before it.
SAYS = {
    r'\b(?:declare_)?malformed\((?:l->s|[ls]), ': 'malformed chunk: ',
    r'\b(?:types_fail|ktap_refuse)\([vt], \w+(?: - 1)?,\s*': '',
    r'\bktap_diag\((?:l->s|[ls])->diag,\s*': '',
    r'\bktap_diag_at\(v->diag, v->prog, pc, ': '',
}
# Messages of no rule: lack of memory, possible in each of them.
NO_RULE = {'no memory for the program'}

problems = []


def expect(is_right, problem):
    if not is_right:
        problems.append(problem)


def numbers(prefix):
    """The enumerators of the ABI with that prefix: name, number."""
    found = re.findall(r'^\tKTAP_%s_(\w+)\s*= (\d+),' % prefix, ABI.read_text(), re.M)
    return {(name, number) for name, number in found}


def rows(title, doc):
    """The rows of the table after a title: name, number."""
    part = re.split(r'\n%s\n[=-]+\n' % title, doc)[1]
    part = re.split(r'\n\S.*\n[=-]{4,}\n\n', part)[0]
    return {(name, number) for number, name in
            re.findall(r'^(\d+)\s+``([A-Z]\w*)``', part, re.M)}


def check_table(what, prefix, title, doc):
    abi, page = numbers(prefix), rows(title, doc)
    expect(abi, 'no %s found in the ABI' % what)
    for name, number in sorted(abi - page):
        problems.append('%s %s = %s is not in the table' % (what, name, number))
    for name, number in sorted(page - abi):
        problems.append('%s %s = %s is in the table only' % (what, name, number))


def messages(source):
    """The formats of the error messages of a source."""
    text = (KTAP / source).read_text()
    for pattern, prefix in SAYS.items():
        for m in re.finditer(pattern + r'((?:"(?:[^"\\]|\\.)*"\s*)+)', text):
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"', m[1])
            yield prefix + ''.join(parts).replace('\\"', '"')


def check_messages(doc):
    words = ' '.join(doc.split())
    for source in RULES:
        said = set(messages(source)) - NO_RULE
        expect(said, '%s says nothing' % source)
        for message in sorted(said):
            expect('``%s``' % message in words, '%s: no rule says "%s"' % (source, message))


def strings(source):
    """The strings of a test, with macros filled in, without the text before a message."""
    text = (KTAP / 'tests' / source).read_text()
    for name, value in re.findall(r'^#define (\w+)\s+("[^"\n]*")$', text, re.M):
        text = re.sub(r'\b%s\b' % name, lambda m: value, text)
    for m in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', m[0])
        said = ''.join(parts).replace('\\"', '"').removesuffix('\\n')
        yield said.removeprefix('ktap: error: ')


def pattern(message):
    """A pattern for a message with its numbers and names filled in."""
    parts = re.split(r'%(?:z|ll|l)?([udxs])', message)
    filled = {'u': r'\d+', 'd': r'-?\d+', 'x': r'[0-9a-f]+', 's': r'.+'}
    return ''.join(filled[part] if i % 2 else re.escape(part)
                   for i, part in enumerate(parts))


def check_expected():
    expected = set()
    for test in set(RULES.values()) | set(OWN_TESTS.values()):
        expected |= set(strings(test))
    for source in RULES:
        for message in sorted(set(messages(source)) - NO_RULE):
            expect(any(re.fullmatch(pattern(message), text) for text in expected),
                   '%s: no test expects "%s"' % (source, message))


def check_tests(doc):
    part = doc[doc.index('\nRules of the loader\n'):]
    rules = set()
    for names in re.findall(r'^(``[^\n]*``)\n  \S', part, re.M):
        rules |= set(re.findall(r'``([\w-]+)``', names))
    tested = set()
    for test in RULES.values():
        text = (KTAP / 'tests' / test).read_text()
        tested |= set(re.findall(r'^\t\{ "([\w-]+)[".]', text, re.M))
    for name, test in OWN_TESTS.items():
        if re.search(r'KUNIT_CASE\w*\(%s_' % name.replace('-', '_'), (KTAP / 'tests' / test).read_text()):
            tested.add(name)
    for name in sorted(rules - tested):
        problems.append('rule %s has no test' % name)
    for name in sorted(tested - rules):
        problems.append('test %s is of no rule' % name)


def check_user_space(doc):
    """The page has a list of the rules whose tests run only in user space."""
    said = re.search(r'In user space\s+alone, .*?\.  That', doc, re.S)
    tested = set()
    for test in RULES.values():
        for part in re.findall(r'^#if .*!defined\(__KERNEL__\)\n(.*?)^#endif',
                               (KTAP / 'tests' / test).read_text(), re.M | re.S):
            tested |= set(re.findall(r'^\t\{ "([\w-]+)[".]', part, re.M))
    names = set(re.findall(r'``([\w-]+)``', said[0])) if said else set()
    for name in sorted(tested ^ names):
        problems.append('rule %s: the page and the tests disagree whether it is tested only in user space' % name)


def main():
    doc = DOC.read_text()
    check_table('section', 'SEC', 'Sections', doc)
    check_table('opcode', 'OP', 'Instructions', doc)
    check_table('built-in function', 'FN', 'Built-in functions', doc)
    check_messages(doc)
    check_expected()
    check_tests(doc)
    check_user_space(doc)
    for problem in problems:
        print('%s: %s' % (DOC.relative_to(TOP), problem))
    return 1 if problems else 0


sys.exit(main())
