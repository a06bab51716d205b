# SPDX-License-Identifier: GPL-2.0
"""The series as commits of a git tree of Linux, and changes of the repository taken into them.

The history is linear: the commits of the sets before the series, those of the series, and those of
the later sets.  stack/SET ends each of them, stack/series the series, and has the cover letter as
its description.  Each set before the series also has a branch of that name with its commits on
Linux alone.
"""
import hashlib
import os
import pathlib
import re
import subprocess

BASE = 'linux'
SERIES = 'series'
CORE = f'stack/{SERIES}'


class BranchError(Exception):
    """Something cannot be done; the text says why, and what to do instead."""


HUNK = re.compile(rb'@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@')


class Hunk:
    """A change of COUNT lines from FIRST on, from 1, to LINES; after FIRST if COUNT is 0."""

    def __init__(self, text):
        first, count, _, _ = HUNK.match(text).groups()
        self.first, self.count = int(first), 1 if count is None else int(count)
        # without the sign; a line without an end has a remark after it
        parts = re.findall(rb'^\+([^\n]*\n)(\\ No newline[^\n]*\n)?', text.partition(b'\n')[2], re.M)
        self.lines = [line[:-1] if unended else line for line, unended in parts]
        self.owner = self.anchor = None

    def apply(self, place, removed, before, after):
        """
        Note the change for a version in which line n is PLACE[n]: lines REMOVED, and text BEFORE
        and AFTER lines.
        """
        if self.count:
            there = [place[n] for n in range(self.first, self.first + self.count)]
            removed.update(there)
            before.setdefault(there[0], []).extend(self.lines)
        elif self.anchor == self.first:
            after.setdefault(place[self.anchor], []).extend(self.lines)
        else:
            before.setdefault(place[self.anchor], []).extend(self.lines)


def hunks_of(diff):
    """The hunks of a diff of one file."""
    return [Hunk(text) for text in re.split(rb'^(?=@@ )', diff, flags=re.M)[1:]]


def earlier(place, hunks):
    """PLACE of lines, or None, before a commit that has made HUNKS."""
    # the lines that the commit has left alone, by their number after it
    old, shift, at = {}, 0, 1
    for hunk in hunks:
        unchanged = hunk.first if hunk.count else hunk.first + 1
        for n in range(at, unchanged + shift):
            old[n] = n - shift
        at = unchanged + shift + len(hunk.lines)
        shift += len(hunk.lines) - hunk.count
    last = max((n for n in place.values() if n), default=0)
    for n in range(at, last + 1):
        old[n] = n - shift
    return {line: old.get(n) for line, n in place.items()}


