import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isLooking } from '../call/looking.ts';
import { fields, git } from '../git/core.ts';
import { scrubbedEnv } from '../process/env.ts';
import { gitPath, pathName } from '../process/program.ts';
import { runCommand } from '../process/shell.ts';
import { shellQuoted } from '../words/shell-word.ts';
import type { Signature } from './envelope.ts';

/** How long a program may take to sign or to check: it may ask a person who is not there, in milliseconds. */
const LIMIT_MS = 15_000;
/** What an SSH signature of ours is for (ssh-keygen(1), `-n`): one made for a commit must not pass for it. */
const NAMESPACE = 'discern';

/** How a note was signed: by whom, as far as somebody here vouches for the key. */
export type Signed =
  | { state: 'good'; signer: string }
  /** The signature is right, and nothing here says whose the key is. */
  | { state: 'unknown_key'; signer: string }
  | { state: 'unsigned' }
  | { state: 'bad'; why: string };

/** git's settings on signing, by their names. */
export type Settings = ReadonlyMap<string, string>;

/**
 * git's own settings on signing, as this checkout has them (git-config(1)). Whoever only looks goes by the user's and the machine's:
 * a repository would else name the program that is started, and whose keys are vouched for.
 */
export async function signingSettings(cwd: string): Promise<Settings> {
  const pattern = '^(user\\.signingkey|gpg\\..*|commit\\.gpgsign)$';
  const asking = ['config', '--null', '--show-scope', '--get-regexp', pattern];
  const said = fields((await git(cwd, asking, { ok: [0, 1] })).stdout).map((field) => field.toString('utf8'));
  const settings = new Map<string, string>();
  for (let at = 0; at + 1 < said.length; at += 2) {
    if (isLooking() && said[at] !== 'global' && said[at] !== 'system') continue;
    const [name = '', ...value] = (said[at + 1] ?? '').split('\n');
    settings.set(name, value.join('\n'));
  }
  return settings;
}

/**
 * Signs bytes with the key git signs with, SSH or GPG: `undefined` where none is set, and why not, in words, where that did not
 * work. Nobody is asked for longer than a quarter of a minute.
 */
export async function sign(
  settings: Settings,
  bytes: Buffer,
): Promise<Signature | undefined | { why: string }> {
  const key = settings.get('user.signingkey');
  if (!key) return undefined;
  const format = settings.get('gpg.format') ?? 'openpgp';
  return inPrivate(bytes, async ({ file, run, write }) => {
    if (format === 'ssh') {
      const program = settings.get('gpg.ssh.program') ?? 'ssh-keygen';
      const literal = /^(?:key::)?(ssh-\S+ .*|ecdsa-\S+ .*|sk-\S+ .*)$/s.exec(key)?.[1];
      const path = literal === undefined ? atHome(key) : await write('key.pub', `${literal}\n`);
      // A literal key, or a public one, is signed with by the agent.
      const flags = literal === undefined ? '' : '-U ';
      const { code, said } = await run(
        `${shellQuoted(program)} -Y sign -n ${NAMESPACE} ${flags}-f ${shellQuoted(path)} ${shellQuoted(file)}`,
      );
      if (code !== 0) return { why: `ssh-keygen could not sign: ${firstLine(said)}` };
      return { keyid: 'ssh', sig: (await readFile(`${file}.sig`)).toString('base64') };
    }
    if (format !== 'openpgp')
      return { why: `gpg.format is ${format}, and only ssh and openpgp are signed with` };
    const program = settings.get('gpg.openpgp.program') ?? settings.get('gpg.program') ?? 'gpg';
    const { code, said } = await run(
      `${shellQuoted(program)} --batch --yes --armor --detach-sign --local-user ${shellQuoted(key)} --output ${shellQuoted(`${file}.sig`)} ${shellQuoted(file)}`,
    );
    if (code !== 0) return { why: `gpg could not sign: ${firstLine(said)}` };
    return { keyid: `gpg:${key}`, sig: (await readFile(`${file}.sig`)).toString('base64') };
  });
}

/** Checks the signatures over bytes: good where one is, and none of them is bad. */
export async function checkSignatures(
  cwd: string,
  bytes: Buffer,
  signatures: readonly Signature[],
): Promise<Signed> {
  if (signatures.length === 0) return { state: 'unsigned' };
  const settings = await signingSettings(cwd);
  let best: Signed = { state: 'unsigned' };
  for (const { sig } of signatures) {
    const found = await checkOne(Buffer.from(sig, 'base64'), bytes, settings);
    if (found.state === 'bad') return found;
    if (best.state !== 'good') best = found;
  }
  return best;
}

