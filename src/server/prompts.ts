import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { nearest } from '../engine/words/nearest.ts';

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required?: boolean }[];
  /** What the model is asked, with the arguments that were given. */
  text: (given: Readonly<Record<string, string>>) => string;
}

const work = {
  name: 'work',
  description: 'What is to be done, in a few words.',
  required: true,
} as const;

/** What a person picks from a menu of their client, instead of typing it each time. */
const prompts: readonly Prompt[] = [
  {
    name: 'start-work',
    title: 'Start a piece of work',
    description: 'Make a worktree for a piece of work, move there, and do it.',
    arguments: [work],
    text: ({ work: what = '' }) =>
      `Start a piece of work in a worktree of its own: ${what}\n\nCall discern_status first. Then discern_start with a short name for the work, and move your own working directory as its answer says; edit only there. While you work, discern_prepare and discern_test are the quick loop. Commit, then call discern_done, and fix what it names until it is green. Do not land it: tell me what you made, and ask.`,
  },
  {
    name: 'finish-and-land',
    title: 'Finish and land',
    description: 'Gate what is committed here, and land it on the trunk.',
    arguments: [],
    text: () =>
      'Finish the work in this worktree and land it; I want it landed.\n\nCall discern_status. Commit what belongs to the work, and nothing else. If the branch is behind, call discern_update. Call discern_done and fix what it names until it is green, without weakening a job, a test or a standard. Call discern_accept with dry_run and tell me what would land, then discern_accept. Afterwards move your own working directory as its answer says.',
  },
  {
    name: 'why-red',
    title: 'Why is the gate red?',
    description: 'Run the gate and explain what fails, changing nothing.',
    arguments: [],
    text: () =>
      'Tell me why the gate is red. Change no file.\n\nCall discern_status, then discern_done. For each failed job say in a sentence what is wrong and where (file and line), whether this branch caused it or the trunk has it too, and what you would change. If a finding has no place, read the log that the answer names. If the refusal is about something else than a job (behind_trunk, dirty_worktree, config_error …), say what its message says to do next; discern_help explains each.',
  },
];

/** What a server without a held root says first: whoever reads the prompt has to tell it where. */
const remotely =
  'This server holds no root: discern_projects lists the projects it serves and their worktrees. Pass `path` with every other call: the project’s, and from discern_start on the worktree’s.\n\n';

/** The prompts a server has. */
export interface Prompts {
  /** As `prompts/list` shows them. */
  listed: readonly Omit<Prompt, 'text'>[];
  /** One with its arguments filled in. Refuses `-32602` for a name there is not, and for an argument that is missing or unknown. */
  get(name: string, given?: Readonly<Record<string, string>>): PromptText;
}

type PromptText = {
  description: string;
  messages: { role: 'user'; content: { type: 'text'; text: string } }[];
};

const listed = prompts.map(({ text: _text, ...prompt }) => prompt);

export const heldPrompts: Prompts = { listed, get: (name, given) => promptNamed(name, given, '') };

/** Those of a server without a held root. */
export const remotePrompts: Prompts = { listed, get: (name, given) => promptNamed(name, given, remotely) };

function promptNamed(name: string, given: Readonly<Record<string, string>> = {}, before: string): PromptText {
  const prompt = prompts.find((one) => one.name === name);
  if (!prompt) {
    const names = prompts.map((one) => one.name);
    const close = nearest(name, names);
    throw invalid(
      `There is no prompt "${name}"${close ? `; did you mean "${close}"?` : '.'} There are: ${names.join(', ')}.`,
    );
  }
  const known = prompt.arguments.map((one) => one.name);
  const strange = Object.keys(given).find((one) => !known.includes(one));
  if (strange !== undefined) {
    throw invalid(
      `The prompt "${name}" takes ${known.length > 0 ? `only ${known.join(', ')}` : 'no arguments'}, not "${strange}".`,
    );
  }
  const missing = prompt.arguments.find((one) => one.required && !given[one.name]?.trim());
  if (missing) throw invalid(`The prompt "${name}" needs "${missing.name}": ${missing.description}`);
  return {
    description: prompt.description,
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: before + prompt.text(given) } },
    ],
  };
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
