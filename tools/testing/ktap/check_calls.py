#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Compare the lists of functions of the kernel that scripts can call: that of the kernel,
# that of the compiler with the prototypes, and the table in the reference of the language.

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
KERNEL = TOP / 'kernel/trace/ktap/vm/kernel_call_list.h'
TOOL = TOP / 'tools/ktap/compiler/kernel_calls.c'
PAGE = TOP / 'Documentation/trace/ktap-language.rst'

problems = []


def expect(is_right, problem):
    if not is_right:
        problems.append(problem)


def kernel():
    """Name: does it act, type of the result, types of the arguments."""
    found = {}
    for name, levels, rest in re.findall(r'^CALL\((\w+), (\w+), [^,]*, (.*)\)$', KERNEL.read_text(), re.M):
        result, *args = rest.split(', ')
        found[name] = ('UNSAFE' in levels, result, args)
    return found


def tool():
    """The same, and the prototype."""
    found, prototypes = {}, {}
    for kind, c, name, params, rest in re.findall(
            r'^\t(CALL|ACTION)\("([^"]*)", (\w+), "([^"]*)", (.*)\),$', TOOL.read_text(), re.M):
        result, *args = rest.split(', ')
        found[name] = (kind == 'ACTION', result, args)
        prototypes[name] = '%s %s(%s)' % (c, name, params)
    return found, prototypes


def of_prototype(prototype):
    """The types of result and arguments as in the lists."""
    c, params = re.fullmatch(r'(.*) \w+\((.*)\)', prototype).groups()
    result = {'void': 'NIL', 'bool': 'BOOL'}.get(c, 'INT')
    args = [p for p in params.split(', ') if p not in ('void', '...')]
    return result, ['STRING' if '*' in p else 'INT' for p in args]


def page():
    """Prototype: does it act."""
    section = PAGE.read_text().split('\nCalls of functions of the kernel\n=====')[1]
    rows = re.findall(r'^``(\w.*\))``  +(\S.*)$', section.split('\n.. ktap: ')[0], re.M)
    return {prototype: text.startswith('*acts*') for prototype, text in rows}


def main():
    in_kernel = kernel()
    in_tool, prototypes = tool()
    in_page = page()
    expect(in_kernel, 'no function found in the kernel')
    for name in sorted(in_kernel.keys() | in_tool.keys()):
        expect(in_kernel.get(name) == in_tool.get(name), '%s: the kernel has %s, the compiler %s' %
               (name, in_kernel.get(name), in_tool.get(name)))
    for name, prototype in sorted(prototypes.items()):
        expect(of_prototype(prototype) == in_tool[name][1:], '%s: the prototype is "%s", the types are %s' %
               (name, prototype, in_tool[name][1:]))
        expect(in_page.get(prototype) == in_tool[name][0],
               '%s: no row "%s" in the reference, or it differs in whether it acts' % (name, prototype))
    for prototype in sorted(in_page.keys() - set(prototypes.values())):
        problems.append('the reference has "%s", the compiler does not' % prototype)
    for problem in problems:
        print('%s: %s' % (pathlib.Path(__file__).name, problem))
    return 1 if problems else 0


sys.exit(main())
