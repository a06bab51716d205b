#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The part of lab/bpftrace-tools that knows the tools of bpftrace and judges their output.

prepare CHECKOUT DIR [PATTERN...]  write the files for the guest to DIR
judge DIR OUTPUT                   print what became of the tools; 1 if any differs

The guest (lab/bpftrace_tools_guest.sh) runs each tool twice at the same time, by ktap and by
bpftrace, while the commands of its entry in TOOLS do what it traces. Both see the same events, so
that all of a line but its times must be the same: pids, ports, addresses, names, results.
"""
import base64
import collections
import dataclasses
import os
import re
import shutil
import sys

# How many lines that differ are shown
SHOWN = 6


@dataclasses.dataclass
class Tool:
    """How a tool is run, and what of its output is compared."""

    work: str                   # commands that do what it traces
    own: str = r'\bworkload\b'  # which lines and entries of maps the commands have caused
    hide: str = ''              # parts of a line that differ between two runs: times
    before: str = ''            # commands before the tools start, and after they have ended
    after: str = ''
    least: int = 1              # how many own lines there must be, at least
    # numbers of events that come from everywhere in the machine: they may differ by this part,
    # because the tools do not begin and end at the same moment
    near: float = 0.0
    # only which lines and keys there are, not how often: what is printed once a second
    once: bool = False
    # distributions by the number of their values, not by row: latencies
    sums: bool = False
    # why nothing is traced on this kernel
    absent: str = ''


DISK = '$calls direct /dev/vda 4096 50'
LOOPBACK = '$calls connect 3000 5'
CONNECTIONS = r'\bworkload\b'
# A network whose other end has no address: what is sent there is lost
NETWORK = '''ip link add one type veth peer name other
ip addr add 10.9.0.1/24 dev one
ip link set one up
ip link set other up
'''
NO_NETWORK = 'ip link del one'
# One process with libssl, which lives on, so that bpftrace finds names for addresses in it
TLS = '''sleep 100 | openssl s_server -quiet -www -accept 4433 -key /bt/key \\
	-cert /bt/certificate >/dev/null &
sleep 4
wget -q -O /dev/null --no-check-certificate https://127.0.0.1:4433/
sleep 2
'''
LITTLE_MEMORY = '''echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/little
echo 8M >/sys/fs/cgroup/little/memory.max
'''
IN_LITTLE_MEMORY = ('sh -c "echo \\$\\$ >/sys/fs/cgroup/little/cgroup.procs; '
                    'exec $work memory 20000"')
MUCH_MEMORY = 'rmdir /sys/fs/cgroup/little'

TOOLS = {
    'bashreadline': Tool('echo "echo hello\nexit" | $work terminal bash --norc',
                         own='echo hello|exit', least=2),
    'biolatency': Tool(DISK, own='usecs', sums=True),
    'biolatency-kp': Tool(DISK, own='usecs', sums=True, absent='these functions are inlined'),
    'biosnoop': Tool(DISK, hide=r'^\d+ +|\d+$', least=50),
    'biostacks': Tool(DISK, own='usecs', sums=True),
    'bitesize': Tool(DISK),
    # the times of two processes may be printed in the same line
    'capable': Tool('$calls as 1000 $calls getppid 1', hide='^(<time> *)*'),
    'cpuwalk': Tool('$calls cpus 2 burn 1000', own='cpu', sums=True, near=0.2),
    'dcsnoop': Tool('$calls stat /etc 3; $work stat /etc', own=r'\b(workload|work)\b',
                    hide=r'^\d+ +'),
    'execsnoop': Tool('/bin/true one two; /bin/echo three', own='one two|three', least=2),
    'gethostlatency': Tool('$work resolve localhost', own='localhost', hide=r' +\d+(?= localhost)'),
    'killsnoop': Tool('/bin/kill -CONT 1; /bin/kill -USR1 99999', own=r'\bkill\b', least=2),
    'loads': Tool('sleep 2.5', own='averages', hide=r'\d+\.\d+', once=True),
    'mdflush': Tool(DISK, absent='the guest has no RAID'),
    'naptime': Tool('$calls nap 10 5', least=5),
    'oomkill': Tool(IN_LITTLE_MEMORY, own='OOM kill', before=LITTLE_MEMORY, after=MUCH_MEMORY,
                    hide=r'(?<=loadavg: ).*'),
    'opensnoop': Tool('$calls open /etc/ld.so.conf 3; cd /ktap/selftests; $calls open workload 2; '
                      '$calls open /none 1', least=6),
    'pidpersec': Tool('$calls fork 300; sleep 1', own='PIDs', near=0.05),
    'runqlat': Tool('$calls hop 300', own='usecs', sums=True, near=0.2),
    'runqlen': Tool('$calls cpus 2 burn 1000', own='runqlen', sums=True, near=0.2),
    'setuids': Tool('$work users', own=r'\bwork\b', least=3),
    'ssllatency': Tool(TLS, own='@(hist|stat)', sums=True,
                       # at its end bpftrace has addresses instead of these names
                       hide=r'(?<=average = )\d+|(?<=total = )\d+|'
                       r'(?<=\[)(0x[0-9a-f]+|SSL_\w+)(?=\])',
                       after='killall openssl'),
    'sslsnoop': Tool(TLS, own='openssl', hide=r'^\d+ +| +\d+(?= +-?\d+ \w+$)',
                     after='killall openssl'),
    'statsnoop': Tool('$work stat /etc', own=r'\bwork\b', least=5),
    'swapin': Tool(IN_LITTLE_MEMORY + '; sleep 1', own='work', near=0.02,
                   before='mkswap /dev/vda >/dev/null && swapon /dev/vda\n' + LITTLE_MEMORY,
                   after=MUCH_MEMORY + '\nswapoff /dev/vda'),
    'syncsnoop': Tool('$work sync /root/synced', own=r'\bwork\b', least=6),
    'syscount': Tool('$calls getppid 5000', own=r'workload|syscall\[110\]', near=0.02, least=2),
    'tcpaccept': Tool(LOOPBACK, own=CONNECTIONS, least=5),
    'tcpconnect': Tool(LOOPBACK, own=CONNECTIONS, least=5),
    'tcpdrop': Tool('$work connect 10.9.0.77', own=r'10\.9\.0\.77.*SYN_SENT', after=NO_NETWORK,
                    before=NETWORK + 'echo 1 >/proc/sys/net/ipv4/neigh/one/mcast_solicit\n'
                    'echo 100 >/proc/sys/net/ipv4/neigh/one/retrans_time_ms'),
    'tcplife': Tool(LOOPBACK, own=CONNECTIONS, least=5, hide=r'\d+$'),
    'tcpretrans': Tool('$work connect 10.9.0.2', own=r'10\.9\.0\.2', after=NO_NETWORK,
                       before=NETWORK + 'arp -i one -s 10.9.0.2 02:00:00:00:00:01'),
    'tcpsynbl': Tool(LOOPBACK, own='backlog'),
    # it lives on, as in TLS
    'threadsnoop': Tool('$work threads 3 & sleep 1', own=r'\bwork\b', least=3),
    'undump': Tool('$work local hello', own=r'\bwork\b', least=2),
    'vfscount': Tool('$calls read 10 5000; $calls stat /etc 5000', own=r'vfs_(read|statx)\]',
                     near=0.1),
    # bpftrace clears a map later than it prints it, and loses what is counted in between
    'vfsstat': Tool('for i in 1 2 3 4; do $calls read 10 500; usleep 300000; done',
                    own=r'vfs_read\]', once=True),
    'writeback': Tool('dd if=/dev/zero of=/mnt/file bs=4096 count=64; sync', own='sync',
                      before='mke2fs /dev/vda >/dev/null && mount -t ext2 /dev/vda /mnt',
                      after='umount /mnt', hide=r'\d+\.\d+$'),
    'xfsdist': Tool('$calls read 10 5', own='us', absent='the guest has no XFS'),
}

# Lines that the tools print before the first event
HEADER = re.compile(r'Ctrl-C|^ *(TIME|PID)\b|MAJOR MINOR')
TIME = re.compile(r'\b\d\d:\d\d:\d\d(\.\d+)?\b')
# A row of a distribution
ROW = re.compile(r'^(\([^)]*\)|\[[^\])]*[\])]) +(\d+) \|[@ ]*\|$')
# An entry of a map with a number
ENTRY = re.compile(r'^(.*@.*): (\d+)$')


def names_of(checkout, patterns):
    found = sorted(name[:-3] for name in os.listdir(os.path.join(checkout, 'tools'))
                   if name.endswith('.bt'))
    return [n for n in found if not patterns or any(re.search(p, n) for p in patterns)]


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text + '\n')


def prepare(checkout, target, patterns):
    shutil.rmtree(target, ignore_errors=True)
    for name in names_of(checkout, patterns):
        folder = os.path.join(target, 'tools', name)
        os.makedirs(folder)
        shutil.copy(os.path.join(checkout, 'tools', name + '.bt'), os.path.join(folder, 'tool.bt'))
        # a tool that is not known here is at least run
        tool = TOOLS.get(name, Tool('sleep 1', own=''))
        for part in ('before', 'work', 'after'):
            if getattr(tool, part):
                write(os.path.join(folder, part), getattr(tool, part))
    return 0


class Run:
    """The output of one of the two: lines, and numbers by key."""

    def __init__(self, tool, text):
        self.tool = tool
        self.header = [line for line in text.splitlines() if HEADER.search(line)]
        self.lines = collections.Counter()
        self.numbers = collections.Counter()
        self.rows = collections.Counter()
        key = []
        for line in self.joined(text):
            row, entry = ROW.match(line), ENTRY.match(line)
            if row and re.search(tool.own, self.key):
                self.numbers[self.key] += int(row[2])
                self.rows[self.key, row[1]] += int(row[2])
            elif line.startswith('@') and line.endswith(':'):
                self.key = self.plain(line)
            elif HEADER.search(line) or row or not re.search(tool.own, line):
                continue
            elif entry:
                self.numbers[self.plain(entry[1])] += int(entry[2])
            else:
                self.lines[self.plain(line)] += 1

    key = ''

    @staticmethod
    def joined(text):
        """Lines; a key with a stack is one, without offsets."""
        text = re.sub(r'^( +\w\S*)\+(0x[0-9a-f]+/0x[0-9a-f]+|\d+)', r'\1', text, flags=re.M)
        return re.sub(r'^(@\S*\[)\n(.*?)\n?\]', lambda m: f'{m[1]}{" ".join(m[2].split())}]', text,
                      flags=re.M | re.S).splitlines()

    def plain(self, line):
        """A line without what differs between two runs."""
        line = TIME.sub('<time>', line)
        return re.sub(self.tool.hide, '<n>', line) if self.tool.hide else line

    def count(self):
        return sum(self.lines.values()) + sum(1 for n in self.numbers.values() if n)


def differences(tool, ktap, bpftrace):
    """Lines that show what differs; none if nothing does."""
    if ktap.header != bpftrace.header:
        return [f'header of ktap: {ktap.header}', f'header of bpftrace: {bpftrace.header}']
    found = []
    for lines, other, who in ((ktap.lines, bpftrace.lines, 'ktap'),
                              (bpftrace.lines, ktap.lines, 'bpftrace')):
        more = [line for line in lines if line not in other] if tool.once else lines - other
        found += [f'only {who}: {line}' for line in more]
    for key in {**ktap.numbers, **bpftrace.numbers}:
        a, b = ktap.numbers[key], bpftrace.numbers[key]
        if not (a and b) if tool.once else abs(a - b) > tool.near * max(a, b):
            found.append(f'{key}: ktap {a}, bpftrace {b}')
    if not tool.sums and not tool.near and ktap.rows != bpftrace.rows:
        found += [f'{" ".join(key)}: ktap {ktap.rows[key]}, bpftrace {bpftrace.rows[key]}'
                  for key in {**ktap.rows, **bpftrace.rows}
                  if ktap.rows[key] != bpftrace.rows[key]]
    return found


def complaint(error):
    """The first line of an error."""
    lines = [line for line in error.splitlines() if re.search('error', line, re.I)] or \
        error.strip().splitlines() or ['no message']
    return lines[0].strip()


def judge_tool(name, runs):
    """Return 'same', 'differs' or 'cannot run here', and lines that say why."""
    if len(runs) != 2:
        return 'differs', ['the guest has not run it']
    tool = TOOLS.get(name)
    refused = [who for who in ('ktap', 'bpftrace') if runs[who][0] == 'refused']
    if refused:
        said = [f'{who}: {complaint(runs[who][3])}' for who in refused]
        both = len(refused) == 2 and tool and tool.absent
        return ('cannot run here', [tool.absent] + said) if both else ('differs', said)
    if not tool:
        return 'differs', ['lab/bpftrace_tools.py does not know what it traces']
    codes = {who: run[1] for who, run in runs.items() if run[1] != '0'}
    if codes:
        return 'differs', [f'exit code of {who}: {code}: {complaint(runs[who][3])}'
                           for who, code in codes.items()]
    ktap, bpftrace = (Run(tool, runs[who][2]) for who in ('ktap', 'bpftrace'))
    found = differences(tool, ktap, bpftrace)
    if found:
        return 'differs', found
    if tool.absent and not ktap.count():
        return 'cannot run here', [tool.absent]
    if ktap.count() < tool.least:
        return 'differs', [f'both have {ktap.count()} lines instead of {tool.least}']
    return 'same', []


def outcomes(path):
    """By name of the tool, and who ran it: how, code, output, errors."""
    found = collections.defaultdict(dict)
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            words = line.split()
            if len(words) == 7 and words[0] == '@tool':
                texts = [base64.b64decode(w[:-1]).decode('utf-8', 'backslashreplace')
                         for w in words[5:]]
                found[words[1]][words[2]] = (words[3], words[4], *texts)
    return found


def judge(target, path):
    found = outcomes(path)
    counts = collections.Counter()
    for name in sorted(os.listdir(os.path.join(target, 'tools'))):
        result, reasons = judge_tool(name, found[name])
        counts[result] += 1
        print(f'{name}: {result}' + ''.join(f'\n    {reason}' for reason in reasons[:SHOWN]))
    print(f'{counts["same"]} passed, {counts["differs"]} failed, '
          f'{counts["cannot run here"]} skipped')
    return 1 if counts['differs'] else 0


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == 'prepare':
        return prepare(sys.argv[2], sys.argv[3], sys.argv[4:])
    if len(sys.argv) == 4 and sys.argv[1] == 'judge':
        return judge(sys.argv[2], sys.argv[3])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main())
