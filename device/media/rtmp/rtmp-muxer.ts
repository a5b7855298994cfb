/** Makes RTMP messages of one rendition of the fan-out: H.264 or HEVC, AAC or MP3, beginning with a keyframe at time 0. */
import { avcConfiguration, splitAvc } from '../codecs/avc-configuration.ts';
import { videoFacts } from '../codecs/codec-string.ts';
import { hevcConfiguration, splitHevc } from '../codecs/hevc-configuration.ts';
import { adtsFrames, mp3Header } from '../codecs/sound-frames.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { PesJoiner, type PesPackets, type PesUnit } from '../mpeg-ts/pes-joiner.ts';
import type { ElementaryStream } from '../mpeg-ts/psi.ts';
import type { Amf } from './rtmp-amf0.ts';
import {
  aacFrame,
  aacStart,
  CODEC_IDS,
  metadata,
  mp3Frame,
  videoFrame,
  videoStart,
  type VideoCodec,
} from './rtmp-bodies.ts';
import type { RtmpMessage } from './rtmp-chunks.ts';

/** The tracks as the plan knows them; of a copied source it knows no more than that they come. */
export interface MuxedTracks {
  video: { pid: number; fps?: number; kbps?: number } | undefined;
  audio: { pid: number; kbps?: number; rate?: number; channels?: number } | undefined;
  /** The server knows the headers of Enhanced RTMP. */
  takesHevc: boolean;
}

/** stream_type, ISO/IEC 13818-1 table 2-34. */
const VIDEO_CODECS: Record<number, VideoCodec> = { 0x1b: 'h264', 0x24: 'hevc' };
const SOUND_CODECS: Record<number, 'aac' | 'mp3'> = { 0x0f: 'aac', 0x03: 'mp3', 0x04: 'mp3' };
const [AUDIO, VIDEO, DATA] = [8, 9, 18];
const SAMPLES_PER_FRAME = 1024;

export type MediaMessage = Omit<RtmpMessage, 'stream'>;

export class RtmpMuxer {
  private readonly tracks: MuxedTracks;
  private readonly streams: ReadonlyMap<number, ElementaryStream>;
  private readonly out: (message: MediaMessage) => void;
  private readonly onUnfit: (reason: string) => void;
  private readonly video = new PesJoiner();
  private readonly audio = new PesJoiner();
  private videoConfiguration: Buffer | undefined;
  private audioConfiguration: Buffer | undefined;
  /** Decoding time of the first unit, which becomes time 0. */
  private origin: number | undefined;
  /** The server is told again what comes. */
  private isAnew = false;
  /** A server takes times that go back for a new stream. */
  private lastMs = { video: 0, audio: 0 };

  /** `onUnfit` gets the reason, half a sentence, why what has come cannot be sent. */
  constructor(
    tracks: MuxedTracks,
    streams: ReadonlyMap<number, ElementaryStream>,
    out: (message: MediaMessage) => void,
    onUnfit: (reason: string) => void,
  ) {
    this.tracks = tracks;
    this.streams = streams;
    this.out = out;
    this.onUnfit = onUnfit;
  }

  write(packets: PesPackets & { pid: number }): void {
    const { video, audio } = this.tracks;
    if (packets.pid === video?.pid) for (const unit of this.video.push(packets)) this.writeVideo(unit);
    else if (packets.pid === audio?.pid) for (const unit of this.audio.push(packets)) this.writeAudio(unit);
  }

  /** The media that follows is coded in another way. */
  begins(): void {
    this.finish();
    this.isAnew = this.origin !== undefined;
  }

  flush(): void {
    // Each message goes out by itself.
  }

  /** Only now the last frame is known to be whole. */
  finish(): void {
    for (const unit of this.video.finish()) this.writeVideo(unit);
    for (const unit of this.audio.finish()) this.writeAudio(unit);
  }

