/** RTMP: one rendition to one server. The key goes by a private file that lives until ffmpeg has read it. */
import { rmSync, writeFileSync } from 'node:fs';
import { rtmpArgs, rtmpTarget } from '../media/publisher-args.ts';
import type { RenditionPlan } from '../media/ladder-plan.ts';
import type { Attempt, AttemptHooks } from './destination-path.ts';
import type { FanOut } from './fan-out.ts';
import type { Nursery } from './nursery.ts';
import { Publisher } from './publisher.ts';

export interface RtmpOptions {
  name: string;
  url: string;
  streamKey: string | null;
  rendition: RenditionPlan;
  presetFile: string;
}

export function beginRtmp(options: RtmpOptions, nursery: Nursery, fanOut: FanOut, hooks: AttemptHooks): Attempt {
  const { name, url, streamKey, rendition, presetFile } = options;
  const target = rtmpTarget(url, streamKey);
  writeFileSync(presetFile, target.preset, { mode: 0o600 });
  const forget = (): void => rmSync(presetFile, { force: true });
  const streams = {
    videos: rendition.video === undefined ? [] : [rendition.video.pid],
    audios: rendition.audio === undefined ? [] : [rendition.audio.pid],
  };
  const args = rtmpArgs(target, presetFile, rendition.audio?.settings.codec);
  // ffmpeg opens the connection and waits for the server's leave before it writes the first byte.
  const isProven = (progress: { totalBytes: number; outSeconds: number }): boolean =>
    progress.totalBytes > 0 && progress.outSeconds > 0;
  return new Publisher({ name, args, streams, isProven, onUp: forget, onGone: forget }, nursery, fanOut, hooks);
}
