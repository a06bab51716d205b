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
TOOLS = ('ktap', 'ktap.fast', 'ktap.interpreted', 'bpftrace', 'bpftrace.fast', 'ftrace')
# The script of ktap, without native code: not where no event is measured.
INTERPRETED = 'ktap.interpreted'
NOT_INTERPRETED = ('reader', 'start', 'cpus', 'memory')
COLUMNS = ('row', 'ktap', 'bpftrace', 'ratio', 'ktap fastest', 'bpftrace fastest',
           'ratio fastest', 'ktap interpreted', 'ratio interpreted', 'ftrace')
MEAN = 'geometric mean'
# Where the guest has the scripts that are the same for both
FOLDER = '/bench/bt/'

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
- *interpreted* is the script of ktap without native code (the file `ktap/jit` has 0), and its ratio
  to the same script of bpftrace, which the JIT has compiled.
- *ftrace* is the trigger that comes closest: it has neither variables nor scripts.
- Rows whose name begins with a file (`bench/bt`) give both tools the same script of bpftrace.
- A switch of tasks is half of what `sched_yield()` takes while two processes yield to each other.
- The output of `printf` in the event is counted by the CPU time of the thread that makes the
  calls; in the reader by the CPU time of the process that reads, for one record.
- Start-up is counted until all events are attached: ktap's script prints a line then, and bpftrace
  reports it, as ktap does for a script of bpftrace. Waiting is included. Programs and libraries
  are in memory before.
'''

KINDS_TEXT = '''
## Bus locks, and interrupts turned off

Instructions of an event that lock the bus or the cache line, which are those with a lock prefix and
xchg with memory; and how often it turns interrupts off and on again, counted by cli. A plugin of
QEMU counts them in the rows above (`bench/icount.c`), and those of the operation without a tool are
subtracted. Each takes as long as many other instructions: the numbers above count it as one. On
one CPU the kernel would replace the locks that it was compiled with, but not those of programs of
BPF: `noreplace-smp` keeps it from that. Traps, which turn interrupts off too, are not counted. A
few tenths are noise where tasks are switched.

'''

START_TEXT = '''
## Start and end

Instructions from fork() until the script runs, and from the signal that ends it until the process
has exited; the CPU time of the whole run; the most memory of the process (the size of its resident
set); and how many functions of the kernel it traced. ftrace has no process: a shell writes a filter
and then the name of the tracer "function", waits, and takes both back.

'''

MEMORY_TEXT = '''
## Memory of a session

In KiB: what the kernel has more for a session that counts events by the name of the process, while
all CPUs make system calls, on 1, 2, 4 and 8 CPUs. It is the difference that two more sessions make
after a first one, divided by two: by /proc/meminfo slab, memory for each CPU, vmalloc, and other
pages of the kernel (those of ring buffers). It includes what the kernel needs for the process.
"process" is the resident set of the tool. A few dozen KiB, and a few hundred of the pages, are
noise.

'''

CPUS_TEXT = '''
## All CPUs at once

