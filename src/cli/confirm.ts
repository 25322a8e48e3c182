import { createInterface } from 'node:readline';

/**
 * Asks a question that is answered with yes or no; an empty answer is `preset`. The end of the input, and an abort, are no. The
 * terminal stays in its usual mode, so that Ctrl-C is a signal as ever.
 */
export async function confirm(
  question: string,
  { input, output }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  signal: AbortSignal,
  preset = true,
): Promise<boolean> {
  const reader = createInterface({ input, terminal: false, signal });
  const choice = preset ? '[Y/n]' : '[y/N]';
  try {
    output.write(`${question} ${choice} `);
    for await (const line of reader) {
      const answer = line.trim().toLowerCase();
      if (answer === '') return preset;
      if (answer === 'y' || answer === 'yes') return true;
      if (answer === 'n' || answer === 'no') return false;
      output.write(`${question} ${choice} `);
    }
    return false;
  } finally {
    reader.close();
  }
}
