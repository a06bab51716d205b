# SPDX-License-Identifier: GPL-2.0
"""Tests of check.py, and of the regular expressions of the plan."""
import pathlib
import tempfile
import unittest

from check import Checker, Done
from parts import alternatives

MAIL = '''From {commit} Mon Sep 17 00:00:00 2001
From: A <a@b>
Date: {date}
Subject: [PATCH] {subject}

Text
---
-- 
{git}

'''


class Steps(unittest.TestCase):
    """Which steps have passed"""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def key(self, subject='a', commit='0' * 40, date='today', git='2.39.5', **files):
        patch = self.path / 'a.patch'
        patch.write_text(MAIL.format(subject=subject, commit=commit, date=date, git=git))
        state = {path.replace('__', '/'): text.encode() for path, text in files.items()}
        return Done.key(patch, state)

    def test_commit_date_and_git_change_nothing(self):
        self.assertEqual(self.key(kernel__a='x'),
                         self.key(kernel__a='x', commit='1' * 40, date='yesterday', git='3.0'))

    def test_a_document_changes_nothing(self):
        self.assertEqual(self.key(kernel__a='x'), self.key(kernel__a='x', Documentation__a='y'))

    def test_the_patch_and_each_file_count(self):
        keys = [self.key(kernel__a='x'), self.key('b', kernel__a='x'), self.key(kernel__a='y'),
                self.key(kernel__b='x'), self.key(kernel__a='x', kernel__b='')]
        self.assertEqual(len(set(keys)), len(keys))

    def test_what_has_passed_is_kept(self):
        self.done().add('key', 7)
        self.done().add('other', 4)
        self.assertEqual(self.done().results, {'key': 7, 'other': 4})

    def done(self, name='checked'):
        return Done(self.path / name, self.path / 'recorded')

    def test_other_machines_know_what_was_recorded(self):
        self.done().add('key', 7)
        self.done().add('stale', 4)
        self.assertEqual(self.done().keep([('0001 a', 'key'), ('0002 b', 'new')], 'day commit'), 1)
        self.assertEqual(self.done('other').results, {'key': 7})

    def test_a_record_keeps_its_day(self):
        self.done().add('key', 7)
        self.done().keep([('0001 a', 'key')], 'monday one')
        self.done('other').add('new', 3)
        self.done('other').keep([('0001 b', 'new'), ('0002 a', 'key')], 'tuesday two')
        said = (self.path / 'recorded').read_text().splitlines()
        self.assertEqual([line for line in said if not line.startswith('#')],
                         ['new 3 tuesday two 0001 b', 'key 7 monday one 0001 a'])


class Reports(unittest.TestCase):
    """The reports of checkpatch"""

    def test_nokprobe_belongs_to_its_function(self):
        with tempfile.TemporaryDirectory() as folder:
            patch = pathlib.Path(folder) / 'a.patch'
            patch.write_text('+}\n+NOKPROBE_SYMBOL(a);\n+}\n+int b;\n')
            said = ''.join(f'{patch}:{n}: CHECK: Please use a blank line after '
                           'function/struct/union/enum declarations\n' for n in (2, 4))
            kept = Checker.but_nokprobe(patch, said + f'{patch}:2: ERROR: c\n')
            self.assertEqual(kept.count('\n'), 2)
            self.assertIn(f'{patch}:4: CHECK', kept)
            self.assertIn('ERROR: c', kept)
            other = 'a.c:99: CHECK: Please use a blank line after function\n'
            self.assertEqual(Checker.but_nokprobe(patch, other), other)


class Expressions(unittest.TestCase):
    """Regular expressions"""

    def test_alternatives_are_the_outermost(self):
        self.assertEqual(alternatives('a'), ['a'])
        self.assertEqual(alternatives('a|(b|c)d|[|]|\\|'), ['a', '(b|c)d', '[|]', '\\|'])
        self.assertEqual(alternatives('[]|]|a'), ['[]|]', 'a'])

    def test_flags_are_those_of_each(self):
        self.assertEqual(alternatives('(?s)a|b'), ['(?s)a', '(?s)b'])


if __name__ == '__main__':
    unittest.main()
