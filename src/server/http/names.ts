import { Unusable } from './unusable.ts';

/** What was named in one list, and by what. */
interface Named {
  by: string;
  values: readonly string[];
}

/** Origins that may call, beside those on loopback. */
export interface AllowedOrigins {
  /** Whole origins, `https://app.example.com:8443`: only these. */
  exact: ReadonlySet<string>;
  /** Host names with any scheme and port; and `moz-extension://*`, every origin of that scheme. */
  names: string[];
}

/** Host names as a Host header has them: lower case, an IPv6 address in brackets. Throws {@link Unusable}. */
export function hostNames({ by, values }: Named): string[] {
  return values.map((value) => {
    const name = hostName(value);
    if (name === undefined) {
      throw new Unusable(
        `"${value}" in ${by} is not a host name: write the bare name or address, without scheme, port or path. There is no wildcard.`,
      );
    }
    return name;
  });
}

/** Splits origins from host names. Throws {@link Unusable}. */
export function origins({ by, values }: Named): AllowedOrigins {
  const exact = new Set<string>();
  const names: string[] = [];
  for (const value of values) {
    const origin = URL.canParse(value) ? new URL(value) : undefined;
    const name = hostName(value);
    if (origin && /^https?:$/.test(origin.protocol) && value.toLowerCase() === origin.origin) {
      if (origin.hostname.includes('*')) throw noOrigin(value, by);
      exact.add(origin.origin);
    } else if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*$/.test(value)) names.push(value);
    else if (name !== undefined) names.push(name);
    else throw noOrigin(value, by);
  }
  return { exact, names };
}

const noOrigin = (value: string, by: string) =>
  new Unusable(
    `"${value}" in ${by} is not an origin: write it as https://app.example.com, or a bare host name. There is no wildcard.`,
  );

function hostName(value: string): string | undefined {
  const bracketed = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(value) ? `[${value}]` : value;
  if (!URL.canParse(`http://${bracketed}`)) return undefined;
  const { hostname, host, href } = new URL(`http://${bracketed}`);
  const bare = href === `http://${hostname}/` && host === hostname && !/[:@/]$/.test(bracketed);
  return bare && bracketed.toLowerCase() === hostname && !hostname.includes('*') ? hostname : undefined;
}
