import { describeFaults } from '../support/matrix.ts';

describeFaults('accept', 'status');
