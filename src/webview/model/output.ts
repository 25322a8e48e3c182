/** The end of what a job printed, and how many bytes come before it. */
export interface Output {
  text: string;
  cut: number;
}

/** Bytes for people, in the units VS Code uses: `312 B`, `1.2 KB`, `3.4 MB`. */
export function bytes(number: number): string {
  if (number < 1024) return `${Math.max(0, Math.round(number))} B`;
  if (number < 1024 * 1023.95) return `${(number / 1024).toFixed(1)} KB`;
  return `${(number / 1024 / 1024).toFixed(1)} MB`;
}

/** Control sequences of a terminal: CSI, OSC and other strings, and two-byte escapes (ECMA-48). */
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][\s\S]*?(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]/g;

const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * What a terminal would be left showing, as plain text: control sequences are taken out, and of a line that was drawn
 * several times over (a progress bar) the last drawing is kept.
 */
export function plainText(text: string): string {
  return text
    .replace(sequences, '')
    .replace(/\r+\n/g, '\n')
    .replace(/\r+$/gm, '')
    .replace(/[^\n]*\r/g, '')
    .replace(controls, '');
}

/** Says what is missing before the shown text; '' when nothing is. */
export const cutText = (cut: number): string => (cut > 0 ? `${bytes(cut)} before this not shown` : '');
