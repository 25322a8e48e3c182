import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * A command line of a forge, for tests on machines that have no account of one: a shell script of that name, first on PATH. It writes down what it was
 * called with, then runs the answer that a test gave for that command, which prints what the real one's documentation says it prints
 * (cli.github.com/manual; docs.gitlab.com/api and glab's manual pages; tea's own help). What git does meanwhile is real.
 */
export interface ForgeScript {
  /** Sets what a command answers, as shell code, by its first two words (`pr list`), or one (`api`). */
  answers(command: string, shell: string): Promise<void>;
  /** The arguments of each call so far. */
  calls(): Promise<string[][]>;
  /** Takes it off PATH. */
  end(): void;
}

const END = '\u0001';

export async function forgeScript(name: 'gh' | 'glab' | 'tea', home: string): Promise<ForgeScript> {
  const bin = join(home, `${name}-bin`);
  const log = join(bin, 'calls');
  await mkdir(join(bin, 'answers'), { recursive: true });
  const script = `#!/bin/sh
for word; do printf '%s\\0' "$word" >> '${log}'; done
printf '${END}' >> '${log}'
answer='${bin}/answers'/"$1 $2"
test -e "$answer" || answer='${bin}/answers'/"$1"
test -e "$answer" || { echo "unknown command: $*" >&2; exit 1; }
. "$answer"
`;
  await writeFile(join(bin, name), script);
  await chmod(join(bin, name), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${bin}${delimiter}${before}`;
  return {
    answers: (command, shell) => writeFile(join(bin, 'answers', command), `${shell}\n`),
    async calls() {
      const text = await readFile(log, 'utf8').catch(() => '');
      await rm(log, { force: true });
      return text
        .split(END)
        .slice(0, -1)
        .map((call) => call.split('\0').slice(0, -1));
    },
    end() {
      process.env.PATH = before;
    },
  };
}

/** Shell code that prints a text as it is. */
export const prints = (text: string) => `cat <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`;
export const printsJson = (value: unknown) => prints(JSON.stringify(value));
