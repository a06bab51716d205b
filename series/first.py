# SPDX-License-Identifier: GPL-2.0
"""Check the patches of series/first, the first posting, and try their kernel."""
import os
import pathlib
import re
import shutil
import subprocess

import check

# Limits of the posting: what a maintainer reads in two evenings
MOST_PATCHES = 30
MOST_LINES = 15000
TESTS = ('smoke', 'exact', 'kill', 'permissions')
WARNING = re.compile(r'\b(warning|error):|undefined reference|\*\*\*')


class First:
    def __init__(self, lab, tree, run, note, repo_env):
        self.lab = lab
        self.tree = tree                # Linux
        self.run = run
        self.note = note
        self.patches = sorted((lab / 'series/first').glob('[0-9]*.patch'))
        self.where = lab / 'build/series/first'
        self.env = dict(os.environ, **repo_env, KBUILD_BUILD_TIMESTAMP='Sat Jan  1 00:00:00 UTC 2000',
                        KBUILD_BUILD_USER='ktap', KBUILD_BUILD_HOST='lab')
        self.failed = 0
        # for check.pristine_tree()
        names = run('git', 'ls-files', '-z', '--', 'kernel', 'include', 'Documentation',
                    'tools').decode().split('\0')
        self.new = [name for name in names if name]

    def verdict(self, what, said):
        self.failed += bool(said)
        print(f'{"not ok" if said else "ok"} - {what}')
        for line in said.splitlines()[-20:]:
            print(f'    {line}')
        print(end='', flush=True)

    def said(self, *args, cwd=None):
        """Run a command.  Returns its output, and a line about its status if it failed."""
        done = subprocess.run([str(a) for a in args], cwd=cwd or self.where / 'linux', text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace',
                              stdin=subprocess.DEVNULL, env=self.env)
        return done.stdout + (f'{args[0]}: status {done.returncode}\n' if done.returncode else '')

    def git(self, *args):
        return self.run('git', *args, cwd=self.where / 'linux', env=self.env).decode()

    def pristine(self, path):
        orig = self.tree / '.ktap/orig' / path
        return orig if orig.is_file() else self.tree / path

    def make_repo(self, whole):
        """A git repository of the files that the patches change, in a tree of all files if
        @whole."""
        where = self.where / 'linux'
        changed = sorted({found for patch in self.patches
                          for found in re.findall(r'^--- a/(\S+)', patch.read_text(), re.M)})
        added = {found for patch in self.patches
                 for found in re.findall(r'^--- /dev/null\n\+\+\+ b/(\S+)', patch.read_text(), re.M)}
        changed = [path for path in changed if path not in added]
        if whole:
            check.pristine_tree(where, self, self.run)
        else:
            shutil.rmtree(where, ignore_errors=True)
            for path in changed:
                (where / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.pristine(path), where / path)
        self.git('init', '-q', '-b', 'first')
        self.git('add', '-f', *changed)
        self.git('commit', '-q', '-m', 'Linux')
        self.git('tag', 'linux')

    def checkpatch(self, patch):
        """checkpatch, without the reports that lab/checkpatch.kernel has for these files."""
        files = set(re.findall(r'^\+\+\+ b/(\S+)', patch.read_text(), re.M))
        ignored = [name for name in check.ignored_types(self.lab, files)
                   if name != 'MISSING_SIGN_OFF']
        done = subprocess.run([self.tree / 'scripts/checkpatch.pl', *check.CHECKPATCH,
                               ','.join(ignored), patch],
                              cwd=self.tree, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        return done.stdout if done.returncode else ''

    def make(self, *args):
        return self.said('make', '-s', f'O={self.where / "out"}', f'CC={check.CC}',
                         f'-j{os.cpu_count()}', *args)

    def configure(self):
        """The lab's configuration `default`, without what these patches do not have."""
        out = self.where / 'out'
        out.mkdir(parents=True, exist_ok=True)
        self.make('tinyconfig')
        self.said('scripts/kconfig/merge_config.sh', '-m', '-O', out, out / '.config',
                  self.lab / 'lab/configs/default.config')
        trusted = out / 'trusted.pem'
        if not trusted.is_file():
            shutil.copy2(self.lab / 'build/7.2/default/trusted.pem', trusted) \
                if (self.lab / 'build/7.2/default/trusted.pem').is_file() else \
                self.said('scripts/config', '--file', out / '.config', '--set-str',
                          'SYSTEM_TRUSTED_KEYS', '')
        said = self.make('olddefconfig')
        return said if 'status' in said else ''

    def warnings(self, said):
        """Warnings about the files of the patches, and all errors."""
        mine = re.compile(r'kernel/trace/ktap|trace_events_consumer|uapi/linux/ktap\.h')
        lines = [line for line in said.splitlines() if WARNING.search(line) and
                 (mine.search(line) or not re.search(r'\bwarning:', line))]
        return '\n'.join(lines) or (said[-2000:] if ': status ' in said else '')

    def apply_all(self, build):
        self.make_repo(build)
        rows = []
        for patch in self.patches:
            said = self.said('git', 'am', '-q', '--whitespace=nowarn', patch)
            self.verdict(f'{patch.name}: git am', said)
            if said:
                return
            added = sum(int(line.split('\t')[0])
                        for line in self.git('diff', '--numstat', 'HEAD~', 'HEAD').splitlines())
            rows.append((added, patch.stem))
            self.verdict(f'{patch.name}: checkpatch', self.checkpatch(patch))
            if build and (self.where / 'linux/kernel/trace/ktap/Makefile').is_file():
                self.verdict(f'{patch.name}: builds with W=1', self.build())
        for added, name in rows:
            print(f'{added:6} {name}')
        lines = sum(added for added, _ in rows)
        print(f'{lines:6} lines in {len(rows)} patches')
        self.verdict(f'at most {MOST_PATCHES} patches',
                     '' if len(rows) <= MOST_PATCHES else str(len(rows)))
        self.verdict(f'at most {MOST_LINES} lines', '' if lines <= MOST_LINES else str(lines))
        cover = (self.lab / 'series/first/cover').read_text().splitlines()
        self.verdict('at most 80 lines in the cover letter', '' if len(cover) <= 80 else str(len(cover)))

    def build(self):
        changed = self.git('diff', '--name-only', 'HEAD~', 'HEAD').splitlines()
        if any(name.endswith('Kconfig') for name in changed):
            said = self.configure()
            if said:
                return said
        # the configuration decides which of these files are compiled
        others = any(name.endswith('.c') and os.path.dirname(name) == 'kernel/trace'
                     for name in changed)
        return self.warnings(self.make('W=1', 'kernel/trace/' if others else 'kernel/trace/ktap/'))

    def boot(self):
        """Build and boot the kernel; run its KUnit tests, and its selftests with the
        programs of the repository."""
        guest = self.lab / 'build/7.2/default'
        if not (guest / 'initramfs.cpio').is_file():
            self.run('lab/build', cwd=self.lab)
        said = self.warnings(self.configure() or self.make('bzImage'))
        self.verdict('the kernel builds', said)
        if said:
            return
        tests = self.where / 'selftests'
        shutil.rmtree(tests, ignore_errors=True)
        shutil.copytree(self.where / 'linux/tools/testing/selftests/ktap', tests)
        said = self.said('gcc', '-O2', '-Wall', '-static', '-pthread', '-o', tests / 'calls',
                         tests / 'calls.c')
        self.verdict('the program of the selftests builds', said)
        # lab/run takes the kernel, the guest and its demultiplexer from one directory
        image = self.where / 'boot/7.2/default'
        shutil.rmtree(self.where / 'boot', ignore_errors=True)
        shutil.copytree(guest, image, ignore=lambda d, names:
                        [n for n in names if n not in ('initramfs.cpio', 'demux', 'arch', 'x86',
                                                       'boot', 'bzImage')])
        target = image / 'arch/x86/boot'
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.where / 'out/arch/x86/boot/bzImage', target / 'bzImage')
        commands = ['cat /sys/kernel/debug/kunit/*/results']
        commands += [f'echo "# {name}"; sh /first/{name}.sh' for name in TESTS]
        self.env['KTAP_BUILD'] = str(self.where / 'boot')
        said = self.said('lab/run', '--one-thread', '--timeout', '900', '--smp', '4', '--append', 'kunit.enable=1',
                         '--file', f'{tests}:/first', '--', '; '.join(commands), cwd=self.lab)
        (self.where / 'log').write_text(said)
        good = len(re.findall(r'^\s*ok \d', said, re.M))
        bad = '\n'.join(re.findall(r'^\s*not ok .*', said, re.M))
        if not good or re.search(r'^lab/run: status', said, re.M):
            bad = bad or said[-2000:]
        self.verdict(f'KUnit and selftests: {good} lines "ok" (all: {self.where.name}/log)', bad)


def first(lab, tree, run, note, repo_env, build, boot):
    checked = First(lab, pathlib.Path(tree), run, note, repo_env)
    checked.apply_all(build or boot)
    if boot and not checked.failed:
        checked.boot()
    print(f'{checked.failed} failed')
    return not checked.failed
