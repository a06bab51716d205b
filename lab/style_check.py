#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Rules of style that the kernel's own tools do not check. lab/style runs each of them.

usage: lab/style_check.py [--tree DIRECTORY] CHECK...

  static-names  a static function's name has two words or more: one that is in an oops
                can then be found with grep
  unique-names  two .c files of kernel/trace/ktap define no static function, struct, union,
                enum or macro of the same name
  nokprobe      NOKPROBE_SYMBOL stands in the line after its function
  includes      a folder of kernel/trace/ktap includes the folders below it only
  file-names    comments and documents name no .c or .h file that does not exist
  words         comments, messages, Kconfig and documents have none of the phrases in PHRASES

Prints a line for each offence. The exit status is 1 if there is one.
"""
import argparse
import bisect
import collections
import os
import re
import subprocess
import sys

KERNEL = 'kernel/trace/ktap/'
TESTS = KERNEL + 'tests/'

# The folders, from the bottom: a file may include headers of its own line and of those
# before it. The files of kernel/trace/ktap itself are "session".
LEVELS = [
    ('vm', 'data'),     # values and objects need each other
    ('host',),
    ('btf',),
    ('load',),
    ('jit',),
    ('output',),
    ('lib',),
    ('session',),
    ('event',),
    ('user',),
]

# Includes of a higher folder, and why. An exception that is not needed is an offence.
UPWARD = {
    ('vm/program.h', 'btf/btf.h'): 'how a member that the verifier has found is read',
    ('vm/vm.c', 'btf/btf_read.h'): 'the instruction that reads a member',
    ('host/path.c', 'btf/btf.h'): 'the layout of struct mount',
    ('host/task.c', 'btf/btf.h'): 'the type of the current task',
    ('host/task.c', 'probe.h'): 'the event of the current run',
}

# Where names of files are checked, and files which are not in this repository
NAMES_FILES = (KERNEL, 'tools/', 'include/', 'Documentation/', 'README.md')
OTHER_FILES = [
    # of the kernel
    'include/linux/limits.h',
    'kernel/bpf/disasm.c',
    'kernel/events/core.c',
    'kernel/fail_function.c',
    'kernel/kprobes.c',
    'kernel/trace/fprobe.c',
    'kernel/trace/trace.h',
    'kernel/trace/trace_syscalls.c',
    'lib/rhashtable.c',
    # made by a build
    'tools/testing/ktap/fuzz/messages.h',
]

# Phrases that are a riddle for readers with little English, and what to write instead.
PHRASES = [
    (r'behind', 'after'),
    (r'in front of', 'before'),
    (r'so (?:many|often|long)(?! as)', 'at most N, N times, for N seconds'),
    (r'but for', 'except'),
    (r'all the same', 'still, anyway'),
    (r'h[au]ngs? together', 'is consistent'),
    (r'(?:come|came|coming)s? to life', 'starts'),
    (r'(?:come|came)s? to nothing', 'fails, is dropped'),
    (r'(?:is|are|was|were|be|been|being) told', 'is reported, gets'),
    (r'(?:is|are|was|were|be|been|being) thrown away', 'is dropped, is freed'),
    (r'(?:has|have|had) to do with', 'concerns'),
    (r'(?:know|knows|knew|known) of', 'has, knows'),
    (r'(?:is|are|was|were) looked into', 'a member is read'),
    (r'(?:is|are|was|were) to be', 'must be, will be'),
    (r'whom', 'a noun: the task, the reader'),
    (r"nobody's", 'without an owner'),
]
# only as the first words of a sentence of a comment, if that is no question
OPENINGS = r'(?:What(?:ever)?|Who(?:ever|m|se)?|Of|Else|Not before)'
# a probe has this name
CLAUSE = r'clauses?'

# Literal uses: file, or the beginning of its path; phrase; why. What is between
# backquotes is never looked at.
ALLOWED = [
    ('lab/style_check.py', None, 'the list itself'),
    ('Documentation/trace/ktap-design.rst', 'clause', 'the word of DTrace, in a table'),
    ('tools/ktap/tests/runner.sh', 'what', 'the head comment of a test script'),
]


class Source:
    """A C file: comments and strings are blanked in @code, lines stay where they are."""
    TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.comments = []
        self.strings = []
        self.code = self.TOKEN.sub(self._blank, text)
        self._starts = [m.start() for m in re.finditer(r'^', text, re.M)]

    def _blank(self, match):
        token = match[0]
        if token[0] == '/':
            self.comments.append((match.start(), token))
        elif token[0] == '"':
            self.strings.append((match.start(), token))
        return re.sub(r'[^\n]', ' ', token)

    def line(self, offset):
        return bisect.bisect_right(self._starts, offset)

    # No ( ) ; = { } between "static" and the name, except in an attribute
    STATIC = re.compile(r'^static\b((?:__\w+\([^()]*(?:\([^()]*\))?[^()]*\)|[^();={}])*?)'
                        r'\b([a-z]\w*)\s*\((?!\s*\*)', re.M)

    def static_functions(self):
        for match in self.STATIC.finditer(self.code):
            if not match[2].startswith('__'):
                yield self.line(match.start(2)), match[2]

    def names(self):
        """What would be the same name in another file: functions, tags, macros."""
        for line, name in self.static_functions():
            yield line, 'function', name
        for match in re.finditer(r'^(struct|union|enum)\s+(\w+)\s*\{', self.code, re.M):
            yield self.line(match.start()), match[1], match[2]
        for match in re.finditer(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', self.code, re.M):
            yield self.line(match.start()), 'macro', match[1]


class Tree:
    def __init__(self, top):
        self.top = top
        self.offences = 0
        listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', '-z'], cwd=top,
                                check=True, stdout=subprocess.PIPE).stdout
        self.files = sorted(name for name in listed.decode().split('\0')
                            if name and os.path.isfile(os.path.join(top, name)))

    def read(self, path):
        with open(os.path.join(self.top, path), encoding='utf-8', errors='replace') as file:
            return file.read()

    def sources(self, *prefixes, endings=('.c', '.h')):
        for path in self.files:
            if path.startswith(prefixes) and path.endswith(endings):
                yield Source(path, self.read(path))

    def offence(self, path, line, text):
        print(f'{path}:{line}: {text}')
        self.offences += 1


def in_folder(path):
    """The folder of LEVELS that a path below kernel/trace/ktap belongs to."""
    return path.split('/')[0] if '/' in path else 'session'


def static_names(tree):
    for source in tree.sources(KERNEL, 'tools/ktap/'):
        if source.path.startswith((TESTS, 'tools/ktap/tests/', 'tools/ktap/fuzz/')):
            continue
        for line, name in source.static_functions():
            if '_' not in name and name != 'main':
                tree.offence(source.path, line, f'{name}(): a static function of one word')


def unique_names(tree):
    defined = collections.defaultdict(dict)
    for source in tree.sources(KERNEL, endings='.c'):
        if source.path.startswith(TESTS):
            continue
        for line, kind, name in source.names():
            defined[kind, name].setdefault(source.path, line)
    # the rows of a list, which each user of the list defines anew
    rows = {name for source in tree.sources(KERNEL, endings='_list.h')
            for name in re.findall(r'^(\w+)\(', source.text, re.M)}
    for (kind, name), places in sorted(defined.items()):
        if len(places) > 1 and not (kind == 'macro' and name in rows):
            (first, line), *others = places.items()
            tree.offence(first, line, f'{kind} {name} is also in {", ".join(dict(others))}')


def nokprobe(tree):
    for source in tree.sources(KERNEL):
        lines = source.text.split('\n')
        for number, line in enumerate(lines):
            match = re.match(r'NOKPROBE_SYMBOL\((\w+)\)', line)
            if not match:
                continue
            above = lines[number - 1] if number else ''
            if above == '}':
                # the function that ends there
                start = number - 1
                while start and lines[start] != '{':
                    start -= 1
                head = start
                while head and lines[head - 1] and lines[head - 1][0] not in '}#':
                    head -= 1
                if re.search(rf'\b{match[1]}\s*\(', '\n'.join(lines[head:start])):
                    continue
            tree.offence(source.path, number + 1,
                         f'{line.strip()} is not in the line after its function')


def includes(tree):
    level = {folder: number for number, line in enumerate(LEVELS) for folder in line}
    used = set()
    for source in tree.sources(KERNEL):
        path = source.path[len(KERNEL):]
        if source.path.startswith(TESTS):
            continue
        if in_folder(path) not in level:
            tree.offence(source.path, 1, f'LEVELS in lab/style_check.py has no {in_folder(path)}')
            continue
        for match in re.finditer(r'^#include "([^"]+)"', source.text, re.M):
            header = match[1]
            if header.startswith('../'):
                continue
            if '/' not in header and KERNEL + header not in tree.files:
                continue
            there = level.get(in_folder(header))
            if there is None or there <= level[in_folder(path)]:
                continue
            if (path, header) in UPWARD:
                used.add((path, header))
                continue
            tree.offence(source.path, source.line(match.start()),
                         f'includes {header}, which is of a higher folder')
    for path, header in UPWARD:
        if KERNEL + path in tree.files and (path, header) not in used:
            tree.offence(KERNEL + path, 1,
                         f'does not include {header}: remove it from UPWARD in lab/style_check.py')


def c_prose(source):
    """(line, text) of each comment, without its stars"""
    for start, token in source.comments:
        body = re.sub(r'^/\*\*?|\*/$|^//', '', token)
        body = re.sub(r'^[ \t]*\* ?', '', body, flags=re.M)
        yield source.line(start), body


def hash_prose(text):
    """The same of comments that begin with #, those in successive lines as one"""
    block, first = [], 0
    for number, line in enumerate(text.split('\n') + [''], 1):
        match = re.match(r'[ \t]*#(?!!)[ \t]?(.*)', line)
        if match:
            first = first if block else number
            block.append(match[1])
            continue
        if block:
            yield first, '\n'.join(block)
            block = []
        match = re.search(r'[ \t]# (\D.*)', line)
        if match:
            yield number, match[1]


