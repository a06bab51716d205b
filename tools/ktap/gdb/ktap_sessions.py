# SPDX-License-Identifier: GPL-2.0
"""Show the sessions of ktap in a crash dump: a command for gdb.

usage: gdb -nx -batch -x ktap_sessions.py -ex 'ktap-sessions [LINES]' vmlinux VMCORE

For each session it prints the opener, the script, the state, what was lost, the globals with
the entries of tables and the numbers of aggregations, and the newest LINES lines of output that
were not read (default: 20).  vmlinux is that of the kernel, with debug information (DWARF).

All of it is read as it was when the kernel stopped, without a lock: data that was just being
changed may be wrong.  Damage is reported, and the rest is shown.  Not shown are fields of threads
(self), speculations, texts of events, and names of files in stacks of programs.
"""
import contextlib
import re

import gdb

MOST_ENTRIES = 1 << 20      # of a table, of a list: more are the effect of damage
MOST_BYTES = 1 << 20        # of a string


def enum(name):
    """The constants of an enum, by number, without the prefix of all of them."""
    fields = gdb.lookup_type('enum ' + name).fields()
    return {f.enumval: re.sub('^KTAP_(REC_|AGG_)?', '', f.name) for f in fields}


try:
    TAG = enum('ktap_tag')
    KIND = enum('ktap_agg_kind')
    RECORD = enum('ktap_record_type')
    STATE = enum('ktap_state')
except gdb.error:
    raise gdb.GdbError('vmlinux has no types of ktap: give that of a kernel with CONFIG_KTAP and '
                       'debug information (DWARF)') from None


def at(type_name, address):
    """The object of this type at an address."""
    return gdb.Value(int(address)).cast(gdb.lookup_type(type_name).pointer()).dereference()


def offset(type_name, field):
    return int(gdb.lookup_type(type_name)[field].bitpos) // 8


def read(address, size):
    """Memory as bytes."""
    if not 0 <= size <= MOST_BYTES:
        raise Damage(f'{size} bytes at {int(address):#x}')
    return bytes(gdb.selected_inferior().read_memory(int(address), size)) if size else b''


class Damage(Exception):
    """Memory has contents that cannot be right."""


ORDER = 'big' if 'big' in gdb.execute('show endian', to_string=True) else 'little'


@contextlib.contextmanager
def part(what):
    """Go on after this part of the output if something in it cannot be read."""
    try:
        yield
    except (gdb.error, Damage, ValueError, OverflowError) as error:
        print(f'  ({what}: cannot be read: {error})')


