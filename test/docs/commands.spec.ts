/** The commands of the README are run as they stand there, and every other block says why it is not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startService, type Service } from '../helpers/service.ts';
import { fencesOf, makeFolder, PAGES, runFences } from './fences.ts';
import { runnableOf, SET_UPS } from './set-ups.ts';

/** The page that everybody begins with; commands.long.ts has all. */
const README = 'README.md';

describe('the commands of the documents', () => {
  let service: Service;
  before(async () => {
    service = await startService({ ONAIR_LOG_LEVEL: 'error' });
  });
  after(() => service.dispose());

  it('every shell block is run by a test, or is marked no-run with the reason in the text before it', () => {
    const blocks = PAGES.flatMap(fencesOf);
    assert.ok(blocks.length >= 20, `${blocks.length} blocks`);
    const wrong = blocks.filter(({ marks, before: text }) => {
      if (marks.length === 0) return false;
      return marks.join() !== 'no-run' || !/\b(run|runs|needs?|takes?|root|another)\b/u.test(text);
    });
    assert.deepEqual(
      wrong.map(({ page, line }) => `${page}:${line}`),
      [],
    );
  });

  it('every page with a set-up of its own exists', () => {
    assert.deepEqual(
      Object.keys(SET_UPS).filter((page) => !PAGES.includes(page)),
      [],
    );
  });

  it('the commands of the README run', async () => {
    await runFences(service, makeFolder(service, README), runnableOf(README));
  });
});
