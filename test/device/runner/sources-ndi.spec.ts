/** An NDI source on air, by a runtime that stands in for that of its makers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import type { DeviceProbe } from '../../../domain/shapes/sources/probe.ts';
import { numbersIn } from '../../helpers/counted.ts';
import { giveKnownFfmpeg } from '../../helpers/known-ffmpeg.ts';
import { noCompiler, standInNdi } from '../../helpers/ndi-runtime.ts';
import { until } from '../../helpers/until.ts';
import { commandLine, folder, RUNNER_ENTRY, running, startRunner } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

it(
  'an NDI source is on air, is lost and comes back, and goes on in another format',
  { skip: noCompiler },
  async (t) => {
    const dir = folder(t);
    const ndi = standInNdi(dir, { fps: 30 });
    const spec = runSpec('ndi', source('NDI', { discovery: 'auto' }), [output(21, 'HLS / TS', QUICK.output)], {
      renditions: [rendition(11, 320, 180, 800, QUICK.rendition)],
      startTimeoutSeconds: 60,
    });
    const runner = startRunner(t, dir, spec, { ...process.env, NDI_RUNTIME_DIR_V6: ndi.folder });
    const isUp = async (): Promise<boolean> => (await runner.report()).source.state === 'up';
    const count = (wanted: string): number => runner.events().filter(({ kind }) => kind === wanted).length;
    await running(runner);
    const pictures = (): number[] => numbersIn(broadcast(dir)).flatMap((n) => n ?? []);
    await until('its pictures are on air', () => pictures().length > 30);

    ndi.gives({ away: 1 });
    await until('it is lost', () => count('source_lost') === 1);
    ndi.gives({ away: 0 });
    await until('it is back', async () => count('source_restored') === 1 && (await isUp()));
    const feeders = (): number[] =>
      runner.children().flatMap(({ pid }) => (commandLine(pid).includes(' feeder ') ? [pid] : []));
    const [before] = feeders();
    ndi.gives({ change_at: 1 });
    await until('another feeder is there', () => feeders().some((pid) => pid !== before));
    await until('it goes on', isUp);
    const first = pictures().slice(0, 20);
    const inOrder = first.map((_, i) => first[0]! + i);
    assert.deepEqual(first, inOrder, 'each picture once and in order');

    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
  },
);

it('a look at an NDI source tells its picture and the tracks of its groups', { skip: noCompiler }, (t) => {
  const dir = folder(t);
  giveKnownFfmpeg(dir);
  const ndi = standInNdi(dir, { channels: 16 });
  const spec = source('NDI', { discovery: 'typed', source_name: 'STUDIO (Camera 1)', audio_groups: [2, 6, 8] });
  const answer = execFileSync(process.execPath, [...RUNNER_ENTRY, 'probe', dir, JSON.stringify(spec)], {
    env: { ...process.env, NDI_RUNTIME_DIR_V6: ndi.folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { video, audio } = JSON.parse(answer.toString()) as DeviceProbe;
  assert.deepEqual([video?.width, video?.height], [320, 180]);
  assert.deepEqual(
    audio.map(({ channels }) => channels),
    [2, 6, 8],
  );
});

it('a Device without the NDI runtime fails the start and says what it needs', async (t) => {
  const dir = folder(t);
  const spec = runSpec('none', source('NDI', { discovery: 'auto' }), [output(21, 'HLS / TS')]);
  const runner = startRunner(t, dir, spec, { ...process.env, NDI_RUNTIME_DIR_V6: dir });
  await runner.exited;
  assert.match(readFileSync(runner.files.final, 'utf8'), /NDI runtime \(libndi\.so\.6 or \.5, from ndi\.video\)/u);
});
