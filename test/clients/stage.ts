import assert from 'node:assert/strict';
import { projects } from '../support/project.ts';
import { serverFile } from '../support/server.ts';
import { type Command, type Driver, type Launch, type Run, sessions } from './driver.ts';
import { type Heard, type ScriptedModel, scriptedModel, type Turn } from './model.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** What a test says of one session; the rest is the same for all. */
export type Scene = Pick<Launch, 'home' | 'cwd'> & Partial<Omit<Launch, 'home' | 'cwd'>>;

/** A client that works by a script, and the model that plays it. */
export interface Playing {
  model: ScriptedModel;
  run: Run;
  /** Waits for the client's end and for the whole script; resolves with what the model was shown. */
  end(): Promise<string[]>;
}

/** Projects, clients and models of one test file; `clear` goes into `afterEach`. */
export function stage() {
  const { make, removeAll } = projects();
  const { home, start, endAll } = sessions();
  const models: ScriptedModel[] = [];
  const terminals: Terminal[] = [];

  const launch = async (driver: Driver, script: Turn[], scene: Scene) => {
    const model = await scriptedModel(driver.wire, script);
    models.push(model);
    const whole: Launch = {
      model: model.url,
      prompt: 'Do the work.',
      server: [process.execPath, serverFile],
      ...scene,
    };
    return { model, whole };
  };

  return {
    make,
    home,
    /** Starts a client for one request, whose model plays the script. */
    async begin(driver: Driver, script: Turn[], scene: Scene): Promise<Playing> {
      const { model, whole } = await launch(driver, script, scene);
      const run = await start(driver, whole);
      return {
        model,
        run,
        async end() {
          const code = await run.ended;
          assert.ok(
            model.played() >= script.length,
            `${driver.name} ended (${code}) after ${model.played()} turns: ${run.said()}`,
          );
          return model.results();
        },
      };
    },
    /** Sets a client up for a model that plays a script, and leaves starting it to the test. */
    async played(
      driver: Driver,
      script: Turn[],
      scene: Scene,
    ): Promise<{ model: ScriptedModel; command: Command }> {
      const { model, whole } = await launch(driver, script, scene);
      if (!driver.interactive) throw new Error(`${driver.name} is not driven in a terminal here.`);
      return { model, command: await driver.interactive(whole) };
    },
    /** Opens a client in a terminal, as a person would; its model plays the script over all they ask. */
    async open(
      driver: Driver,
      script: Turn[],
      scene: Scene,
    ): Promise<{ model: ScriptedModel; terminal: Terminal }> {
      const { model, whole } = await launch(driver, script, scene);
      if (!driver.interactive) throw new Error(`${driver.name} is not driven in a terminal here.`);
      const terminal = await openTerminal(await driver.interactive(whole), whole);
      terminals.push(terminal);
      return { model, terminal };
    },
    async clear(): Promise<void> {
      await Promise.all(terminals.splice(0).map((terminal) => terminal.close()));
      await endAll();
      await Promise.all(models.splice(0).map((model) => model.close()));
      await removeAll();
    },
  };
}

/** The worktree that `start` has made, from whatever part of the answer this client shows its model. */
export const worktreeIn = ({ results }: Pick<Heard, 'results'>): string => {
  const found = /(\/[^\s"\\,]+\/app\.worktrees\/[\w-]+)/.exec(results.join('\n'))?.[1];
  assert.ok(found, results.join('\n'));
  return found;
};

/** A turn of the model that runs a command in the worktree our `start` made, by the client's shell. */
export const inWorktree = (driver: Driver, command: string) => (heard: Heard) =>
  driver.shell(`cd '${worktreeIn(heard)}' && ${command}`);

/** A shell command that writes a file and commits it. */
export const commit = (file: string, text: string) =>
  `echo ${text} > ${file} && git add -A && git -c user.name=a -c user.email=a@example.invalid commit -qm ${text}`;

export const at = <Value>(values: readonly Value[], index: number): Value => {
  const value = values.at(index);
  assert.ok(value !== undefined, `there are ${values.length}`);
  return value;
};

/** A proof was recorded, in the text or in the structure: a client's model may read only one of them. */
export const proven = /Proof recorded|"proof":\{"state":"valid"/;