def document_prose(text):
    """Paragraphs of reStructuredText or Markdown, without literal blocks"""
    lines, block, first, literal, fenced = text.split('\n') + [''], [], 0, None, False
    for number, line in enumerate(lines, 1):
        depth = len(line) - len(line.lstrip())
        if line.startswith('```'):
            fenced = not fenced
            line = ''
        if fenced:
            continue
        if line.strip() and literal is not None:
            if depth > literal:
                continue
            literal = None
        if line.strip():
            first = first if block else number
            block.append(line)
            if re.match(r'\s*\.\. (?:code|code-block|parsed-literal|literalinclude|ktap)', line):
                literal = depth
        elif block:
            if block[-1].rstrip().endswith('::') and literal is None:
                literal = len(block[-1]) - len(block[-1].lstrip())
            yield first, '\n'.join(block)
            block = []


def prose(tree, path):
    """(line, text, whether it is a comment) of all that a file says to its readers"""
    name = os.path.basename(path)
    text = tree.read(path)
    if path.endswith(('.c', '.h')):
        source = Source(path, text)
        for line, body in c_prose(source):
            yield line, body, True
        # messages: what has two words or more
        for start, token in source.strings:
            if ' ' in token.strip('" '):
                yield source.line(start), token[1:-1], False
    elif path.endswith(('.rst', '.md')) or path.startswith(('series/cover', 'series/steps/')) or \
            path == 'series/README':
        for line, body in document_prose(text.split('\n---\n')[0] if '/steps/' in path else text):
            yield line, body, False
    elif name.startswith('Kconfig'):
        yield 1, text, False
    elif path.endswith('.py'):
        for line, body in hash_prose(text):
            yield line, body, True
        for match in re.finditer(r'"""(.*?)"""', text, re.S):
            yield text.count('\n', 0, match.start()) + 1, match[1], True
    elif path.endswith('.sh') or name in ('Makefile', 'config') or \
            text.startswith(('#!/bin/sh', '#!/usr/bin/env bash', '#!/bin/busybox')):
        for line, body in hash_prose(text):
            yield line, body, True


