/** RTMP: one rendition to one server. The key is in a private file that is removed once media arrive there, or the attempt has ended. */
import { rmSync, writeFileSync } from 'node:fs';
import { FlvMuxer } from '../../media/rtmp/flv-muxer.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { rtmpArgs, rtmpBytesArgs, rtmpReason, rtmpTarget } from '../../media/arguments/rtmp-args.ts';
import { isRtmpRefusal } from '../../media/ffmpeg-output/source-reason.ts';
import { authoritiesFile } from '../process/certificates.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { FanOut } from '../stream/fan-out.ts';
import { singleStreams } from '../stream/program-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { Publisher, type PublisherPlan } from './publisher.ts';

export interface RtmpOptions {
  name: string;
  url: string;
  streamKey: string | null;
  rendition: RenditionPlan;
  presetFile: string;
}

/** Throws TypeError for an address that no attempt could deliver to. */
export function beginRtmp(
  options: RtmpOptions,
  children: ChildProcesses,
  packets: FanOut,
  hooks: AttemptHooks,
): Attempt {
  const { name, url, streamKey, rendition, presetFile } = options;
  const target = rtmpTarget(url, streamKey);
  writeFileSync(presetFile, target.preset, { mode: 0o600 });
  const forget = (): void => rmSync(presetFile, { force: true });
  const connection = { target, presetFile, authoritiesFile: target.secure ? authoritiesFile() : undefined };
  const common = {
    name,
    streams: singleStreams(rendition),
    isTcp: true,
    onUp: forget,
    onGone: forget,
    access: { reads: [presetFile, ...(connection.authoritiesFile === undefined ? [] : [connection.authoritiesFile])] },
    explain: (words: string) => rtmpReason(words, target.peer),
    isRefusal: isRtmpRefusal,
  };
  const { video } = rendition;
  const plan: PublisherPlan =
    video?.settings.codec === 'hevc'
      ? {
          ...common,
          args: rtmpBytesArgs(connection),
          openView: (out) => new FlvMuxer(flvStreams(rendition, video), out),
          // ffmpeg writes the first byte once the server has accepted the publish command.
          isProven: ({ totalBytes }) => totalBytes > 0,
        }
      : {
          ...common,
          args: rtmpArgs(connection, rendition.audio?.settings.codec),
          isProven: ({ totalBytes, outSeconds }) => totalBytes > 0 && outSeconds > 0,
        };
  return new Publisher(plan, children, packets, hooks);
}

function flvStreams({ audio }: RenditionPlan, { pid, settings, rate }: NonNullable<RenditionPlan['video']>) {
  const { width, height, bitrate } = settings;
  return {
    video: { pid, width, height, fps: fpsOf(rate), kbps: bitrate },
    audio: audio === undefined ? undefined : { pid: audio.pid, kbps: audio.settings.bitrate },
  };
}
