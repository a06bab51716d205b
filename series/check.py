# SPDX-License-Identifier: GPL-2.0
"""Check each patch of the series: apply it by git am, compile the kernel, boot it, and run
the kernel's scripts for patches."""
import concurrent.futures
import datetime
import hashlib
import os
import re
import shutil
import subprocess

CC = 'ccache gcc' if shutil.which('ccache') else 'gcc'
# programs to compile: directory, arguments of make
PROGRAMS = (('tools/ktap', ('O={out}',)),
            ('tools/testing/ktap', ('O={out}',)),
            ('tools/testing/selftests/ktap', ('OUTPUT={out}', 'LDFLAGS=-static', f'CC={CC}',
                                              'KHDR_INCLUDES=-I{lab}/include/uapi')),
            ('tools/testing/selftests/ftrace', ('OUTPUT={out}', 'LDFLAGS=-static', f'CC={CC}')))
# Messages of checkpatch that are ignored: MAINTAINERS has whole directories;
# uprobe_register() returns ENOTSUPP; examples of the guide print "false false", and misspell
# a variable on purpose; the sender of the series adds Signed-off-by; a later patch adds a
# statement in braces:
IGNORED = 'FILE_PATH_CHANGES,ENOTSUPP,REPEATED_WORD,TYPO_SPELLING,MISSING_SIGN_OFF,BRACES'
# lines and columns in a message
NUMBERS = re.compile(r':[0-9]+(:[0-9]+)?')
# a message of the compiler; the programs contain no code from elsewhere
SAID = re.compile(r'^[^ ].*:[0-9]+: (warning|error):', re.M)
CHECKPATCH = ('--strict', '--no-summary', '--terse', '--max-line-length=100', '--ignore')


def ignored_types(lab, files):
    """Return the types of checkpatch's messages that a patch of these @files may have."""
    types = IGNORED.split(',')
    for line in (lab / 'lab/checkpatch.kernel').read_text().splitlines():
        name, *reasons = line.split() or ['#']
        if name in files:
            types += reasons
    return types


def pristine_tree(where, plan, run):
    """Make a tree of Linux without ktap, of hard links: git and patch replace files."""
    shutil.rmtree(where, ignore_errors=True)
    where.parent.mkdir(parents=True, exist_ok=True)
    run('cp', '-al', plan.tree, where)
    state = where / '.ktap'
    if state.is_dir():
        for path in (state / 'files').read_text().split('\n'):
            if path:
                (where / path).unlink(missing_ok=True)
        for orig in (p for p in (state / 'orig').rglob('*') if p.is_file()):
            path = where / orig.relative_to(state / 'orig')
            path.unlink(missing_ok=True)
            shutil.copy2(orig, path)
        shutil.rmtree(state)
        for path in {os.path.dirname(p) for p in plan.new}:
            while path and (where / path).is_dir() and not os.listdir(where / path):
                (where / path).rmdir()
                path = os.path.dirname(path)


class Done:
    """
    The steps that have passed: for each a hash, and how many results it has. Those of this
    machine are in a file of the build directory, those of any machine in one of the repository.
    """
    HEAD = '# The steps that have passed lab/series check, by the hash of what was checked, with the\n' \
           '# number of results, the day and the commit.  lab/series record writes it.\n'

    def __init__(self, path, record):
        self.path, self.record = path, record
        self.results, self.lines = {}, {}
        if record.is_file():
            for line in record.read_text().splitlines():
                if not line.startswith('#'):
                    key, count, said = line.split(' ', 2)
                    self.results[key] = int(count)
                    self.lines[key] = said
        if path.is_file():
            for line in path.read_text().splitlines():
                key, _, count = line.partition(' ')
                self.results[key] = int(count)

    def add(self, key, results):
        self.results[key] = results
        with self.path.open('a') as file:
            print(key, results, file=file)

    def keep(self, steps, now):
        """
        Write those of @steps, pairs of name and hash, that have passed to the repository's file.
        @now: day and commit of those that it does not have. Returns how many there are.
        """
        kept = [f'{key} {self.results[key]} ' + self.lines.get(key, f'{now} {name}') + '\n'
                for name, key in steps if key in self.results]
        self.record.write_text(self.HEAD + ''.join(kept))
        return len(kept)

    @staticmethod
    def key(patch, state):
        """
        Return a hash of all that a step is judged by: its patch, without commit, date and version
        of git, and the files after it.  No document that another patch adds changes the verdict.
        """
        there = hashlib.sha256(re.sub(rb'^(From [0-9a-f]{40}|Date:) .*\n|^-- \n[0-9.]+\n', b'',
                                      patch.read_bytes(), flags=re.M))
        for path in sorted(p for p in state if not p.startswith('Documentation/')):
            there.update(f'{path}\0{hashlib.sha256(state[path]).hexdigest()}\0'.encode())
        return there.hexdigest()


