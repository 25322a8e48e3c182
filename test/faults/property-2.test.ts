import { describeWalks } from '../support/walks.ts';

describeWalks(1, 2);
