# SPDX-License-Identifier: GPL-2.0
"""The sets of series/series, and the table of them.

A heading is "[NAME]", "needs SET, SET" and "for" those who the set is for, with semicolons between
them.  Sets before [series] apply to Linux alone.  A set later/NAME is after the series, has a cover
letter, and uses what the series and the sets that it needs have.  A set tree/NAME is after these.
It is not mailed.
"""
import re

from parts import StalePlan

HEADING = re.compile(r'\[([a-z/-]+)\]\s*(?:needs ([a-z/, -]+?))?(?:\s*(?:;\s*)?for (.+))?$')
BEGIN, END = 'Table of the sets (lab/series table --document):\n\n', '\nEnd of the table.\n'


class Set:
    """One set: NAME is '' for the series."""

    def __init__(self, name, needs, readers):
        self.name = name
        self.needs = needs
        self.readers = readers

    @property
    def title(self):
        return self.name or 'series'

    @property
    def kind(self):
        return self.name.partition('/')[0]


class Sets:
    """All sets, in order."""

    def __init__(self):
        self.sets = []
        self.now = ''           # the name of the last one

    def begin(self, line):
        found = HEADING.match(line)
        if not found:
            raise StalePlan(f'series/series: not understood: {line}')
        name, needs, readers = found.groups()
        self.now = '' if name == 'series' else name
        if self.now in self.names:
            raise StalePlan(f'series/series has [{name}] in two places')
        needs = re.split(r',\s*', needs) if needs else []
        for need in needs:
            if need not in self.later:
                raise StalePlan(f'series/series: [{name}] needs {need}, which is no later set '
                                'before it')
        self.sets.append(Set(self.now, needs, readers or ''))

    def check(self, covers):
        """The order of the sets, and their cover letters in the folder COVERS."""
        if '' not in self.names:
            raise StalePlan('series/series has no [series]')
        order = [3 if s.kind == 'tree' else 2 if s.kind == 'later' else 0 if s.name else 1
                 for s in self.sets]
        for before, now, there in zip(order, order[1:], self.sets[1:]):
            if now < before:
                raise StalePlan(f'series/series has [{there.title}] too late: the sets that are '
                                'sent alone are first, then [series], [later/...], [tree/...]')
        there = {path.name for path in covers.iterdir()} if covers.is_dir() else set()
        wanted = {name.removeprefix('later/') for name in self.mailed if name}
        for name in sorted(there ^ wanted):
            raise StalePlan(f'series/covers/{name} is not there, but [later/{name}] is'
                            if name in wanted else
                            f'series/covers/{name} is there, but [later/{name}] is not')

    def of(self, name):
        return next(s for s in self.sets if s.name == name)

    @property
    def names(self):
        return [s.name for s in self.sets]

    @property
    def kinds(self):
        """The folders of sets."""
        return sorted({s.kind for s in self.sets if s.name})

    @property
    def alone(self):
        """Sets that apply to Linux."""
        return [s.name for s in self.sets if s.name and s.kind not in ('later', 'tree')]

    @property
    def later(self):
        return [s.name for s in self.sets if s.kind == 'later']

    @property
    def mailed(self):
        """Sets with a cover letter."""
        return [''] + self.later

    @staticmethod
    def cover(name):
        """The path of its cover letter, in series/."""
        return f'covers/{name.removeprefix("later/")}' if name else 'cover'

    def all_needs(self, name):
        """The sets that a set needs, and those that these need."""
        result = set(self.of(name).needs)
        for need in self.of(name).needs:
            result |= self.all_needs(need)
        return result

    def needs_text(self, name):
        needs = self.of(name).needs
        if not needs:
            return 'the core'
        return f'the core, and the {"sets" if len(needs) > 1 else "set"} ' + \
            ' and '.join(need.removeprefix('later/') for need in needs)


def lines_of(before, now):
    return sum(now[p].count(b'\n') - before.get(p, b'').count(b'\n') for p in now)


def table_of(plan, rounded=False):
    """A row for each set; ROUNDED: few digits of lines, so that the table is true for longer."""
    rows = [('set', 'patches', 'lines', 'needs', 'for')]
    at, before = 0, plan.state(-1)
    for one in plan.sets.sets:
        n = len(plan.of_group(one.name))
        at += n
        now = plan.state(at - 1)
        lines = lines_of(before, now)
        before = now
        if rounded:
            lines = round(lines, -2 if lines > 1000 else -1)
        needs = ', '.join(need.removeprefix('later/') for need in one.needs)
        rows.append((one.title, str(n), f'{lines:,}', needs, one.readers))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    return ''.join(f'{row[0]:{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  '
                   f'{row[3]:{widths[3]}}  {row[4]}'.rstrip() + '\n' for row in rows)


def document_table(text, table):
    """The text of series/README with another table."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise StalePlan(f'series/README has no "{BEGIN.strip()}" or no "{END.strip()}"')
    table = ''.join(f'    {line}'.rstrip() + '\n' for line in table.splitlines())
    return before + begin + table + end + after


def sets_in_document(text):
    """The names of the sets in the table of series/README."""
    table = text.partition(BEGIN)[2].partition(END)[0]
    return [line.split()[0] for line in table.splitlines()[1:] if line.strip()]
