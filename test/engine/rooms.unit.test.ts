import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

declare const DISCERN_HOME: string;

const engine = join(DISCERN_HOME, 'src/engine');

/** Which rooms each room imports from, and the import that says so. A file at the engine's root is a room of its own. */
function importsBetweenRooms(): Map<string, Map<string, string>> {
  const rooms = new Map<string, Map<string, string>>();
  const files = readdirSync(engine, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  for (const file of files) {
    const from = file.split(sep)[0] ?? file;
    const known = rooms.get(from) ?? new Map<string, string>();
    rooms.set(from, known);
    const text = readFileSync(join(engine, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from |import\()'(\.\.?\/[^']+)'/g)) {
      const target = relative(engine, join(engine, dirname(file), specifier));
      const to = target.split(sep)[0] ?? target;
      if (to !== '..' && to !== from) known.set(to, `${file} imports ${target}`);
    }
  }
  return rooms;
}

/** A circle of rooms, as the imports that make it; `undefined` where there is none. */
function circle(rooms: Map<string, Map<string, string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (room: string, way: readonly string[], said: readonly string[]): string[] | undefined => {
    const at = way.indexOf(room);
    if (at >= 0) return said.slice(at);
    if (done.has(room)) return undefined;
    for (const [to, why] of rooms.get(room) ?? []) {
      const found = visit(to, [...way, room], [...said, why]);
      if (found) return found;
    }
    done.add(room);
    return undefined;
  };
  for (const room of rooms.keys()) {
    const found = visit(room, [], []);
    if (found) return found;
  }
  return undefined;
}

// The linter forbids circles between files; it knows nothing of rooms.
describe('The rooms of the engine', () => {
  it('do not import each other in a circle', () => {
    const rooms = importsBetweenRooms();
    assert.ok(rooms.get('gate')?.has('git'), 'the imports are read');
    assert.deepEqual(circle(rooms), undefined);
  });

  it('would be told with the imports that make the circle', () => {
    const found = circle(
      new Map([
        ['a', new Map([['b', 'a imports b']])],
        ['b', new Map([['c', 'b imports c']])],
        [
          'c',
          new Map([
            ['d', 'c imports d'],
            ['b', 'c imports b'],
          ]),
        ],
      ]),
    );
    assert.deepEqual(found, ['b imports c', 'c imports b']);
  });

  it('hold every file but the verbs’ entrance', () => {
    const loose = readdirSync(engine).filter((name) => /(?<!\.d)\.ts$/.test(name));
    assert.deepEqual(loose, ['index.ts']);
  });
});
