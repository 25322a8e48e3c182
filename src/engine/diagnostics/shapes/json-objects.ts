/** An object found in a text, at the half-open range it stands in. */
export interface FoundObject {
  value: unknown;
  from: number;
  to: number;
}

/** How many openings are tried, so that text full of broken ones costs no more than a few passes over it. */
const maxAttempts = 64;

/** The JSON objects in a text that begin as `opening` (a global expression) says; broken ones are passed over. */
export function* jsonObjects(text: string, opening: RegExp): Generator<FoundObject> {
  const search = new RegExp(opening.source, opening.flags);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const start = search.exec(text);
    if (start === null) return;
    const to = objectEnd(text, start.index);
    const value = to === undefined ? undefined : parse(text.slice(start.index, to));
    if (to === undefined || value === undefined) continue;
    yield { value, from: start.index, to };
    search.lastIndex = to;
  }
}

/** Index after the brace that closes the one at `from`; braces inside strings do not count. */
function objectEnd(text: string, from: number): number | undefined {
  const token = /["{}]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') {
      const after = stringEnd(text, found.index + 1);
      if (after === undefined) return undefined;
      token.lastIndex = after;
    } else {
      depth += found[0] === '{' ? 1 : -1;
      if (depth === 0) return found.index + 1;
    }
  }
  return undefined;
}

function stringEnd(text: string, from: number): number | undefined {
  const token = /["\\\n]/g;
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') return found.index + 1;
    // JSON has no newline inside a string: this is some other text's quote.
    if (found[0] === '\n') return undefined;
    token.lastIndex = found.index + 2;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
