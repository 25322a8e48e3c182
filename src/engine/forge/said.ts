import type * as z from 'zod';
import { Refusal } from '../call/refusal.ts';
import { withoutSecrets } from '../repository/fetch.ts';
import type { Forge } from './pull-request.ts';
import { type CliResult, type ForgeTool, loginOf } from './run-cli.ts';

/** How the forges' command lines say that nobody is logged in, or that the forge does not know who is. */
const notLoggedIn =
  /auth login|not logged in|login add|no (?:available )?login|unauthorized|authentication (?:required|failed)|bad credentials|\b401\b|token (?:is invalid|was revoked|has expired)/i;

/** The refusal of a command that failed: in its own words, with what to do. `done` says what is done by then. */
export function cliFailed(
  { tool, host }: Pick<Forge, 'tool' | 'host'>,
  what: string,
  { code, stdout, stderr }: CliResult,
  done: string,
): Refusal {
  const said = `${stderr}\n${stdout}`;
  const lines = said
    .split('\n')
    .map((line) => withoutSecrets(line.trim()))
    .filter((line) => line !== '' && line !== 'git printed no reason');
  const why = lines.slice(0, 2).join('; ').slice(0, 300) || `it printed nothing and exited with ${code}`;
  // gh exits with 4 where it needs a login (gh help exit-codes).
  const login = (tool === 'gh' && code === 4) || notLoggedIn.test(said);
  const next = login
    ? `Run "${loginOf[tool].login(host)}" in a terminal, since ${tool} is not logged in to ${host}, or no longer`
    : `See that "${tool} ${loginOf[tool].status}" is well`;
  return new Refusal(
    'unavailable',
    `${tool} could not ${what} (${why}). ${done && `${done} `}${next}, then accept with pr again.`,
  );
}

/** Most places in what a command line printed that are tried as the beginning, and as the end, of its JSON. */
const MOST_PLACES = 40;

/** What a command line printed as JSON. Refuses `unavailable` where it is none, or of another shape, as of another version. */
export function readJson<Value>(tool: ForgeTool, text: string, schema: z.ZodType<Value>): Value {
  const found = findJson(text, schema);
  if (found) return found.value;
  throw new Refusal(
    'unavailable',
    `${tool} answered what this does not understand ("${withoutSecrets(text.trim().slice(0, 80))}"): update ${tool}, then accept with pr again.`,
  );
}

/**
 * The JSON of this shape in what a command line printed, whole lines of it: warnings and notices may stand before and behind it, since
 * wrappers and old versions print them on the same stream.
 */
export function findJson<Value>(text: string, schema: z.ZodType<Value>): { value: Value } | undefined {
  const whole = schema.safeParse(jsonOf(text));
  if (whole.success) return { value: whole.data };
  const lines = text.split('\n');
  const places = (pattern: RegExp) => lines.flatMap((line, at) => (pattern.test(line) ? [at] : []));
  const ends = places(/[\]}]\s*$/).slice(-MOST_PLACES);
  for (const from of places(/^\s*[[{]/).slice(0, MOST_PLACES)) {
    for (const to of ends.filter((at) => at >= from).reverse()) {
      const read = schema.safeParse(jsonOf(lines.slice(from, to + 1).join('\n')));
      if (read.success) return { value: read.data };
    }
  }
  return undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
