#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Test the language server as an editor that talks to it.

usage: language_server.py SERVER WORDS FOLDER SCRIPTS

WORDS is the list of words that the server is made with, FOLDER an empty folder for scripts,
and SCRIPTS the folder of the tools. Prints a line for each test: 0 or 1, and its name; after
one that has failed, why, in lines that begin with "#". The environment has ktapc and ktap in
PATH, and an invented tracefs.
"""
import array
import fcntl
import json
import os
import pathlib
import queue
import subprocess
import sys
import termios
import threading
import time
import traceback

SERVER, WORDS, FOLDER, SCRIPTS = sys.argv[1:]
SECONDS = 60        # the longest that a test waits


class Client:
    """A server that has been started, and what it says."""
    def __init__(self, options=None, start=True, arguments=(), env=None):
        self.process = subprocess.Popen(
            [sys.executable, SERVER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})))
        self.said = queue.Queue()
        self.notices = []
        self.last = 0
        threading.Thread(target=self._listen, daemon=True).start()
        if start:
            self.capabilities = self.ask('initialize', {
                'processId': None, 'rootUri': None, 'capabilities': {},
                'initializationOptions': options})['capabilities']
            self.tell('initialized', {})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # a test that has failed leaves the server as it is
        code = None if kind else self.end()
        self.process.kill()
        self.process.wait()
        said = self.process.stderr.read().decode()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        if not kind:
            assert (code, said) == (0, ''), (code, said)

    def _listen(self):
        stream = self.process.stdout
        while True:
            header = stream.readline()
            if not header:
                self.said.put(None)
                return
            assert stream.readline() == b'\r\n'
            self.said.put(json.loads(stream.read(int(header.split(b':')[1])).decode()))

    def raw(self, data):
        """Send bytes."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    @staticmethod
    def framed(message):
        """The bytes of a message."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        return b'Content-Length: %d\r\n\r\n%s' % (len(data), data)

    def tell(self, method, params):
        """Send a notification."""
        self.raw(self.framed({'jsonrpc': '2.0', 'method': method, 'params': params}))

    def answer(self):
        """The next message that is no notification; these are kept."""
        while True:
            message = self.said.get(timeout=SECONDS)
            if not message or 'method' not in message:
                return message
            self.notices.append(message)

    def full(self, method, params):
        """The answer to a request."""
        self.last += 1
        self.raw(self.framed({'jsonrpc': '2.0', 'id': self.last, 'method': method,
                              'params': params}))
        answer = self.answer()
        assert answer['id'] == self.last and answer['jsonrpc'] == '2.0', answer
        return answer

    def ask(self, method, params):
        """The result of a request."""
        answer = self.full(method, params)
        assert 'error' not in answer, answer
        return answer['result']

    def error(self, method, params):
        """The code of the error of a request, which has a text."""
        error = self.full(method, params)['error']
        assert error['message'] and 'Traceback' not in error['message'], error
        return error['code']

    def notice(self, method):
        """The parameters of the next notification of a method."""
        while True:
            for notice in self.notices:
                if notice['method'] == method:
                    self.notices.remove(notice)
                    return notice['params']
            message = self.said.get(timeout=SECONDS)
            assert message and 'method' in message, message
            self.notices.append(message)

    def end(self):
        """Shut down; returns the exit code."""
        assert self.ask('shutdown', None) is None
        self.tell('exit', None)
        return self.process.wait(SECONDS)

    def open(self, text, name='script.kp', language='ktap'):
        """Open a script; returns its URI."""
        uri = pathlib.Path(FOLDER, name).as_uri()
        self.tell('textDocument/didOpen', {'textDocument': {
            'uri': uri, 'languageId': language, 'version': 1, 'text': text}})
        return uri

    def change(self, uri, text):
        """Replace the text of a script."""
        self.tell('textDocument/didChange', {
            'textDocument': {'uri': uri, 'version': 2}, 'contentChanges': [{'text': text}]})

    def diagnostics(self):
        """The next diagnostics."""
        return self.notice('textDocument/publishDiagnostics')['diagnostics']

    def at(self, method, uri, line, character):
        """The result of a request about a position."""
        return self.ask('textDocument/' + method, {
            'textDocument': {'uri': uri}, 'position': {'line': line, 'character': character}})

    def completed(self, text, name='script.kp'):
        """Items at the mark "|" of a text, by their label."""
        before = text[:text.index('|')]
        uri = self.open(text.replace('|', '', 1), name)
        last = before.rpartition('\n')[2]
        result = self.at('completion', uri, before.count('\n'), len(last.encode('utf-16-le')) // 2)
        return {item['label']: item for item in (result and result['items'])}


def span(line, first, end):
    """A range in a line."""
    return {'start': {'line': line, 'character': first}, 'end': {'line': line, 'character': end}}


def write(name, text):
    """Write a file into the folder of the scripts; returns its path."""
    path = pathlib.Path(FOLDER, name)
    path.write_bytes(text.encode())
    return path


def program(name, text):
    """Write a program; returns its path."""
    path = write(name, '#!/bin/sh\n' + text)
    path.chmod(0o755)
    return str(path)


# the protocol


def session_begins_with_initialize():
    with Client(start=False) as client:
        assert client.error('textDocument/hover', {}) == -32002
        client.tell('textDocument/didOpen', {'textDocument': 5})
        capabilities = client.ask('initialize', {'capabilities': {}})['capabilities']
        assert capabilities['positionEncoding'] == 'utf-16'
        assert capabilities['textDocumentSync']['change'] == 1
        assert client.error('initialize', {'capabilities': {}}) == -32600
        assert not client.notices


def session_ends_with_shutdown_and_exit():
    client = Client(start=True)
    assert client.ask('shutdown', None) is None
    assert client.error('shutdown', None) == -32600
    assert client.error('textDocument/hover', {}) == -32600
    client.tell('exit', None)
    assert client.process.wait(SECONDS) == 0


def exit_without_shutdown_fails():
    for start in (False, True):
        client = Client(start=start)
        client.tell('exit', None)
        assert client.process.wait(SECONDS) == 1


def end_of_input_fails():
    for data in (b'', b'Content-Length: 10\r\n\r\n{', b'Content-Le'):
        client = Client()
        client.raw(data)
        client.process.stdin.close()
        assert client.process.wait(SECONDS) == 1
        assert client.process.stderr.read() == b''


def unknown_methods_are_errors():
    with Client() as client:
        assert client.error('textDocument/rename', {}) == -32601
        assert client.error('$/unknown', {}) == -32601
        client.tell('$/cancelRequest', {'id': 1})
        client.tell('workspace/didChangeConfiguration', {'settings': None})
        assert client.error('nothing', None) == -32601 and not client.notices


def malformed_messages_are_errors():
    cases = [
        (b'Content-Length: 5\r\n\r\n{"a":', -32700),
        (b'Content-Length: 2\r\n\r\n\xff\xfe', -32700),
        (b'Content-Type: text\r\n\r\n', -32700),
        (b'Content-Length: -1\r\n\r\n', -32700),
        (b'Content-Length: five\r\n\r\n', -32700),
        (Client.framed(b'[' * 100000), -32700),
        (Client.framed([]), -32600),
        (Client.framed(None), -32600),
        (Client.framed(5), -32600),
        (Client.framed({'id': None, 'jsonrpc': '2.0', 'method': 'shutdown'}), -32600),
        (Client.framed({'jsonrpc': '2.0', 'params': {}}), -32600),
        (b'Content-Length: %d\r\n\r\n' % ((64 << 20) + 1) + b' ' * ((64 << 20) + 1), -32700),
    ]
    with Client() as client:
        for data, code in cases:
            client.raw(data)
            answer = client.answer()
            assert answer['id'] is None and answer['error']['code'] == code, (data[:99], answer)
        for request in ({'jsonrpc': '1.0', 'method': 'shutdown'}, {'jsonrpc': '2.0', 'method': 5}):
            client.raw(client.framed(dict(request, id='word')))
            answer = client.answer()
            assert answer['id'] == 'word' and answer['error']['code'] == -32600, answer
        # an answer is no request
        client.raw(client.framed({'jsonrpc': '2.0', 'id': 1, 'result': None}))


def messages_may_come_in_pieces():
    with Client() as client:
        data = client.framed({'jsonrpc': '2.0', 'id': 'a', 'method': 'nothing'})
        data = b'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n' + data
        for i in range(0, len(data), 7):
            client.raw(data[i:i + 7])
        client.raw(data + data[:-1])
        client.raw(data[-1:])
        for _ in range(3):
            assert client.answer()['error']['code'] == -32601


def wrong_parameters_are_errors():
    with Client() as client:
        uri = client.open('x = 1\n')
        document = {'uri': uri}
        for params in (
                None, [], {}, {'textDocument': document},
                {'textDocument': document, 'position': {'line': 0}},
                {'textDocument': document, 'position': {'line': -1, 'character': 0}},
                {'textDocument': document, 'position': {'line': '0', 'character': 0}},
                {'textDocument': document, 'position': {'line': True, 'character': 0}},
                {'textDocument': {'uri': 5}, 'position': {'line': 0, 'character': 0}},
                {'textDocument': {'uri': uri + 'x'}, 'position': {'line': 0, 'character': 0}}):
            for method in ('completion', 'hover', 'definition'):
                assert client.error('textDocument/' + method, params) == -32602, params
        assert client.error('textDocument/documentSymbol', {'textDocument': {}}) == -32602
        # of notifications, errors are logged
        client.tell('textDocument/didChange', {'textDocument': document, 'contentChanges': [
            {'range': span(0, 0, 1), 'text': 'y'}]})
        assert 'whole text' in client.notice('window/logMessage')['message']
    with Client(start=False) as client:
        for options in ([], {'ktapc': 5}, {'include': 'folder'}, {'include': [5]}):
            assert client.error('initialize', {'initializationOptions': options}) == -32602
        client.ask('initialize', {})


def positions_after_the_end_are_the_end():
    with Client() as client:
        uri = client.open('x = pid')
        for position in ((0, 99), (7, 3)):
            assert client.at('hover', uri, *position)['range'] == span(0, 4, 7)


def arguments_are_checked():
    def run(*arguments):
        done = subprocess.run([sys.executable, SERVER, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              timeout=SECONDS)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    code, out, err = run('--help')
    assert code == 0 and 'usage: ktap-language-server' in out and not err
    code, out, err = run('--port=5')
    assert code == 2 and not out and 'Try: ktap-language-server --help' in err
    with Client(arguments=['--stdio']) as client:
        assert client.capabilities['hoverProvider']


# diagnostics


def errors_are_shown_until_they_are_corrected():
    with Client() as client:
        uri = client.open('x = 1\nprint(x +)\n')
        [error] = client.diagnostics()
        assert error['range'] == span(1, 9, 10) and error['severity'] == 1, error
        assert error['message'].startswith('expected an expression') and error['source'] == 'ktapc'
        client.change(uri, 'x = 1\nprint(x)\n')
        assert client.diagnostics() == []
        client.change(uri, 'print("a" + 1)\ntrace sched:sched_switch { y = z }\n')
        errors = client.diagnostics()
        assert errors[0]['severity'] == 1 and errors[0]['range']['start']['line'] == 0, errors
        client.tell('textDocument/didClose', {'textDocument': {'uri': uri}})
        assert client.diagnostics() == []


def warnings_have_the_range_of_a_name():
    with Client() as client:
        client.open('function f() { var unused = 1 }\nf()\n')
        [warning] = client.diagnostics()
        assert warning['severity'] == 2 and warning['range'] == span(0, 19, 25), warning
        assert 'never used' in warning['message'], warning


def advice_belongs_to_its_message():
    with Client() as client:
        client.open('include "no_such.kp"\n')
        [error] = client.diagnostics()
        first, note = error['message'].split('\n')
        assert 'cannot include' in first and note.startswith('note: searched in '), error


def columns_are_in_utf_16():
    with Client() as client:
        # "ä" has 2 bytes and 1 unit, the emoji 4 bytes and 2 units
        client.open('x = "ä🙂" y = wrong_name()\n')
        [error] = [d for d in client.diagnostics() if d['severity'] == 1]
        assert error['range'] == span(0, 14, 24), error
        assert 'wrong_name' in error['message'], error
        client.open('\ufeffx = = 1\r\n', 'mark.kp')
        [error] = client.diagnostics()
        assert error['range'] == span(0, 5, 6), error
        client.open('x = 1\r\ny = 🙂\r\n', 'emoji.kp')
        error = client.diagnostics()[0]
        assert error['range'] == span(1, 4, 6), error
        client.open('x =\r\n', 'end.kp')
        error = client.diagnostics()[0]
        assert error['range']['start'] == error['range']['end'], error
        # an editor may cut a pair in two
        client.open('x = "\ud83d" y = wrong_name()\n', 'half.kp')
        assert any('wrong_name' in d['message'] and d['range'] == span(0, 12, 22)
                   for d in client.diagnostics())


def positions_of_requests_are_in_utf_16():
    with Client() as client:
        uri = client.open('x = "ä🙂" .. execname\n')
        assert client.at('hover', uri, 0, 14)['range'] == span(0, 13, 21)
        items = client.completed('x = "ä🙂" .. exec|\n')
        assert items['execname']['textEdit']['range'] == span(0, 13, 17), items


def errors_of_included_files_are_shown_at_the_include():
    path = write('broken.kp', 'y = 1\nx = = "🙂"\n')
    with Client() as client:
        uri = client.open('z = 1\ninclude "broken.kp"\n')
        [error] = client.diagnostics()
        assert error['range'] == span(1, 9, 18), error
        assert error['message'].startswith('broken.kp:2:5: expected an expression'), error
        assert error['relatedInformation'][0]['location'] == {
            'uri': path.as_uri(), 'range': span(1, 4, 5)}, error
        write('broken.kp', 'y = 1\n')
        client.tell('textDocument/didSave', {'textDocument': {'uri': uri}})
        assert client.diagnostics() == []


def folders_to_include_from_are_an_option():
    pathlib.Path(FOLDER, 'other').mkdir()
    write('other/part.kp', 'function part() { return 1 }\n')
    with Client(options={'include': [os.path.join(FOLDER, 'other')]}) as client:
        client.open('include "part.kp"\nprint(part())\n')
        assert client.diagnostics() == []


def scripts_of_bpftrace_have_diagnostics_only():
    with Client() as client:
        uri = client.open('kprobe:vfs_read { @ = nosuch(3); }\n', 'script.bt', 'text')
        [error] = client.diagnostics()
        assert error['range'] == span(0, 22, 28) and error['severity'] == 1, error
        client.change(uri, 'kprobe:vfs_read { @ = count(); }\n')
        assert client.diagnostics() == []
        assert client.at('completion', uri, 0, 22) == []
        assert client.at('hover', uri, 0, 24) is None
        assert client.at('definition', uri, 0, 24) is None
        assert client.ask('textDocument/documentSymbol', {'textDocument': {'uri': uri}}) == []
        client.open('BEGIN { @ = nosuch(3); }\n', 'other', 'bpftrace')
        assert len(client.diagnostics()) == 1


def only_the_last_of_waiting_changes_is_compiled():
    calls, go = os.path.join(FOLDER, 'calls'), os.path.join(FOLDER, 'go')
    slow = program('slow', 'echo >>"{0}"\nwhile [ ! -e "{1}" ]; do sleep 0.1; done\n'
                           'exec ktapc "$@"\n'.format(calls, go))
    with Client(options={'ktapc': slow}) as client:
        uri = client.open('x = 1\n')
        while not os.path.exists(calls):
            time.sleep(0.01)
        for i in range(199):
            client.change(uri, 'x = {}\n'.format(i))
        client.change(uri, 'x = =\n')
        waiting = array.array('i', [1])
        while waiting[0]:
            fcntl.ioctl(client.process.stdin, termios.FIONREAD, waiting)
        time.sleep(0.5)
        write('go', '')
        assert client.diagnostics() == []
        while not client.diagnostics():
            pass
    assert len(pathlib.Path(calls).read_text()) < 100


# without programs


def missing_compiler_is_shown_with_advice():
    with Client(options={'ktapc': '/no/such/ktapc'}) as client:
        uri = client.open('x = 1\n')
        shown = client.notice('window/showMessage')
        assert shown['type'] == 1 and 'there is no ktapc: install it' in shown['message'], shown
        client.change(uri, 'y = pi\n')
        labels = [i['label'] for i in client.at('completion', uri, 0, 6)['items']]
        assert labels == ['pid'], labels
        assert client.at('definition', uri, 0, 0) is None
        assert not [n for n in client.notices if n['method'] == 'window/showMessage']


def compiler_that_crashes_is_reported():
    with Client(options={'ktapc': program('crashes', 'kill -SEGV $$\n')}) as client:
        uri = client.open('x = 1\n')
        assert 'ended by signal 11' in client.notice('window/showMessage')['message']
        assert client.at('hover', uri, 0, 0) is None


def compiler_that_hangs_is_ended():
    with Client(options={'ktapc': program('hangs', 'exec sleep 1000\n')}) as client:
        uri = client.open('x = pid\n')
        assert 'took longer than 10 seconds' in client.notice('window/showMessage')['message']
        # keeps the old names
        client.tell('textDocument/didClose', {'textDocument': {'uri': uri}})
        assert client.error('nothing', {}) == -32601


def events_need_ktap():
    with Client(options={'ktap': '/no/such/ktap'}) as client:
        assert 'prev_pid' not in client.completed('trace sched:sched_switch { x = args.| }')
        uri = client.open('trace sched:sched_switch { }\n')
        assert client.at('hover', uri, 0, 10) is None
    with Client(env={'KTAP_TRACEFS': '/no/such/tracefs'}) as client:
        assert 'prev_pid' not in client.completed('trace sched:sched_switch { x = args.| }')
        assert 'sched:sched_switch' not in client.completed('trace sched:|')
        assert not [n for n in client.notices if n['method'].startswith('window/')]


# completion


def all_words_of_the_language_are_completed():
    with open(WORDS, encoding='utf-8') as file:
        rows = [line.split('\t') for line in file]
    words = {row[1].strip() for row in rows
             if row[0] in ('keyword', 'contextual', 'function', 'value', 'space')}
    with Client() as client:
        items = client.completed('x = 1\n|\n')
        assert len(words) > 150 and words <= set(items), words - set(items)
        assert items['substr']['detail'] == 'substr(string, integer[, integer]): string', items
        assert items['pid']['detail'] == 'pid: integer' and items['while']['kind'] == 14
        members = client.completed('x = test.|')
        assert {'ok', 'is', 'plan'} <= set(members) and 'pid' not in members, members
        assert members['ok']['detail'].startswith('test.ok(any'), members


def names_of_the_script_are_completed():
    write('names.kp', 'function included(a, b) { return a }\nshared = 1\n')
    with Client() as client:
        text = ('include "names.kp"\nglobal_name = 1 # comment_name\n'
                'function own(first, ...) { var inner = first return inner }\n'
                'print("string_name", t.member_name)\n')
        items = client.completed(text + '|')
        assert {'global_name', 'own', 'inner', 'first', 'included', 'shared'} <= set(items)
        assert not {'comment_name', 'string_name', 'member_name'} & set(items)
        assert items['own']['detail'] == 'function own(first, ...)' and items['own']['kind'] == 3
        assert items['included']['detail'] == 'function included(a, b)'
        # what has been typed is no name yet, and the script does not parse
        items = client.completed(text + 'if (global_|')
        assert list(items) == ['global_name'], items


def events_are_completed_after_trace():
    with Client() as client:
        for before in ('trace ', 'x = 1\ntrace sched:sched_switch,\n\t'):
            items = client.completed(before + 'sched:sched_w|')
            assert list(items) == ['sched:sched_wakeup']
            assert items['sched:sched_wakeup']['kind'] == 23
        last = items['sched:sched_wakeup']['textEdit']['range']
        assert last['end']['line'] == 2 and last['start']['character'] == 1, last
        items = client.completed('trace |')
        assert {'tp:', 'probe:', 'sched:'} <= set(items) and 'pid' not in items, items
        assert list(client.completed('trace probe:vfs_|')) == ['probe:vfs_read']
        # not in the predicate, the handler or a field of this name
        for text in ('trace sched:sched_switch /pi|', 'trace sched:sched_switch { pi|',
                     'trace sched:sched_switch if (pi|', 'x = t.trace + pi|'):
            assert 'pid' in client.completed(text), text


def fields_are_completed_after_args():
    with Client() as client:
        for text in ('trace sched:sched_switch { x = args.|\n}\n',
                     'trace sched:sched_switch /args.|/ { }\n',
                     'trace sched:sched_switch { if (x) { y = args.| } }\n',
                     'trace sched:sched_wakeup, sched:sched_switch { x = args.|'):
            items = client.completed(text)
            assert {'prev_comm', 'prev_pid'} == set(items), (text, items)
            assert items['prev_comm']['detail'] == 'char prev_comm[16]'
            assert items['prev_pid']['kind'] == 5
        for text in ('trace sched:sched_wakeup { x = args.|', 'x = args.|', 'x = other.|',
                     'trace sched:sched_switch { }\nfunction f() { x = args.| }'):
            assert not client.completed(text), text


def comments_and_strings_are_not_completed():
    with Client() as client:
        for text in ('x = "pi|"', 'x = "pi|', "x = 'pi|'", '# pi|', '// pi|\n', '/* pi| */',
                     '/* pi|', 'x = "a\\"pi|"', 'cdef [[ pi| ]]', '`pi|`'):
            assert not client.completed(text), text
        for text in ('x = "a" .. pi|', 'x = "#" .. pi|', '/* a */ pi|', '# a\npi|',
                     "x = '\"' .. pi|", 'x = "" .. pi|', 'trace uprobe:/lib/*:malloc { pi|'):
            assert 'pid' in client.completed(text), text


# hover, definitions and symbols


def built_ins_are_explained():
    with Client() as client:
        uri = client.open('x = min(1, 2)\nsystem("true") print(test.ok(1))\n')
        hover = client.at('hover', uri, 0, 5)
        assert hover['range'] == span(0, 4, 7), hover
        text = hover['contents']['value']
        assert 'min(aggregation): integer or nil\nmin(integer, integer, ...): integer' in text, text
        assert '--unsafe' in client.at('hover', uri, 1, 3)['contents']['value']
        assert 'test.ok(any' in client.at('hover', uri, 1, 26)['contents']['value']
        for place in ((0, 2), (0, 8), (1, 9)):
            assert client.at('hover', uri, *place) is None, place


def reference_is_a_part_of_what_is_explained():
    top = pathlib.Path(__file__).resolve().parents[3]
    reference = top / 'Documentation/trace/ktap-language.rst'
    with Client() as client:
        uri = client.open('x = stddev(a)\n')
        text = client.at('hover', uri, 0, 5)['contents']['value']
        assert ('Values of an aggregation' in text) == reference.exists(), text


def events_and_fields_are_explained():
    with Client() as client:
        uri = client.open('trace sched:sched_wakeup, sched:sched_switch {\n'
                          '\tx = args.prev_comm\n}\n')
        hover = client.at('hover', uri, 0, 30)
        assert hover['range'] == span(0, 26, 44), hover
        assert 'char prev_comm[16]\npid_t prev_pid' in hover['contents']['value'], hover
        assert 'char prev_comm[16]' in client.at('hover', uri, 1, 12)['contents']['value']
        assert client.at('hover', uri, 0, 8) is None


def functions_are_explained_by_their_comment():
    write('explained.kp', '# From another file.\nfunction far(x) { return x }\n')
    with Client() as client:
        uri = client.open('#!/usr/bin/env ktap\n# Twice that.\n# Or more.\n'
                          'function twice(n) { return n + n }\n\nprint(twice(far(1)))\n'
                          'include "explained.kp"\ncounted = 1 print(counted)\n')
        assert client.at('hover', uri, 5, 8)['contents']['value'] == (
            '```ktap\nfunction twice(n)\n```\n\nTwice that.\nOr more.')
        assert 'From another file.' in client.at('hover', uri, 5, 13)['contents']['value']
        assert client.at('hover', uri, 3, 20 + 7)['contents']['value'] == '`n`: local variable'
        assert 'global variable' in client.at('hover', uri, 7, 20)['contents']['value']


def names_have_definitions():
    path = write('defined.kp', 'x = "🙂" function far(x) { return x }\n')
    with Client() as client:
        uri = client.open(
            'include "defined.kp"\n'                                # 0
            'total = 0\n'                                           # 1
            'function add(n) { var m = n total = total + m }\n'     # 2
            'trace sched:sched_switch { var i = 1\n'                # 3
            '  if (i) { var i = i + 1 add(i) }\n'                   # 4
            '  add(i) far(i) t[comm] += 1\n'                        # 5
            '}\n'                                                   # 6
            'trace_end { print(t, "add", args.add) }\n')            # 7

        def definition(line, character):
            return client.at('definition', uri, line, character)
        for use, where in (((5, 3), (2, 9, 12)), ((2, 37), (1, 0, 5)), ((2, 26), (2, 13, 14)),
                           ((2, 44), (2, 22, 23)), ((4, 6), (3, 31, 32)), ((4, 19), (3, 31, 32)),
                           ((4, 29), (4, 15, 16)), ((5, 6), (3, 31, 32)), ((7, 18), (5, 16, 17)),
                           ((2, 10), (2, 9, 12))):
            found = definition(*use)
            assert found == {'uri': uri, 'range': span(*where)}, (use, found)
        assert definition(5, 10) == {'uri': path.as_uri(), 'range': span(0, 18, 21)}
        assert definition(0, 12) == {'uri': path.as_uri(), 'range': span(0, 0, 0)}
        # of a built-in, a field, text, and of nothing
        for use in ((5, 19), (7, 33), (7, 23), (6, 1)):
            assert definition(*use) is None, use


def names_stay_while_a_script_does_not_parse():
    with Client() as client:
        text = 'function first(a) {{ return a }}\n{}function second(b) {{ return b }}\n'
        text += 'print(first(second(1)))\n'
        uri = client.open(text.format(''))
        assert client.at('definition', uri, 2, 14)['range'] == span(1, 9, 15)
        client.change(uri, text.format('x = = (\n'))
        assert client.at('definition', uri, 3, 14)['range'] == span(2, 9, 15)
        assert client.at('definition', uri, 3, 8)['range'] == span(0, 9, 14)
        client.change(uri, text.format(''))
        assert client.at('definition', uri, 2, 14)['range'] == span(1, 9, 15)


def symbols_are_listed():
    with Client() as client:
        uri = client.open(
            'start = "{"\n'
            'function f(a) {\n  if (a) { return "}" }\n}\n'
            'trace sched:sched_switch, sched:sched_wakeup /pid/ {\n  n[comm] += start # }\n}\n'
            'trace sched:sched_waking f\n'
            'tick-1s { clear(n) }\n')
        symbols = client.ask('textDocument/documentSymbol', {'textDocument': {'uri': uri}})
        found = [(s['name'], s['kind'], s['range']['start']['line'], s['range']['end']['line'],
                  s['range']['end']['character']) for s in symbols]
        assert found == [
            ('start', 13, 0, 0, 5), ('f', 12, 1, 3, 1),
            ('sched:sched_switch, sched:sched_wakeup', 24, 4, 6, 1), ('n', 13, 5, 5, 3),
            ('sched:sched_waking', 24, 7, 7, 26), ('tick-1s', 24, 8, 8, 20)], found
        assert symbols[1]['selectionRange'] == span(1, 9, 10), symbols
        assert symbols[5]['selectionRange'] == span(8, 0, 7), symbols


def no_place_of_the_tools_is_an_error():
    with Client() as client:
        for path in sorted(pathlib.Path(SCRIPTS).glob('*.kp')):
            text = path.read_text(encoding='utf-8')
            uri = client.open(text, path.name)
            assert client.diagnostics() == [], path
            assert client.ask('textDocument/documentSymbol', {'textDocument': {'uri': uri}}), path
            for line, content in list(enumerate(text.split('\n')))[::11]:
                for method in ('hover', 'definition'):
                    client.at(method, uri, line, len(content) * 2 // 3)
                # the script ends in the middle
                client.at('completion', uri, line, len(content) // 3)
        assert not [n for n in client.notices if n['method'].startswith('window/')], client.notices


def main():
    """Run all tests."""
    tests = [(name, test) for name, test in globals().items()
             if getattr(test, '__module__', '') == '__main__' and callable(test) and
             not test.__doc__ and '_' in name]
    for name, test in tests:
        try:
            test()
        except Exception:  # pylint: disable=broad-except
            print(1, name)
            print(*('# ' + line for line in traceback.format_exc().splitlines()), sep='\n')
        else:
            print(0, name)
        sys.stdout.flush()
    return 0 if len(tests) > 30 else 1


sys.exit(main())
