/** A change that is asked for again under its id: by a control plane that died before it could note the answer. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/run.ts';
import type { CueSpec } from '../../../domain/runtime.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { change } from './changing.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };

test('a live change is carried out once under its id, by a restarted runner too', async (t) => {
  const dir = folder(t);
  const spec = runSpec('repeated', fileSource(clip(dir)), [output(21, 'HLS / TS')], SMALL);
  const first = startRunner(t, dir, spec);
  await running(first);
  const tag = (runner: TestRunner, id: string | undefined, more: Partial<CueSpec> = {}) =>
    change(runner, { type: 'cue', cue: { type: 'ID3Tag', name: 'song', value: 'Hello', ...more } }, id);
  const tags = (runner: TestRunner): number => runner.events().filter(({ data }) => data.type === 'ID3Tag').length;

  const together = await Promise.all([tag(first, 'a'), tag(first, 'a')]);
  assert.deepEqual(
    together.map(({ status, report }) => [status, report.phase]),
    [
      [200, 'running'],
      [200, 'running'],
    ],
  );
  assert.equal((await tag(first, 'a')).status, 200);
  assert.equal(tags(first), 1, 'once, also when asked for while it is under way');
  await tag(first, 'b');
  await tag(first, undefined);
  await tag(first, undefined);
  assert.equal(tags(first), 4, 'another id, or none, is another change');

  for (const _ of [1, 2])
    assert.equal((await change(first, { type: 'cue', cue: { type: 'CueIn' } }, 'c')).code, 'rule_violated');
  const stored = JSON.parse(readFileSync(first.files.spec, 'utf8')) as RunSpec;
  assert.deepEqual(stored.carriedOut, ['a', 'b']);

  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  const second = startRunner(t, dir, stored);
  await running(second);
  const before = tags(second);
  const answer = await tag(second, 'a');
  assert.deepEqual([answer.status, answer.report.phase, tags(second)], [200, 'running', before]);
  await tag(second, 'd');
  assert.equal(tags(second), before + 1);
});
