/** Kinds of ingest, and the one that gives raw frames to the frame clock. */
import type { Crop } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { FramePool } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { rawIngestArgs, readAhead, trackFds, videoMap } from '../../media/arguments/ingest-args.ts';
import type { IngestInput, Shape } from '../../media/arguments/ingest-args.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { SourceBuffer } from '../../media/frames/source-buffer.ts';
import { soundBegin } from '../../media/ffmpeg-output/sound-begin.ts';
import { tracksIn, type AudioFacts, type SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import type { OwnReading } from '../copies/own-reading.ts';
import type { Child } from '../process/child.ts';
import type { SpawnOptions } from '../process/child-processes.ts';
import type { SourceCaptions } from './source-captions.ts';
import type { SourceCues } from './source-cues.ts';
import { SourceFilters } from './source-filters.ts';
import { receivedLateMs } from './source-rules.ts';
import { SourceTracks, takenBy } from './source-tracks.ts';
import type { SourceWatch } from './source-watch.ts';
import { StreamWatch, type Misfit } from '../watch/stream-watch.ts';
import { playsAsset } from '../../../domain/types/channel-questions.ts';

export interface Reading {
  /** Some media has come: a frame, if the source has video. `isBeside` holds for sound of such a source without its pictures. */
  onMedia(isBeside?: boolean): void;
  /** Takes what the source turns out to be; the child is to end when it returns false. */
  accepts(facts: SourceFacts): boolean;
  /** Nothing is to be shown before it returns true; without it all frames are. */
  hasSettled?(): boolean;
}

/** The arguments and the reading of an ingest's ffmpeg: raw frames, or a transport stream. */
export interface IngestKind {
  fds: number;
  /** The media need not be read at once while nobody waits for it. */
  isPaced?: boolean;
  /** The arguments hold for one set of codecs and configurations. */
  isOfOneFormat?: true;
  args(input: IngestInput, shape: Shape): string[];
  /** Returns a reader of this process; undefined, as without it, where ffmpeg reads the input. */
  own?(input: IngestInput): OwnReading | undefined;
  connect(child: Child, shape: Shape, reading: Reading): void;
  /** Frames a second, where the frame clock paces a source; undefined where nothing does. */
  framesPerSecond?: number;
  /** Viewers have missed some time, so that all is shown that a live source gives at once at its beginning. */
  showsBacklog?(): boolean;
  /** Tells from ffmpeg's stderr at its end whether another try has other arguments. */
  adapts?(stderr: string): boolean;
  /** The next connection may be another's, and have what this one lacked. */
  forget?(): void;
  firstShape: Shape;
}

/** The cues come behind the frames and the samples. */
const CUE_FD = 5;
export const CAPTION_FD = 6;

/** How the ffmpeg of an ingest is started. */
export function spawnOptions({ fds, isPaced = false }: IngestKind, input: IngestInput): SpawnOptions {
  return {
    fds,
    isPaced,
    stdin: input.feeder,
    feed: input.readsStdin === true || input.list !== undefined,
    hideAddresses: input.hidesAddresses === true,
    access: { reads: input.reads ?? [] },
    asksWeb: true,
  };
}

/** The reader of a source's cues, and the times at which its frames leave. */
export interface RawCues {
  reader: SourceCues;
  /** Returns 90 kHz ticks of the stream for `seconds` of the connection whose frames are in `buffer`. */
  outTicks(buffer: SourceBuffer, seconds: number): number | undefined;
}

export interface RawHooks {
  crop(): Crop | null;
  /** Takes what a connection has found, with its first frame; `toneMapped` holds for HDR. */
  onFacts(facts: SourceFacts, toneMapped: boolean): void;
  /** Takes the numbers of the audio tracks that the source lacks; they are silent. */
  onMissing(tracks: number[]): void;
  showsBacklog(): boolean;
  /** The source is a file that is read as its frames are taken. */
  isReadAhead: boolean;
  /** Opens the source anew, with other arguments. */
  reopen(): void;
  /** The source gives other streams by now than its connection takes. */
  onMisfit(misfit: Misfit): void;
}

/** The descriptors of an ffmpeg that gives frames and samples, and what is asked of it first. */
export function rawShape({
  hasVideo,
  audios,
  tracks,
}: Pick<LadderPlan, 'hasVideo' | 'audios' | 'tracks'>): Pick<IngestKind, 'fds' | 'firstShape'> {
  const firstShape = !hasVideo ? 'audio' : audios.length === 0 ? 'video' : 'both';
  return { fds: trackFds(tracks.length - 1).filters + 1, firstShape };
}

/** Whether frames of the shape may be read before they are due. Without pictures nothing holds back the sound. */
function isAhead({ isReadAhead }: Partial<RawHooks>, { hasVideo }: LadderPlan, shape: Shape): boolean {
  return isReadAhead === true && hasVideo && shape !== 'audio';
}

interface RawKindOptions {
  hooks?: Partial<RawHooks> | undefined;
  cues?: RawCues | undefined;
  captions?: SourceCaptions | undefined;
  watch?: SourceWatch | undefined;
}

/** `onBuffer` gets the buffer of each new connection before its first frame; `crop` is asked at each connection. */
export function rawKind(
  source: SourceSpec,
  plan: LadderPlan,
  pool: FramePool,
  onBuffer: (buffer: SourceBuffer) => void,
  { hooks = {}, cues, captions, watch }: RawKindOptions = {},
): IngestKind {
  let isWanted = (_: SourceFacts): boolean => true;
  let pendingFacts: [SourceFacts, boolean] | undefined;
  const tracks = new SourceTracks(plan, hooks.onMissing);
  const filters = new SourceFilters(plan, {
    crop: () => hooks.crop?.() ?? null,
    program: source.settings.program,
    tracks: () => tracks.taken,
    reopen: () => hooks.reopen?.(),
    onFacts(facts, toneMapped) {
      pendingFacts = [facts, toneMapped];
      const audio = tracksIn(facts, source.settings.program);
      watch?.describe(tracks.sources.map((i) => channelsOf(audio[tracks.taken[i] ?? 0])));
      watch?.format.turned(facts.video?.rotation);
      return isWanted(facts);
    },
  });
  return {
    ...rawShape(plan),
    framesPerSecond: fpsOf(plan.rate),
    showsBacklog: () => hooks.showsBacklog?.() === true,
    args(input, shape) {
      const own = isAhead(hooks, plan, shape) ? readAhead(input) : input;
      const { settled, threads } = filters;
      return [
        ...rawIngestArgs(source, own, plan, tracks.shapeOf(shape), { filters: settled, tracks: tracks.taken, threads }),
        ...(shape === 'audio' || input.feeder !== undefined
          ? []
          : (captions?.outputArgs(videoMap(source), CAPTION_FD) ?? [])),
        ...(cues?.reader.outputArgs(CUE_FD) ?? []),
      ];
    },
    adapts(stderr) {
      // All look at the same stderr, and each for its own part of the arguments.
      const adapted = [filters.adapts(stderr), captions?.adapts(stderr) === true, tracks.adapts(stderr)];
      return adapted.includes(true);
    },
    forget: () => tracks.forget(),
    connect(child, shape, { onMedia, accepts, hasSettled }) {
      isWanted = accepts;
      const streams = new StreamWatch(takenBy(plan, source, tracks, shape), (misfit) => hooks.onMisfit?.(misfit));
      const onFrame = (bytes?: Uint8Array): void => {
        if (bytes !== undefined) {
          watch?.frame(bytes);
          streams.came('picture');
        }
        // Before that its filters may still be refused.
        if (pendingFacts !== undefined) hooks.onFacts?.(...pendingFacts);
        pendingFacts = undefined;
        onMedia(bytes === undefined && shape !== 'audio');
      };
      const buffer = new SourceBuffer(plan, pool, tracks.shapeOf(shape), onFrame, {
        tap: child.output(3),
        hasSettled,
        sources: tracks.sources,
        isReadAhead: isAhead(hooks, plan, shape),
      });
      buffer.receivedLateMs = receivedLateMs(source);
      void child.ended.then(() => (buffer.hasEnded = true));
      onBuffer(buffer);
      captions?.connect(child, CAPTION_FD, buffer);
      const deliver = cues?.reader.connect(child, CUE_FD, (seconds) => cues.outTicks(buffer, seconds));
      child.output(3)?.on('data', (chunk: Buffer) => {
        buffer.pushVideo(chunk);
        deliver?.();
      });
      readSound(child, buffer, { sources: tracks.sources, watch, streams });
      filters.connect(child);
      watch?.read(child);
      if (hooks.onMisfit !== undefined && !playsAsset(source)) streams.read(child, watch?.format);
      child.output(1)?.resume();
    },
  };
}

interface SoundReaders {
  /** For each track of the programme, the number of the track that is heard in it. */
  sources: readonly number[];
  watch: SourceWatch | undefined;
  streams: StreamWatch;
}

/** Samples of a track are read when the time of the first one has been said. */
function readSound(child: Child, buffer: SourceBuffer, { sources, watch, streams }: SoundReaders): void {
  const begun = new Set<number>();
  child.alsoRead((line) => {
    const begin = soundBegin(line);
    if (begin === undefined) return;
    const { track, seconds, form } = begin;
    buffer.goOnAt(seconds, track);
    watch?.formed(sources.indexOf(track), form);
    if (begun.has(track)) return;
    begun.add(track);
    child.output(trackFds(track).samples)?.on('data', (chunk: Buffer) => {
      watch?.sound(chunk, sources.indexOf(track));
      streams.came('sound');
      buffer.pushAudio(chunk, track);
    });
  });
}

function channelsOf(audio: AudioFacts | undefined): 1 | 2 | undefined {
  if (audio === undefined || audio.surround) return undefined;
  return audio.mono ? 1 : 2;
}
