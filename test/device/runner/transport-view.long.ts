/** The checks that broadcast receivers make of a transport stream: how often its tables and its clock come, and whether units come in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { capture, continuityErrors } from './receivers.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';
import { measureTransport } from '../../helpers/transport-measures.ts';

const RATES = [15, 24, 25, 59.94];
/** Some three seconds of the slowest one. */
const DATAGRAMS = 200;

test('tables and clock come often enough and every unit in time, at any frame rate', async (t) => {
  const source = fileSource(clip(folder(t)));
  const h264 = { ...rendition(11, 320, 180, 600).video!.h264, keyframe_interval: 2 };
  const captures = await Promise.all(RATES.map(() => capture(t)));
  const runners = captures.map(({ port }, i) => {
    const renditions = [rendition(11, 320, 180, 600, { fps: RATES[i]!, h264 })];
    const outputs = [output(31, 'STREAM', { url: `udp://127.0.0.1:${port}` })];
    return startRunner(t, folder(t), runSpec(`transport-${i}`, source, outputs, { renditions }));
  });
  await Promise.all(runners.map((runner) => running(runner)));
  await until('enough of each', () => captures.every(({ datagrams }) => datagrams.length > DATAGRAMS));
  await Promise.all(runners.map((runner) => runner.stop()));
  for (const [i, { datagrams }] of captures.entries()) {
    const bytes = Buffer.concat(datagrams.map(({ data }) => data));
    const measures = measureTransport(bytes);
    const what = `${RATES[i]} frames a second: ${JSON.stringify(measures)}`;
    t.diagnostic(what);
    assert.ok(measures.units > 100, what);
    assert.ok(measures.longestWithoutPat <= 200 && measures.longestWithoutPmt <= 200, what);
    assert.ok(measures.longestWithoutClock <= 40.01, what);
    assert.ok(measures.minAheadMs > 0, what);
    assert.equal(continuityErrors(bytes), 0);
  }
});
