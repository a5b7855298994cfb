/** Faults of an ingest, and tricks of a source. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, commandLine, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

test('a frozen ingest is covered by the last frame and the slate and is replaced, and so is a killed one', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('frozen', fileSource(clip(dir)), HLS, SMALL));
  await running(runner);
  const encoder = runner.childNamed('pipe:5');
  const eventsOf = (...kinds: string[]): string[] =>
    runner
      .events()
      .map(({ kind }) => kind)
      .filter((kind) => kinds.includes(kind));
  const frozen = runner.childNamed('stream_loop');
  process.kill(frozen, 'SIGSTOP');
  await until('source_restored', () => eventsOf('source_restored').length === 1);
  assert.deepEqual(eventsOf('source_lost', 'source_restored').slice(0, 2), ['source_lost', 'source_restored']);
  const next = runner.childNamed('stream_loop');
  assert.notEqual(next, frozen);
  await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);

  process.kill(next, 'SIGKILL');
  await until('another ingest', async () => {
    const again = runner.children().find(({ pid }) => commandLine(pid).includes('stream_loop'));
    return again !== undefined && again.pid !== next && (await runner.report()).source.state === 'up';
  });
  assert.equal(runner.childNamed('pipe:5'), encoder);
});
