/** Writes HEVC and AAC of the fan-out as an FLV stream with the headers of Enhanced RTMP v1, which no ffmpeg before 6.1 writes. */
import {
  aacFrame,
  aacStart,
  FLV_HEADER,
  FLV_HEADER_SILENT,
  fourCcNumber,
  metadata,
  videoFrame,
  videoStart,
} from './flv-tags.ts';
import { hevcConfiguration, splitHevc } from '../codecs/hevc-configuration.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { PesJoiner, type PesPackets, type PesUnit } from '../mpeg-ts/pes-joiner.ts';

export interface FlvStreams {
  video: { pid: number; width: number; height: number; fps: number; kbps: number };
  /** AAC with ADTS headers. */
  audio: { pid: number; kbps: number } | undefined;
}

const FOUR_CC = 'hvc1';
/** audiocodecid of AAC. */
const AAC = 10;
const SAMPLE_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];
const SAMPLES_PER_FRAME = 1024;

export class FlvMuxer {
  private readonly streams: FlvStreams;
  private readonly out: (bytes: Buffer) => void;
  private readonly video = new PesJoiner();
  private readonly audio = new PesJoiner();
  private pending: Buffer[] = [];
  private videoConfiguration: Buffer | undefined;
  private audioConfiguration: Buffer | undefined;
  /** Decoding time of the first frame, which becomes time 0. */
  private origin: number | undefined;
  /** A server takes times that go back for a new stream. */
  private lastMs = { video: 0, audio: 0 };

  constructor(streams: FlvStreams, out: (bytes: Buffer) => void) {
    this.streams = streams;
    this.out = out;
  }

  write(packets: PesPackets & { pid: number }): void {
    const { video, audio } = this.streams;
    if (packets.pid === video.pid) for (const unit of this.video.push(packets)) this.writeVideo(unit);
    else if (packets.pid === audio?.pid) for (const unit of this.audio.push(packets)) this.writeAudio(unit);
  }

  flush(): void {
    if (this.pending.length === 0) return;
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    this.out(bytes);
  }

  /** Only now the last frame is known to be whole. */
  finish(): void {
    for (const unit of this.video.finish()) this.writeVideo(unit);
    for (const unit of this.audio.finish()) this.writeAudio(unit);
    this.flush();
  }

  private writeVideo({ pts, dts, key, data }: PesUnit): void {
    const { sets, sample } = splitHevc(data);
    if (this.origin === undefined && (!key || sets === undefined)) return;
    this.begin(dts);
    const ms = this.time('video', dts);
    if (sets !== undefined) this.configure(sets, ms);
    if (sample.length === 0) return;
    const delayMs = Math.round(((pts - dts) * 1000) / TICKS_PER_SECOND);
    this.pending.push(videoFrame(ms, delayMs, key, FOUR_CC, sample));
  }

  private begin(dts: number): void {
    if (this.origin !== undefined) return;
    this.origin = dts;
    const { video, audio } = this.streams;
    const facts = {
      duration: 0,
      width: video.width,
      height: video.height,
      videodatarate: video.kbps,
      framerate: video.fps,
      videocodecid: fourCcNumber(FOUR_CC),
      ...(audio !== undefined && { audiodatarate: audio.kbps, audiocodecid: AAC, stereo: 1 }),
    };
    this.pending.push(audio === undefined ? FLV_HEADER_SILENT : FLV_HEADER, metadata(facts));
  }

  /**
   * The encoder repeats the configuration with every keyframe. The server gets it when it is new: a decoder would be set up again each
   * time.
   */
  private configure(sets: Buffer[], ms: number): void {
    const configuration = hevcConfiguration(sets);
    if (this.videoConfiguration?.equals(configuration) === true) return;
    this.videoConfiguration = configuration;
    this.pending.push(videoStart(ms, FOUR_CC, configuration));
  }

  private writeAudio({ pts, data }: PesUnit): void {
    // Audio from before the first frame would have a time below zero.
    if (this.origin === undefined || pts < this.origin) return;
    let ticks = pts;
    for (const { configuration, rate, frame } of adtsFrames(data)) {
      const ms = this.time('audio', ticks);
      if (this.audioConfiguration?.equals(configuration) !== true) {
        this.audioConfiguration = configuration;
        this.pending.push(aacStart(ms, configuration));
      }
      this.pending.push(aacFrame(ms, frame));
      ticks += (SAMPLES_PER_FRAME * TICKS_PER_SECOND) / rate;
    }
  }

  private time(kind: 'video' | 'audio', ticks: number): number {
    const ms = Math.round(((ticks - this.origin!) * 1000) / TICKS_PER_SECOND);
    return (this.lastMs[kind] = Math.max(ms, this.lastMs[kind]));
  }
}

interface AacFrame {
  configuration: Buffer;
  rate: number;
  frame: Buffer;
}

/** Splits ADTS (ISO/IEC 13818-7 §6.2) into frames without their headers, which become an AudioSpecificConfig. */
export function adtsFrames(data: Buffer): AacFrame[] {
  const frames: AacFrame[] = [];
  for (let at = 0; at + 7 <= data.length;) {
    if (data[at] !== 0xff || (data[at + 1]! & 0xf6) !== 0xf0) break;
    const length = ((data[at + 3]! & 3) << 11) | (data[at + 4]! << 3) | (data[at + 5]! >> 5);
    const header = (data[at + 1]! & 1) === 1 ? 7 : 9;
    const rateIndex = (data[at + 2]! >> 2) & 15;
    const rate = SAMPLE_RATES[rateIndex];
    if (rate === undefined || length <= header || at + length > data.length) break;
    const objectType = (data[at + 2]! >> 6) + 1;
    const channels = ((data[at + 2]! & 1) << 2) | (data[at + 3]! >> 6);
    const configuration = Buffer.from([(objectType << 3) | (rateIndex >> 1), ((rateIndex & 1) << 7) | (channels << 3)]);
    frames.push({ configuration, rate, frame: data.subarray(at + header, at + length) });
    at += length;
  }
  return frames;
}
