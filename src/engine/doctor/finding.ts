import type { Finding } from '../../contract/data.ts';
import { messageOf } from '../../contract/values.ts';

/** One thing that was looked at. Whatever is not ok says what to do. */
export const fine = (check: string, what: string): Finding => ({ check, level: 'ok', what });
export const warn = (check: string, what: string, remedy: string): Finding => ({
  check,
  level: 'warn',
  what,
  remedy,
});
export const wrong = (check: string, what: string, remedy: string): Finding => ({
  check,
  level: 'error',
  what,
  remedy,
});

/** Makes a check whose own failure is a finding too: a doctor that falls ill still answers. */
export async function guarded(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const said = messageOf(error);
    return [
      wrong(
        check,
        `This could not be checked: ${said.slice(0, 500)}`,
        'Fix what it says, then run doctor again.',
      ),
    ];
  }
}
