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
export type IconName = keyof typeof files;

const SVG = 'http://www.w3.org/2000/svg';

/** An icon in the colour of the text around it. It is hidden from screen readers: the text beside it must say the same. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  for (const [, shape] of files[name].matchAll(/ d="([^"]+)"/g)) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', shape ?? '');
    svg.append(path);
  }
  return svg;
}

/** Makes `holder` show one icon and no other. */
export function setIcon(holder: HTMLElement, name: IconName): void {
  if (holder.dataset.icon === name) return;
  holder.dataset.icon = name;
  holder.replaceChildren(icon(name));
}
