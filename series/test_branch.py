# SPDX-License-Identifier: GPL-2.0
"""Tests of branch.py, with a Linux of one file."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from branch import Branch, BranchError  # noqa: E402

WHO = {f'GIT_{role}_{key}': value for role in ('AUTHOR', 'COMMITTER')
       for key, value in (('NAME', 'nobody'), ('EMAIL', 'nobody@localhost'))}
WHO.update(GIT_CONFIG_GLOBAL='/dev/null', GIT_CONFIG_SYSTEM='/dev/null')
CORE = ''.join(f'core {i}\n' for i in range(20))
FIXED = CORE.replace('core 3\n', 'core three\n')
A = ''.join(f'a {i}\n' for i in range(10))
A_WITH_B = A.replace('a 4\n', 'a 4\nb in a\n')
# subject, and the files after the commit
COMMITS = (('core: Fix three', {'core.c': FIXED}),
           ('Add a', {'a.c': A}),
           ('Add b', {'b.c': 'b\n', 'a.c': A_WITH_B}),
           ('core: Call the hook', {'core.c': FIXED.replace('core 15\n', 'core 15\nhook\n')}),
           ('Add later', {'later.c': 'later\n'}))


class BranchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, where = pathlib.Path(folder.name) / 'source', pathlib.Path(folder.name) / 'tree'
        self.source.mkdir()
        where.mkdir()
        (where / 'core.c').write_text(CORE)
        self.git('init', '-q')
        self.commit('Linux', {'core.c': CORE})
        for subject, files in COMMITS:
            self.commit(subject, files)
        self.final = {path.name: path.read_bytes() for path in self.source.glob('*.c')}
        self.branch = Branch(where, WHO)
        mails = {'fixes/three': self.mails('HEAD~5..HEAD~4'), '': self.mails('HEAD~4..HEAD~1'),
                 'later/more': self.mails('HEAD~1..HEAD')}
        self.branch.create(list(mails), mails, {'': 'Subject\n\nText\n', 'later/more': 'Later\n'})

    def git(self, *args):
        return subprocess.run(['git', *args], cwd=self.source, check=True, capture_output=True,
                              env=dict(os.environ, **WHO)).stdout.decode()

    def commit(self, subject, files):
        for path, text in files.items():
            (self.source / path).write_text(text)
        self.git('add', '-A')
        self.git('commit', '-q', '-m', subject)

    def mails(self, revisions):
        names = self.git('format-patch', '-q', '--full-index', '-o', revisions, revisions)
        del names
        return sorted((self.source / revisions).glob('*.patch'))

    def subjects(self, revision):
        return self.branch.git('log', '--reverse', '--format=%s', revision).decode().splitlines()

    def text(self, revision, path):
        return self.branch.git('show', f'{revision}:{path}').decode()

    def absorb(self, **changes):
        """Names of files have _ for the dot."""
        for name, text in changes.items():
            self.final[name.replace('_', '.')] = text.encode()
        return self.branch.absorb(self.final, set(), {'c.c': 'Add b'})

    def commit_of(self, subject):
        return self.branch.git('log', '-1', '--format=%H', f'--grep=^{subject}$', 'series').decode().strip()

    def test_commits_are_those_of_the_mails(self):
        self.assertEqual(self.subjects('linux..series'), [subject for subject, _ in COMMITS])
        self.assertEqual(self.subjects('fixes/three'), ['Linux', 'core: Fix three'])
        self.assertEqual(self.subjects('linux..stack/series'),
                         [subject for subject, _ in COMMITS[:-1]])
        for branch, text in (('stack/series', 'Subject\n\nText\n'),
                             ('stack/later/more', 'Later\n')):
            self.assertEqual(self.branch.git('config', f'branch.{branch}.description').decode(),
                             text + '\n')

    def test_a_later_set_is_on_the_series_only(self):
        refs = self.branch.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').decode()
        self.assertEqual(refs.split(), ['fixes/three', 'linux', 'series', 'stack/fixes/three',
                                        'stack/later/more', 'stack/series'])

    def test_a_change_of_a_later_set_stays_there(self):
        before = self.branch.git('rev-parse', 'stack/series')
        self.assertEqual(self.absorb(later_c='Later\n'), ['Add later'])
        self.assertEqual(self.branch.git('rev-parse', 'stack/series'), before)
        self.assertEqual(self.text('stack/later/more', 'later.c'), 'Later\n')

    def test_nothing_changes_without_a_change(self):
        before = self.branch.git('rev-parse', 'series')
        self.assertEqual(self.absorb(), [])
        self.assertEqual(self.branch.git('rev-parse', 'series'), before)

    def test_a_changed_line_goes_to_the_commit_that_has_it(self):
        changed = self.absorb(a_c=A_WITH_B.replace('b in a', 'B in a').replace('a 8\n', ''))
        self.assertEqual(changed, ['Add a', 'Add b'])
        self.assertEqual(self.text(self.commit_of('Add a'), 'a.c'), A.replace('a 8\n', ''))
        self.assertEqual(self.text('series', 'a.c').encode(), self.final['a.c'])

    def test_new_lines_go_to_the_older_neighbour(self):
        changed = self.absorb(a_c='first\n' + A_WITH_B.replace('b in a\n', 'new\nb in a\n') + 'last\n')
        self.assertEqual(changed, ['Add a'])
        self.assertEqual(self.text(self.commit_of('Add a'), 'a.c'),
                         'first\n' + A.replace('a 4\n', 'a 4\nnew\n') + 'last\n')

    def test_a_fix_changes_also_in_its_own_branch(self):
        core = self.final['core.c'].decode().replace('three', 'THREE').replace('hook', 'hook 1\nhook 2')
        self.assertEqual(self.absorb(core_c=core), ['core: Fix three', 'core: Call the hook'])
        self.assertEqual(self.text('fixes/three', 'core.c'), CORE.replace('core 3\n', 'core THREE\n'))
        self.assertEqual(self.text('series', 'core.c'), core)

    def test_a_new_file_goes_to_the_commit_that_the_plan_names(self):
        self.assertEqual(self.absorb(c_c='c\n'), ['Add b'])
        self.assertEqual(self.text(self.commit_of('Add b'), 'c.c'), 'c\n')
        with self.assertRaisesRegex(BranchError, 'no commit of the series adds d.c'):
            self.absorb(d_c='d\n')

    def test_a_removed_file_was_never_there(self):
        del self.final['b.c']
        self.assertEqual(self.absorb(), ['Add b'])
        self.assertNotIn('b.c', self.branch.git('ls-tree', '--name-only', 'series').decode().split())

    def test_lines_beside_those_of_a_later_commit(self):
        changed = self.absorb(a_c=A_WITH_B.replace('a 4\n', 'A 4\n').replace('a 5\n', 'A 5\n'))
        self.assertEqual(changed, ['Add a'])
        self.assertEqual(self.text(self.commit_of('Add a'), 'a.c'),
                         A.replace('a 4\na 5\n', 'A 4\nA 5\n'))
        self.assertEqual(self.text('series', 'a.c').encode(), self.final['a.c'])

    def test_lines_of_several_commits(self):
        changed = self.absorb(a_c=A_WITH_B.replace('a 4\nb in a\na 5\n', 'all of it\n'))
        self.assertEqual(changed, ['Add b'])
        self.assertEqual(self.text(self.commit_of('Add a'), 'a.c'), A)
        self.assertEqual(self.text('series', 'a.c').encode(), self.final['a.c'])

    def test_a_last_line_without_an_end(self):
        self.assertEqual(self.absorb(a_c=A_WITH_B[:-1], b_c=''), ['Add a', 'Add b'])
        self.assertEqual(self.text(self.commit_of('Add a'), 'a.c'), A[:-1])

    def test_changes_of_the_work_tree_are_not_lost(self):
        (self.branch.where / 'a.c').write_text('by hand\n')
        with self.assertRaisesRegex(BranchError, 'not committed'):
            self.absorb(b_c='B\n')
        self.assertEqual((self.branch.where / 'a.c').read_text(), 'by hand\n')


if __name__ == '__main__':
    unittest.main()
