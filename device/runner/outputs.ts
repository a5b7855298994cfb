/** From the Destinations of a run to their paths. */
import { join } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import type { OutputSpec, RunSpec } from '../../domain/run.ts';
import { liveDir, recordingsDir } from '../run-dir.ts';
import type { LadderPlan, RenditionPlan } from '../media/ladder-plan.ts';
import { DestinationPath, type Attempt, type AttemptHooks } from './destination-path.ts';
import type { EventLog } from './event-log.ts';
import type { FanOut } from './fan-out.ts';
import { HlsOutput } from './hls-output.ts';
import type { Nursery } from './nursery.ts';
import { beginRecord } from './record-output.ts';
import { beginRtmp } from './rtmp-output.ts';

export interface OutputContext {
  spec: RunSpec;
  plan: LadderPlan;
  deviceDir: string;
  runDir: string;
  nursery: Nursery;
  fanOut: FanOut;
  events: EventLog;
  clock: Clock;
  onChange(): void;
}

export interface Output {
  spec: OutputSpec;
  primary: DestinationPath;
  backup: DestinationPath | undefined;
}

export function createOutput(spec: OutputSpec, context: OutputContext): Output {
  const path = (which: 'primary' | 'backup', enabled: boolean): DestinationPath => {
    const { name, publishingId, retry } = spec;
    const begin = (hooks: AttemptHooks): Attempt => beginGuarded(spec, which, context, hooks);
    return new DestinationPath(
      { name, publishingId, which, enabled, retry, begin, onChange: context.onChange },
      context.events,
      context.clock,
    );
  };
  return {
    spec,
    primary: path('primary', spec.primary),
    backup: spec.backup === null ? undefined : path('backup', spec.backup),
  };
}

const NOTHING: Attempt = { end: () => Promise.resolve() };

/** What cannot even begin is down, like what broke later. */
function beginGuarded(
  spec: OutputSpec,
  which: 'primary' | 'backup',
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const renditions = renditionsFor(spec, context.plan);
  const refusal = renditions.length === 0 ? 'none of the chosen qualities is encoded' : refusalOf(spec, renditions);
  if (refusal !== undefined) {
    hooks.onDown(`${spec.type}: ${refusal}.`, true);
    return NOTHING;
  }
  try {
    return begin(spec, which, renditions, context, hooks);
  } catch (error) {
    hooks.onDown((error as Error).message, error instanceof TypeError);
    return NOTHING;
  }
}

function begin(
  spec: OutputSpec,
  which: 'primary' | 'backup',
  renditions: RenditionPlan[],
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const { spec: run, plan, deviceDir, runDir, nursery, fanOut, events, clock } = context;
  const { publishingId, settings } = spec;
  const name = `${spec.type.toLowerCase()}-${publishingId}-${which}`;
  if (spec.type === 'HLS / TS') {
    const options = {
      dir: liveDir(deviceDir, run.livestreamId, publishingId),
      runId: run.runId,
      segmentSeconds: settings.segment_duration,
      playlistLength: settings.playlist_length,
      timeShiftSeconds: settings.time_shift_buffer_depth,
      renditions,
    };
    return new HlsOutput(options, plan, fanOut, clock, hooks);
  }
  if (spec.type === 'Record') {
    const dir = recordingsDir(deviceDir, run.livestreamId);
    return beginRecord(
      { name, publishingId, dir, runId: run.runId, container: settings.container, renditions },
      nursery,
      fanOut,
      events,
      hooks,
    );
  }
  const url = which === 'primary' ? settings.url! : settings.backup_url!;
  const presetFile = join(runDir, `${name}.preset`);
  return beginRtmp(
    { name, url, streamKey: settings.stream_key, rendition: best(renditions), presetFile },
    nursery,
    fanOut,
    hooks,
  );
}

function renditionsFor({ qualities }: OutputSpec, { renditions }: LadderPlan): RenditionPlan[] {
  const chosen = renditions.filter(({ encodingId }) => qualities.includes(encodingId));
  return qualities.length === 0 ? renditions : chosen;
}

/** The highest rate of those with a picture: a ladder may be in ascending order. */
function best(renditions: RenditionPlan[]): RenditionPlan {
  const rate = ({ video, audio }: RenditionPlan): number =>
    (video?.settings.bitrate ?? 0) * 1000 + (audio?.settings.bitrate ?? 0);
  return [...renditions].sort((a, b) => rate(b) - rate(a))[0]!;
}

/** Why a Destination cannot be delivered to by this runner, or undefined. */
function refusalOf({ type, settings }: OutputSpec, renditions: RenditionPlan[]): string | undefined {
  if (type === 'HLS / TS') {
    const pushed = settings.url !== null || settings.backup_url !== null;
    return pushed
      ? 'delivery to a web server (HTTP PUT) is not supported; leave the URLs out to serve it from the Device'
      : undefined;
  }
  if (type === 'Record') return undefined;
  if (type !== 'RTMP') return `this Device has no packager for ${type}`;
  if (settings.username !== null || settings.password !== null)
    return 'user name and password are not supported; use a stream key';
  const { video, audio } = best(renditions);
  if (video !== undefined && !['h264', 'copy'].includes(video.settings.codec))
    return `carries h264 only, not ${video.settings.codec}`;
  if (audio !== undefined && !['mp4a', 'mp3', 'copy'].includes(audio.settings.codec))
    return `carries mp4a or mp3 only, not ${audio.settings.codec}`;
  return undefined;
}