async function checkOne(signature: Buffer, bytes: Buffer, settings: Settings): Promise<Signed> {
  const text = signature.toString('latin1');
  return inPrivate(bytes, async ({ file, run, write }) => {
    const sig = shellQuoted(await write('signature', signature));
    if (text.startsWith('-----BEGIN SSH SIGNATURE-----')) {
      const program = shellQuoted(settings.get('gpg.ssh.program') ?? 'ssh-keygen');
      const plain = await run(
        `${program} -Y check-novalidate -n ${NAMESPACE} -s ${sig} <${shellQuoted(file)}`,
      );
      if (plain.code !== 0) return { state: 'bad', why: firstLine(plain.said) };
      const key = /\b(SHA256:\S+)/.exec(plain.said)?.[1] ?? 'an SSH key';
      const allowed = settings.get('gpg.ssh.allowedsignersfile');
      if (!allowed) return { state: 'unknown_key', signer: key };
      const signers = shellQuoted(atHome(allowed));
      const found = await run(`${program} -Y find-principals -s ${sig} -f ${signers}`);
      const [principal] = found.said.trim().split('\n');
      if (found.code !== 0 || !principal) return { state: 'unknown_key', signer: key };
      const verify = (more: string) =>
        run(
          `${program} -Y verify -n ${NAMESPACE} -f ${signers} -I ${shellQuoted(principal)} -s ${sig} ${more}<${shellQuoted(file)}`,
        );
      // A key may be allowed for other purposes only, or for another time.
      if ((await verify('')).code !== 0) return { state: 'unknown_key', signer: key };
      const revoked = settings.get('gpg.ssh.revocationfile');
      if (revoked && (await verify(`-r ${shellQuoted(atHome(revoked))} `)).code !== 0)
        return { state: 'bad', why: `gpg.ssh.revocationFile does not let ${key} pass` };
      return { state: 'good', signer: `${principal} (${key})` };
    }
    if (!text.startsWith('-----BEGIN PGP SIGNATURE-----'))
      return { state: 'bad', why: 'it is of no kind we know' };
    const program = shellQuoted(settings.get('gpg.openpgp.program') ?? settings.get('gpg.program') ?? 'gpg');
    const { said } = await run(`${program} --batch --status-fd 1 --verify ${sig} ${shellQuoted(file)}`);
    const status = (word: string) => new RegExp(`^\\[GNUPG:\\] ${word}(?: (.*))?$`, 'm').exec(said);
    const good = status('GOODSIG');
    const [key = '', ...name] = (good?.[1] ?? status('ERRSIG')?.[1] ?? '').split(' ');
    if (!good) {
      return status('NO_PUBKEY')
        ? { state: 'unknown_key', signer: key }
        : { state: 'bad', why: firstLine(said) };
    }
    const trusted = status('TRUST_FULLY') ?? status('TRUST_ULTIMATE');
    return { state: trusted ? 'good' : 'unknown_key', signer: `${name.join(' ')} (${key})` };
  });
}

interface Private {
  /** The bytes, in a file. */
  file: string;
  write(name: string, content: string | Buffer): Promise<string>;
  run(command: string): Promise<{ code: number | undefined; said: string }>;
}

/** Works in a folder of this process's own, which is gone afterwards. */
async function inPrivate<Value>(bytes: Buffer, act: (place: Private) => Promise<Value>): Promise<Value> {
  const dir = await mkdtemp(join(tmpdir(), 'discern-note-'));
  let runs = 0;
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(dir, name), content, { mode: 0o600 });
    return join(dir, name);
  };
  try {
    return await act({
      file: await write('statement', bytes),
      write,
      async run(command) {
        const outputPath = join(dir, `said-${++runs}`);
        const own = scrubbedEnv();
        const path = pathName(own);
        const env = { ...own, [path]: gitPath(own[path], isLooking()), LC_ALL: 'C' };
        const { signal } = new AbortController();
        const { exitCode } = await runCommand(command, {
          cwd: dir,
          env,
          outputPath,
          timeoutMs: LIMIT_MS,
          signal,
        });
        return { code: exitCode, said: await readFile(outputPath, 'utf8').catch(() => '') };
      },
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const firstLine = (said: string) => said.trim().split('\n')[0] || 'it gave no reason';

/** A path as git takes it in its settings. */
const atHome = (path: string) =>
  path.startsWith('~/') ? join(homedir(), path.slice(2)) : isAbsolute(path) ? path : join(homedir(), path);
