import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const GOOD = new Set(['SUCCESS', 'INFO', 'SKIPPED']);

/** A check of what the scenario is about: that messages have the protocol's shape is looked at in each. */
const proves = ({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid';

/** What a suite wrote into `folder`, by scenario: its checks. */
export function readChecks(folder) {
  return new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
        JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')),
      ]),
  );
}

/**
 * Judges scenarios: those that pass, those that do not apply with the reason, and what is wrong. A scenario that was said not to
 * apply and yet passes whole, and a check that was excepted and is good, are wrong too: the table is then out of date.
 */
export function judge(scenarios, notApplicable) {
  const passed = [];
  const excepted = [];
  const wrong = [];
  for (const [name, checks] of scenarios) {
    const bad = checks.filter(({ status }) => !GOOD.has(status));
    const told = (check) =>
      `${name}: ${check.id}: ${check.status}: ${(check.errorMessage ?? '').slice(0, 300)}`;
    const exception = notApplicable[name];
    if (typeof exception === 'string') {
      const proved = checks.some(proves);
      if (bad.length === 0 && proved && !checks.some(({ status }) => status === 'SKIPPED')) {
        wrong.push(`${name}: it passes, and the table says that it does not apply`);
      } else excepted.push({ name, reason: exception });
      continue;
    }
    const some = exception ?? {};
    wrong.push(...bad.filter(({ id }) => !Object.hasOwn(some, id)).map(told));
    const seen = new Set(checks.map(({ id }) => id));
    for (const [id, reason] of Object.entries(some)) {
      if (!seen.has(id)) continue;
      if (bad.some((check) => check.id === id)) excepted.push({ name, check: id, reason });
      else wrong.push(`${name}: ${id}: it is good, and the table excepts it`);
    }
    const proved = checks.filter((check) => proves(check) && !Object.hasOwn(some, check.id)).length;
    if (proved > 0) passed.push({ name, checks: proved });
    else if (exception === undefined) wrong.push(`${name}: nothing was checked`);
  }
  return { passed, excepted, wrong };
}
