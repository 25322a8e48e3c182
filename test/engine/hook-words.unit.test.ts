import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hooksFor, isOurHook, powershellWord, shellWord } from '../../src/engine/setup/hooks.ts';

/** What `CommandLineToArgvW` makes of one quoted argument: quotes go, and a backslash stands for itself but before a quote. */
const windowsArgument = (line: string): string | undefined =>
  /^"((?:[^"\\]|\\(?!"))*)"$/.exec(line)?.[1] ?? (/[\s"]/.test(line) ? undefined : line);

describe('A command of a hook on Windows', () => {
  it('hands a path over as it is, with blanks and signs in it', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9 &()^!'+,;=@[\]{}~._-]{1,12}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const path = `C:\\${parts.join('\\')}\\hook.js`;
        assert.equal(windowsArgument(shellWord(path, 'win32')), path);
      }),
    );
  });
});

/** What PowerShell makes of one word: within single quotes every character is itself, and two quotes are one. */
const powershellArgument = (word: string): string | undefined => {
  const quoted = /^'((?:[^'\u2018\u2019\u201a\u201b]|(['\u2018\u2019\u201a\u201b])\2)*)'$/.exec(word)?.[1];
  return (
    quoted?.replaceAll(/(['\u2018\u2019\u201a\u201b])\1/g, '$1') ??
    (/^[\w.:/\\-]+$/.test(word) ? word : undefined)
  );
};

describe('A command of a hook in PowerShell', () => {
  it('hands every path over as it is', () => {
    const part = fc.string({ minLength: 1, maxLength: 12 });
    const odd = fc.constantFrom("it's", '$HOME', '`n', 'a b', '\u2019', 'C:\\x', '"q"');
    fc.assert(
      fc.property(fc.array(fc.oneof(part, odd), { minLength: 1, maxLength: 4 }), (parts) => {
        const path = parts.join('/');
        assert.equal(powershellArgument(powershellWord(path)), path);
      }),
    );
  });

  it('is known as ours again, and so is one of an earlier setup', () => {
    const programs = { node: '/opt/my node/bin/node', hook: "/home/o'neil/$x/hook.js" };
    const [first] = hooksFor('copilot', programs);
    assert.ok(first);
    const { bash, powershell } = first.item as { bash: string; powershell: string };
    assert.equal(
      powershell,
      `& '/opt/my node/bin/node' '/home/o''neil/$x/hook.js' copilot ${first.event}; exit 0`,
    );
    assert.match(bash, /\|\| exit 0$/);
    const ours = isOurHook('copilot', first.event);
    assert.ok(ours(first.item));
    assert.ok(ours({ bash, powershell: `& "C:\\my x\\hook.js" copilot ${first.event}; exit 0` }));
    assert.ok(!ours({ bash: 'echo hook.js', powershell }));
  });
});
