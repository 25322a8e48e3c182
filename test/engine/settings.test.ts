import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { settingsSchema } from '../../src/contract/config-schema.ts';
import { settingNames } from '../../src/contract/hook-defaults.ts';
import { Refusal } from '../../src/engine/call/refusal.ts';
import { checkFile, checkSettings, loadSettings } from '../../src/engine/config/index.ts';
import { projects } from '../support/project.ts';

declare const DISCERN_HOME: string;

const { make, removeAll } = projects();

describe('discern-vscode.toml', () => {
  afterEach(removeAll);

  it('is to a hook, which reads it without the schema, what it is to the engine', () => {
    const samples: Record<string, string[]> = { boolean: ['true', 'false'], number: ['0', '36500', '7'] };
    const wrong = ['"x"', '[]', '-1', '{}', '36501'];
    for (const [table, names] of Object.entries(settingNames)) {
      for (const [name, kind] of Object.entries(names)) {
        const words = Array.isArray(kind)
          ? kind.map((one) => JSON.stringify(one))
          : samples[kind === 'boolean' ? kind : 'number'];
        for (const value of words ?? []) {
          assert.deepEqual(
            checkSettings(`[${table}]\n${name} = ${value}\n`).problems,
            [],
            `${table}.${name}`,
          );
        }
        for (const value of wrong) {
          assert.equal(
            checkSettings(`[${table}]\n${name} = ${value}\n`).problems.length,
            1,
            `${name} = ${value}`,
          );
        }
      }
    }
  });

  it('is optional, and so is each table in it', async () => {
    const project = await make();
    const defaults = {
      callers: { follow: 'follow', guard_writes: true, ask_for_proof: false },
      receipts: { check_every: 20 },
      worktree: { include: [], keep: 30 },
      consent: { mode: 'never' },
      landing: { how: 'ff' },
      ci: { unsigned_notes: false },
    };
    assert.deepEqual(await loadSettings(project.root), defaults);
    await project.write({ 'discern-vscode.toml': '\uFEFF[callers]\nfollow = "tell"\n' });
    assert.deepEqual(await loadSettings(project.root), {
      ...defaults,
      callers: { ...defaults.callers, follow: 'tell' },
    });
  });

  it('refuses what it does not know, naming the place and the nearest key', async () => {
    const project = await make();
    const refused = async (text: string, message: RegExp) => {
      await project.write({ 'discern-vscode.toml': text });
      await assert.rejects(loadSettings(project.root), (error) => {
        assert.ok(Refusal.is(error) && error.slug === 'config_error', String(error));
        assert.match(error.message, message);
        return true;
      });
    };
    await refused('[callers]\nfolow = "tell"\n', /^discern-vscode\.toml:2:1: unknown key "folow".*"follow"/);
    await refused('[callers]\nfollow = "refuses"\n', /^discern-vscode\.toml:2:10: .*did you mean "refuse"/);
    await refused(
      '[caller]\n',
      /^discern-vscode\.toml:1:2: unknown table or key "caller"; did you mean \[callers\]/,
    );
    await refused('[worktree]\nkeep = -1\n', /^discern-vscode\.toml:2:8: .*0 or more/);
    await refused('[worktree\n', /^discern-vscode\.toml:\d+:\d+: not valid TOML/);
    const other = await make();
    await mkdir(join(other.root, 'discern-vscode.toml'));
    await assert.rejects(loadSettings(other.root), /is not a regular file/);
  });

  it('never throws on any text, and is checked by its own name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { settings, problems } = checkSettings(text);
        assert.equal(settings === undefined, problems.length > 0);
      }),
    );
    assert.equal(checkFile('[callers]\n', '/somewhere/discern-vscode.toml').problems.length, 0);
    assert.equal(checkFile('[callers]\nfolow = 1\n', '/somewhere/discern-vscode.toml').problems.length, 1);
    assert.equal(checkFile('[callers]\nfolow = 1\n', '/somewhere/discern.toml').problems.length, 0);
  });

  it('has a schema of its own, shipped as the contract has it now', () => {
    const shipped = JSON.parse(readFileSync(join(DISCERN_HOME, 'dist/discern-vscode.schema.json'), 'utf8'));
    assert.deepEqual(shipped, JSON.parse(JSON.stringify(settingsSchema())));
  });
});
