/** From the Destinations of a run to their paths. */
import { join } from 'node:path';
import type { Clock } from '../../../domain/clock.ts';
import { NetworkRefusal } from '../../../domain/networks.ts';
import type { OutputSpec, RunSpec } from '../../../domain/run.ts';
import { liveDir, recordingsDir } from '../../run-dir.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { DestinationPath, type Attempt, type AttemptHooks } from './destination-path.ts';
import { encryptionRefusal } from './drm-refusal.ts';
import type { EventLog } from '../process/event-log.ts';
import { failoverWatch } from './failover.ts';
import type { FanOut } from '../stream/fan-out.ts';
import { FragmentBus } from '../stream/fragment-bus.ts';
import { FragmentRecord } from './fragment-record.ts';
import { HlsOutput } from './segments/hls-output.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { isPackaged, refusalOfFragments, refusalOfOutput } from './output-refusal.ts';
import { PackagerOutput } from './segments/packager-output.ts';
import { beginPush } from './segments/push-output.ts';
import { beginReached } from '../input/checked-address.ts';
import { beginRecord } from './record-output.ts';
import type { RecordingTotals } from './recording-totals.ts';
import { beginRtmp } from './rtmp-output.ts';
import { beginSdi } from './sdi-output.ts';
import { beginSrt } from './srt-output.ts';
import { beginStream } from './stream-output.ts';

export interface OutputContext {
  spec: RunSpec;
  plan: LadderPlan;
  deviceDir: string;
  runDir: string;
  children: ChildProcesses;
  fanOut: FanOut;
  events: EventLog;
  totals: RecordingTotals;
  clock: Clock;
  onChange(): void;
}

export interface Output {
  spec: OutputSpec;
  primary: DestinationPath;
  backup: DestinationPath | undefined;
}

export function createOutput(spec: OutputSpec, context: OutputContext): Output {
  const lookForFailover = failoverWatch(() => output, context.events);
  const path = (which: 'primary' | 'backup', enabled: boolean): DestinationPath => {
    const { name, publishingId, retry } = spec;
    // The output's own spec: new settings count from the next attempt on.
    const begin = (hooks: AttemptHooks): Attempt => beginGuarded(output.spec, which, context, hooks);
    const onChange = (): void => {
      if (which === 'primary') lookForFailover();
      context.onChange();
    };
    return new DestinationPath(
      { name, publishingId, which, enabled, retry, begin, onChange },
      context.events,
      context.clock,
    );
  };
  const output: Output = {
    spec,
    primary: path('primary', spec.primary),
    backup: spec.backup === null ? undefined : path('backup', spec.backup),
  };
  return output;
}

const NO_OUTPUT: Attempt = { end: () => Promise.resolve() };

/** What cannot even begin is down, like what broke later. */
function beginGuarded(
  spec: OutputSpec,
  which: 'primary' | 'backup',
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const renditions = renditionsFor(spec, context.plan);
  const refusal =
    renditions.length === 0
      ? 'none of the chosen qualities is encoded'
      : (refusalOfFragments(spec, context.plan) ??
        refusalOfOutput(spec, which, best(renditions)) ??
        encryptionRefusal(spec, renditions));
  if (refusal !== undefined) {
    hooks.onDown(`${spec.type}: ${refusal}.`, true);
    return NO_OUTPUT;
  }
  try {
    return begin(spec, which, renditions, context, hooks);
  } catch (error) {
    hooks.onDown((error as Error).message, error instanceof TypeError || error instanceof NetworkRefusal);
    return NO_OUTPUT;
  }
}

function begin(
  spec: OutputSpec,
  which: 'primary' | 'backup',
  renditions: RenditionPlan[],
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const { spec: run, deviceDir, runDir, children, fanOut, events, totals } = context;
  const { reach } = children.network;
  const { publishingId, settings } = spec;
  const name = `${spec.type.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-')}-${publishingId}-${which}`;
  const url = which === 'primary' ? settings.url : settings.backup_url;
  if (isPackaged(spec.type)) return beginPackaged({ spec, name, url, renditions }, context, hooks);
  if (spec.type === 'Record') {
    const dir = recordingsDir(deviceDir, run.livestreamId);
    const options = { name, publishingId, dir, runId: run.runId, container: settings.container, renditions, totals };
    if (fanOut instanceof FragmentBus) return new FragmentRecord(options, fanOut, events, hooks);
    return beginRecord(options, children, fanOut, events, hooks);
  }
  const rendition = best(renditions);
  if (spec.type === 'SDIOUT') return beginSdi({ name, rendition }, children, fanOut, hooks);
  if (url === null) throw new TypeError(`A Destination of type ${spec.type} needs a URL.`);
  if (spec.type === 'STREAM') return beginStream({ url, rendition, reach }, fanOut, hooks);
  const delivery = { name, url, streamKey: settings.stream_key, rendition, presetFile: join(runDir, `${name}.preset`) };
  if (spec.type !== 'SRT') return beginReached(url, reach, () => beginRtmp(delivery, children, fanOut, hooks), hooks);
  const srt = { ...delivery, srt: settings.srt };
  if (new URL(url).searchParams.get('mode') === 'listener') return beginSrt(srt, children, fanOut, hooks);
  return beginReached(url, reach, (address) => beginSrt({ ...srt, address }, children, fanOut, hooks), hooks);
}

interface Packaging {
  spec: OutputSpec;
  name: string;
  /** Of the origin; null: served by this Device. */
  url: string | null;
  renditions: RenditionPlan[];
}

/** With a URL it is pushed there and not served here: its folder is the run's own. */
function beginPackaged(
  { spec, name, url, renditions }: Packaging,
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const { spec: run, plan, deviceDir, runDir, children, fanOut, clock } = context;
  const { settings, type, publishingId, drm, access, accessKey } = spec;
  if (access === 'token' && accessKey === undefined)
    throw new TypeError(
      'It is for viewers with a token, and the order came without the key that tokens are checked with.',
    );
  const dir = url === null ? liveDir(deviceDir, run.livestreamId, publishingId) : join(runDir, name);
  const options = {
    ...{ dir, accessKey, runId: run.runId, renditions },
    segmentSeconds: settings.segment_duration,
    playlistLength: settings.playlist_length,
    timeShiftSeconds: settings.time_shift_buffer_depth,
  };
  const packager = (own: AttemptHooks): Attempt =>
    type === 'HLS / TS'
      ? new HlsOutput(options, plan, fanOut, own)
      : new PackagerOutput({ ...options, name, hls: type === 'CMAF', drm }, plan, children, fanOut, clock, own);
  if (url === null) return packager(hooks);
  const { username, password } = settings;
  const shifted = Math.ceil((options.timeShiftSeconds ?? 0) / options.segmentSeconds);
  const listed = Math.max(options.playlistLength, shifted) + 1;
  return beginPush({ url, username, password, dir, listed, reach: children.network.reach }, packager, hooks);
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