def cpus():
    """The numbers of all possible CPUs."""
    bits = gdb.parse_and_eval('__cpu_possible_mask.bits')
    width = bits[0].type.sizeof * 8
    for word in range(bits.type.sizeof * 8 // width):
        for bit in range(width):
            if int(bits[word]) >> bit & 1:
                yield word * width + bit


def percpu(pointer):
    """The addresses of the parts of all CPUs."""
    for cpu in cpus():
        base = int(gdb.parse_and_eval(f'__per_cpu_offset[{cpu}]'))
        yield (int(pointer) + base) & 0xffffffffffffffff


def walk(first, following):
    """The elements of a list, which may be damaged."""
    seen = set()
    while int(first):
        if int(first) in seen or len(seen) > MOST_ENTRIES:
            raise Damage(f'the list comes back to {int(first):#x}')
        seen.add(int(first))
        yield first
        first = following(first)


def list_entries(head, type_name, field):
    """The objects on a struct list_head."""
    nodes = walk(head['next'], lambda n: n['next'] if n['next'] != head.address else 0)
    if head['next'] == head.address:
        return
    for node in nodes:
        yield at(type_name, int(node) - offset(type_name, field))


# Values

def quote(data):
    text = data.decode(errors='replace').replace('\\', '\\\\').replace('"', '\\"')
    return '"' + ''.join(c if c.isprintable() else f'\\x{ord(c):02x}' for c in text) + '"'


def symbol(address):
    text = gdb.execute(f'info symbol {address:#x}', to_string=True)
    return text.split(' in section')[0] if ' in section' in text else f'{address:#x}'


def words(data, signed=False):
    return [int.from_bytes(data[i:i + 8], ORDER, signed=signed) for i in range(0, len(data), 8)]


def plain(tag, bits, data):
    """The text of a value that is no object: @bits are its 64 bits, @data those of a blob."""
    if tag in ('NIL', 'BOOL'):
        return 'nil' if tag == 'NIL' else 'true' if bits else 'false'
    if tag == 'INT':
        return str(bits - (1 << 64) if bits >> 63 else bits)
    if tag == 'STR':
        return quote(data)
    if tag in ('ARGSTR', 'EVENT'):
        return '(text of an event)'
    if tag == 'TUPLE':
        return '(' + ', '.join(plain(*item) for item in items(data)) + ')'
    if tag == 'KSTACK':
        return '[' + ' '.join(symbol(word) for word in words(data)) + ']'
    if tag in ('USTACK', 'USYM'):
        return '[' + ' '.join(f'{word:#x}' for word in words(data)) + ']'
    if tag == 'ARRAY':
        return str(words(data, signed=True))
    return f'{tag.lower()} {bits:#x}'


def items(data):
    """The parts of a compound key, or the arguments of a record: tag, bits, bytes."""
    at_byte = 0
    while at_byte < len(data):
        tag = TAG.get(int.from_bytes(data[at_byte:at_byte + 4], ORDER), '?')
        size = int.from_bytes(data[at_byte + 4:at_byte + 8], ORDER)
        size = size if is_blob(tag) else 0 if tag == 'NIL' and not size else 8
        at_byte += 8
        blob = data[at_byte:at_byte + size]
        yield tag, int.from_bytes(blob[:8], ORDER), blob
        at_byte += (size + 7) & ~7


def is_blob(tag):
    return tag in ('STR', 'TUPLE', 'KSTACK', 'USTACK', 'USYM', 'ARRAY', 'EVENT', 'ARGSTR')


def value_text(value, blob=None):
    """The text of a struct ktap_value; @blob: where its bytes are, if not where it says."""
    tag = TAG.get(int(value['tag']), f'tag {int(value["tag"])}')
    data = read(blob or int(value['blob']), int(value['len'])) if is_blob(tag) else b''
    return plain(tag, int(value['u']), data)


def show_value(name, value, env, indent):
    """Print a global, or an entry of a table."""
    pad = '  ' * indent
    tag = TAG.get(int(value['tag']))
    if tag == 'TABLE':
        table = value['table'].dereference()
        print(f'{pad}{name} = table of {entries(table)}')
        show_entries(table, env, indent + 1)
    elif tag == 'AGG':
        show_agg(name, value['agg'].dereference(), env, indent)
    elif tag == 'FUNC':
        function = env['prog']['funcs'][int(value['u'])]
        print(f'{pad}{name} = function {function["name"].string()}')
    else:
        print(f'{pad}{name} = {value_text(value)}')


def entries(table):
    count, missed = int(table['count']), int(table['dropped'])
    return f'{count} entries' + (f', {missed} did not fit' if missed else '')


def show_entries(table, env, indent):
    for entry in walk(table['first'], lambda e: e['next']):
        with part('an entry'):
            key = value_text(entry['key'], entry['bytes'].address)
            show_value(f'[{key}]', entry['value'], env, indent)


# Aggregations

def int128(value):
    return (int(value['hi']) << 64) + int(value['lo'])


def hist_number(bits, row):
    """The first number of a row, as agg_hist_number()."""
    shift = row >> bits
    return (row - ((shift - 1) << bits)) << (shift - 1) if shift else row


def bucket_name(shape, bucket):
    low, step, n = int(shape['min']), int(shape['step']), int(shape['nbuckets'])
    if KIND[int(shape['kind'])] == 'LHIST':
        if bucket == 0:
            return f'below {low}'
        if bucket == n - 1:
            return f'from {int(shape["max"])} on'
        return str(low + (bucket - 1) * step)
    sign, row = (1, bucket - n // 2) if bucket >= n // 2 else (-1, n // 2 - bucket)
    return str(sign * hist_number(int(shape['bits']), row))


def parts_of(agg):
    """The totals, and the buckets by number, of each part of an aggregation."""
    if not int(agg['shards']):
        blocks = {}
        for block in walk(agg['blocks'], lambda b: b['next']):
            size = block['buckets'].type.range()[1] + 1
            blocks.update({int(block['first']) + i: int(block['buckets'][i])
                           for i in range(size)})
        yield agg['total'], blocks
        return
    n = int(agg['shape']['nbuckets'])
    header = gdb.lookup_type('struct ktap_shard').sizeof
    for base in percpu(agg['shards']):
        for nmi in range(2):
            place = base + nmi * (header + 8 * n)
            shard = at('struct ktap_shard', place)
            if int(shard['epoch']) == int(agg['epoch']['counter']):
                yield shard['total'], dict(enumerate(words(read(place + header, 8 * n))))


def show_agg(name, agg, env, indent):
    pad = '  ' * indent
    count = total = 0
    least, largest, buckets = [], [], {}
    for totals, some in parts_of(agg):
        if not int(totals['count']):
            continue
        count += int(totals['count'])
        total += int128(totals['sum'])
        least.append(int(totals['min']))
        largest.append(int(totals['max']))
        for bucket, n in some.items():
            buckets[bucket] = buckets.get(bucket, 0) + n
    kind = KIND.get(int(agg['shape']['kind']), '?').lower()
    numbers = f', sum {total}, least {min(least)}, largest {max(largest)}' if count else ''
    print(f'{pad}{name} = {kind}: {count} numbers{numbers}')
    for bucket, n in sorted(buckets.items()):
        if n:
            print(f'{pad}  {bucket_name(agg["shape"], bucket)}: {n}')
    if int(agg['keyed']):
        table = agg['keyed'].dereference()
        print(f'{pad}  by key: {entries(table)}')
        show_entries(table, env, indent + 2)


# Globals

def show_global(env, i):
    name = env['prog']['globals'][i].string()
    g = env['globals'][i]
    value = g['value']
    if int(g['sums']) and TAG.get(int(value['tag'])) in ('NIL', 'INT'):
        sums = [words(read(place, 16), signed=True) for place in percpu(g['sums'])]
        added = sum(s[0] for s in sums) - int(g['old_sum'])
        if (added or sum(s[1] for s in sums) != int(g['old_n'])):
            base = int(value['i']) if TAG[int(value['tag'])] == 'INT' else 0
            print(f'    {name} = {plain("INT", (base + added) & 0xffffffffffffffff, b"")}')
            return
    show_value(name, value, env, 2)


# Output: records of the ring buffer, and texts

DIRECTIVE = re.compile(r'%@?([-+ 0#]*\d*(?:\.\d*)?)[hlqjzt]*([diuxXocps%])')


def show_text(arg):
    """The text of an argument of a record; a string is not quoted."""
    return arg[2].decode(errors='replace') if arg[0] == 'STR' else plain(*arg)


def format_text(form, args):
    """printf with the arguments of a record.  Python knows the directives of C, but %p."""
    args = list(args)

    def directive(found):
        flags, conversion = found.groups()
        if conversion == '%':
            return '%'
        arg = args.pop(0) if args else ('NIL', 0, b'')
        if conversion == 's':
            return ('%' + flags + 's') % show_text(arg)
        signed = arg[1] - (1 << 64) if conversion in 'di' and arg[1] >> 63 else arg[1]
        return ('%' + flags + {'p': '#x'}.get(conversion, conversion)) % signed
    return DIRECTIVE.sub(directive, form)


def record_text(env, data):
    """The text of a struct ktap_record."""
    kind = RECORD.get(data[0], f'record {data[0]}')
    size, form = int.from_bytes(data[2:4], ORDER), int.from_bytes(data[4:8], ORDER)
    args = list(items(data[8:size]))[:data[1]]
    if kind == 'FORMAT':
        split = env['prog']['formats'][form]
        return format_text(read(split['text'], int(split['len'])).decode(errors='replace'), args)
    if kind == 'PRINTF' and args:
        return format_text(args[0][2].decode(errors='replace'), args[1:])
    texts = [show_text(arg) for arg in args]
    if kind in ('TEXT', 'ERROR'):
        return ''.join(texts)
    return ('' if kind == 'PRINT' else kind.lower() + ': ') + '\t'.join(texts) + '\n'


def page_records(page, begin):
    """Time and bytes of the records of a page of the ring buffer, from @begin on."""
    data = page['page'].dereference()
    size = int(data['commit']['a']['counter']) & 0x3fffffff
    stamp, raw, pos = int(data['time_stamp']), read(data['data'].address, size), 0
    while pos < size:
        head = int.from_bytes(raw[pos:pos + 4], ORDER)
        kind, delta = (head >> 27, head & 0x7ffffff) if ORDER == 'big' else (head & 31, head >> 5)
        first = int.from_bytes(raw[pos + 4:pos + 8], ORDER)
        if kind == 30:          # RINGBUF_TYPE_TIME_EXTEND
            stamp, length = stamp + (first << 27) + delta, 8
        elif kind == 31:        # RINGBUF_TYPE_TIME_STAMP
            stamp, length = (first << 27) + delta, 8
        elif kind == 29:        # RINGBUF_TYPE_PADDING
            if not delta:
                return
            stamp, length = stamp + delta, first + 4
        else:
            stamp, length = stamp + delta, (kind or first // 4) * 4 + 4
            if pos >= begin:
                yield stamp, raw[pos + (4 if kind else 8):pos + length]
        pos += length


def cpu_records(buffer):
    """The records of a CPU that are still in its ring buffer."""
    reader, commit = buffer['reader_page'], buffer['commit_page']
    yield from page_records(reader, int(reader['read']))
    if reader == commit:
        return
    page_type = gdb.lookup_type('struct buffer_page').pointer()

    def following(page):
        return gdb.Value(int(page['list']['next']) & ~3).cast(page_type)
    page = buffer['head_page']
    for page in walk(page, following):
        # the page before the first one has a flag in its pointer to it
        if int(page['list']['prev']['next']) & 3:
            break
    for page in walk(page, following):
        yield from page_records(page, int(page['read']))
        if page == commit:
            return


def show_output(session, most):
    out, env = session['output'], session['env']
    pieces, damaged = [], 0
    for text in list_entries(out['texts'], 'struct output_text', 'list'):
        data = read(text['data'].address, int(text['len']))[int(text['pos']):]
        is_record = not int(text['channel'])    # KTAP_CH_RECORD
        pieces.append((int(text['ts']), data, is_record))
    for cpu in cpus() if int(out['rb']) else ():
        with part(f'output of CPU {cpu}'):
            head = out['heads'][cpu]
            if int(head['record']):
                pieces.append((int(head['ts']), read(head['record'], int(head['size'])), True))
            for stamp, data in cpu_records(out['rb']['buffers'][cpu]):
                pieces.append((stamp, data, True))
    pieces.sort(key=lambda piece: piece[0])
    text = ''
    if int(out['pos']) < int(out['len']):
        text = read(int(out['buf']) + int(out['pos']), int(out['len']) - int(out['pos'])).decode(
            errors='replace')
    # most pieces are a line or more, but printf may make many pieces of one
    for _, data, is_record in pieces:
        try:
            text += record_text(env, data) if is_record else data.decode(errors='replace')
        except (gdb.error, Damage, IndexError):
            damaged += 1
    lines = text.splitlines()
    if damaged:
        print(f'  ({damaged} records cannot be read)')
    shown = lines[max(len(lines) - most, 0):]
    print(f'  output that was not read: {len(lines)} lines, the newest {len(shown)}:')
    for line in shown:
        print('    | ' + ''.join(c if c.isprintable() or c == '\t' else '?' for c in line))


# Sessions

def show_losses(session):
    counters = session['env']['counters']
    losses = {f.name: int(counters[f.name]['counter']) for f in counters.type.fields()}
    out = session['output']
    if int(out['rb']):
        losses['overwritten'] = sum(int(out['rb']['buffers'][cpu]['overrun']['a']['counter'])
                                    for cpu in cpus())
    lost = [f'{name} {n}' for name, n in losses.items() if n]
    print('  lost: ' + (', '.join(lost) or 'nothing'))


def show_session(session, most):
    number_of = int(session['id'])
    with part(f'session {number_of}'):
        state = STATE.get(int(session['filter']['state']), '?').lower()
        boot = session['boot_name'].string() if int(session['boot_name']) else ''
        pid, comm = int(session['opener']['numbers'][0]['nr']), session['comm']
        print(f'session {number_of}: {state}, opened by {pid} ({comm.string(errors="replace")})'
              + (f', boot {boot}' if boot else ''))
    with part('the arguments'):
        if int(session['nargs']) and int(session['args']):
            args = [value_text(session['args'][i]) for i in range(int(session['nargs']))]
            print('  script: ' + ' '.join(args))
    with part('the losses'):
        show_losses(session)
    with part('the globals'):
        env = session['env']
        n = int(env['prog']['nglobals']) if int(env['prog']) and int(env['globals']) else 0
        print(f'  globals: {n}')
        for i in range(min(n, MOST_ENTRIES)):
            with part(f'global {i}'):
                show_global(env, i)
    with part('the output'):
        show_output(session, most)


class Sessions(gdb.Command):
    """ktap-sessions [LINES]: show the sessions of ktap, and the newest lines of their output."""

    def __init__(self):
        super().__init__('ktap-sessions', gdb.COMMAND_DATA)

    def invoke(self, arg, from_tty):
        if not re.fullmatch(r'\d*', arg.strip()):
            raise gdb.GdbError('ktap-sessions: give a number of lines, for example 20')
        most, found = int(arg or 20), 0
        try:
            head = gdb.parse_and_eval('ktap_sessions')
            for session in list_entries(head, 'struct ktap_session', 'list'):
                show_session(session, most)
                found += 1
        except (gdb.error, Damage) as error:
            raise gdb.GdbError(f'the list of sessions cannot be read: {error}; is vmlinux that '
                               'of the kernel in the dump?') from None
        if not found:
            print('no session of ktap was there')


Sessions()
