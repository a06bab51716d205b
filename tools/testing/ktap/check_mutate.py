#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Test mutate.py: what it changes of a source, and how it reports the results."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import mutate

SOURCE = '''\
/* if (a < b) return 0; */
#define LESS(a, b)	((a) < (b))

static const char text[] = "a < b";

static int f(struct x *p, int a)
{
	/* a + 1 */
	lockdep_assert_held(&lock);
	if (a < 3 &&
	    (a != 1))
		return -EINVAL;
	forget(p, "a == b");
	return a << 1;
}

static bool g(void)
{
	return true;
}
'''


class MutateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top, mutate.TOP = mutate.TOP, pathlib.Path(folder.name)
        self.addCleanup(setattr, mutate, 'TOP', top)
        (mutate.TOP / 'f.c').write_text(SOURCE)
        self.mutants = list(mutate.mutants_of('f.c'))

    def changed(self, kind):
        """Line number and text of the lines that mutants of a kind change."""
        return [(mutant.line, mutate.described(mutant)[1]) for mutant in self.mutants
                if mutant.kind == kind]

    def test_changes_of_each_kind(self):
        self.assertEqual(self.changed('comparison'),
                         [(10, 'if (a <= 3 &&'), (11, '(a == 1))')])
        self.assertEqual(self.changed('condition'), [(10, 'if (a < 3 ||')])
        self.assertEqual(self.changed('arithmetic'), [(14, 'return a >> 1;')])
        self.assertEqual(self.changed('bound'),
                         [(10, 'if (a < 4 &&'), (11, '(a != 2))'), (14, 'return a << 2;')])
        self.assertEqual(self.changed('result'),
                         [(12, 'return 0;'), (14, 'return 0;'), (19, 'return false;')])

    def test_condition_is_negated_whole(self):
        only, = [mutant for mutant in self.mutants if mutant.kind == 'negation']
        text = SOURCE[:only.start] + only.text + SOURCE[only.end:]
        self.assertIn('\tif (!(a < 3 &&\n\t    (a != 1)))\n', text)

    def test_calls_are_left_out_but_not_assertions(self):
        only, = [mutant for mutant in self.mutants if mutant.kind == 'call']
        self.assertEqual(mutate.described(only), ('forget(p, "a == b");', ';'))

    def test_comments_strings_and_macros_stay(self):
        self.assertTrue(all(mutant.line > 9 for mutant in self.mutants))

    def test_names_stay_when_other_lines_change(self):
        path = mutate.TOP / 'f.c'
        names = list(mutate.named(self.mutants).values())
        path.write_text('/* a comment\n *\n */\n' + SOURCE)
        moved = list(mutate.mutants_of('f.c'))
        self.assertEqual(list(mutate.named(moved).values()), names)
        self.assertNotEqual(moved, self.mutants)

    def test_the_same_changes_have_other_names(self):
        path = mutate.TOP / 'f.c'
        path.write_text(SOURCE + SOURCE.replace('f(', 'h('))
        mutants = list(mutate.mutants_of('f.c'))
        self.assertEqual(len(mutants), 2 * len(self.mutants))
        self.assertEqual(len(set(mutate.named(mutants).values())), len(mutants))

    def test_report_counts_and_names_survivors(self):
        results = [(mutant, 'kunit') for mutant in self.mutants]
        results[0] = results[0][0], 'survived'
        results[1] = results[1][0], 'not built'
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(mutate.report(results), 1)
        before, after = mutate.described(results[0][0])
        self.assertIn(f'- {before}\n+ {after}\n', out.getvalue())
        self.assertEqual(out.getvalue().splitlines()[-1].split(),
                         ['all', str(len(results) - 1), str(len(results) - 2), '0', '1'])

    def test_survivor_that_was_judged_is_none(self):
        first = self.mutants[0]
        judged, mutate.JUDGED = mutate.JUDGED, mutate.TOP / 'survivors.txt'
        self.addCleanup(setattr, mutate, 'JUDGED', judged)
        before, after = mutate.described(first)
        mutate.JUDGED.write_text(f'# why\nfile: f.c\n- {before}\n+ {after}\nthe same\n')
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(mutate.report([(first, 'survived')]), 0)
        for function, left in ('f', 0), ('g', 1):
            mutate.JUDGED.write_text(f'file: f.c\nin: {function}\n- {before}\n+ {after}\nwhy\n')
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(mutate.report([(first, 'survived')]), left)


if __name__ == '__main__':
    unittest.main()
