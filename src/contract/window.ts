import * as z from 'zod';
import type { AnyEnvelope } from './answers.ts';
import { Held } from './data.ts';
import { envelopeShape } from './envelope.ts';
import { VerbEvent } from './events.ts';
import { isVerb } from './traits.ts';
import type { Verb } from './verbs.ts';

/**
 * What a window's extension and its server say to each other beside MCP's own methods, on the extension's stdio
 * connection only: there the caller is the person. None of it is a tool, so no agent can reach it.
 */
export const personMethods = {
  /** Aim the server at another checkout, as if it had been launched with another `--root`. */
  aim: {
    method: 'discern/aim',
    params: z.strictObject({ path: z.string() }),
    result: z.strictObject({ held: Held }),
  },
  /** The held root as it stands. */
  held: { method: 'discern/held', params: z.strictObject({}), result: z.strictObject({ held: Held }) },
  /** Whether the person trusts the workspace; without trust no project command runs, whoever calls. */
  trust: {
    method: 'discern/trust',
    params: z.strictObject({ trusted: z.boolean() }),
    result: z.strictObject({ trusted: z.boolean() }),
  },
  /** The folders that are open in the window now; agent hosts find it by them. */
  folders: {
    method: 'discern/folders',
    params: z.strictObject({ folders: z.array(z.string()) }),
    result: z.strictObject({}),
  },
  /** Write the server into a project's `.mcp.json`, remove it from there, or only show what would be written. */
  mcpJson: {
    method: 'discern/mcpJson',
    params: z.strictObject({ action: z.enum(['print', 'write', 'remove']), path: z.string() }),
    result: z.strictObject({ lines: z.array(z.string()) }),
  },
  /** Cancel a call that is running, whoever made it: a person may stop an agent's gate. */
  cancel: {
    method: 'discern/cancel',
    params: z.strictObject({ call: z.number().int() }),
    result: z.strictObject({ cancelled: z.boolean() }),
  },
  /** What is wrong with a discern.toml as it is being typed. */
  checkConfig: {
    method: 'discern/checkConfig',
    params: z.strictObject({ text: z.string(), file: z.string() }),
    result: z.strictObject({
      problems: z.array(
        z.strictObject({
          message: z.string(),
          line: z.number().int(),
          column: z.number().int(),
          endLine: z.number().int(),
          endColumn: z.number().int(),
        }),
      ),
      notes: z.array(z.string()),
    }),
  },
} as const;

/** Who made a call: the person at the extension, or an agent over the window socket. */
export const CallerKind = z.enum(['person', 'agent']);
export type CallerKind = z.infer<typeof CallerKind>;

/** The name of a verb, checked without the schemas of the verbs. */
const VerbName = z.custom<Verb>(isVerb);

const EnvelopeShape = z.looseObject({
  ...envelopeShape,
  verb: VerbName,
  data: z.record(z.string(), z.unknown()).optional(),
});

/** An answer that came over a wire. Its shape is checked; what `data` holds is the contract of its verb. */
export const WireEnvelope = z.custom<AnyEnvelope>((value) => EnvelopeShape.safeParse(value).success);

/** Something the server tells the extension by itself; nothing polls. */
export const WindowEvent = z.discriminatedUnion('type', [
  /** The window's held root moved, or was found missing. */
  z.object({ type: z.literal('held'), held: Held }),
  /** A call began. */
  z.object({
    type: z.literal('call_started'),
    call: z.number().int(),
    verb: VerbName,
    root: z.string().optional(),
    caller: CallerKind,
  }),
  /** Something happened while a call ran (contract `VerbEvent`). */
  z.object({
    type: z.literal('call_event'),
    call: z.number().int(),
    event: VerbEvent,
  }),
  /** A call ended. */
  z.object({
    type: z.literal('call_finished'),
    call: z.number().int(),
    caller: CallerKind,
    envelope: WireEnvelope,
  }),
]);
export type WindowEvent = z.infer<typeof WindowEvent>;

/** The notification that carries a {@link WindowEvent}. */
export const windowNotification = 'notifications/discern/window';

/** What leads to a root's repository when the root itself is gone. */
const RepositoryOfRoot = z.object({ common_dir: z.string(), prefix: z.string() });

/** Where the server keeps a window's held root, so that it survives the server, the extension host and a reload. */
export const WindowState = z.object({
  version: z.literal(1),
  held: z.string().nullable(),
  moved_by: z.string().optional(),
  repository: RepositoryOfRoot.optional(),
  conversations: z.record(
    z.string(),
    z.object({
      root: z.string(),
      moved_by: z.string().optional(),
      repository: RepositoryOfRoot.optional(),
      at: z.number(),
    }),
  ),
  forgotten: z
    .array(z.string())
    .optional()
    .describe('Digests of conversations whose held root is remembered no more.'),
});
export type WindowState = z.infer<typeof WindowState>;
