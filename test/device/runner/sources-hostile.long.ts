/** Sources that are no media: texts of services inside. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { folder, startRunner, type TestRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { startWebServer } from './web-server.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const SECRET = 'SecretAccessKey: canary-of-the-machine\n'.repeat(400);
const text = (response: ServerResponse): void => void response.end(SECRET);

function final(runner: TestRunner): RunReport {
  return JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
}

test('the text that an inner service answers is refused as a source, and is never shown as a picture', async (t) => {
  const dir = folder(t);
  const redirect = (response: ServerResponse): void =>
    void response.writeHead(302, { location: '/latest/meta-data/iam?x=.txt' }).end();
  const web = await startWebServer(t, dir, { '/latest/meta-data/iam': text, '/go.txt': redirect });
  // Without and with a query: by the arguments, and by a list.
  const paths = ['/latest/meta-data/iam?x=.txt', '/go.txt'];
  for (const [i, path] of paths.entries()) {
    const from = source('Stream', { url: `${web.url}${path}` });
    const runner = startRunner(t, dir, runSpec(`text-${i}`, from, HLS, SMALL));
    await runner.exited;
    assert.equal(final(runner).phase, 'failed');
    assert.match(final(runner).error!, /is a text, a picture or a list, and no media that may be taken in/u, path);
    assert.ok(!runner.events().some(({ kind }) => kind === 'started'));
    assert.ok(!existsSync(liveDir(dir, LIVESTREAM_ID, 21)), 'nothing for viewers');
  }
});