class Branch:
    """The git tree at WHERE; ENV has author and dates, so that a tree is made again the same."""

    def __init__(self, where, env):
        self.where = pathlib.Path(where)
        self.env = dict(os.environ, **env)

    def run(self, *args, **kwargs):
        """Return the status, the output and the messages of a command of git."""
        env = dict(self.env, **kwargs.pop('env', {}))
        done = subprocess.run(['git', *map(str, args)], cwd=self.where, capture_output=True,
                              check=False, env=env, **kwargs)
        return done.returncode, done.stdout, done.stderr.decode(errors='replace')

    def git(self, *args, **kwargs):
        status, out, said = self.run(*args, **kwargs)
        if status:
            raise BranchError(f'git {args[0]} failed: {said.strip()[-500:]}')
        return out

    # --- the first time

    def create(self, groups, mails, letters):
        """
        Make the branches: GROUPS are the sets, in order, and '' for the series, MAILS the patches
        of each, LETTERS the cover letters of those that have one.
        """
        self.git('init', '-q', '-b', BASE)
        # the tree is large, and compressing it takes longer than anything else here
        self.git('config', 'core.compression', '1')
        self.git('add', '-A', '-f')
        self.git('commit', '-q', '-m', 'Linux')
        self.git('checkout', '-q', '-b', SERIES)
        for group in groups:
            self.git('am', '-q', '--whitespace=nowarn', *mails[group])
            self.git('branch', f'stack/{group or SERIES}')
            if group in letters:
                # as b4 has it: git format-patch --cover-from-description=subject takes it, too
                self.git('config', f'branch.stack/{group or SERIES}.description', letters[group])
        self.git('config', 'b4.prep-cover-strategy', 'branch-description')
        self.sets()

    def sets(self):
        """Make a branch of each set before the series, from the commits in the stack."""
        before = BASE
        stack = self.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/stack').decode()
        order = {ref: int(self.git('rev-list', '--count', f'{BASE}..{ref}')) for ref in stack.split()}
        for ref in sorted(order, key=order.get):
            if ref == CORE:
                break
            self.git('checkout', '-q', '-B', ref.removeprefix('stack/'), BASE)
            # not cherry-pick: it would also look at what sets before this one have changed nearby
            mails = self.git('format-patch', '--stdout', '--binary', '--full-index',
                             f'{before}..{ref}')
            self.git('am', '-q', '--whitespace=nowarn', input=mails)
            before = ref
        self.git('checkout', '-q', SERIES)

    # --- later

    def files(self, revision):
        """path -> (mode, object) of all files of a commit."""
        result = {}
        for line in self.git('ls-tree', '-r', '-z', revision).decode().split('\0'):
            if line:
                head, path = line.split('\t')
                mode, _, name = head.split()
                result[path] = mode, name
        return result

    def text_of(self, revision, path):
        return self.git('cat-file', 'blob', f'{revision}:{path}')

    def touching(self, path):
        """The places of the commits that change a file, the first one first."""
        found = self.git('rev-list', f'{BASE}..{SERIES}', '--', path).decode().split()
        return sorted(self.places[commit] for commit in found)

    def assign(self, path, hunk, lines):
        """
        Find the commit that a change belongs to: the last one that changed one of its lines; for
        lines that are only added, that of the line before or after them, whichever is older.
        """
        if hunk.count:
            ranges = [(hunk.first, hunk.first + hunk.count - 1)]
        else:
            ranges = [(n, n) for n in (hunk.first, hunk.first + 1) if 1 <= n <= lines]
        found = []
        for begin, end in ranges:
            blamed = self.git('blame', '-s', '-l', '-L', f'{begin},{end}', f'{BASE}..{SERIES}', '--',
                              path).decode()
            # ^ marks a line of Linux
            places = [self.places[line.split()[0]] for line in blamed.splitlines() if line[0] != '^']
            found.append((max(places, default=None), begin))
        known = [pair for pair in found if pair[0] is not None]
        if known:
            hunk.owner, hunk.anchor = min(known)
        else:
            # lines of Linux only: the last patch of this file
            hunk.owner, hunk.anchor = self.touching(path)[-1], found[0][1]

    def versions(self, path, new):
        """The file after each commit that changes it, with the changes that give NEW: place -> text."""
        touching = self.touching(path)
        old = self.text_of(SERIES, path)
        lines = old.count(b'\n') + (not old.endswith(b'\n'))
        changes = hunks_of(self.difference(old, new))
        for hunk in changes:
            self.assign(path, hunk, lines)
        touching = [number for number in touching if number >= min(h.owner for h in changes)]
        place = {n: n for n in range(1, lines + 1)}
        result = {}
        for number in reversed(touching):
            commit = self.stack[number]
            removed, before, after = set(), {}, {}
            for hunk in changes:
                if hunk.owner <= number:
                    hunk.apply(place, removed, before, after)
            text = self.text_of(commit, path).splitlines(keepends=True)
            result[number] = b''.join(
                b''.join(before.get(n, [])) + (b'' if n in removed else line) +
                b''.join(after.get(n, [])) for n, line in enumerate(text, 1))
            diff = self.git('diff', '-U0', '--no-renames', f'{commit}^', commit, '--', path)
            place = earlier(place, hunks_of(diff))
        self.changed.update(hunk.owner for hunk in changes)
        return result

    def difference(self, old, new):
        names = [self.store(text) for text in (old, new)]
        return self.git('diff', '-U0', *names)

    def store(self, content):
        return self.git('hash-object', '-w', '--stdin', input=content).decode().strip()

    def edit(self, path, new, executable, adds):
        """The file after each commit, as place -> (mode, object) or None; NEW is None without it."""
        touching = self.touching(path)
        if new is None:
            self.changed.update(touching)
            # one of Linux is as it was there
            return dict.fromkeys(touching, self.files_of_base.get(path))
        mode = '100755' if executable else '100644'
        if not touching:
            if adds.get(path) not in self.subjects:
                raise BranchError(f'no commit of the series adds {path}: commit it there')
            place = self.subjects[adds[path]]
            self.changed.add(place)
            return {place: (mode, self.store(new))}
        old = self.text_of(SERIES, path)
        if b'\0' in old + new or old == new:
            self.changed.add(touching[0])
            return dict.fromkeys(touching, (mode, self.store(new)))
        return {place: (mode, self.store(text)) for place, text in self.versions(path, new).items()}

    def absorb(self, final, executable, adds):
        """
        Take the files FINAL, path -> bytes, into the commits that they belong to.  ADDS gives
        the subject of the commit that a new path belongs to.  Returns the subjects of the
        commits that have changed.
        """
        if self.git('status', '--porcelain', '--untracked-files=no').strip():
            raise BranchError(f'{self.where} has changes that are not committed')
        self.stack = self.git('rev-list', '--reverse', f'{BASE}..{SERIES}').decode().split()
        self.places = {commit: n for n, commit in enumerate(self.stack)}
        subjects = self.git('log', '--reverse', '--format=%s', f'{BASE}..{SERIES}').decode().splitlines()
        self.subjects = {subject: n for n, subject in enumerate(subjects)}
        self.changed = set()
        self.files_of_base = self.files(BASE)
        last = self.files(SERIES)
        ours = set(self.git('diff', '--name-only', '-z', '--no-renames', BASE, SERIES)
                   .decode().split('\0')) - {''}
        edits = {}              # place -> {path: (mode, object) or None}
        for path in sorted(ours | set(final)):
            new = final.get(path)
            if new is not None and last.get(path) == ('100755' if path in executable else '100644',
                                                      object_name(new)):
                continue
            for place, entry in self.edit(path, new, path in executable, adds).items():
                edits.setdefault(place, {})[path] = entry
        if edits:
            self.rewrite(edits)
            self.sets()
        return [subjects[place] for place in sorted(self.changed)]

    def rewrite(self, edits):
        """Make the commits again with the files in EDITS."""
        files, parent, new = {}, None, {}
        env = {'GIT_INDEX_FILE': str(self.where / '.git/absorb.index')}
        for place, commit in enumerate(self.stack):
            files.update(edits.get(place, {}))
            if not files:
                parent = new[commit] = commit
                continue
            self.git('read-tree', commit, env=env)
            entries = b''.join(b'%s %s\t%s\0' % (*(part.encode() for part in entry or
                                                   ('0', '0' * 40)), path.encode())
                               for path, entry in files.items())
            self.git('update-index', '-z', '--index-info', input=entries, env=env)
            tree = self.git('write-tree', env=env).decode().strip()
            author = self.git('log', '-1', '--format=%an%n%ae%n%aI', commit).decode().splitlines()
            keys = ('GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_AUTHOR_DATE')
            parent = new[commit] = self.git(
                'commit-tree', tree, '-p', parent or BASE, '-F', '-', env=dict(zip(keys, author)),
                input=self.git('log', '-1', '--format=%B', commit).rstrip(b'\n') + b'\n').decode().strip()
        (self.where / '.git/absorb.index').unlink()
        self.git('checkout', '-q', '--detach')
        refs = self.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/stack',
                        f'refs/heads/{SERIES}').decode().splitlines()
        for ref, commit in (line.split() for line in refs):
            self.git('update-ref', ref, new[commit])
        self.git('checkout', '-q', SERIES)


def object_name(content):
    """The name that git gives to a file with this content."""
    return hashlib.sha1(b'blob %d\0' % len(content) + content).hexdigest()
