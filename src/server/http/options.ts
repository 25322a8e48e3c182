import type { Flags } from '../flags.ts';
import { type AllowedOrigins, hostNames, origins } from './names.ts';
import { Unusable } from './unusable.ts';

export interface HttpOptions {
  host: string;
  port: number;
  /** The path of the URL, as clients write it. */
  path: string;
  /** What clients may call this machine, beside the names of loopback. */
  allowedHosts: string[];
  allowedOrigins: AllowedOrigins;
  /** Serve every project on this machine, not only those the server was started for. */
  anyProject: boolean;
  /** How long a whole request may take to arrive, in milliseconds. */
  requestTimeout: number;
  /** Say one line of each request. */
  accessLog: boolean;
  /** The secret every request must bring. */
  token: string;
}

/** A shorter secret could be guessed. */
const SHORTEST_TOKEN = 16;

/** A value and who said it, for complaints. */
interface Said {
  by: string;
  value: string;
}

/** Everything HTTP is served with: flag, then environment, then default (contract §9). Throws {@link Unusable}. */
export function httpOptions(flags: Flags, env: NodeJS.ProcessEnv): HttpOptions {
  const said = (flag: 'host' | 'port' | 'path' | 'request-timeout', otherwise: string): Said => {
    const name = `DISCERN_MCP_${flag.toUpperCase().replace('-', '_')}`;
    const typed = flags[flag];
    if (typed !== undefined) return { by: `--${flag}`, value: typed };
    return env[name] ? { by: name, value: env[name] } : { by: `--${flag}`, value: otherwise };
  };
  const list = (flag: 'allowed-hosts' | 'allowed-origins') => {
    const name = `DISCERN_MCP_${flag.toUpperCase().replace('-', '_')}`;
    const typed = flags[flag];
    const by = typed === undefined ? name : `--${flag}`;
    const all = (typed ?? [env[name] ?? '']).join(',').split(',');
    return { by, values: all.map((one) => one.trim()).filter(Boolean) };
  };
  return {
    token: secret(env.DISCERN_MCP_TOKEN),
    host: hostOf(said('host', '127.0.0.1')),
    port: portOf(said('port', '7431')),
    path: pathOf(said('path', '/mcp')),
    allowedHosts: hostNames(list('allowed-hosts')),
    allowedOrigins: origins(list('allowed-origins')),
    requestTimeout: secondsOf(said('request-timeout', '30')) * 1000,
    accessLog: flags['access-log'] ?? isYes(env.DISCERN_MCP_ACCESS_LOG),
    anyProject: flags['any-project'] ?? isYes(env.DISCERN_MCP_ANY_PROJECT),
  };
}

/** Yes in an environment: `1` or `true`. */
const isYes = (value: string | undefined) => value === '1' || value === 'true';

/** The inbound secret. What is said of a bad one never holds any of it. */
function secret(token: string | undefined): string {
  const how = `set DISCERN_MCP_TOKEN to a secret of at least ${SHORTEST_TOKEN} characters, such as the output of "openssl rand -hex 32"`;
  if (!token) throw new Unusable(`Over HTTP every caller must bring a secret, and there is none: ${how}.`);
  if (token.length < SHORTEST_TOKEN) throw new Unusable(`DISCERN_MCP_TOKEN is too short: ${how}.`);
  if (/[^\x21-\x7e]/.test(token)) {
    throw new Unusable(
      `DISCERN_MCP_TOKEN holds a space or a character that is not ASCII, which no header can carry: ${how}.`,
    );
  }
  return token;
}

function hostOf({ by, value }: Said): string {
  const host = value.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || /[\s/]/.test(host))
    throw new Unusable(`${by} "${value}" is not an address to listen on.`);
  return host;
}

function portOf({ by, value }: Said): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65_535))
    throw new Unusable(`${by} "${value}" is not a port: it must be a number from 0 to 65535.`);
  return port;
}

function secondsOf({ by, value }: Said): number {
  const seconds = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (seconds < 1 || seconds > 3600) {
    throw new Unusable(`${by} "${value}" is not a number of seconds from 1 to 3600.`);
  }
  return seconds;
}

function pathOf({ by, value }: Said): string {
  const plain = URL.canParse(value, 'http://localhost') ? new URL(value, 'http://localhost').pathname : '';
  if (plain !== value || !value.startsWith('/')) {
    throw new Unusable(`${by} "${value}" is not a URL path: it begins with / and has no query, as /mcp.`);
  }
  if (value.startsWith('/.well-known')) {
    throw new Unusable(
      `${by} "${value}" is where clients look for metadata, which this server does not have.`,
    );
  }
  return value;
}
