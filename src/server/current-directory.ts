/** The process's directory; absent when it was removed, as a worktree is under a shell that stood in it. */
export function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
