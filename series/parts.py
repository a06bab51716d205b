# SPDX-License-Identifier: GPL-2.0
"""Files that several steps extend: remove the parts of later steps from the final file.

Only lines are removed.  A part begins in a line that a regular expression matches, and
ends at the end of the C statement, function, declaration or #if.  The comment before a
part is removed as well, and so is one of two blank lines.
"""
import fnmatch
import re


class StalePlan(Exception):
    """The plan does not match the files."""


class Rules:
    """series/rules: parts that a step includes without a line in its plan."""

    def __init__(self, path):
        self.rules = []
        for line in path.read_text().splitlines():
            words = line.split('\t')
            if not line or line.startswith('#'):
                continue
            words = [w for w in words if w]
            if len(words) != 4 or words[0] not in ('defined', 'defines', 'exists', 'listed'):
                raise StalePlan(f'series/rules: not understood: {line}')
            self.rules.append((words[0], words[1], re.compile(words[2], re.M), words[3]))

    def of(self, path):
        return [r for r in self.rules if fnmatch.fnmatchcase(path, r[1])]


STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
COMMENT = re.compile(r'/\*.*?\*/|//.*')
FUNCTION = re.compile(r'^(?!extern\b|static\b|#)[a-z_][\w\s*]*?\b(\w+)\(')
OBJECT = re.compile(r'^(?!extern\b|static\b|typedef\b)[a-z][\w\s*]*?\b(\w+)(?:\[[^]]*\])*\s*(?:=|;)')
MACRO = re.compile(r'^(?:DEFINE_[A-Z]+|LIST_HEAD)\((\w+)\)')
ASSIGNMENT = re.compile(r'(\w+)(?: [:+]?= *|=")')


def code_of(line):
    return COMMENT.sub('', STRING.sub('""', line)).rstrip()