class Checker:
    """Applies, builds and checks one patch after the other."""

    def __init__(self, lab, plan, run, note):
        self.lab = lab                  # the repository
        self.plan = plan
        self.run = run
        self.note = note
        self.out = lab / 'build/series/7.2/default'
        self.tree = lab / 'build/series/linux-7.2'
        self.build = lab / 'build/7.2/default'
        self.passed = self.failed = 0
        self.configured = False         # a run before had other steps
        # The kernel of a step boots while the next one is compiled.
        self.booted = lab / 'build/series/boot'
        self.boots = concurrent.futures.ThreadPoolExecutor(1)
        self.booting = None             # arguments of verdict() and settle(), what it will say
        self.done = Done(lab / 'build/series/checked', lab / 'series/checked')
        # the same command lines as lab/build, so that ccache hits
        self.env = {
            'KBUILD_BUILD_TIMESTAMP': 'Sat Jan  1 00:00:00 UTC 2000',
            'KBUILD_BUILD_USER': 'ktap', 'KBUILD_BUILD_HOST': 'lab',
            'CCACHE_DEPEND': '1', 'CCACHE_BASEDIR': str(lab),
            'CCACHE_MAXSIZE': os.environ.get('CCACHE_MAXSIZE', '10G'),
            'CCACHE_IGNOREOPTIONS': '-fmacro-prefix-map=*',
        }

    def verdict(self, what, said, results):
        """Print a result, and add it to those of a step. @said: the messages of a failure, or ''."""
        results.append(not said)
        if said:
            self.failed += 1
        else:
            self.passed += 1
        print(f'{"not ok" if said else "ok"} - {what}')
        for line in said.splitlines()[-40:]:
            print(f'    {line}')
        print(end='', flush=True)

    def said(self, *args, **kwargs):
        """Run a command. Returns its status and its output, with stderr by default."""
        done = subprocess.run([str(a) for a in args], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, errors='replace',
                              stderr=kwargs.pop('stderr', subprocess.STDOUT),
                              env=dict(os.environ, **self.env, **kwargs.pop('env', {})),
                              cwd=kwargs.pop('cwd', self.tree), **kwargs)
        return done.returncode, done.stdout

    # --- the tree

    def make_tree(self, repo_env):
        """Make a git tree without ktap, and remove its objects of a run before: closer_look()
        compiles what there is an object of."""
        self.note('a pristine tree')
        shutil.rmtree(self.out / 'kernel/trace/ktap', ignore_errors=True)
        pristine_tree(self.tree, self.plan, self.run)
        self.env.update(repo_env)
        pristine = self.plan.state(-1)
        for path, content in pristine.items():
            assert (self.tree / path).read_bytes() == content, path
        # git needs only the files that patches change
        self.run('git', 'init', '-q', '-b', 'series', cwd=self.tree, env=self.env)
        self.run('git', 'add', '-f', *pristine, cwd=self.tree, env=self.env)
        self.run('git', 'commit', '-q', '-m', 'Linux', cwd=self.tree, env=self.env)

    def apply(self, patch):
        status, said = self.said('git', 'am', '-q', '--whitespace=nowarn', patch)
        return said or 'git am failed' if status else ''

    def is_left(self, line, overlay):
        """Is the file in this line of diff -rq one that no patch adds?"""
        found = re.fullmatch(r'Only in (.*): (.*)', line)
        if not found:
            return False
        there = os.path.relpath(os.path.join(*found.groups()), overlay)
        return not any(p.startswith(there + '/') for p in self.plan.new) and \
            any(p == there or p.startswith(there + '/') for p in self.plan.left)

    def compare(self):
        """Compare the tree after the last patch with that of lab/overlay, byte for byte."""
        overlay = self.run('lab/overlay', cwd=self.lab).decode().strip()
        leftovers = ('.git', '.ktap', '__pycache__', '.checkpatch-camelcase.*')
        status, said = self.said('diff', '-rq', '--no-dereference',
                                 *(f'--exclude={name}' for name in leftovers),
                                 overlay, self.tree)
        if status > 1:
            return said or 'diff failed'
        return '\n'.join(line for line in said.splitlines() if not self.is_left(line, overlay))

    # --- building

    def make(self, *args, **kwargs):
        return self.said('make', '-s', '-C', self.tree, f'O={self.out}', f'CC={CC}',
                         f'-j{os.cpu_count()}', *args, **kwargs)

    def configure(self):
        """Configure as lab/build does. A patch may add options."""
        conf = self.out.parent / 'conf'
        conf.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        fragment = self.lab / 'lab/configs/default.config'
        for command in (('make', '-s', '-C', self.tree, f'O={conf}', 'tinyconfig'),
                        ('scripts/kconfig/merge_config.sh', '-m', '-O', conf, conf / '.config',
                         fragment),
                        ('make', '-s', '-C', self.tree, f'O={conf}', 'olddefconfig')):
            status, said = self.said(*command)
            if status:
                return said
        new = (conf / '.config').read_bytes()
        old = self.out / '.config'
        if not old.is_file() or old.read_bytes() != new:
            old.write_bytes(new)
        return ''

    @staticmethod
    def complaints(said):
        """Return the warnings about files of ktap, and all errors."""
        wanted = re.compile(r'(kernel/trace/ktap|_kunit\.c|uapi/linux/ktap\.h|tools/ktap|tools/testing/ktap)'
                            r'.*(warning|error):|\berror:|undefined reference|\*\*\*')
        return '\n'.join(line for line in said.splitlines() if wanted.search(line))

    def kernel(self, files):
        if any(os.path.basename(f) == 'Kconfig' for f in files) or not self.configured:
            said = self.configure()
            if said:
                return said
            self.configured = True
        status, said = self.make('vmlinux')
        if not status:
            # ccache does not see which kernel an image has (lab/build)
            status, more = self.make('bzImage', env={'CCACHE_DISABLE': '1'})
            said += more
        return self.complaints(said) or (said[-3000:] if status else '')

    def programs(self, files):
        for folder, args in PROGRAMS:
            if not any(f.startswith(folder + '/') for f in files):
                continue
            out = self.out.parent / folder.replace('/', '-')
            out.mkdir(parents=True, exist_ok=True)
            status, said = self.said('make', '-s', '-C', self.tree / folder,
                                     f'-j{os.cpu_count()}',
                                     *(arg.format(out=out, lab=self.lab) for arg in args))
            if status or SAID.search(said):
                return said[-3000:]
        return ''

    def closer_look(self, files):
        """Run W=1 and sparse on the sources that the patch adds or changes."""
        objects = [f[:-1] + 'o' for f in files
                   if f.startswith('kernel/') and f.endswith('.c') and
                   (self.out / (f[:-1] + 'o')).is_file()]
        if not objects:
            return ''
        status, said = self.said(self.lab / 'lab/sparse', self.tree, self.out, '-s', f'CC={CC}',
                                 f'-j{os.cpu_count()}', *objects)
        ours = [line for line in said.splitlines()
                if any(f in line for f in files if f.startswith(('kernel/', 'include/')))
                and re.search(r'(warning|error):', line)]
        return '\n'.join(ours) or (said[-3000:] if status else '')

    def boot(self):
        """
        Boot the guest, and return the failures of its KUnit tests. Runs in a thread. With a thread
        of the emulator for each CPU, one in some hundred boots hung before it came to ktap.
        """
        status, said = self.said('lab/run', '--one-thread', '--timeout', '900', '--append',
                                 'kunit.enable=1', '--',
                                 'cat /sys/kernel/debug/kunit/*/results 2>/dev/null; true',
                                 cwd=self.lab, env={'KTAP_BUILD': str(self.booted)})
        bad = '\n'.join(line for line in said.splitlines() if line.lstrip().startswith('not ok'))
        return bad or (said[-3000:] if status else '')

    def begin_boot(self, name, results, key):
        """Boot the kernel just built. @results: of its step, which is settled by end_boot()."""
        self.end_boot()
        guest = self.booted / '7.2/default'
        for folder, path in ((self.build, 'initramfs.cpio'), (self.build, 'demux'),
                             (self.out, 'arch/x86/boot/bzImage')):
            (guest / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / path, guest / path)
        self.booting = name, results, key, self.boots.submit(self.boot)

    def end_boot(self):
        """Wait for the kernel that boots, if there is one."""
        if self.booting:
            name, results, key, boot = self.booting
            self.booting = None
            self.verdict(f'{name}: boots, KUnit', boot.result(), results)
            self.settle(results, key)

    def settle(self, results, key):
        """Keep that a step has passed, now that all its results are there."""
        if all(results):
            self.done.add(key, len(results))

    # --- the kernel's scripts

    def checkpatch(self, patch, files):
        """Check the patch. In tools/ only C files and Makefiles are checked, with the options of
        lab/style: checkpatch does not fit scripts, parts of them and expected outputs."""
        programs = [f for f in files if f.startswith('tools/') and f.endswith(('.c', '.h')) and
                    not f.startswith(('tools/testing/ktap/shim', 'tools/ktap/tests/bpftrace/'))]
        others = [f for f in files
                  if not f.startswith('tools/') or os.path.basename(f) == 'Makefile']
        asked = []
        ignored = ','.join(ignored_types(self.lab, others))
        if len(others) == len(files):
            asked.append((ignored, patch))
        elif others:
            rest = self.out.parent / 'others.patch'
            rest.write_bytes(self.run('git', 'format-patch', '-1', '--stdout', 'HEAD', '--',
                                      *others, cwd=self.tree, env=self.env))
            asked.append((ignored, rest))
        if programs:
            types = re.findall(r'^([A-Z_]+)\b', (self.lab / 'lab/checkpatch.tools').read_text(),
                               re.M)
            asked.append((','.join(['FILE_PATH_CHANGES', *types]), '-f', *programs))
        # without the module ply, checkpatch skips a check of licenses, with a traceback
        results = [self.said('scripts/checkpatch.pl', *CHECKPATCH, *args,
                             stderr=subprocess.DEVNULL) for args in asked]
        return ''.join(self.but_nokprobe(patch, said) for status, said in results if status)

    @staticmethod
    def but_nokprobe(patch, said):
        """Leave out reports about NOKPROBE_SYMBOL(), which belongs to the function before it."""
        lines = patch.read_text(errors='replace').split('\n')

        def is_about_it(report):
            found = re.match(re.escape(str(patch)) +
                             r':(\d+): CHECK: Please use a blank line after function', report)
            return found and lines[int(found.group(1)) - 1].startswith('+NOKPROBE_SYMBOL(')

        return ''.join(report for report in said.splitlines(True) if not is_about_it(report))

    def kernel_doc(self, files):
        sources = [f for f in files if f.startswith(('kernel/', 'include/')) and
                   f.endswith(('.c', '.h'))]
        if not sources:
            return ''
        status, said = self.said('scripts/kernel-doc', '-none', *sources)
        ours = '\n'.join(line for line in said.splitlines() if any(f in line for f in files))
        return ours or (said if status else '')

    def new_in(self, look, files):
        """Return the messages of @look about @files that are not about the code before."""
        said = look(files)
        changed = [f for f in files if f not in self.plan.new]
        if not said or not changed:
            return said
        self.run('git', 'checkout', '-q', 'HEAD~', '--', *changed, cwd=self.tree, env=self.env)
        before = {NUMBERS.sub('', line) for line in look(changed).splitlines()}
        self.run('git', 'checkout', '-q', 'HEAD', '--', *changed, cwd=self.tree, env=self.env)
        return '\n'.join(line for line in said.splitlines()
                         if NUMBERS.sub('', line) not in before)

    def maintainers(self, patch, files):
        # MAINTAINERS itself has no maintainer
        if files == ['MAINTAINERS']:
            return ''
        status, said = self.said('scripts/get_maintainer.pl', '--no-git', '--no-git-fallback',
                                 patch)
        # the list of tracing must get each patch
        return '' if not status and 'linux-trace-kernel@' in said else said or 'it names nobody'

    def step(self, number, step, patch, resume):
        """Apply a patch, and check what is then there. Returns False if it does not apply."""
        before, now = self.plan.state(number - 1), self.plan.state(number)
        files = [p for p in now if now[p] != before.get(p)]
        name = f'{number + 1:04} {step.name.removesuffix(".patch")}'
        key = Done.key(patch, now)
        if resume and key in self.done.results:
            return self.only_apply(name, patch, self.done.results[key])
        results = []

        def verdict(what, said):
            self.verdict(f'{name}: {what}', said, results)

        failed = self.apply(patch)
        verdict('git am', failed)
        if failed:
            return False
        boots = False
        if any(f.startswith(('kernel/', 'include/')) for f in files):
            failed = self.kernel(files)
            verdict('builds', failed)
            if not failed:
                boots = True
                self.begin_boot(name, results, key)
                verdict('W=1, sparse', self.new_in(self.closer_look, files))
        if any(f.startswith('tools/') for f in files):
            verdict('programs', self.programs(files))
        verdict('checkpatch', self.checkpatch(patch, files))
        if not all(f.startswith('tools/') for f in files):
            verdict('kernel-doc', self.new_in(self.kernel_doc, files))
        verdict('get_maintainer', self.maintainers(patch, files))
        if not boots:
            self.settle(results, key)
        return True

    def only_apply(self, name, patch, passed=0):
        """Apply a patch that is not checked. @passed: its results of a run before."""
        failed = self.apply(patch)
        if re.search(rb'^\+\+\+ b/.*/Kconfig$', patch.read_bytes(), re.M):
            self.configured = False
        if failed:
            self.verdict(f'{name}: git am', failed, [])
        elif passed:
            self.note(f'{name}: has passed before')
            self.passed += passed
        return not failed


