import asked from '@vscode/codicons/src/icons/account.svg';
import chevron from '@vscode/codicons/src/icons/chevron-right.svg';
import cancelled from '@vscode/codicons/src/icons/circle-slash.svg';
import skipped from '@vscode/codicons/src/icons/debug-step-over.svg';
import failed from '@vscode/codicons/src/icons/error.svg';
import branch from '@vscode/codicons/src/icons/git-branch.svg';
import commit from '@vscode/codicons/src/icons/git-commit.svg';
import output from '@vscode/codicons/src/icons/go-to-file.svg';
import info from '@vscode/codicons/src/icons/info.svg';
import running from '@vscode/codicons/src/icons/loading.svg';
import passed from '@vscode/codicons/src/icons/pass.svg';
import lost from '@vscode/codicons/src/icons/question.svg';
import stop from '@vscode/codicons/src/icons/stop-circle.svg';
import unproved from '@vscode/codicons/src/icons/unverified.svg';
import proved from '@vscode/codicons/src/icons/verified.svg';
import warning from '@vscode/codicons/src/icons/warning.svg';
import timedOut from '@vscode/codicons/src/icons/watch.svg';
import root from '@vscode/codicons/src/icons/worktree.svg';
import { html, nothing, svg, type TemplateResult } from 'lit/html.js';

/** VS Code's own icons (those of its test view, where there is one for the outcome), drawn inline: no font is loaded. */
const files = {
  asked,
  chevron,
  cancelled,
  skipped,
  failed,
  error: failed,
  branch,
  commit,
  output,
  info,
  running,
  passed,
  lost,
  stop,
  unproved,
  proved,
  warning,
  timed_out: timedOut,
  root,
} as const;
type IconName = keyof typeof files;

/** The shapes of each icon, read once: its file is a whole document, and its size and colour are the page's business. */
const shapes = new Map<IconName, TemplateResult[]>();

function shapesOf(name: IconName): TemplateResult[] {
  const known = shapes.get(name);
  if (known) return known;
  const made = [...files[name].matchAll(/ d="([^"]+)"/g)].map(([, shape]) => svg`<path d=${shape}></path>`);
  shapes.set(name, made);
  return made;
}

/** An icon in the colour of the text around it. It is hidden from screen readers: the text beside it must say the same. */
export const icon = (name: IconName, slot?: string) =>
  html`<svg viewBox="0 0 16 16" class="icon icon-${name}" aria-hidden="true" slot=${slot ?? nothing}>${shapesOf(name)}</svg>`;

/** An icon in the colour of an outcome. */
export const mark = (name: IconName) => html`<span class="mark">${icon(name)}</span>`;