  private writeVideo({ pts, dts, key, data }: PesUnit): void {
    const type = this.streams.get(this.tracks.video!.pid)?.type ?? 0;
    const codec = VIDEO_CODECS[type];
    if (codec === undefined || (codec === 'hevc' && !this.tracks.takesHevc))
      return this.onUnfit(
        codec === 'hevc' ? 'carries h264 only, not hevc; use Enhanced RTMP' : 'cannot carry this video',
      );
    const { sets, sample } = codec === 'h264' ? splitAvc(data) : splitHevc(data);
    if (this.origin === undefined && (!key || sets === undefined)) return;
    if (this.origin === undefined) this.begin(dts, codec, videoFacts(type, data));
    const time = this.time('video', dts);
    if (this.isAnew && key) this.describe(time, codec, videoFacts(type, data));
    if (sets !== undefined) this.configure(codec, sets, time);
    if (sample.length === 0) return;
    const delayMs = this.milliseconds(pts) - this.milliseconds(dts);
    this.out({ type: VIDEO, time, body: videoFrame(codec, delayMs, key, sample) });
  }

  private begin(dts: number, codec?: VideoCodec, size?: { width: number; height: number }): void {
    this.origin = dts;
    this.describe(0, codec, size);
  }

  private describe(time: number, codec?: VideoCodec, size?: { width: number; height: number }): void {
    this.isAnew = false;
    const { video, audio } = this.tracks;
    const sound = audio && SOUND_CODECS[this.streams.get(audio.pid)?.type ?? 0];
    const facts: Record<string, Amf> = {
      duration: 0,
      width: size?.width,
      height: size?.height,
      videodatarate: video?.kbps,
      framerate: video?.fps,
      videocodecid: codec && CODEC_IDS[codec],
      audiodatarate: audio?.kbps,
      audiosamplerate: audio?.rate,
      audiosamplesize: audio && 16,
      stereo: audio?.channels === undefined ? undefined : audio.channels > 1,
      audiocodecid: sound && CODEC_IDS[sound],
      encoder: 'onair',
    };
    const known = Object.entries(facts).filter(([, value]) => value !== undefined);
    this.out({ type: DATA, time, body: metadata(Object.fromEntries(known)) });
  }

  /**
   * The encoder repeats the configuration with every keyframe. The server gets it when it is new: a decoder would be set up again each
   * time.
   */
  private configure(codec: VideoCodec, sets: Buffer[], time: number): void {
    const configuration = configurationOf(codec, sets);
    if (configuration === undefined || this.videoConfiguration?.equals(configuration) === true) return;
    this.videoConfiguration = configuration;
    this.out({ type: VIDEO, time, body: videoStart(codec, configuration) });
  }

  private writeAudio({ pts, data }: PesUnit): void {
    if (this.origin === undefined && this.tracks.video === undefined) this.begin(pts);
    // Audio from before the first frame would have a time below zero.
    if (this.origin === undefined || pts < this.origin) return;
    if (this.isAnew && this.tracks.video === undefined) this.describe(this.time('audio', pts));
    const codec = SOUND_CODECS[this.streams.get(this.tracks.audio!.pid)?.type ?? 0];
    if (codec === 'aac') this.writeAac(pts, data);
    else this.writeMp3(pts, data);
  }

  private writeAac(pts: number, data: Buffer): void {
    let ticks = pts;
    for (const { configuration, rate, frame } of adtsFrames(data)) {
      const time = this.time('audio', ticks);
      if (this.audioConfiguration?.equals(configuration) !== true) {
        this.audioConfiguration = configuration;
        this.out({ type: AUDIO, time, body: aacStart(configuration) });
      }
      this.out({ type: AUDIO, time, body: aacFrame(frame) });
      ticks += (SAMPLES_PER_FRAME * TICKS_PER_SECOND) / rate;
    }
  }

  /** The muxers of the transport stream put each frame into a unit of its own. */
  private writeMp3(pts: number, data: Buffer): void {
    const header = mp3Header(data);
    const body = header && mp3Frame(header, data);
    if (body === undefined) return this.onUnfit('carries AAC, or MP3 of 44.1 or 48 kHz, and no other sound');
    this.out({ type: AUDIO, time: this.time('audio', pts), body });
  }

  private time(kind: 'video' | 'audio', ticks: number): number {
    return (this.lastMs[kind] = Math.max(this.milliseconds(ticks), this.lastMs[kind]));
  }

  private milliseconds(ticks: number): number {
    return Math.round(((ticks - this.origin!) * 1000) / TICKS_PER_SECOND);
  }
}

/** Undefined for damaged sets: a decoder that has others goes on with those. */
function configurationOf(codec: VideoCodec, sets: readonly Buffer[]): Buffer | undefined {
  try {
    return codec === 'h264' ? avcConfiguration(sets) : hevcConfiguration(sets);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
