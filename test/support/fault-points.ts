import type { Verb } from '../../src/contract/verbs.ts';

const removal = [
  'retire.recorded',
  'retire.renamed',
  'retire.looked',
  'retire.kept',
  'retire.judged',
  'retire.forgotten',
];

/** The fault points each verb passes on its way; `status` those of the landing it finishes. */
export const pointsOf = {
  start: [
    'start.directories',
    'start.branched',
    'start.claimed',
    'start.added',
    'start.naming',
    'start.recorded',
  ],
  update: ['update.merged', 'update.moved'],
  accept: [
    'accept.checked',
    'accept.journaled',
    'accept.moved',
    'accept.followed',
    ...removal,
    'accept.removed',
    'accept.retired',
  ],
  status: [...removal, 'accept.removed'],
  drop: [...removal, 'drop.kept', 'drop.removed'],
  prune: ['prune.kept', 'prune.forgotten', 'prune.registering', 'prune.one'],
} as const satisfies Partial<Record<Verb, readonly string[]>>;

/** The points of putting a worktree away and bringing it back. */
export const parkingPoints = {
  park: ['park.recorded', 'park.locked', 'park.moved'],
  unpark: ['unpark.moved', 'unpark.unlocked'],
} as const;

/** The points of a run of the queue, and of what lands in it. */
export const queuePoints = [
  'queue.judged',
  'queue.landing',
  'accept.journaled',
  'accept.moved',
  'accept.followed',
  'retire.renamed',
  'accept.removed',
  'queue.landed',
] as const;

/** Points that need a project of a kind, and the tests that kill at them. */
export const pointsElsewhere = {
  'test/faults/combine.test.ts': /^combine\./,
  'test/faults/queue.test.ts': /^queue\./,
  'test/engine/accept-push.test.ts': /^push\./,
  'test/faults/bringing.test.ts': /^start\.(bringing|brought)$/,
  'test/faults/parking.test.ts': /^(?:park|unpark)\./,
  'test/engine/park.test.ts': /^named\./,
  'test/faults/init.test.ts': /^init\./,
  'test/server/session.test.ts': /^call\./,
  'test/faults/resources.test.ts': /^resource\./,
  'test/engine/standards-pin.test.ts': /^pin\./,
  'test/engine/update-generated.test.ts': /^update\.(staged|regenerated)$/,
};

export type FaultyVerb = keyof typeof pointsOf;