class Text:
    """The lines of a file, and which of them are removed."""

    def __init__(self, path, text):
        self.path = path
        self.lines = text.split('\n')
        self.out = [False] * len(self.lines)

    def comment_end(self, i):
        while '*/' not in self.lines[i] and i + 1 < len(self.lines):
            i += 1
        return i

    def end(self, i):
        """Return the last line of the part that begins in line @i."""
        line = self.lines[i]
        if self.path.endswith('Kconfig') and re.match(r'(config|source)\b', line):
            while i + 1 < len(self.lines) and not re.match(r'\S', self.lines[i + 1]):
                i += 1
            return i - 1 if i + 1 < len(self.lines) else i
        if not re.search(r'\.[ch]$', self.path):
            return i
        if re.match(r'\s*\* @', line):
            while not re.match(r'\s*(\* @|\*/|\*\s*$)', self.lines[i + 1]):
                i += 1
            return i
        if re.match(r'\s*/\*', line):
            return self.comment_end(i)
        if re.match(r'\s*#\s*if', line):
            return self.endif(i)
        if line.lstrip().startswith('#'):
            while self.lines[i].endswith('\\'):
                i += 1
            return i
        # a row of a _list.h file ends with its parenthesis
        row = self.path.endswith('_list.h') and re.match(r'[A-Z]+\(', line)
        depth = 0
        for j in range(i, len(self.lines)):
            code = code_of(self.lines[j])
            depth += sum(code.count(c) for c in '([{') - sum(code.count(c) for c in ')]}')
            if depth < 0:
                return j - 1
            if depth == 0 and code and (row or code[-1] in ';,}:'):
                return j
        raise StalePlan(f'{self.path}:{i + 1}: no end of the part that begins with: {line.strip()}')

    def endif(self, i):
        depth = 0
        for j in range(i, len(self.lines)):
            if re.match(r'\s*#\s*if', self.lines[j]):
                depth += 1
            if re.match(r'\s*#\s*endif', self.lines[j]):
                depth -= 1
                if not depth:
                    return j
        raise StalePlan(f'{self.path}:{i + 1}: no #endif')

    def has_else(self, i):
        """Is line @i in an #if that has an #else?  Then both branches define the same names."""
        depth, otherwise = 0, False
        for line in reversed(self.lines[:i]):
            depth += bool(re.match(r'\s*#\s*endif', line))
            if re.match(r'\s*#\s*if', line):
                depth -= 1
            if depth < 0:
                break
        else:
            return False
        depth = 0
        for line in self.lines[i:]:
            if re.match(r'\s*#\s*endif', line):
                if not depth:
                    return otherwise
                depth -= 1
            depth += bool(re.match(r'\s*#\s*if', line))
            otherwise |= not depth and bool(re.match(r'\s*#\s*el', line))
        return False

    def leave_out(self, first, last):
        for i in range(first, last + 1):
            self.out[i] = True

    def places(self, regex):
        """Return the lines in which matches begin."""
        whole = '\n'.join(self.lines)
        return [whole.count('\n', 0, found.start()) for found in regex.finditer(whole)]

    def leave_out_words(self, regex):
        whole, n = regex.subn('\0', '\n'.join(self.lines))
        # and the blanks before them, if a ';' or ')' comes now
        whole = re.sub(r'(?<=\S)[ \0]*\0(?=[;)])', '', whole).replace('\0', '')
        self.lines = whole.split('\n')
        self.out = [False] * len(self.lines)
        return n

    def thin_lists(self, keep):
        """Remove words from lists that are values of variables."""
        i = 0
        while i < len(self.lines):
            head = ASSIGNMENT.match(self.lines[i])
            last = i
            while head and self.lines[last].endswith('\\'):
                last += 1
            if head and not self.out[i]:
                self.thin_list(i, last, head, keep)
            i = last + 1

    def thin_list(self, first, last, head, keep):
        quote = '"' if '"' in head.group() else ''
        all_kept, left, thinner = [], first, False
        for i in range(first, last + 1):
            start = head.group() if i == first else '\t'
            words = self.lines[i].removeprefix(start).rstrip('\\ ').removesuffix(quote).split()
            kept = [w for w in words if keep(w)]
            all_kept += kept
            if kept != words:
                thinner = True
                self.lines[i] = (start + ' '.join(kept)).rstrip(' ') + \
                    (' \\' if i < last else quote)
            if kept or i == first:
                left = i
            else:
                self.out[i] = True
        if thinner and all(word == f'${head.group(1)}' for word in all_kept):
            self.leave_out(first, last)
        elif left < last:
            self.lines[left] = self.lines[left].rstrip('\\ ') + quote

    def names(self):
        """Return the global functions and objects of the file."""
        result = set()
        for i, line in enumerate(self.lines):
            made = MACRO.match(line)
            if made and not self.out[i]:
                result.add(made.group(1))
            if self.out[i] or not re.match(r'[a-z_]', line):
                continue
            function = FUNCTION.match(line)
            if function and not code_of(self.lines[self.end(i)]).endswith(';'):
                result.add(function.group(1))
            elif not function:
                found = OBJECT.match(line)
                if found:
                    result.add(found.group(1))
        return result

    # --- remove what has become useless

    def empty_conditionals(self):
        """Remove each #if whose first branch has become empty, with its #else."""
        for i, line in enumerate(self.lines):
            if self.out[i] or not re.match(r'#\s*if', line):
                continue
            end = self.endif(i)
            depth, branch = 0, []
            for j in range(i + 1, end):
                if not depth and re.match(r'#\s*el', self.lines[j]):
                    break
                depth += bool(re.match(r'#\s*if', self.lines[j]))
                depth -= bool(re.match(r'#\s*endif', self.lines[j]))
                branch.append(j)
            if any(self.out[j] for j in branch) and \
               not any(self.lines[j].strip() and not self.out[j] for j in branch):
                self.leave_out(i, end)

    def lonely_comments(self):
        """Remove each comment whose code was removed."""
        i = 0
        while i < len(self.lines):
            first = i
            start = re.match(r'\s*/\*' if self.path.endswith(('.c', '.h')) else r'# ', self.lines[i])
            if not start or self.out[i]:
                i += 1
                continue
            if self.path.endswith(('.c', '.h')):
                last = self.comment_end(i)
                if not self.lines[last].rstrip().endswith('*/'):
                    i += 1
                    continue
            else:
                last = i
                while self.lines[last + 1].startswith('#'):
                    last += 1
            i = j = last + 1
            while j < len(self.lines) and self.out[j]:
                j += 1
            if j > last + 1 and (j == len(self.lines) or not self.lines[j - 1].strip() or
                                 re.match(r'\s*(/\*|\}|#\s*e|$)', self.lines[j])):
                self.leave_out(first, last)

    def render(self):
        if any(self.out):
            for _ in range(2):
                self.lonely_comments()
                self.empty_conditionals()
        kept, gap = [], False
        for line, out in zip(self.lines, self.out):
            if out:
                gap = True
                continue
            if gap and kept:
                last = kept[-1].strip()
                if not line.strip() and (not last or last.endswith('{')):
                    continue
                if not last and re.match(r'\s*(\}|#\s*(endif|else))', line) and \
                   not line.startswith('#endif /* _'):
                    kept.pop()
                gap = not line.strip()
            kept.append(line)
        while len(kept) > 1 and not kept[-1] and not kept[-2]:
            kept.pop()
        return self.tidy('\n'.join(kept))

    def tidy(self, text):
        """Remove the blanks that words leave at the ends of lines, and between lines."""
        if not self.path.endswith(('.c', '.h')):
            return text
        return re.sub(r'\n{3,}', '\n\n', re.sub(r'[ \t]+$', '', text, flags=re.M))


