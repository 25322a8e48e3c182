// Each process of the tests is a machine of its own to gates: one that a test holds keeps no other file's gates waiting.
import { join } from 'node:path';

process.env.DISCERN_SLOTS_DIR ??= join(process.env.XDG_STATE_HOME, 'slots', String(process.pid));