def file_names(tree):
    # all names of a file: a/b/c.h, b/c.h and c.h
    known = set()
    for path in tree.files + OTHER_FILES:
        parts = path.split('/')
        known.update('/'.join(parts[i:]) for i in range(len(parts)))
    # not <stdio.h>, and not a member of a structure: &insn.c, p->insn.c
    name = re.compile(r'(?<![\w<>&@./-])(?:[\w-]+/)*[\w-]+\.[ch]\b')
    for path in tree.files:
        if not path.startswith(NAMES_FILES):
            continue
        for line, body, _ in prose(tree, path):
            for match in name.finditer(body):
                if match[0] not in known:
                    tree.offence(path, line + body.count('\n', 0, match.start()),
                                 f'there is no file {match[0]}')


def words_of(tree, path):
    """(line, text) of each offence in a file"""
    phrases = PHRASES + ([] if path.startswith('Documentation/admin') else [(CLAUSE, 'probe')])
    allowed = [phrase for where, phrase, _ in ALLOWED if path.startswith(where)]
    for line, body, comment in prose(tree, path):
        # keep the lines: what is literal becomes blanks
        body = re.sub(r'(`+).+?\1', lambda m: re.sub(r'[^\n]', ' ', m[0]), body, flags=re.S)
        found = []
        for phrase, better in phrases:
            pattern = r'\b' + phrase.replace(' ', r'\s+') + r'\b'
            found += [(match, better) for match in re.finditer(pattern, body, re.I)]
        if comment:
            # the beginning, and what follows a full stop, "@name:" or "name() -"
            pattern = (r'(?:\A\s*|[.!?:)]\s+|\n[ \t]*\n\s*|^[ \t]*@[\w.]+:\s+|\)? - )(' + OPENINGS +
                       r')\b(?=[^.?!]*(?:[.!]|\Z))')
            found += [(match, 'begin with the subject')
                      for match in re.finditer(pattern, body, re.M)
                      if not re.match(r':', match[0])]
        for match, better in sorted(found, key=lambda item: item[0].start()):
            said = ' '.join((match[1] if match.re.groups else match[0]).split())
            if None in allowed or said.lower() in allowed:
                continue
            at = match.start(1 if match.re.groups else 0)
            yield line + body.count('\n', 0, at), f'"{said}": {better}'


def words(tree):
    for path in tree.files:
        if path.startswith(('series/patches/', 'series/backport')):
            continue
        for line, said in words_of(tree, path):
            tree.offence(path, line, said)


CHECKS = {
    'static-names': static_names,
    'unique-names': unique_names,
    'nokprobe': nokprobe,
    'includes': includes,
    'file-names': file_names,
    'words': words,
}


def main():
    parser = argparse.ArgumentParser(usage='lab/style_check.py [--tree DIRECTORY] CHECK...')
    parser.add_argument('--tree', default=os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    parser.add_argument('checks', nargs='+', choices=CHECKS, metavar='CHECK')
    args = parser.parse_args()
    tree = Tree(args.tree)
    for name in args.checks:
        CHECKS[name](tree)
    return tree.offences != 0


if __name__ == '__main__':
    sys.exit(main())