def cut_makefile(text, present, folder):
    """Remove objects whose source a later step adds."""
    def there(obj):
        source = f'{folder}/{obj[:-1]}'
        return obj.endswith('/') or source + 'c' in present or source + 'S' in present

    for i, line in enumerate(text.lines):
        flags = re.match(r'CFLAGS_(\S+\.o)', line)
        if flags and not there(flags.group(1)):
            text.out[i] = True
            # and the comment about these flags
            for j in range(i - 1, -1, -1):
                if not text.lines[j].startswith('#'):
                    break
                text.out[j] = True
        objects = re.match(r'(obj-\S+ [+:]=)(.*)', line)
        if objects:
            words = objects.group(2).split()
            kept = [w for w in words if there(w)]
            text.out[i] = not kept
            if kept != words:
                text.lines[i] = ' '.join([objects.group(1)] + kept)
    # and variables that only these flags use
    for i, line in enumerate(text.lines):
        made = re.match(r'(cflags-\w+)', line)
        if made and not any(made.group(1) in other and not text.out[j]
                            for j, other in enumerate(text.lines) if j != i):
            text.out[i] = True


def alternatives(regex):
    """Return what is between the outermost bars of a regular expression."""
    flags = re.match(r'\(\?\w+\)|', regex).group(0)
    found, depth, start, i = [], 0, len(flags), len(flags)
    while i < len(regex):
        if regex[i] == '\\':
            i += 1
        elif regex[i] == '[':
            i = regex.index(']', i + 2)
        elif regex[i] in '()':
            depth += 1 if regex[i] == '(' else -1
        elif regex[i] == '|' and not depth:
            found.append(flags + regex[start:i])
            start = i + 1
        i += 1
    return found + [flags + regex[start:]]


