import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openedIn } from '../../src/engine/doctor/traced.ts';

describe('A line of strace', () => {
  const cases: [line: string, path: string | undefined, how?: 'written'][] = [
    ['openat(AT_FDCWD</app>, "src/a", O_RDONLY) = 3</app/src/a>', '/app/src/a'],
    [
      'openat(AT_FDCWD</app>, "src/b \\303\\251", O_RDONLY|O_CLOEXEC) = 3</app/src/b \\303\\251>',
      '/app/src/b é',
    ],
    ['open("/app/x", O_RDWR) = 12</app/x>', '/app/x'],
    ['openat2(AT_FDCWD</a>, "x", {flags=O_RDONLY, resolve=0}, 24) = 3</a/x>', '/a/x'],
    ['openat(AT_FDCWD</app>, "a\\76b", O_RDONLY) = 3</app/a\\76b>', '/app/a>b'],
    ['openat(AT_FDCWD</app>, "a\\"b\\\\n\\n", O_RDONLY) = 3</app/a\\"b\\\\n\\n>', '/app/a"b\\n\n'],
    ['openat(AT_FDCWD</app>, "gone", O_RDONLY) = 3</app/gone> (deleted)', '/app/gone'],
    ['execve("./run.sh", ["./run.sh"], 0x7ffd /* 20 vars */) = 0', './run.sh'],
    [
      'execve("/usr/bin/cat", ["cat"], 0x7ffd /* 20 vars */) = -1 ENOENT (No such file or directory)',
      undefined,
    ],
    ['openat(AT_FDCWD</app>, "out", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</app/out>', '/app/out', 'written'],
    ['openat(AT_FDCWD</app>, "src", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 3</app/src>', undefined],
    ['openat(AT_FDCWD</app>, "no", O_RDONLY) = -1 ENOENT (No such file or directory)', undefined],
    ['--- SIGCHLD {si_signo=SIGCHLD} ---', undefined],
    ['', undefined],
  ];
  for (const [line, path, how = 'read'] of cases) {
    it(`names ${path === undefined ? 'nothing' : JSON.stringify(path)}: ${line.slice(0, 60)}`, () => {
      assert.deepEqual(openedIn(line), path === undefined ? undefined : { path, how });
    });
  }

  it('names any file, however its name is written', () => {
    const octal = (name: string) =>
      [...Buffer.from(name)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        const line = `openat(AT_FDCWD</a>, "${octal(name)}", O_RDONLY) = 4</a/${octal(name)}>`;
        assert.equal(openedIn(line)?.path, `/a/${name}`);
      }),
    );
  });

  it('of any kind is no error', () => {
    fc.assert(fc.property(fc.string(), (line) => assert.doesNotThrow(() => openedIn(line))));
  });
});
