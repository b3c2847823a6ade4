import os, os.path, pathlib
from pathlib import PurePosixPath, Path
def t(s):
    try: print(s, '->', repr(eval(s)))
    except Exception as e: print(s, '!!', type(e).__name__)
P = ['', '/', '//', '///a', 'a', 'a/', '/a', 'a/b', '/a/b/', 'a//b', './a', 'a/.', 'a/..', '../a', '/..', 'a/b/../c', '.', '..', 'a.txt', '.bashrc', 'a.b.c', 'a/.x', '..a', 'a.', 'é/ü.py', 'a/b.c/d', '//a/b', 'x/../..', '/a/../../b', '...', 'a/...b']
for p in P:
    for f in 'split splitext basename dirname normpath isabs splitdrive'.split():
        print(f, repr(p), getattr(os.path, f)(p), getattr(os.path, f)(p.encode()))
    q = PurePosixPath(p)
    print(repr(q), str(q), q.parts, q.name, q.stem, q.suffix, q.suffixes, q.parent, q.root, q.anchor, q.is_absolute(), [str(x) for x in q.parents], hash(q) == hash(PurePosixPath(p)))
    for r in P[:18]:
        t(f'os.path.join({p!r}, {r!r})'); t(f'str(PurePosixPath({p!r}) / {r!r})')
        t(f'os.path.commonprefix([{p!r}, {r!r}])')
        t(f'os.path.commonpath([{p!r}, {r!r}])')
        t(f'str(PurePosixPath({p!r}).relative_to({r!r}))')
        t(f'PurePosixPath({p!r}).is_relative_to({r!r})')
        t(f'PurePosixPath({p!r}) == PurePosixPath({r!r})')
for s in r"""os.path.join('a', b'b')
os.path.join('a', 1)
os.path.commonpath([])
os.path.commonpath(['a', '/b'])
os.path.commonprefix([])
os.path.relpath('/a/b', '/a/c/d')
os.path.relpath('/a/b', '/a/b')
os.path.relpath('/a', '/')
os.path.relpath('/', '/a')
os.path.relpath('')
os.path.join('a', 'b', '/c', 'd')
os.sep, os.linesep, os.curdir, os.pardir, os.extsep, os.altsep, os.pathsep, os.name
os.environ.get('NOTHING_LIKE_THIS')
os.getenv('NOTHING_LIKE_THIS', 5)
os.fspath('a')
os.fspath(PurePosixPath('a/b'))
os.fspath(5)
os.path.exists('/nothing/like/this')
os.path.isfile('/nothing/like/this')
os.path.isdir('/nothing/like/this')
PurePosixPath('a/b.txt').with_suffix('.py')
PurePosixPath('a/b.txt').with_suffix('')
PurePosixPath('a/b.txt').with_suffix('py')
PurePosixPath('a/b.txt').with_name('c')
PurePosixPath('a/b.txt').with_name('')
PurePosixPath('a/b.txt').with_stem('c')
PurePosixPath('/').with_name('c')
PurePosixPath('a/b.txt').match('*.txt')
PurePosixPath('a/b.txt').match('a/*.txt')
PurePosixPath('a/b.txt').match('/*.txt')
PurePosixPath('/a/b.txt').match('b.???')
PurePosixPath('/a/b.txt').match('[a-c].txt')
PurePosixPath('/a/b.txt').match('[!a-c].txt')
PurePosixPath('/a b/ü').as_uri()[:8]
PurePosixPath('a').joinpath('b', '/c', 'd')
'x' / PurePosixPath('a')
PurePosixPath('a') / 5
PurePosixPath(5)
PurePosixPath('a', 'b', PurePosixPath('c'))
sorted([PurePosixPath('b'), PurePosixPath('a/c'), PurePosixPath('a')])
{PurePosixPath('a'): 1}[PurePosixPath('a/')]
PurePosixPath('a') == 'a'
isinstance(Path('a'), PurePosixPath)
Path('/nothing/like').exists()
PurePosixPath('/a/b').relative_to('/a', '/b') if 0 else 1
PurePosixPath('a/b') in {PurePosixPath('a/b')}
str(PurePosixPath('/a/b').parents[0])
len(PurePosixPath('/a/b').parents)""".splitlines(): t(s)