class Parts:
    """All parts of the plan."""

    def __init__(self, texts, rules):
        self.texts = texts
        self.rules = rules
        self.holds = []
        self.names = set(texts)

    def hold(self, number, rule, path, regex, where):
        if rule == 'range':
            first, sep, last = regex.partition(' ... ')
            if not sep:
                raise StalePlan(f'{where}: range {path}: write FIRST ... LAST')
            regexes = (re.compile(first, re.M), re.compile(last, re.M))
        else:
            regexes = (re.compile(regex, re.M),)
        paths = fnmatch.filter(self.texts, path)
        if not paths:
            raise StalePlan(f'{where}: {rule} {path}: there is no such file')
        for alternative in alternatives(regex) if rule != 'range' else ():
            if not any(re.search(alternative, self.texts[p], re.M) for p in paths):
                raise StalePlan(f'{where}: {rule} {path} {alternative}: matches nothing')
        self.holds.append((number, rule, paths, regexes, f'{where}: {rule} {path} {regex}'))
        # "words" first, because they change the numbers of lines
        self.holds.sort(key=lambda hold: hold[1] != 'words')

    def check(self):
        for _, rule, paths, regexes, where in self.holds:
            if not any(self.apply(rule, Text(p, self.texts[p]), regexes) for p in paths):
                raise StalePlan(f'{where}: matches nothing')
        for kind, glob, regex, _ in self.rules.rules:
            if not any(regex.search(self.texts[p]) for p in fnmatch.filter(self.texts, glob)):
                raise StalePlan(f'series/rules: {kind} {glob} {regex.pattern}: matches nothing')

    @staticmethod
    def apply(rule, text, regexes):
        """Remove the matches from @text. Returns whether there were any."""
        if rule == 'words':
            return text.leave_out_words(regexes[0])
        places = text.places(regexes[0])
        for i in places:
            last = text.end(i)
            if rule == 'range':
                last = min((j for j in text.places(regexes[1]) if j >= i), default=None)
                if last is None:
                    raise StalePlan(f'{text.path}:{i + 1}: no later line matches '
                                    f'{regexes[1].pattern}')
            text.leave_out(i, last)
        return bool(places)

    def cut(self, files, there):
        """Return the files (path -> bytes) with the parts of the steps @there only."""
        texts = {}

        def text(path):
            if path not in texts:
                texts[path] = Text(path, files[path].decode())
            return texts[path]

        for n, rule, paths, regexes, _ in self.holds:       # words first: see hold()
            if n not in there:
                for path in paths:
                    if path in files:
                        self.apply(rule, text(path), regexes)
        sources = [p for p in files if p.startswith('kernel/trace/ktap/')]
        for path in sources:
            if path.endswith('/Makefile'):
                cut_makefile(text(path), files, path.rpartition('/')[0])
            if path.endswith(('.c', '.h')):
                self.cut_includes(text(path), files)
        defined = set()
        for path in sources:
            if path.endswith('.c'):
                defined |= text(path).names()
                defined |= self.made_by_macros(text(path), self.rules.of(path))
        folders = {path[:path.rindex('/') + 1] for path in files if '/' in path}
        for path in files:
            for kind, _, regex, template in self.rules.of(path):
                if kind == 'listed':
                    self.thin(text(path), regex, template, folders.union(files))
                elif kind != 'defines':
                    self.follow(text(path), kind, regex, template,
                                defined if kind == 'defined' else files)
        return {**files, **{p: t.render().encode() for p, t in texts.items()}}

    @staticmethod
    def made_by_macros(text, rules):
        return {found.expand(template)
                for kind, _, regex, template in rules if kind == 'defines'
                for i, line in enumerate(text.lines) if not text.out[i]
                for found in [regex.match(line)] if found}

    @staticmethod
    def thin(text, regex, template, there):
        def keep(word):
            found = regex.fullmatch(word)
            return not found or any(path in there for path in found.expand(template).split())

        text.thin_lists(keep)

    @staticmethod
    def follow(text, kind, regex, template, there):
        whole = '\n'.join(text.lines)
        for found in regex.finditer(whole):
            i = whole.count('\n', 0, found.start())
            if not text.out[i] and not text.has_else(i) and found.expand(template) not in there:
                text.leave_out(i, text.end(i) if kind == 'defined' else i)

    def cut_includes(self, text, files):
        folder = text.path.rpartition('/')[0]
        for i, line in enumerate(text.lines):
            found = re.match(r'#include "([\w/]+\.h)"', line)
            if not found:
                continue
            # relative to the file, or to where the Makefile's -I points
            paths = {f'{base}/{found.group(1)}' for base in (folder, 'kernel/trace/ktap')}
            if paths & self.names and not paths & set(files):
                text.out[i] = True
