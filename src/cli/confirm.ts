import { createInterface } from 'node:readline';

/**
 * Asks a question that is answered with yes or no; an empty answer is yes. The end of the input, and an abort, are no. The
 * terminal stays in its usual mode, so that Ctrl-C is a signal as ever.
 */
export async function confirm(
  question: string,
  { input, output }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  signal: AbortSignal,
): Promise<boolean> {
  const reader = createInterface({ input, terminal: false, signal });
  try {
    output.write(`${question} [Y/n] `);
    for await (const line of reader) {
      const answer = line.trim().toLowerCase();
      if (answer === '' || answer === 'y' || answer === 'yes') return true;
      if (answer === 'n' || answer === 'no') return false;
      output.write(`${question} [Y/n] `);
    }
    return false;
  } finally {
    reader.close();
  }
}
