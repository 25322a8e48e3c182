import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commandsIn } from '../../src/hook/shell-words.ts';
import { shellWrites } from '../../src/hook/shell-writes.ts';

const paths = (command: string, cwd = '/r/own') => shellWrites(command, cwd).map(({ path }) => path);

describe('What a shell command writes', () => {
  const writes: [string, string[]][] = [
    ['echo x > ../main/a.txt', ['/r/main/a.txt']],
    ['echo x >>/r/main/a.txt', ['/r/main/a.txt']],
    ['cd ../main && echo x >| a.txt', ['/r/main/a.txt']],
    ['cd /r/main && cd src && rm -rf x y', ['/r/main/src/x', '/r/main/src/y']],
    ["cd '/r/ma in'\nrm -- -f", ['/r/ma in/-f']],
    ['cat > ../main/a <<EOF\nrm /r/main/b\nEOF\ntouch c', ['/r/main/a', '/r/own/c']],
    ["cat <<-'E' > /r/main/a\n\tx\n\tE\n", ['/r/main/a']],
    ['npm test 2>&1 | tee -a ../main/log', ['/r/main/log']],
    ['npm test &> ../main/log', ['/r/main/log']],
    ["sed -i 's/a/b/' ../main/a.txt", ['/r/main/a.txt']],
    ["sed -i.bak -e 's/a/b/' ../main/a.txt c", ['/r/main/a.txt', '/r/own/c']],
    ["sed -i '' 's/a/b/' ../main/a.txt", ['/r/main/a.txt']],
    ["sed -Ei 's/a/b/' x", ['/r/own/x']],
    ["perl -pi -e 's/a/b/' ../main/a.txt", ['/r/main/a.txt']],
    ['cp a b ../main/', ['/r/main']],
    ['mv ../main/a.txt a.txt', ['/r/main/a.txt', '/r/own/a.txt']],
    ['ln -s /r/main/a b', ['/r/own/b']],
    ['git -C ../main commit -am x', ['/r/main']],
    ['git -C .. -C main -c a.b=c reset --hard', ['/r/main']],
    ['cd ../main && git pull', ['/r/main']],
    ['A=1 sudo rm /r/main/x', ['/r/main/x']],
    ['true || rm /r/main/x', ['/r/main/x']],
    ['echo "$x" > /r/main/y', ['/r/main/y']],
    ['cd "$d"; rm a /r/main/b', ['/r/main/b']],
    ['touch a\\ b', ['/r/own/a b']],
    ['mkdir -p -m 700 x', ['/r/own/x']],
    ['/bin/rm x', ['/r/own/x']],
  ];
  for (const [command, expected] of writes) {
    it(`is seen in ${JSON.stringify(command)}`, () => assert.deepEqual(paths(command), expected));
  }

  const reads = [
    'cat /r/main/a.txt',
    'cd ../main && git log && git status && ls -la && npm test',
    'git -C ../main diff HEAD',
    'git -C ../main stash list',
    'git -C ../main clean -n',
    'git -C ../main apply --check x.patch',
    'git --git-dir=/r/main/.git --work-tree=/r/own commit',
    'git -C ../main worktree add ../x',
    "sed 's/a/b/' ../main/a.txt",
    "sed -n -e '1,5p' ../main/a.txt",
    'grep -rn "rm /r/main/a" src',
    'touch -r ../main/a.txt $x',
    'diff <(cat a) ../main/a',
    'cp --parents ../main/a $t',
    'echo "> /r/main/a"',
    "echo '> /r/main/a'",
    'echo \\> /r/main/a',
    'echo a # > /r/main/a',
    'cat < /r/main/a',
    'node -e "x" 2>&1 >/dev/null',
    'rm -rf "$TMP/x"',
    'rm *.log',
    'if true; then rm /r/main/a; fi',
    'for f in a b; do rm /r/main/$f; done',
    '(cd ../main && rm a)',
    'echo $(rm /r/main/a)',
    'echo `rm /r/main/a`',
    'bash -c "rm /r/main/a"',
    'find /r/main -delete',
    'xargs rm < list',
    'rsync --whatever a /r/main',
    'perl -e "print" /r/main/a',
    'cat <<EOF\nno end',
    'cd ../main | rm $x',
    'true && echo `',
    "echo 'open",
  ];
  for (const command of reads) {
    it(`is nothing for sure in ${JSON.stringify(command)}`, () => assert.deepEqual(paths(command), []));
  }

  it('is not judged by a directory that may not have been entered', () => {
    assert.deepEqual(paths('cd ../main || cd ../other; rm a'), []);
    assert.deepEqual(paths('cd ../main & rm a'), ['/r/own/a']);
    assert.deepEqual(paths('echo x | cd ../main; rm a'), ['/r/own/a']);
    assert.deepEqual(paths('cd -; rm a'), []);
    assert.deepEqual(shellWrites('cd /r/main; rm a', '/r/own'), [
      { path: '/r/main/a', entered: ['/r/main'] },
    ]);
  });

  const quote = (word: string, style: number) =>
    style === 0 && /^[\w./-]+$/.test(word)
      ? word
      : style === 1
        ? `"${word.replace(/["\\$`]/g, '\\$&')}"`
        : `'${word.replaceAll("'", "'\\''")}'`;
  const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !one.includes('\0'));
  const quoted = fc.tuple(word, fc.nat(2)).map(([one, style]) => ({ one, text: quote(one, style) }));

  it('reads words however they are quoted', () => {
    fc.assert(
      fc.property(fc.array(quoted, { minLength: 1 }), fc.constantFrom(' ', '  ', '\t'), (words, gap) => {
        const text = ['run', ...words.map((one) => one.text)].join(gap);
        assert.deepEqual(commandsIn(text)?.[0]?.words, ['run', ...words.map(({ one }) => one)], text);
      }),
    );
  });

  it('never says so of a program that is not known to write, whatever its words', () => {
    const program = fc.constantFrom(
      'cat',
      'ls',
      'grep',
      'diff',
      'git log',
      'git -C /r/main show',
      'node',
      'x',
    );
    fc.assert(
      fc.property(program, fc.array(quoted), (name, words) => {
        assert.deepEqual(paths([name, ...words.map(({ text }) => text)].join(' ')), []);
      }),
    );
  });

  it('never throws and names only absolute paths, for any text', () => {
    const piece = fc.constantFrom(
      ...['cd ', 'rm ', ' > ', '<<E', '\n', "'", '"', '\\', '$(', '`', '&&', '|', '../m', '-C', 'git ', ' '],
    );
    const text = fc.array(fc.oneof(piece, fc.string())).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (command) => {
        for (const path of paths(command)) assert.ok(path.startsWith('/'), path);
      }),
      { numRuns: 500 },
    );
  });
});
