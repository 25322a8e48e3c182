import type { DescribeData, TodoData } from '../contract/verbs-worktree.ts';

/** What a worktree is called and what is said of it. */
export const describedLines = ({ title, description }: Partial<DescribeData>): string[] => [
  ...(title === undefined ? [] : [`title: ${title}`]),
  ...(description === undefined ? [] : [`description: ${description}`]),
];

/** To-dos as a list of boxes. */
export const todoLines = ({ todos = [] }: Partial<TodoData>): string[] =>
  todos.map(({ text, done }) => `- [${done ? 'x' : ' '}] ${text}`);
