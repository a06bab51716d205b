# SPDX-License-Identifier: GPL-2.0
"""Names of ktap that a state of the series uses, but that only a later step defines.

This needs no compiler, and so it is quick enough for each step.  It knows functions, objects,
macros, types and constants that begin with ktap_, whatever file defines them, but no static
functions, no members of structures and no parameters.
"""
import re

FOLDER = 'kernel/trace/ktap/'
KCONFIG = FOLDER + 'Kconfig'
MAKEFILE = FOLDER + 'Makefile'
UAPI = 'include/uapi/linux/ktap.h'
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
NAME = re.compile(r'(?<!->)(?<!\.)\b(?:ktap|KTAP)_\w+\b')
# a pointer needs no definition of its structure
POINTER = re.compile(r'\b(?:struct|union)\s+\w+(?=\s*[*;,)])')
OPTION = re.compile(r'^config (KTAP_\w+)', re.M)
BUILT = re.compile(r'^obj-\$\(CONFIG_(KTAP_\w+)\) \+= (\S+)\.o$', re.M)
ASKS = re.compile(r'\s*#\s*(?:ifdef |if defined\(|if IS_ENABLED\()(?:CONFIG_)?(\w+)\)?\s*$')
ASKED = re.compile(r'^#ifdef (KTAP_\w+)$', re.M)
MACRO = re.compile(r'^\s*#\s*define\s+(\w+)', re.M)
# what defines a name
KINDS = [MACRO] + [re.compile(regex, re.M) for regex in (
    r'^(?!#)(?:[\w*]+(?:\([^)]*\))?[\s*]+)+?(\w+)\([^;{}]*\)',              # function
    r'^(?!#|typedef)(?:[\w*]+[\s*]+)+?(\w+)(?:\[[^]]*\])*\s*(?:=|;)',       # object
    r'^(?:DEFINE_\w+|DECLARE_\w+|LIST_HEAD)\((?:[^()]*,\s*)?(\w+)',
    r'\b(?:struct|union|enum)\s+(\w+)\s*\{',
    r'^typedef\b[^;]*?\b(\w+)(?:\)?\s*\([^;]*\))?;',
    r'^\s*([A-Z]\w*)\s*(?:=[^,\n]*)?,?\s*$')]                               # constant


def is_source(path):
    return path == UAPI or path.startswith(FOLDER) and path.endswith(('.c', '.h'))


def without_options(code, missing):
    """The code without the first branch of each #if for one of the options MISSING."""
    kept, out, depth = [], None, 0
    for line in code.split('\n'):
        word = re.match(r'\s*#\s*(if|el|endif)', line)
        kind = word and word[1]
        if kind == 'if':
            depth += 1
            option = ASKS.match(line)
            if out is None and option and option[1] in missing:
                out = depth
        elif kind and out == depth:
            out = None
        depth -= kind == 'endif'
        if out is None:
            kept.append(line)
    return '\n'.join(kept)


class Source:
    """The names in one version of a file."""

    def __init__(self, text, missing, unbuilt):
        code = without_options(COMMENT.sub(' ', STRING.sub('""', text)), missing)
        # what is not built yet needs nothing
        self.used = set() if unbuilt else set(NAME.findall(POINTER.sub(' ', code)))
        self.defined = {name for kind in KINDS for name in kind.findall(code)}


class Names:
    """The names of states of the sources: path -> bytes."""

    def __init__(self, final):
        self.cache = {}
        asked = {name for path, content in final.items() if is_source(path)
                 for name in ASKED.findall(content.decode())}
        self.options = self.options_of(final) | asked
        self.defined = self.all_defined(self.sources(final))

    @staticmethod
    def unbuilt(files, options):
        """Sources that the Makefile builds for an option that is not there yet."""
        return {f'{FOLDER}{name}.c' for option, name in BUILT.findall(files[MAKEFILE].decode())
                if option not in options} if MAKEFILE in files else set()

    def options_of(self, files):
        """Options of the configuration, and macros that tell a source who includes it."""
        options = set(OPTION.findall(files.get(KCONFIG, b'').decode()))
        unbuilt = self.unbuilt(files, options)
        built = [content for path, content in files.items()
                 if path.startswith(FOLDER) and path.endswith('.c') and path not in unbuilt]
        return options.union(*(MACRO.findall(content.decode()) for content in built))

    @staticmethod
    def all_defined(sources):
        return set().union(*(source.defined for source in sources.values()))

    def sources(self, files):
        there = self.options_of(files)
        missing, unbuilt = frozenset(self.options - there), self.unbuilt(files, there)
        result = {}
        for path, content in files.items():
            if is_source(path):
                key = content, missing, path in unbuilt
                if key not in self.cache:
                    self.cache[key] = Source(content.decode(), *key[1:])
                result[path] = self.cache[key]
        return result

    def wrong(self, files):
        """The names that are used in a state, but not there: lines of text."""
        sources = self.sources(files)
        gone = self.defined - self.all_defined(sources)
        for path, source in sources.items():
            for name in sorted(source.used & gone):
                yield f'{path} uses {name}'
