import { describeWalks } from '../support/walks.ts';

describeWalks(0, 2);
