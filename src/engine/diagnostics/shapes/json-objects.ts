/** An object found in a text, at the half-open range it stands in. */
export interface FoundObject {
  value: unknown;
  from: number;
  to: number;
}

/**
 * How often the text may be gone over in all, so that one full of broken openings costs no more than that.
 */
const maxPasses = 4;

/**
 * The JSON objects and arrays in a text that begin as `opening` (a global expression) says; broken ones are passed
 * over.
 */
export function* jsonObjects(text: string, opening: RegExp): Generator<FoundObject> {
  const search = new RegExp(opening.source, opening.flags);
  for (let left = maxPasses * text.length; left > 0; ) {
    const start = search.exec(text);
    if (start === null) return;
    const { to, closed } = objectEnd(text, start.index);
    left -= to - start.index;
    const value = closed ? parse(text.slice(start.index, to)) : undefined;
    if (value === undefined) continue;
    yield { value, from: start.index, to };
    search.lastIndex = to;
  }
}

/**
 * Index after the brace or bracket that closes the one at `from`, or where the search for it ended; strings' braces are
 * none.
 */
function objectEnd(text: string, from: number): { to: number; closed: boolean } {
  const token = /["{}[\]]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') {
      const after = stringEnd(text, found.index + 1);
      if (!after.closed) return after;
      token.lastIndex = after.to;
    } else {
      depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
      if (depth === 0) return { to: found.index + 1, closed: true };
    }
  }
  return { to: text.length, closed: false };
}

function stringEnd(text: string, from: number): { to: number; closed: boolean } {
  const token = /["\\\n]/g;
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') return { to: found.index + 1, closed: true };
    // JSON has no newline inside a string: this is some other text's quote.
    if (found[0] === '\n') return { to: found.index, closed: false };
    token.lastIndex = found.index + 2;
  }
  return { to: text.length, closed: false };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
