/** A run that relays RTMP, from an encoder that pushes to a server that is published to, and how late each picture is behind it. */
import { join } from 'node:path';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { delays, FLASH_FPS, makeFlashClip, pushFlashes, seeFlashes } from '../../helpers/flash.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { running, startRunner, type TestRunner } from './runner-fixture.ts';
import { output, rendition, runSpec, source } from './specs.ts';

const KEY = 'canary-key-3';

export interface Relay {
  runner: TestRunner;
  /** Milliseconds of every flash so far. */
  delays(): number[];
}

function renditionOf(copies: boolean, width: number, height: number): RenditionSpec {
  const h264 = { profile: null, level: null, keyframe_interval: 2 };
  if (!copies) return rendition(11, width, height, 2000, { preset: 'veryfast', fps: FLASH_FPS, h264 });
  const copied = rendition(11, width, height, 2000, { codec: 'copy', fps: FLASH_FPS });
  return { ...copied, audio: { ...copied.audio!, codec: 'copy' } };
}

/** On air when it resolves. The clip is `width` by `height`. */
export async function startRelay(
  t: TestScope,
  dir: string,
  { copies, width, height }: { copies: boolean; width: number; height: number },
): Promise<Relay> {
  const clip = join(dir, 'flash.flv');
  makeFlashClip(clip, width, height);
  const { sink, seenAt } = await seeFlashes(t, width);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const { sentAt } = pushFlashes(t, clip, width, port, KEY);
  const target = output(41, 'RTMP', { url: `rtmp://127.0.0.1:${sink.port}/live`, stream_key: 'k' });
  const more = { renditions: [renditionOf(copies, width, height)], startTimeoutSeconds: 30 };
  const runner = startRunner(t, dir, runSpec(copies ? 'copied' : 'encoded', from, [target], more));
  await running(runner);
  return { runner, delays: () => delays(sentAt, seenAt) };
}

/** The delays of the flashes that follow the first `skip`. */
export async function relayDelays(relay: Relay, skip: number, count: number): Promise<number[]> {
  await until(`${count} flashes`, () => relay.delays().length >= skip + count, { boundMs: (skip + count) * 10_000 });
  return relay.delays().slice(skip, skip + count);
}
