import { gh } from './gh.ts';
import { glab } from './glab.ts';
import type { ForgeCli } from './pull-request.ts';
import type { ForgeTool } from './run-cli.ts';
import { tea } from './tea.ts';

/** Each forge's command line. */
export const forgeClis: Record<ForgeTool, ForgeCli> = { gh, glab, tea };
