#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The rows and the tables of bench/peers and bench/profile.

usage: peers.py jobs [-t TOOLS] [ROW...]  what the guest is to measure, a line for each row and
                                          tool; only these tools, separated by commas
       peers.py print RESULTS             tables of these results
       peers.py write RESULTS DIR         the same as DIR/results.tsv and DIR/results.md
       peers.py profile OUTPUT COUNTS FUNCTIONS
                                          what bench/icount.c has counted in COUNTS.1 and so on, by
                                          the functions in the guest's output, and in FUNCTIONS,
                                          nm's list for the workloads
"""
import bisect
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ('ktap', 'ktap.fast', 'bpftrace', 'bpftrace.fast', 'ftrace')
COLUMNS = ('row', 'ktap', 'bpftrace', 'ratio', 'ktap fastest', 'bpftrace fastest',
           'ratio fastest', 'ftrace')
MEAN = 'geometric mean'

METHOD = '''
## How it is measured

`make bench-peers` boots one kernel, with ktap and with BTF (`lab/configs/btf.config`), in QEMU,
whose clock counts the instructions of the guest (`lab/run --icount`). The guest has one CPU. The
JIT of BPF is on. bpftrace is the package of Debian, with its own libraries. For each number

- the tool runs in another process, and attaches its script;
- a program makes the calls (`bench/calls.c`: 40 chunks, after one to warm up), and takes the
  median of the chunks;
- what a call takes without any tool is subtracted: %(bare)s.

So a number is the same on every machine and in every run, to within about three percent: a clock
that shows a later time falls into other rows of a histogram. Cache misses, mispredicted branches,
locks that move between CPUs, and traps are not included: quote no times.

- *fastest* is the form of the script with the kind of event that costs the tool least: raw
  tracepoints, and functions of the kernel (`probe:`, `fentry:` and `fexit:`). Where a tool has no
  other form, it is the same number. *ratio* is ktap divided by bpftrace: less than 1 is better for
  ktap. The geometric mean is that of the rows that both tools have.
- *ftrace* is the trigger that comes closest: it has neither variables nor scripts.
- A switch of tasks is half of what `sched_yield()` takes while two processes yield to each other.
- The output of `printf` in the event is counted by the CPU time of the thread that makes the
  calls; in the reader by the CPU time of the process that reads, for one record.
- Start-up is counted from `fork()` until all events are attached: ktap's script prints a line then,
  and bpftrace reports it. Waiting is included. CPU is the CPU time of the process until it has
  ended. Programs and libraries are in memory before.
'''


class Mistake(Exception):
    """An error in what the user gave: exit status 2."""


def read_rows(text):
    """name -> {tool or 'calls': the rest of its line}, in the order of the file."""
    rows = {}
    row = None
    for line in text.splitlines():
        if not line.strip() or line.startswith('#'):
            continue
        word, rest = line.split(maxsplit=1)
        if word == 'row':
            if rest in rows:
                raise Mistake(f"bench/peers.rows: the row '{rest}' is there twice")
            row = rows[rest] = {'calls': 'getppid'}
        elif row is None or word not in TOOLS + ('calls',):
            raise Mistake(f"bench/peers.rows: '{word}' is none of row, calls, {', '.join(TOOLS)}")
        else:
            row[word] = rest
    return rows


def all_rows():
    return read_rows((HERE / 'peers.rows').read_text())


def pick(rows, names):
    for name in names:
        if name not in rows:
            raise Mistake(f"there is no row '{name}'; the rows are:\n  " + '\n  '.join(rows))
    return {name: rows[name] for name in rows if not names or name in names}


def jobs(rows, tools=TOOLS):
    """Lines of ROW, TOOL, WORKLOAD, SCRIPT."""
    for tool in tools:
        if tool not in TOOLS:
            raise Mistake(f"there is no tool '{tool}'; the tools are {', '.join(TOOLS)}")
        if len(rows) == 1 and tools != TOOLS and not any(tool in row for row in rows.values()):
            raise Mistake(f"the row '{next(iter(rows))}' has nothing for {tool}")
    return ''.join(f'{name}\t{tool}\t{row["calls"]}\t{row[tool]}\n'
                   for name, row in rows.items() for tool in TOOLS if tool in row and tool in tools)


class Results:
    """The results that bench/peers collects; a line each, fields separated by tabs:

    cost ROW TOOL INSTRUCTIONS       or what went wrong, instead of the number
    bare WORKLOAD INSTRUCTIONS       without a tool
    start ROW TOOL UNTIL CPU KIB     start-up: instructions, and memory
    size TOOL PROGRAM LIBRARIES      bytes
    version NAME VERSION
    """

    def __init__(self, text):
        self.cost, self.bare, self.start, self.size, self.version = {}, {}, {}, {}, {}
        self.errors = []
        for line in text.splitlines():
            kind, *rest = line.split('\t')
            if kind == 'cost':
                name, tool, number = rest
                cost = self.cost.setdefault(name, {})
                try:
                    cost[tool] = float(number)
                except ValueError:
                    self.errors.append(f'{name}, {tool}: {number}')
            elif kind == 'bare':
                self.bare[rest[0]] = float(rest[1])
            elif kind == 'start':
                self.start.setdefault(rest[0], {})[rest[1]] = [int(n) for n in rest[2:]]
            elif kind == 'size':
                self.size[rest[0]] = [int(n) for n in rest[1:]]
            elif kind == 'version':
                self.version[rest[0]] = rest[1]

    def least(self, name, tool):
        """The fewest instructions of all forms of a tool."""
        found = [self.cost[name][form] for form in (tool, f'{tool}.fast') if form in self.cost[name]]
        return min(found) if found else None

    def table(self):
        """Rows of COLUMNS, with None where nothing was measured; the means are the last row."""
        table = []
        for name, cost in self.cost.items():
            plain = (cost.get('ktap'), cost.get('bpftrace'))
            least = (self.least(name, 'ktap'), self.least(name, 'bpftrace'))
            table.append((name, *plain, ratio(*plain), *least, ratio(*least), cost.get('ftrace')))
        table.append((MEAN, None, None, mean(row[3] for row in table), None, None,
                      mean(row[6] for row in table), None))
        return table

    def start_table(self):
        """Texts: row, then for ktap and bpftrace instructions until it runs, CPU, memory."""
        return [[name] + [text for tool in ('ktap', 'bpftrace')
                          for text in start_cells(tools.get(tool))]
                for name, tools in self.start.items()]


def ratio(a, b):
    return a / b if a is not None and b is not None and a > 0 and b > 0 else None


def mean(ratios):
    """The geometric mean of those that are not None."""
    logs = [math.log(r) for r in ratios if r is not None]
    return math.exp(sum(logs) / len(logs)) if logs else None


def start_cells(start):
    if not start:
        return ['-'] * 3
    until, cpu, kib = start
    return [f'{until / 1e6:.1f} M', f'{cpu / 1e6:.1f} M', f'{kib / 1024:.1f} MiB']


def cells(row):
    """The texts of a row of a table."""
    return [row[0]] + ['-' if n is None else f'{n:.2f}' if 'ratio' in column else f'{n:.0f}'
                       for column, n in zip(COLUMNS[1:], row[1:])]


START_COLUMNS = ('row', 'ktap: until it runs', 'CPU', 'memory', 'bpftrace: until it runs', 'CPU',
                 'memory')


def as_text(results):
    parts = []
    if results.cost:
        lines = [cells(row) for row in results.table()]
        width = max(len(line[0]) for line in lines)
        heads = [('', 'ktap', 'bpftrace', 'ratio', 'ktap', 'bpftrace', 'ratio', 'ftrace'),
                 ('', '', '', '', 'fastest', 'fastest', 'fastest', '')]
        parts.append(''.join(
            (f'{line[0]:{width}}' + ''.join(f' {cell:>8}' for cell in line[1:])).rstrip() + '\n'
            for line in heads + lines))
    if results.start:
        lines = results.start_table()
        width = max(len(line[0]) for line in lines)
        heads = [('', 'ktap', '', '', 'bpftrace', '', ''),
                 ('', 'until', 'CPU', 'memory', 'until', 'CPU', 'memory')]
        parts.append(''.join(
            (f'{line[0]:{width}}' + ''.join(f' {cell:>10}' for cell in line[1:])).rstrip() + '\n'
            for line in heads + lines))
    return '\n'.join(parts)


def as_tsv(results):
    return ('# Written by bench/peers: instructions for an event. See results.md.\n' +
            ''.join(f'# version\t{name}\t{version}\n' for name, version in results.version.items()) +
            ''.join('\t'.join(line) + '\n'
                    for line in [COLUMNS] + [cells(row) for row in results.table()]))


def md_table(columns, lines):
    lines = [columns, ['---'] + ['---:'] * (len(columns) - 1)] + lines
    return ''.join('| ' + ' | '.join(line) + ' |\n' for line in lines)


def md_code(text):
    """Code in a cell of a table, where a bar must be escaped."""
    return '`' + text.replace('|', '\\|') + '`'


def as_md(results, rows):
    versions = ', '.join(f'{name} {version}' for name, version in results.version.items())
    bare = ', '.join(f'{name} {n:.0f}' for name, n in results.bare.items())
    text = ('# Instructions for an event: ktap, bpftrace and ftrace\n\n'
            f'Written by `make bench-peers`, with {versions}.\n\n' +
            md_table(COLUMNS, [cells(row) for row in results.table()]))
    if results.start:
        text += ('\n## Start-up\n\nInstructions until the script runs, CPU time of the whole run, and '
                 'the most memory\nof the process (the size of its resident set).\n\n' +
                 md_table(START_COLUMNS, results.start_table()))
    if results.size:
        text += ('\n## Size of the files\n\nIn MB; programs without symbols, libraries with the C '
                 'library.\n\n' +
                 md_table(('', 'program', 'libraries'),
                          [[tool] + [f'{n / 1e6:.2f}' for n in size]
                           for tool, size in results.size.items()]))
    text += METHOD % {'bare': bare}
    text += '\n## Scripts\n\n' + md_table(
        ('row', 'tool', 'script'),
        [[name if tool == 'ktap' else '', tool, md_code(row[tool])]
         for name, row in rows.items() for tool in TOOLS if tool in row]).replace('---:', '---')
    return text


class Functions:
    """The functions of the kernel, and those of the workloads."""

    def __init__(self, lines, own):
        known = set()
        for line in lines:
            address, kind, name, *module = line.split()
            if kind in 'tTwW':
                known.add((int(address, 16), ' '.join([name] + module)))
        for line in own:
            fields = line.split()
            if len(fields) == 3 and fields[1] in 'tT':
                known.add((int(fields[0], 16), 'calls: ' + fields[2]))
        self.known = sorted(known)
        self.addresses = [address for address, _ in self.known]

    def at(self, address):
        i = bisect.bisect_right(self.addresses, address) - 1
        # a function that is not known may follow the last one of a region
        if i < 0 or address - self.addresses[i] > 0x10000:
            return f'{address & ~0xfff:#x}'
        return self.known[i][1]

    def count(self, path):
        counts = {}
        for line in path.read_text().splitlines():
            address, n = line.split()
            name = self.at(int(address, 16))
            counts[name] = counts.get(name, 0) + int(n)
        return counts


def profile(output, counts, own):
    """The instructions of an operation by function, less those of the same without a tool."""
    parts = []
    symbols = {}
    for line in output.splitlines():
        if line.startswith('profile\t'):
            parts.append(line.split('\t')[1:])
            symbols[len(parts)] = []
        elif parts:
            symbols[len(parts)].append(line)
    text = ''
    for part, (name, tool, operations) in enumerate(parts, 1):
        functions = Functions(symbols[part], own)
        without = functions.count(pathlib.Path(f'{counts}.{2 * part - 1}'))
        cost = functions.count(pathlib.Path(f'{counts}.{2 * part}'))
        for function, n in without.items():
            cost[function] = cost.get(function, 0) - n
        each = {function: n / int(operations) for function, n in cost.items()}
        text += f'{name}, {tool}: {sum(each.values()):.0f} instructions\n'
        # less than half an instruction is the noise of timers and of the start
        shown = sorted((item for item in each.items() if abs(item[1]) >= 0.5), key=lambda i: -i[1])
        text += ''.join(f'{n:9.1f} {function}\n' for function, n in shown)
    return text


def main(what='', *args):
    if what == 'jobs':
        tools = TOOLS
        if args and args[0] == '-t':
            tools, args = args[1].split(','), args[2:]
        print(jobs(pick(all_rows(), args), tools), end='')
        return 0
    if what == 'profile' and len(args) == 3:
        print(profile(pathlib.Path(args[0]).read_text(), args[1],
                      pathlib.Path(args[2]).read_text().splitlines()), end='')
        return 0
    if what not in ('print', 'write') or len(args) != (2 if what == 'write' else 1):
        raise Mistake(__doc__.split('\n\n')[1].rstrip())
    results = Results(pathlib.Path(args[0]).read_text())
    print(as_text(results), end='')
    for error in results.errors:
        print(f'bench/peers: error: {error}', file=sys.stderr)
    if results.errors:
        return 1
    if what == 'write':
        pathlib.Path(args[1], 'results.tsv').write_text(as_tsv(results))
        pathlib.Path(args[1], 'results.md').write_text(as_md(results, all_rows()))
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main(*sys.argv[1:]))
    except Mistake as e:
        print(f'bench/peers: error: {e}', file=sys.stderr)
        sys.exit(2)
