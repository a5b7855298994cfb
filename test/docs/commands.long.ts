/** The commands of every document are run as they stand there, each page against a server of its own. */
import { describe, it } from 'node:test';
import { startService } from '../helpers/service.ts';
import { makeFolder, PAGES, runFences } from './fences.ts';
import { runnableOf } from './set-ups.ts';

describe('the commands of each document', () => {
  for (const page of PAGES.filter((each) => runnableOf(each).length > 0))
    it(`the commands of ${page} run on a new server`, async (t) => {
      const service = await startService({ ONAIR_LOG_LEVEL: 'error' });
      t.after(() => service.dispose());
      await runFences(service, makeFolder(service, page), runnableOf(page));
    });
});
