/** The shared store over a real PostgreSQL gives the answers of every store. */
import { openStore } from '../../store/open.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { openMember } from './shared-members.ts';
import { storeSuite } from './suite.ts';

let template: Promise<string> | undefined;

/** Tables without rows: making them takes longer than most of these tests. */
async function madeTemplate(): Promise<string> {
  const url = await (await sharedServer()).database();
  await (await openStore({ kind: 'postgres', url, warn: () => undefined })).close();
  return url;
}

storeSuite({
  name: 'postgres',
  open: async (t, clock) => {
    template ??= madeTemplate();
    return openMember(t, await (await sharedServer()).database(await template), { clock });
  },
});
