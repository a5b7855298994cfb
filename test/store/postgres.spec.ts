/** The shared store over a real PostgreSQL gives the answers of every store. */
import { openStore } from '../../store/open.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { storeSuite } from './suite.ts';

const server = sharedServer();

storeSuite({
  name: 'postgres',
  open: async (t, clock) => {
    const url = await (await server()).database();
    const store = await openStore({ kind: 'postgres', url, clock, warn: () => undefined });
    cleanUp(t, () => store.close());
    return store;
  },
});
