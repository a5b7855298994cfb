/** The agent with the product's own runner and a real ffmpeg: on air through the death of either. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodingCreate } from '../../../domain/encoding.ts';
import { publishingCreate } from '../../../domain/publishing.ts';
import { isAlive, killExact, waitForEnd, type ProcessId } from '../../../device/process.ts';
import { runSpec } from './fixtures/spec.ts';
import { TestDevice } from './fixtures/test-device.ts';
import { until } from '../../helpers/until.ts';

const kill = ({ pid, startTicks }: ProcessId): void => void assert.ok(killExact(pid, startTicks, 'SIGKILL'));

test('a viewer sees a run on air through the death of the agent, the death of the runner and the stop', async (t) => {
  const testDevice = new TestDevice(t, { ONAIR_TEST_RUNNER: 'real' });
  const clip = join(testDevice.dir, 'clip.mp4');
  const source = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=160x90:rate=25:duration=10',
    '-f',
    'lavfi',
    '-i',
    'sine=duration=10',
  ];
  execFileSync('ffmpeg', [
    '-loglevel',
    'error',
    ...source,
    '-pix_fmt',
    'yuv420p',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    clip,
  ]);
  const video = encodingCreate.settings_video.parse({
    preset: 'ultrafast',
    bitrate: 200,
  });
  const spec = runSpec({
    source: { channelId: 1, name: 'Clip', type: 'File', settings: { filename: 'clip.mp4', loop: true }, path: clip },
    renditions: [
      {
        encodingId: 5,
        name: '90p',
        video: { ...video, width: 160, height: 90, fps: 25 },
        audio: encodingCreate.settings_audio.parse({}),
      },
    ],
    outputs: [
      {
        publishingId: 7,
        name: 'Page',
        type: 'HLS / TS',
        primary: true,
        backup: null,
        qualities: [5],
        settings: publishingCreate.settings.parse({ segment_duration: 2 }),
        retry: publishingCreate.retry.parse({}),
      },
    ],
  });
  const { runId, livestreamId } = spec;

  const agent = await testDevice.agent();
  const link = testDevice.link();
  const watched = testDevice.watch(link);
  await link.start(spec);
  await until('on air', () => watched.phase(runId) === 'running').catch((error: unknown) => {
    throw new Error(JSON.stringify(watched.messages.at(-1)), { cause: error });
  });
  const path = watched.reports(runId).at(-1)?.watch[0]?.path ?? '';
  assert.match(path, new RegExp(`live/${livestreamId}/7/`, 'u'));

  /** Highest media sequence number that a viewer can see, and that its newest segment can be fetched. */
  const newest = async (): Promise<number | undefined> => {
    const read = async (url: URL): Promise<{ url: URL; text: string } | undefined> => {
      const reply = await fetch(url).catch(() => undefined);
      return reply?.ok === true ? { url, text: await reply.text() } : undefined;
    };
    const master = await read(new URL(path, `${agent.mediaUrl}/`));
    const variant = master?.text.split('\n').find((line) => /^[^#].*m3u8/u.test(line));
    const media = master && variant !== undefined ? await read(new URL(variant, master.url)) : master;
    const uris = media?.text.split('\n').filter((line) => /^[^#]/u.test(line)) ?? [];
    const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/u.exec(media?.text ?? '')?.[1] ?? Number.NaN);
    if (media === undefined || uris.length === 0) return undefined;
    const segment = await fetch(new URL(uris.at(-1) ?? '', media.url)).catch(() => undefined);
    const bytes = (await segment?.arrayBuffer())?.byteLength ?? 0;
    return segment?.status === 200 && bytes > 1000 ? first + uris.length - 1 : undefined;
  };
  const later = (than: number): Promise<number> =>
    until(`a segment after ${than}`, async () => {
      const now = await newest();
      return now !== undefined && now > than && now;
    });
  const before = await later(-1);
  const runner = await until('the runner', () => testDevice.runner(runId));
  assert.ok(runner.children.length >= 2, 'ingest and encoder at least');

  kill(agent.process);
  const successor = await testDevice.agent();
  assert.equal(successor.mediaUrl, agent.mediaUrl);
  await until('adopted', () => watched.events(runId).some((event) => event.kind === 'adopted'));
  const after = await later(before + 1);
  const same = testDevice.runner(runId);
  assert.deepEqual([same?.pid, same?.children], [runner.pid, runner.children], 'runner and ffmpegs are the same');

  kill(runner);
  const next = await until('the next runner', () => {
    const found = testDevice.runner(runId);
    return found?.pid !== runner.pid && found;
  });
  await until('on air again', async () => {
    const report = (await link.hello()).runs.find((run) => run.runId === runId);
    return report?.phase === 'running' && testDevice.runner(runId)?.pid === next.pid;
  });
  await later(after + 1);
  assert.deepEqual(await waitForEnd(runner.children, 0), []);

  const last = await until('the last state', () => testDevice.runner(runId));
  await link.stop(runId);
  assert.equal(watched.phase(runId), 'stopped');
  for (const { pid, startTicks } of [last, ...last.children]) assert.equal(isAlive(pid, startTicks), false);
  const seqs = watched.events(runId).map(({ seq }) => seq);
  assert.deepEqual(
    [...new Set(seqs)].sort((a, b) => a - b),
    Array.from({ length: Math.max(...seqs) }, (_, index) => index + 1),
  );
  await link.forget(runId);
});
