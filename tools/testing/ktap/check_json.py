#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Check the output as JSON, as Documentation/trace/ktap-json.rst describes it.
#
# `check_json.py BUILD` runs scripts with the programs in BUILD: json/NAME.kp prints exactly
# the lines in json/NAME.out, without their times; the output of other scripts has the right
# form, and is not empty if they print something.
#
# `check_json.py -` checks the form of standard input.

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
OTHERS = ['events/*.kp', '../selftests/ktap/cases/agg_*.kp', '../selftests/ktap/cases/print*.kp']

INTEGER = 'an integer'
VALUE = 'a value'
TYPES = {
    'print': {'values': [VALUE]},
    'print_hist': {'values': [VALUE]},
    'variable': {'name': str, 'value': VALUE},
    'entry': {'table': INTEGER, 'key': [VALUE], 'value': VALUE, '?name': str},
    'text': {'text': str, '?cut': bool},
    'error': {'text': str},
    'note': {'text': str},
    'loss': {'text': str, 'count': INTEGER, '?table': INTEGER},
    'cat': {'text': str},
    'system': {'text': str},
}


class WrongForm(Exception):
    pass


def no_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise WrongForm('a name occurs twice')
    return result


def refuse(text):
    raise WrongForm(f'{text} is no value of JSON that is used')


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_object(value):
    """An object in a line: a table, an aggregation, or something that is not shown"""
    if set(value) == {'from', 'count'} or set(value) == {'below', 'count'}:
        good = all(map(is_integer, value.values()))
    elif 'count' in value:
        good = set(value) <= {'count', 'sum', 'min', 'max', 'avg', 'buckets'}
    else:
        good = value == {} or value == {'omitted': True} or set(value) == {'table'}
    if not good:
        raise WrongForm(f'an object with {sorted(value)}')
    for part in value.values():
        check_value(part)


def check_value(value):
    if isinstance(value, dict):
        check_object(value)
    elif isinstance(value, list):
        for part in value:
            check_value(part)


def check_member(name, value, form):
    if form is VALUE:
        return check_value(value)
    if isinstance(form, list):
        good = isinstance(value, list)
        for part in value if good else []:
            check_value(part)
    else:
        good = is_integer(value) if form is INTEGER else isinstance(value, form)
    if not good:
        raise WrongForm(f'{name} has a wrong value')


class Checker:
    """Check the lines of one session."""

    def __init__(self):
        self.tables = set()

    def find_tables(self, line):
        for value in line.get('values', [line.get('value')]):
            if isinstance(value, dict) and 'table' in value:
                if value['table'] in self.tables:
                    raise WrongForm('two tables have the same number')
                self.tables.add(value['table'])

    def check(self, text):
        line = json.loads(text.decode('utf-8'), object_pairs_hook=no_duplicates,
                          parse_float=refuse, parse_constant=refuse)
        if not isinstance(line, dict) or line.get('type') not in TYPES:
            raise WrongForm('a type that is not known')
        form = dict(TYPES[line['type']], type=str, time=INTEGER)
        for name, value in line.items():
            if name not in form and '?' + name not in form:
                raise WrongForm(f'a member {name}')
            check_member(name, value, form.get(name, form.get('?' + name)))
        missing = [name for name in form if name[0] != '?' and name not in line]
        if missing:
            raise WrongForm(f'no member {missing[0]}')
        if line['type'] == 'entry' and line['table'] not in self.tables:
            raise WrongForm('an entry of a table that no line has shown')
        self.find_tables(line)
        return line


def check_lines(output):
    """Return the lines without their times, or an error."""
    checker, lines = Checker(), []
    if output and not output.endswith(b'\n'):
        return None, 'the last line has no newline'
    for text in output.split(b'\n')[:-1]:
        try:
            line = checker.check(text)
        except (ValueError, WrongForm) as error:
            return None, f'{error}: {text[:200]}'
        lines.append({name: value for name, value in line.items() if name != 'time'})
    return lines, None


def run(build, script, folder, *options):
    chunk = folder / 'chunk'
    compiler = subprocess.run([build / 'compiler/ktapc', '-o', chunk, script],
                              capture_output=True, check=False)
    if compiler.returncode:
        return None
    vm = subprocess.run([build / 'ktapvm', '-E', '-u', *options, chunk],
                        capture_output=True, check=False, timeout=120)
    return vm.stdout if vm.returncode in (0, 1) else None


def check_exact(build, script, folder):
    output = run(build, script, folder, '-f', 'json')
    if output is None:
        return 'does not run'
    lines, error = check_lines(output)
    wanted = [json.loads(line) for line in script.with_suffix('.out').read_text().splitlines()]
    if error or lines == wanted:
        return error
    for got, want in zip(lines, wanted):
        if got != want:
            return f'printed {got}, not {want}'
    return f'printed {len(lines)} lines, not {len(wanted)}'


def check_form(build, script, folder):
    text, output = run(build, script, folder), run(build, script, folder, '-f', 'json')
    # requests are lines of text, see put_request() in host.c
    if text is None or output is None or b'only the ktap tool can' in text:
        return None
    error = check_lines(output)[1]
    return error or ('printed nothing' if text and not output else None)


def main():
    if sys.argv[1] == '-':
        error = check_lines(sys.stdin.buffer.read())[1]
        sys.exit(error)
    build, failed, passed = pathlib.Path(sys.argv[1]).resolve(), 0, 0
    tests = [(script, check_exact) for script in sorted(HERE.glob('json/*.kp'))]
    for pattern in OTHERS:
        tests += [(script, check_form) for script in sorted(HERE.glob(pattern))]
    with tempfile.TemporaryDirectory() as folder:
        for script, check in tests:
            error = check(build, script, pathlib.Path(folder))
            passed, failed = passed + (not error), failed + bool(error)
            if error:
                print(f'FAIL {script.name} as JSON: {error}')
    print(f'json: {passed} passed, {failed} failed')
    sys.exit(failed > 0)


main()
