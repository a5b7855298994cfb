/** A runner that is killed, and the one that carries the same run on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { runFiles } from '../../../device/run-dir.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { call, clip, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

test('a frozen encoder is noticed, killed and replaced', async (t) => {
  const dir = folder(t);
  const runner = startRunner(
    t,
    dir,
    runSpec('stall', fileSource(clip(dir)), [output(21, 'HLS / TS')], { renditions: [rendition(11, 320, 180, 300)] }),
  );
  await running(runner);
  process.kill(runner.childNamed('pipe:5'), 'SIGSTOP');
  await until('encoder_stalled', () => runner.events().some(({ kind }) => kind === 'encoder_stalled'));
  await until('encoder_restarted', () => runner.events().some(({ kind }) => kind === 'encoder_restarted'));
  assert.equal((await runner.report()).phase, 'running');
});

test('an encoder that dies whenever it is started ends the run with its reason', async (t) => {
  const dir = folder(t);
  const outputs = [output(21, 'HLS / TS')];
  const spec = runSpec('no-encoder', fileSource(clip(dir)), outputs, { renditions: [rendition(11, 320, 180, 300)] });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  const die = (): void => {
    try {
      process.kill(runner.childNamed('pipe:5'), 'SIGKILL');
    } catch {
      // The next one is not there yet.
    }
  };
  await until('it gives up', () => {
    die();
    return existsSync(runner.files.final);
  });
  assert.equal(await runner.exited, 0);
  const { phase, error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as { phase: string; error: string };
  assert.equal(phase, 'failed');
  t.diagnostic(error);
  assert.match(error, /restarted 5 times within a minute/u);
});

test('the final report of a run on a full disk goes to those who follow the run, and the process ends', async (t) => {
  const dir = folder(t);
  const spec = runSpec('full', fileSource(clip(dir)), [output(21, 'HLS / TS')], {
    renditions: [rendition(11, 160, 90, 100)],
  });
  const files = runFiles(dir, spec.runId);
  // What cannot be replaced cannot be written, as on a full disk.
  mkdirSync(`${files.final}.tmp`, { recursive: true });
  const runner = startRunner(t, dir, spec);
  await until('it answers', () =>
    call(files.socket, 'GET', '/report').then(
      () => true,
      () => false,
    ),
  );
  const heard = call(files.socket, 'GET', '/watch');
  await runner.stop();
  const last = JSON.parse((await heard).trimEnd().split('\n').at(-1)!) as RunReport;
  assert.equal(last.phase, 'stopped');
  assert.equal(await runner.exited, 0);
  assert.equal(existsSync(files.final), false);
  assert.match(readFileSync(files.log, 'utf8'), /final\.json was not written/u);
});
