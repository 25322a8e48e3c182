import type { DoctorData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Ink } from '../ink.ts';

/** What was looked at, worst first, each thing that is not well with its remedy below it. */
export function doctorLines({ root, findings }: DoctorData, { message = '' }: Envelope, ink: Ink): string[] {
  const marks = {
    ok: ink.mark('passed'),
    warn: ink.yellow('!'),
    error: ink.mark('failed'),
  };
  return [
    `${ink.bold('doctor')}  ${message}`,
    `  ${root}`,
    '',
    ...findings.flatMap(({ check, level, what, remedy }) => [
      `${marks[level]} ${ink.bold(check)}: ${what}`,
      ...(remedy === undefined ? [] : [`    ${remedy}`]),
    ]),
  ];
}
