/** Makes the paths of a run's Destinations: each type of Destination is begun here. */
import { join } from 'node:path';
import type { Clock } from '../../../domain/time/clock.ts';
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import type { OutputSpec, RunSpec } from '../../../domain/shapes/broadcasts/run.ts';
import { liveDir, recordingsDir } from '../../run-dir.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { EventLog } from '../process/event-log.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { FanOut } from '../stream/fan-out.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { beginChecked } from './checked-attempt.ts';
import { DestinationPath, failoverWatch } from './destination-path.ts';
import { FragmentRecord } from './fragment-record.ts';
import { isPackaged, refusalOfOutput } from './output-refusal.ts';
import { beginRecord } from './record-output.ts';
import type { RecordingTotals } from './recording-totals.ts';
import { bestRendition } from './rendition-tracks.ts';
import { beginRtmp } from './rtmp-output.ts';
import { beginSdi } from './sdi-output.ts';
import { HlsOutput } from './segments/hls-output.ts';
import { PackagerOutput } from './segments/packager-output.ts';
import { beginPush } from './segments/push-output.ts';
import { beginSrt } from './srt-output.ts';
import { beginStream } from './stream-output.ts';

export interface OutputContext {
  spec: RunSpec;
  plan: LadderPlan;
  deviceDir: string;
  runDir: string;
  children: ChildProcesses;
  stream: EncodedStream;
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

export function pathsOf({ primary, backup }: Output): DestinationPath[] {
  return backup === undefined ? [primary] : [primary, backup];
}

export function createOutput(spec: OutputSpec, context: OutputContext): Output {
  const onPrimaryChange = failoverWatch(() => output, context.events);
  const path = (which: 'primary' | 'backup', enabled: boolean): DestinationPath => {
    const { name, publishingId, retry } = spec;
    // The spec is read from the output, so that new settings count from the next attempt on.
    const begin = (hooks: AttemptHooks): Attempt => beginGuarded(output.spec, which, context, hooks);
    const onChange = (): void => {
      if (which === 'primary') onPrimaryChange();
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

/** An attempt that cannot even begin is reported as down, like one that breaks later. */
function beginGuarded(
  spec: OutputSpec,
  which: 'primary' | 'backup',
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const renditions = renditionsFor(spec, context.plan);
  const refusal = refusalOfOutput(spec, which, renditions, context.plan);
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
  const { runDir, children, stream } = context;
  const { reach } = children.network;
  const { type, publishingId, settings } = spec;
  const name = `${type.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-')}-${publishingId}-${which}`;
  const url = which === 'primary' ? settings.url : settings.backup_url;
  if (isPackaged(type)) return beginPackaged({ spec, name, url, renditions }, context, hooks);
  if (type === 'Record') return beginRecording(spec, name, renditions, context, hooks);
  const rendition = bestRendition(renditions);
  const packets = packetsOf(stream);
  if (type === 'SDIOUT') return beginSdi({ name, rendition }, children, packets, hooks);
  if (url === null) throw new TypeError(`A Destination of type ${type} needs a URL.`);
  if (type === 'STREAM') return beginStream({ url, rendition, reach }, packets, stream.splicePoints, hooks);
  const delivery = { url, streamKey: settings.stream_key, rendition };
  if (type !== 'SRT') {
    const { username, password } = settings;
    const credentials = username === null || password === null ? undefined : { username, password };
    const takesHevc = type === 'Enhanced RTMP';
    return beginRtmp({ ...delivery, credentials, type, takesHevc, reach }, packets, hooks);
  }
  const srt = { ...delivery, name, presetFile: join(runDir, `${name}.preset`), srt: settings.srt };
  if (new URL(url).searchParams.get('mode') === 'listener') return beginSrt(srt, children, packets, hooks);
  return beginChecked(url, reach, (address) => beginSrt({ ...srt, address }, children, packets, hooks), hooks);
}

/** refusalOfOutput turns types that need packets away from a stream of fragments, so this throws for no Destination. */
function packetsOf({ media }: EncodedStream): FanOut {
  if (media.packets === undefined) throw new TypeError('The stream has no packets.');
  return media.packets;
}

function beginRecording(
  { publishingId, settings }: OutputSpec,
  name: string,
  renditions: RenditionPlan[],
  { spec: run, deviceDir, children, stream, events, totals, clock }: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const dir = recordingsDir(deviceDir, run.livestreamId);
  const { container } = settings;
  const options = { name, publishingId, dir, runId: run.runId, container, renditions, totals, clock };
  const { packets, fragments } = stream.media;
  return packets === undefined
    ? new FragmentRecord(options, fragments, events, hooks)
    : beginRecord(options, children, packets, events, hooks);
}

interface Packaging {
  spec: OutputSpec;
  name: string;
  /** URL of the origin; null: this Device serves the folder. */
  url: string | null;
  renditions: RenditionPlan[];
}

/** A Destination with a URL is pushed there and not served here: its folder is the run's own. */
function beginPackaged(
  { spec, name, url, renditions }: Packaging,
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const { spec: run, plan, deviceDir, runDir, children, stream, clock } = context;
  const { settings, type, publishingId, drm, access, accessKey } = spec;
  if (access === 'token' && accessKey === undefined)
    throw new TypeError(
      'It is for viewers with a token, and the order came without the key that tokens are checked with.',
    );
  const dir = url === null ? liveDir(deviceDir, run.livestreamId, publishingId) : join(runDir, name);
  const options = {
    dir,
    accessKey,
    runId: run.runId,
    renditions,
    webvtt: run.captions.webvtt,
    segmentSeconds: settings.segment_duration,
    playlistLength: settings.playlist_length,
    timeShiftSeconds: settings.time_shift_buffer_depth,
  };
  // Orders of earlier versions lack the setting.
  const lowLatency = settings.low_latency === true;
  const forms = { hls: type !== 'DASH', dash: type !== 'HLS / TS', lowLatency };
  const packager = (own: AttemptHooks): Attempt =>
    // A transport stream has no parts that players take, so low latency is fragmented MP4 for HLS / TS, too.
    type === 'HLS / TS' && !lowLatency
      ? new HlsOutput(options, plan, stream, packetsOf(stream), own)
      : new PackagerOutput({ ...options, ...forms, name, drm }, plan, children, stream, clock, own);
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
