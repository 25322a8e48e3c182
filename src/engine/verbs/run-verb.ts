import { dirname } from 'node:path';
import type { Envelope } from '../../contract/envelope.ts';
import { messageOf } from '../../contract/values.ts';
import { oneLine, visible } from '../../contract/visible.ts';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { adviceOn, causeAmong, causeOfErrno } from '../git/cause.ts';
import { GitError } from '../git/core.ts';

/**
 * Runs a verb's core and turns whatever it throws into the envelope, so that every caller gets an answer. A refusal keeps
 * its slug; anything else is `internal_error`, with its own words and never silence.
 */
export async function runVerb<Name extends string, Data>(
  verb: Name,
  root: string | undefined,
  core: () => Promise<Omit<Envelope<Data>, 'verb'>>,
): Promise<Envelope<Data> & { verb: Name }> {
  try {
    const { ok, ...rest } = await core();
    return inPlainWords({ ok, verb, ...rest });
  } catch (error) {
    return refused<Name, Data>(verb, root, error);
  }
}

/**
 * An answer whose sentences hold no line but their own, whatever the names in them; what a program reads, such as a path
 * in `data`, stays as it is.
 */
function inPlainWords<Name extends string, Data>({
  message,
  hints,
  plan,
  diagnostics,
  ...rest
}: Envelope<Data> & { verb: Name }): Envelope<Data> & { verb: Name } {
  return {
    ...rest,
    ...(plan && { plan: visible(plan) }),
    ...(diagnostics && {
      diagnostics: diagnostics.map((one) => ({ ...one, message: oneLine(one.message) })),
    }),
    ...(hints && { hints: hints.map(oneLine) }),
    ...(message !== undefined && { message: oneLine(message) }),
  };
}

/** The envelope of something thrown. */
export function refused<Name extends string, Data>(
  verb: Name,
  root: string | undefined,
  error: unknown,
): Envelope<Data> & { verb: Name } {
  return inPlainWords(unexpected(verb, root, error));
}

function unexpected<Name extends string, Data>(
  verb: Name,
  root: string | undefined,
  error: unknown,
): Envelope<Data> & { verb: Name } {
  const at = root === undefined ? {} : { root };
  if (Refusal.is(error)) {
    const { data, ...detail } = error.detail;
    return {
      ok: false,
      verb,
      error: error.slug,
      message: error.message,
      data: { ...at, ...data } as Partial<Data>,
      ...detail,
    };
  }
  const known = knownCause(root, error);
  if (known) return { ok: false, verb, ...known, data: at as Partial<Data> };
  const said = messageOf(error);
  const stack = error instanceof Error && !(error instanceof GitError) ? error.stack : undefined;
  return {
    ok: false,
    verb,
    error: 'internal_error',
    message: `${said.slice(0, 2000)} (discern did not expect this: run "git status" in the checkout, then try again).`,
    data: at as Partial<Data>,
    ...(stack && { hints: [stack.split('\n').slice(1, 4).join(' ').trim()] }),
  };
}

/**
 * What a disk or its permissions keep from being written, by whatever step of ours or of git's: the cause is known, and so is
 * what to do. `undefined` for everything else.
 */
function knownCause(
  root: string | undefined,
  error: unknown,
): Pick<Envelope, 'error' | 'message'> | undefined {
  if (!(error instanceof Error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? dirname(error.path) : undefined;
  const errno = errnoOf(error);
  const cause = error instanceof GitError ? causeAmong(error.kind) : causeOfErrno(errno);
  if (cause === 'other') return undefined;
  // Of something that is no file, such as a process, it would be another cause.
  if (!(error instanceof GitError) && cause === 'permission' && path === undefined) return undefined;
  return {
    error: cause === 'locked' ? 'busy' : 'unavailable',
    message: `${error.message.slice(0, 2000)}: ${adviceOn(cause, path ?? root ?? 'this repository')}.`,
  };
}
