import type { Block } from './block.ts';
import { infrastructureBlocks } from './blocks-infrastructure.ts';
import { languageBlocks } from './blocks-languages.ts';
import { webBlocks } from './blocks-web.ts';

/** Every block that is known; of those whose head fits a line the first that reads whole is taken. */
export const blocks: readonly Block[] = [...languageBlocks, ...webBlocks, ...infrastructureBlocks];
