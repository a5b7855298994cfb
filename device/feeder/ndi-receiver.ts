/** Receives one NDI source and hands it on, until its format changes: the reader is opened anew then. */
import { FeedWriter } from './feed-writer.ts';
import { groupsOf } from './sound-groups.ts';
import { say } from './feed-lines.ts';
import { FeederFailure, FeederUnfit } from './failures.ts';
import type { AudioFrame, NdiRuntime, VideoFrame } from './ndi-runtime.ts';

export interface NdiOrder {
  kind: 'ndi';
  /** Name as announced, or host:port; left out: the first source that is announced. */
  name?: string | undefined;
  discovery: 'auto' | 'typed';
  hosts: readonly string[];
  groups?: readonly number[] | undefined;
}

/** A network announces within three seconds. */
const FIND_MS = 3000;
/** A source that is there begins at once; one that is not is tried again by whoever has started this. */
const FIRST_FRAME_MS = 5000;
/** Sound comes within a frame or two of the first picture. */
const SOUND_MS = 500;
const SILENT_MS = 2000;
/** The runtime says so of a sender that gives no times. */
const UNTIMED = 2n ** 63n - 1n;
const UYVY = 0x59565955;
const UYVA = 0x41565955;
/** Values of frame_format_type. */
const [INTERLEAVED, UPPER, LOWER] = [0, 2, 3];
const MAX_SIDE = 8192;

export function sourceOf(
  runtime: NdiRuntime,
  { name, discovery, hosts }: NdiOrder,
): { name: string; address: string | null } {
  const isTyped = discovery === 'typed' && name !== undefined;
  if (isTyped && /^[\w.-]+:\d+$/u.test(name)) return { name, address: name };
  // The runtime looks for a name itself, but calls no hosts.
  const isIt = (each: { name: string }): boolean => name === undefined || each.name === name;
  const found = isTyped && hosts.length === 0 ? [] : runtime.find(FIND_MS, hosts, isIt);
  const source = found.find(isIt);
  if (source !== undefined) return source;
  if (isTyped) return { name, address: null };
  const seen = found.length === 0 ? 'none is announced' : `announced are ${found.map((each) => each.name).join(', ')}`;
  throw new FeederFailure(
    name === undefined
      ? 'No NDI source is announced in the network.'
      : `The NDI source "${name}" is not announced: ${seen}.`,
  );
}

export class NdiReceiver {
  private readonly runtime: NdiRuntime;
  private readonly groups: readonly number[] | undefined;
  private writer: FeedWriter | undefined;
  private form: string | undefined;
  private video: VideoFrame | undefined;
  private audio: AudioFrame | undefined;
  private firstAt: number | undefined;
  private base: number | undefined;
  private upper: Buffer | undefined;

  constructor(runtime: NdiRuntime, groups: readonly number[] | undefined) {
    this.runtime = runtime;
    this.groups = groups;
  }

  /** Returns when the source has another format; throws FeederFailure. */
  run(source: { name: string; address: string | null }): void {
    const capture = this.runtime.receive(source);
    let lastAt = performance.now();
    let isSilent = false;
    for (let isSame = true; isSame;) {
      const captured = capture();
      const now = performance.now();
      if (captured.kind !== 'none') {
        if (isSilent) say({ signal: true });
        isSilent = false;
        lastAt = now;
        isSame = captured.kind === 'video' ? this.takeVideo(captured.frame) : this.takeAudio(captured.frame);
        continue;
      }
      if (this.firstAt === undefined && now - lastAt > FIRST_FRAME_MS)
        throw new FeederFailure(`The NDI source "${source.name}" sends nothing.`);
      if (this.firstAt !== undefined && !isSilent && now - lastAt > SILENT_MS) {
        isSilent = true;
        say({ signal: false });
      }
    }
  }

  private takeVideo(frame: VideoFrame): boolean {
    assertPlausible(frame);
    if (this.writer === undefined) {
      this.video = { ...frame };
      return this.begin();
    }
    if (this.isChanged()) return false;
    if (this.form !== formOf(frame, this.audio)) return false;
    const lines = this.linesOf(frame);
    if (frame.form === UPPER) {
      // The memory is the runtime's, and goes with the next frame.
      this.upper = Buffer.concat(lines);
      return true;
    }
    if (frame.form === LOWER) {
      if (this.upper !== undefined)
        this.writer.picture(this.timeOf(frame), [woven(this.upper, Buffer.concat(lines), frame.xres * 2)]);
      this.upper = undefined;
      return true;
    }
    this.writer.picture(this.timeOf(frame), lines);
    return true;
  }