def wanted_steps(text, n):
    """Convert '3,7-9' to a set of numbers from 0 to @n - 1; ValueError if it is invalid."""
    if not text:
        return set(range(n))
    result = set()
    for word in text.split(','):
        first, _, last = word.partition('-')
        first, last = int(first), int(last or first)
        if not 1 <= first <= last <= n:
            raise ValueError
        result |= set(range(first - 1, last))
    return result


def record(checker, patches):
    """Keep what has passed in series/checked."""
    plan = checker.plan
    steps = [(f'{n + 1:04} {step.name.removesuffix(".patch")}', Done.key(patches[n], plan.state(n)))
             for n, step in enumerate(plan.steps)]
    commit = checker.run('git', 'show', '-s', '--format=%h', 'HEAD', cwd=checker.lab).decode().strip()
    kept = checker.done.keep(steps, f'{datetime.date.today()} {commit}')
    checker.note(f'{kept} of {len(steps)} steps have passed with the content that they have now')


def check(checker, patches, wanted, resume, repo_env):
    # any existing guest will do: it does not depend on the patches
    if not all((checker.build / name).is_file() for name in ('initramfs.cpio', 'trusted.pem')):
        checker.run('lab/build', cwd=checker.lab)
    checker.make_tree(repo_env)
    # the certificate that the configuration names
    checker.out.mkdir(parents=True, exist_ok=True)
    shutil.copy2(checker.build / 'trusted.pem', checker.out)
    for number, step in enumerate(checker.plan.steps):
        if number in wanted:
            applied = checker.step(number, step, patches[number], resume)
        else:
            applied = checker.only_apply(f'{number + 1:04} {step.name}', patches[number])
        if not applied:
            break
    else:
        checker.verdict('behind the last one the tree is that of lab/overlay',
                        checker.compare(), [])
    checker.end_boot()
    print(f'{checker.passed} passed, {checker.failed} failed')
    return not checker.failed