Instructions of an event if 1, 2, 4 and 8 CPUs make 20000 system calls each at once, on average,
with all that they wait for each other. The CPUs take turns of many events on one CPU of the host,
so that a lock is held by another CPU only if its turn ended within it. So the numbers show work
that grows with the number of CPUs, and CPUs that spin for a long time. They show neither a short
wait for a lock, nor what a cache line costs that moves between CPUs: `bench/native` measures these
where there are CPUs. bpftrace attaches a tracepoint by an event of perf on the first CPU: on the
others the rest of perf has nothing to do for it.

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
        elif word == 'bt' and row is not None:
            row['ktap'] = row['bpftrace'] = FOLDER + rest
        elif row is None or word not in TOOLS + ('calls',) or word == INTERPRETED:
            raise Mistake(f"bench/peers.rows: '{word}' is none of row, calls, bt, "
                          f"{', '.join(tool for tool in TOOLS if tool != INTERPRETED)}")
        else:
            row[word] = rest
    for row in rows.values():
        if 'ktap' in row and row['calls'] not in NOT_INTERPRETED:
            row[INTERPRETED] = row['ktap']
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
    written ROW TOOL N BARE WITH     the count of bench/icount.c for N operations without the tool,
                                     and with it
    kinds I LOCKED OFF               its I-th count
    start ROW TOOL UNTIL END CPU KIB FUNCTIONS
                                     start-up: instructions, memory, functions that are traced
    cpus ROW TOOL CPUS INSTRUCTIONS
    memory ROW TOOL CPUS SLAB PERCPU VMALLOC PAGES RSS
                                     of a session and of a process, in KiB
    size TOOL PROGRAM LIBRARIES      bytes
    version NAME VERSION
    """

    def __init__(self, text):
        self.cost, self.bare, self.start, self.size, self.version = {}, {}, {}, {}, {}
        self.written, self.kinds, self.cpus, self.memory = {}, {}, {}, {}
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
                self.bare.setdefault(rest[0], float(rest[1]))
            elif kind == 'written':
                self.written[tuple(rest[:2])] = [int(n) for n in rest[2:]]
            elif kind == 'kinds':
                self.kinds[int(rest[0])] = [int(n) for n in rest[1:]]
            elif kind == 'start':
                self.start.setdefault(rest[0], {})[rest[1]] = [int(n) for n in rest[2:]]
            elif kind == 'cpus':
                self.cpus.setdefault(tuple(rest[:2]), {})[int(rest[2])] = int(rest[3])
            elif kind == 'memory':
                self.memory.setdefault(rest[1], {})[int(rest[2])] = [int(n) for n in rest[3:]]
            elif kind == 'size':
                self.size[rest[0]] = [int(n) for n in rest[1:]]
            elif kind == 'version':
                self.version[rest[0]] = rest[1]

    def least_form(self, name, tool):
        """The form of a tool with the fewest instructions."""
        cost = self.cost[name]
        return min((form for form in (tool, f'{tool}.fast') if form in cost), key=cost.get,
                   default=None)

    def least(self, name, tool):
        """The fewest instructions of all forms of a tool."""
        return self.cost[name].get(self.least_form(name, tool))

    def kinds_of(self, name, tool):
        """Instructions with a lock and those that turn interrupts off, of an event."""
        operations, bare, with_tool = self.written.get((name, tool), (0, None, None))
        if bare not in self.kinds or with_tool not in self.kinds:
            return [None, None]
        return [(n - without) / operations
                for n, without in zip(self.kinds[with_tool], self.kinds[bare])]

    def kinds_table(self):
        """Texts: row, then the locked ones of two tools in two forms, then the interrupts."""
        table = []
        for name in self.cost if self.kinds else ():
            forms = ['ktap', 'bpftrace'] + [self.least_form(name, tool)
                                            for tool in ('ktap', 'bpftrace')]
            found = [self.kinds_of(name, form) for form in forms]
            if any(n is not None for kinds in found for n in kinds):
                table.append([name] + ['-' if kinds[i] is None else f'{abs(round(kinds[i], 1)):.1f}'
                                       for i in (0, 1) for kinds in found])
        return table

    def numbers_of_cpus(self):
        return sorted({n for costs in self.cpus.values() for n in costs})

    def cpus_table(self):
        """Texts: row, tool, then instructions of an event by the number of CPUs."""
        table = []
        last = None
        for (name, tool), costs in self.cpus.items():
            table.append(['' if name == last else name.removeprefix('CPUs: '), tool] +
                         [str(costs.get(n, '-')) for n in self.numbers_of_cpus()])
            last = name
        return table

    def memory_table(self):
        """Texts: tool, CPUs, then sizes, and a row with what one more CPU takes."""
        table = []
        for tool, sizes in self.memory.items():
            for n, (*kernel, process) in sizes.items():
                table.append([tool, str(n)] + [str(kib) for kib in (*kernel, sum(kernel), process)])
            few, many = min(sizes), max(sizes)
            if few != many:
                each = [(b - a) / (many - few) for a, b in zip(sizes[few], sizes[many])][:-1]
                table.append([tool, 'each one more'] + [f'{kib:.0f}' for kib in (*each, sum(each))] +
                             ['-'])
        return table

    def table(self):
        """Rows of COLUMNS, with None where nothing was measured; the means are the last row."""
        table = []
        for name, cost in self.cost.items():
            plain = (cost.get('ktap'), cost.get('bpftrace'))
            least = (self.least(name, 'ktap'), self.least(name, 'bpftrace'))
            slow = (cost.get(INTERPRETED), plain[1])
            table.append((name, *plain, ratio(*plain), *least, ratio(*least), slow[0],
                          ratio(*slow), cost.get('ftrace')))
        table.append((MEAN, None, None, mean(row[3] for row in table), None, None,
                      mean(row[6] for row in table), None, mean(row[8] for row in table), None))
        return table

    def start_table(self):
        """Texts: row, tool, instructions until it runs and until it ends, CPU, memory, functions."""
        table = []
        for name, tools in self.start.items():
            for tool, start in tools.items():
                until, end, cpu, kib, functions = start
                table.append([name.removeprefix('start: ') if tool == next(iter(tools)) else '', tool] +
                             [f'{n / 1e6:.1f} M' for n in (until, end, cpu)] +
                             [f'{kib / 1024:.1f} MiB', str(functions or '-')])
        return table


def ratio(a, b):
    return a / b if a is not None and b is not None and a > 0 and b > 0 else None


def mean(ratios):
    """The geometric mean of those that are not None."""
    logs = [math.log(r) for r in ratios if r is not None]
    return math.exp(sum(logs) / len(logs)) if logs else None


def cells(row):
    """The texts of a row of a table."""
    return [row[0]] + ['-' if n is None else f'{n:.2f}' if 'ratio' in column else f'{n:.0f}'
                       for column, n in zip(COLUMNS[1:], row[1:])]


START_COLUMNS = ('what', 'tool', 'until it runs', 'to its end', 'CPU', 'memory', 'functions')
KINDS_COLUMNS = ('row', 'locks: ktap', 'bpftrace', 'ktap fastest', 'bpftrace fastest',
                 'interrupts: ktap', 'bpftrace', 'ktap fastest', 'bpftrace fastest')
MEMORY_COLUMNS = ('tool', 'CPUs', 'slab', 'per CPU', 'vmalloc', 'pages', 'sum', 'process')


def text_table(lines):
    width = max(len(line[0]) for line in lines)
    widths = [max(8, *(len(line[i]) for line in lines)) for i in range(1, len(lines[0]))]
    return ''.join((f'{line[0]:{width}}' + ''.join(f' {cell:>{w}}' for cell, w in
                                                   zip(line[1:], widths))).rstrip() + '\n'
                   for line in lines)


def as_text(results):
    parts = []
    if results.cost:
        parts.append(text_table([('', 'ktap', 'bpftrace', 'ratio', 'ktap', 'bpftrace', 'ratio',
                                  'ktap', 'ratio', 'ftrace'),
                                 ('', '', '', '', 'fastest', 'fastest', 'fastest', 'interpr.',
                                  'interpr.', '')] +
                                [cells(row) for row in results.table()]))
    if results.kinds_table():
        parts.append(text_table([('', 'locks', '', 'fastest', '', 'irqs off', '', 'fastest', ''),
                                 ('',) + ('ktap', 'bpftrace') * 4] + results.kinds_table()))
    if results.start:
        parts.append(text_table([START_COLUMNS] + results.start_table()))
    if results.cpus:
        parts.append(text_table([['CPUs', 'tool'] + [str(n) for n in results.numbers_of_cpus()]] +
                                results.cpus_table()))
    if results.memory:
        parts.append(text_table([MEMORY_COLUMNS] + results.memory_table()))
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
    if results.kinds_table():
        text += KINDS_TEXT + md_table(KINDS_COLUMNS, results.kinds_table())
    if results.start:
        text += START_TEXT + md_table(START_COLUMNS, results.start_table())
    if results.memory:
        text += MEMORY_TEXT + md_table(MEMORY_COLUMNS, results.memory_table())
    if results.cpus:
        text += CPUS_TEXT + md_table(['row', 'tool'] + [f'{n} CPUs' if n > 1 else '1 CPU'
                                                        for n in results.numbers_of_cpus()],
                                     results.cpus_table())
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
         for name, row in rows.items() for tool in TOOLS
         if tool in row and tool != INTERPRETED]).replace('---:', '---')
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