  private takeAudio(frame: AudioFrame): boolean {
    if (frame.channels < 1 || frame.samples < 1 || frame.sampleRate < 1) return true;
    if (this.writer === undefined) {
      this.audio = { ...frame };
      return this.begin();
    }
    if (this.audio === undefined || soundOf(frame) !== soundOf(this.audio)) return false;
    const planes = this.runtime.bytesAt(frame.data, frame.stride * frame.channels);
    const plane = (channel: number): Float32Array =>
      new Float32Array(planes.buffer, planes.byteOffset + channel * frame.stride, frame.samples);
    this.writer.sound(this.timeOf(frame), frame.samples, plane);
    return true;
  }

  /** Waits for both kinds of media, or for one of them a moment longer. */
  private begin(): boolean {
    const now = performance.now();
    this.firstAt ??= now;
    const { video, audio } = this;
    if ((video === undefined || audio === undefined) && now - this.firstAt < SOUND_MS) return true;
    const sound = audio && { sampleRate: audio.sampleRate, groups: groupsOf(audio.channels, this.groups) };
    this.form = video && formOf(video, audio);
    this.writer = new FeedWriter(video && pictureOf(video), sound);
    say({
      format: [video && `${video.xres}x${video.yres}`, audio && `${audio.channels} channels`]
        .filter(Boolean)
        .join(', '),
    });
    return true;
  }

  /** Pictures have come where there was sound alone. */
  private isChanged(): boolean {
    return this.form === undefined;
  }

  private linesOf({ data, stride, xres, yres }: VideoFrame): Buffer[] {
    const bytes = this.runtime.bytesAt(data, stride * yres);
    const width = xres * 2;
    if (stride === width) return [bytes];
    return Array.from({ length: yres }, (_, y) => bytes.subarray(y * stride, y * stride + width));
  }

  /** Milliseconds from the first frame, by the sender's clock where it has one. */
  private timeOf({ timestamp }: { timestamp: number | bigint }): number {
    const isTimed = BigInt(timestamp) !== UNTIMED && BigInt(timestamp) !== 0n;
    const ms = isTimed ? Number(timestamp) / 10_000 : performance.now();
    this.base ??= ms;
    return Math.max(0, Math.round(ms - this.base));
  }
}

/** A runtime with other structures gives numbers that mean nothing, and memory that is not there. */
function assertPlausible({ xres, yres, fourCC, rateN, rateD, stride }: VideoFrame): void {
  const isSize =
    xres > 0 && xres <= MAX_SIDE && yres > 0 && yres <= MAX_SIDE && stride >= xres * 2 && stride <= 4 * MAX_SIDE;
  if ([UYVY, UYVA].includes(fourCC) && isSize && rateN > 0 && rateD > 0) return;
  throw new FeederUnfit(
    'The frames of this NDI runtime are in another layout than those of versions 5 and 6; install one of these.',
  );
}

const isFielded = ({ form }: VideoFrame): boolean => form === UPPER || form === LOWER;

function pictureOf(frame: VideoFrame): ConstructorParameters<typeof FeedWriter>[0] {
  const { xres: width, yres, aspect, rateN, rateD, form } = frame;
  const height = isFielded(frame) ? 2 * yres : yres;
  // A sender that leaves it out has square pixels.
  const shape = aspect > 0 ? aspect : width / height;
  const durationNs = Math.round((1e9 * rateD) / rateN);
  return {
    width,
    height,
    aspect: shape,
    format: 'UYVY',
    durationNs,
    isInterlaced: form === INTERLEAVED || isFielded(frame),
  };
}

function formOf(frame: VideoFrame, audio: AudioFrame | undefined): string {
  const { xres, yres, rateN, rateD, form } = frame;
  return [xres, yres, rateN, rateD, isFielded(frame) ? 'fields' : form, audio === undefined ? '' : soundOf(audio)].join(
    ' ',
  );
}

function soundOf({ sampleRate, channels }: AudioFrame): string {
  return `${sampleRate} ${channels}`;
}

function woven(upper: Buffer, lower: Buffer, width: number): Buffer {
  const frame = Buffer.allocUnsafe(upper.length + lower.length);
  for (let y = 0; y * width < upper.length; y += 1) {
    upper.copy(frame, 2 * y * width, y * width, (y + 1) * width);
    lower.copy(frame, (2 * y + 1) * width, y * width, (y + 1) * width);
  }
  return frame;
}
