/** How each type of Destination is delivered, and what it cannot take of the encoder beside what its row says. */
import { join } from 'node:path';
import { DEFAULT_RIST, isRist } from '../../../domain/network/rist.ts';
import type { OutputSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { liveDir, recordingsDir } from '../../run-dir.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { EventLog } from '../process/event-log.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { FanOut, PacketSource } from '../stream/fan-out.ts';
import { LeasedPackets } from '../stream/leased-packets.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { beginChecked } from './checked-attempt.ts';
import { FragmentRecord, fragmentsOf } from './recordings/fragment-record.ts';
import { refusalOfFlv, refusalOfSdi, type RefusalOf } from './output-refusal.ts';
import { beginRecord } from './recordings/record-output.ts';
import type { RecordingTotals } from './recordings/recording-totals.ts';
import { packedTracks } from './packed-tracks.ts';
import { bestRendition, tracksOf } from './rendition-tracks.ts';
import { beginRtmp } from './rtmp-output.ts';
import { beginSdi } from './sdi-output.ts';
import type { KeyPeriods } from './segments/key-periods.ts';
import { HlsOutput } from './segments/hls-output.ts';
import { PackagerOutput } from './segments/packager-output.ts';
import { beginPush } from './origins/push-output.ts';
import { beginRist } from './rist-output.ts';
import { beginSrt } from './srt-output.ts';
import { beginStream } from './stream-output.ts';
import { isInTransportStream } from '../../../domain/types/destination-questions.ts';
import { DESTINATION_ROWS, type PublishingType } from '../../../domain/types/destination-types.ts';

export interface OutputContext {
  spec: RunSpec;
  plan: LadderPlan;
  deviceDir: string;
  runDir: string;
  children: ChildProcesses;
  stream: EncodedStream;
  events: EventLog;
  totals: RecordingTotals;
  /** Whether anything may go to what other Devices could deliver to. */
  lease: { readonly isHeld: boolean };
  clock: Clock;
  onChange(): void;
}

/** One path of a Destination. */
interface Delivery {
  spec: OutputSpec;
  /** The attempt, its files and its processes are named so. */
  name: string;
  url: string | null;
  /** Undefined: nothing is encrypted. */
  keys: KeyPeriods | undefined;
  renditions: RenditionPlan[];
  context: OutputContext;
  /** ffmpeg packs media in place of this process; `why` is half a sentence. */
  onPackedByFfmpeg: (why: string) => void;
}

interface AttemptOfType {
  begin: (delivery: Delivery, hooks: AttemptHooks) => Attempt;
  refusalOf?: RefusalOf;
}

const packaged = { begin: beginPackaged };
const rtmp = { begin: deliverByRtmp, refusalOf: refusalOfFlv };

export const ATTEMPTS: Readonly<Record<PublishingType, AttemptOfType>> = {
  'HLS / TS': packaged,
  DASH: packaged,
  CMAF: packaged,
  RTMP: rtmp,
  'Enhanced RTMP': rtmp,
  SRT: { begin: deliverBySrt },
  STREAM: { begin: deliverByStream },
  SDIOUT: { begin: playOut, refusalOf: refusalOfSdi },
  Record: { begin: record },
};

/** Those that go to others, while the run has its lease. */
function leasedPackets(context: OutputContext): PacketSource {
  return new LeasedPackets(packetsOf(context), context.lease);
}

/** refusalOfOutput turns types that need packets away from a stream of fragments, so this throws for no Destination. */
function packetsOf({ stream: { media } }: OutputContext): FanOut {
  if (media.packets === undefined) throw new TypeError('The stream has no packets.');
  return media.packets;
}

function addressOf({ url, spec }: Delivery): string {
  if (url === null) throw new TypeError(`A Destination of type ${spec.type} needs a URL.`);
  return url;
}

function deliverByRtmp(delivery: Delivery, hooks: AttemptHooks): Attempt {
  const { spec, renditions, context } = delivery;
  const { type, settings } = spec;
  const { username, password, stream_key: streamKey } = settings;
  const credentials = username === null || password === null ? undefined : { username, password };
  const takesHevc = !DESTINATION_ROWS[type].notCarried.video.includes('hevc');
  const { reach } = context.children.network;
  const options = { url: addressOf(delivery), streamKey, rendition: bestRendition(renditions) };
  return beginRtmp({ ...options, credentials, type, takesHevc, reach }, leasedPackets(context), hooks);
}

function deliverBySrt(delivery: Delivery, hooks: AttemptHooks): Attempt {
  const { spec, name, renditions, context } = delivery;
  const { runDir, children } = context;
  const { stream_key: streamKey, srt } = spec.settings;
  const packets = leasedPackets(context);
  const url = addressOf(delivery);
  const presetFile = join(runDir, `${name}.preset`);
  const options = { url, streamKey, rendition: bestRendition(renditions), name, presetFile, srt };
  if (new URL(url).searchParams.get('mode') === 'listener') return beginSrt(options, children, packets, hooks);
  const begin = (address: string): Attempt => beginSrt({ ...options, address }, children, packets, hooks);
  return beginChecked(url, children.network.reach, begin, hooks);
}

function deliverByStream(delivery: Delivery, hooks: AttemptHooks): Attempt {
  const { name, renditions, context } = delivery;
  const { reach } = context.children.network;
  if (isRist(delivery.url)) return deliverByRist(delivery, hooks);
  const { plan, runDir, lease } = context;
  const sentFile = plan.copy ? join(runDir, `${name}.sent`) : undefined;
  const options = { url: addressOf(delivery), rendition: bestRendition(renditions), reach, lease, sentFile };
  return beginStream(options, leasedPackets(context), context.stream.splicePoints, hooks);
}

function deliverByRist(delivery: Delivery, hooks: AttemptHooks): Attempt {
  const { spec, name, renditions, context } = delivery;
  const { runDir, children } = context;
  const url = addressOf(delivery);
  const rist = spec.settings.rist ?? DEFAULT_RIST;
  const presetFile = join(runDir, `${name}.preset`);
  const options = { url, name, rist, presetFile, rendition: bestRendition(renditions) };
  const begin = (address: string): Attempt =>
    beginRist({ ...options, address }, children, leasedPackets(context), hooks);
  return beginChecked(url, children.network.reach, begin, hooks);
}

function playOut({ name, renditions, context }: Delivery, hooks: AttemptHooks): Attempt {
  return beginSdi({ name, rendition: bestRendition(renditions) }, context.children, packetsOf(context), hooks);
}

function record(delivery: Delivery, hooks: AttemptHooks): Attempt {
  const { spec, name, renditions, context } = delivery;
  const { publishingId, settings } = spec;
  const { spec: run, deviceDir, children, stream, events, totals, clock } = context;
  const dir = recordingsDir(deviceDir, run.livestreamId);
  const { container } = settings;
  const options = { name, publishingId, dir, runId: run.runId, container, renditions, totals, clock };
  const { packets, fragments } = stream.media;
  if (packets !== undefined) {
    const packed = packedTracks(renditions);
    return beginRecord({ options, packed, children, packets, events, hooks, onUnfit: delivery.onPackedByFfmpeg });
  }
  const { videos, audios } = tracksOf(renditions);
  const pids = [...videos, ...audios].map(({ pid }) => pid);
  // An encoder gives all tracks that it has.
  const tracks = { pids, isThere: () => true, maxWaitSeconds: Infinity };
  return new FragmentRecord({ options, tracks, events, hooks, open: (sink) => fragmentsOf(fragments, sink) });
}

/** A Destination with a URL is pushed there and not served here: its folder is the run's own. */
function beginPackaged(delivery: Delivery, hooks: AttemptHooks): Attempt {
  const { spec, name, url, keys, renditions, context, onPackedByFfmpeg } = delivery;
  const { spec: run, plan, deviceDir, runDir, children, stream, clock } = context;
  const { settings, type, publishingId, access, accessKey } = spec;
  const { hls, dash } = DESTINATION_ROWS[type].packaged!;
  if (access === 'token' && accessKey === undefined)
    throw new TypeError(
      'It is for viewers with a token, and the order came without the key that tokens are checked with.',
    );
  const dir = url === null ? liveDir(deviceDir, run.livestreamId, publishingId) : join(runDir, name);
  const options = {
    dir,
    accessKey,
    runId: run.runId,
    lists: run.lists,
    renditions,
    webvtt: run.captions.webvtt,
    segmentSeconds: settings.segment_duration,
    playlistLength: settings.playlist_length,
    timeShiftSeconds: settings.time_shift_buffer_depth,
  };
  const lowLatency = settings.low_latency === true;
  const packager = (own: AttemptHooks): Attempt =>
    isInTransportStream(spec)
      ? new HlsOutput(options, plan, stream, packetsOf(context), own)
      : new PackagerOutput({ ...options, hls, dash, lowLatency, name, keys, onPackedByFfmpeg }, context, own);
  if (url === null) return packager(hooks);
  const { username, password, access_key: accessKeyId, secret_key: secretKey } = settings;
  const bucketKeys = accessKeyId == null || secretKey == null ? undefined : { accessKey: accessKeyId, secretKey };
  const shifted = Math.ceil((options.timeShiftSeconds ?? 0) / options.segmentSeconds);
  const listed = Math.max(options.playlistLength, shifted) + 1;
  const lasting = { listed, listedSeconds: listed * options.segmentSeconds, lists: run.lists };
  const target = { url, username, password, keys: bucketKeys };
  const { reach } = children.network;
  return beginPush({ ...target, ...lasting, dir, reach, clock, lease: context.lease }, packager, hooks);
}
