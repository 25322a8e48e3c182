import type { DescribeData, TodoData } from '../../contract/verbs-worktree.ts';
import type { Ink } from '../ink.ts';

/** What a worktree is called and what is said of it. */
export const describedLines = ({ title, description }: Partial<DescribeData>, ink: Ink): string[] => [
  ...(title === undefined ? [] : [`  ${ink.bold(title)}`]),
  ...(description === undefined ? [] : description.split('\n').map((line) => `  ${line}`)),
];

/** To-dos, those that are done marked. */
export const todoLines = ({ todos = [] }: Partial<TodoData>, ink: Ink): string[] =>
  todos.map(({ text, done }) => (done ? `  ${ink.mark('passed')} ${ink.dim(text)}` : `  - ${text}`));
