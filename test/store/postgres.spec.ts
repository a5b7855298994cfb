/** The shared store over a real PostgreSQL gives the answers of every store. */
import { sharedServer } from '../helpers/postgres.ts';
import { openMember } from './shared-members.ts';
import { storeSuite } from './suite.ts';

const server = sharedServer();

storeSuite({
  name: 'postgres',
  open: async (t, clock) => {
    const url = await (await server()).database();
    return openMember(t, url, { clock });
  },
});
