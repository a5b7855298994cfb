/** The kind of ingest whose packets are those of the source: they go to the fan-out as they are, out of an ffmpeg or a reader of this process. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { playsAsset } from '../../../domain/types/channel-questions.ts';
import { maxReceiveBytes } from '../../../linux/receive-buffer.ts';
import { undecoded } from '../../media/arguments/datagram-url.ts';
import { copyIngestArgs, type IngestInput } from '../../media/arguments/ingest-args.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { CopyHooks } from '../input/ingest-hooks.ts';
import type { IngestKind } from '../input/ingest-kinds.ts';
import type { SourceCues } from '../input/source-cues.ts';
import { SourceTracks } from '../input/source-tracks.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { FanOut } from '../stream/fan-out.ts';
import { watchCopied } from '../watch/copied-streams.ts';
import { OwnReading } from './own-reading.ts';
import { ownReader } from './own-readers.ts';
import type { TransportHooks } from './transport-reader.ts';

const LOST = 'its network has lost them, or its sender has begun anew';
/** The cues come behind the packets. */
const CUE_FD = 3;
/** At the beginning viewers wait for the first segment. */
const PROMPT_MS = 10_000;

interface CopyKindOptions {
  cues?: SourceCues | undefined;
  hooks?: CopyHooks | undefined;
}

/** `takes` is asked of each chunk: what it returns false for is not written. */
export function copyKind(
  source: SourceSpec,
  plan: LadderPlan,
  stream: EncodedStream,
  takes: () => boolean = () => true,
  { cues, hooks = {} }: CopyKindOptions = {},
): IngestKind {
  let from = 0;
  const tracks = new SourceTracks(plan, hooks.onMissing);
  let isWatched = false;
  let isGivenBack = false;
  let wasReadByFfmpeg = false;
  const { packets } = stream.media;
  const give = (push: (to: FanOut) => void): boolean => {
    if (!takes()) return false;
    // A standby is open beside it: a change is that of the source on air.
    stream.onFormat = hooks.onFormat;
    // A file would begin anew.
    if (!playsAsset(source)) stream.onForeign = (kind) => hooks.onMisfit?.({ stream: kind, change: 'coded' });
    if (packets !== undefined) push(packets);
    return true;
  };
  return {
    fds: CUE_FD + 1,
    isPaced: true,
    // ffmpeg 5.1 writes the configurations with which FLV began before every later frame, too.
    isOfOneFormat: true,
    // ffmpeg itself leaves out missing audio (`?` in its -map).
    firstShape: 'video',
    args(input) {
      from = stream.nextSeconds;
      isWatched = !playsAsset(source) && input.beginsAnew !== true;
      return [
        ...copyIngestArgs(source, waitingInKernel(input), plan, from, {
          isTalkative: cues?.isWanted,
          tracks: tracks.taken,
        }),
        ...(cues?.outputArgs(CUE_FD) ?? []),
      ];
    },
    own(input) {
      const open = isGivenBack
        ? undefined
        : ownReader(source, plan, input, transportHooks({ plan, stream, tracks, cues, hooks }));
      if (open === undefined) return undefined;
      stream.newWriter();
      return new OwnReading(open, {
        nextSeconds: () => stream.nextSeconds,
        mayWait: patience(stream),
        take: (chunks, isNamed) => give((to) => to.pushWhole(chunks, isNamed)) && stream.hasStarted,
        onGivenBack(why) {
          isGivenBack = true;
          wasReadByFfmpeg = false;
          hooks.onGivenBack?.(why);
        },
      });
    },
    adapts: (stderr) => tracks.adapts(stderr),
    forget() {
      tracks.forget();
      isGivenBack &&= !wasReadByFfmpeg;
    },
    connect(child, _shape, { onMedia }) {
      wasReadByFfmpeg = true;
      stream.newWriter();
      const startSeconds = from;
      // Cues come before their frames; before the first frame there is nobody to send them to.
      const deliver = cues?.connect(child, CUE_FD, (seconds) =>
        stream.splicePoints.newestTicks === undefined ? undefined : (startSeconds + seconds) * TICKS_PER_SECOND,
      );
      const look = isWatched ? watchCopied(child, plan, stream, (misfit) => hooks.onMisfit?.(misfit)) : undefined;
      child.read((chunk) => {
        if (!give((to) => to.push(chunk))) return;
        look?.();
        deliver?.();
        if (stream.hasStarted) onMedia();
      }, patience(stream));
    },
  };
}

/** Tells while nobody waits for packets of a connection that begins now. */
function patience({ media }: EncodedStream): () => boolean {
  const promptUntil = performance.now() + PROMPT_MS;
  return () => media.packets?.toleratesDelay === true && performance.now() > promptUntil;
}

function waitingInKernel(input: IngestInput): IngestInput {
  return { ...input, args: undecoded(input.args, maxReceiveBytes()) };
}

interface TransportParts extends CopyKindOptions {
  plan: LadderPlan;
  stream: EncodedStream;
  tracks: SourceTracks;
}

function transportHooks({ plan, stream, tracks, cues, hooks }: TransportParts): TransportHooks {
  cues?.readHere();
  return {
    onRecoded: () => stream.newWriter(),
    onChange: (kind, change) => hooks?.onMisfit?.({ stream: kind, change, isFollowed: true }),
    onLacking(numbers) {
      // The only sound of a programme may be missing.
      if (plan.audios.length > 1) tracks.miss(numbers);
    },
    onLost: (places) => hooks?.onLost?.(LOST, places),
    onCue: (section, times) => cues?.take(section, times),
  };
}
