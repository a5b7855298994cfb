/**
 * Reads the captions of a source beside its frames. Its ffmpeg gives the packets of the video stream without the pictures in them: SEI and
 * user data are left, some kilobits a second, with the time of their frame.
 */
import {
  elementaryBytes,
  PACKET_BYTES,
  PacketSplitter,
  payloadStart,
  pidOf,
  readPts,
  startsUnit,
  TICKS_PER_SECOND,
  Unwrapper,
} from '../mpeg-ts/mpeg-ts.ts';
import type { FrameCaptions } from './cc-data.ts';
import { frameCaptions } from './cc-unit.ts';
import { ProgramReader } from '../mpeg-ts/program-reader.ts';

/** Times begin here: those of a decoder are before the first frame where frames are reordered, and ffmpeg shifts all below 0. */
const OFFSET_SECONDS = 10;
/** SEI of H.264, prefix SEI of HEVC, user data of MPEG-2; to the other codecs these numbers mean little else. */
const UNITS = '6|39|178';

/** A packet without a time would end all outputs of ffmpeg. */
const TIMED = 'setts=pts=if(eq(PTS\\,NOPTS)\\,DTS\\,PTS)';

/**
 * Returns one more output of the ingest's ffmpeg; `map` is the -map of its video. For the bitstream filters of ffmpeg (5.1) itself a file
 * that loops ends at each turn, and they take no packet any more; those of its tee muxer do not notice, and it needs a -map.
 */
export function captionOutput(map: readonly string[], fd: number): string[] {
  const units = `filter_units=pass_types=${UNITS}`;
  const filters = `${units},${TIMED}`;
  const times = [
    ...['-muxdelay', '0', '-muxpreload', '0', '-flush_packets', '1'],
    ...['-output_ts_offset', String(OFFSET_SECONDS)],
  ];
  // A length in each unit tells where it ends; otherwise the reader would have to wait for the next.
  if (map.length === 0)
    return [
      ...['-c', 'copy', '-an', '-sn', '-dn', '-bsf:v', filters, ...times],
      ...['-omit_video_pes_length', '0', '-f', 'mpegts', `pipe:${fd}`],
    ];
  // The tee muxer's own separators are escaped once more.
  const inner = `${units.replaceAll('|', '\\|')},${TIMED.replaceAll('\\', '\\\\')}`;
  const muxer = `f=mpegts:omit_video_pes_length=0:flush_packets=1:max_delay=0:bsfs/v='${inner}'`;
  return [...map, '-c', 'copy', ...times, '-f', 'tee', `[${muxer}]pipe:${fd}`];
}

/** ffmpeg knows the units of some codecs alone; those of the others carry no captions of this kind. */
export function isWithoutUnits(stderr: string): boolean {
  return /is not supported by the bitstream filter 'filter_units'/u.test(stderr);
}

export interface ReadCaptions extends FrameCaptions {
  /** Seconds since the source's first instant. */
  seconds: number;
}

interface Unit {
  seconds: number;
  parts: Buffer[];
  missing: number;
}

export class CaptionReader {
  private readonly splitter = new PacketSplitter();
  private readonly time = new Unwrapper();
  private readonly tables = new ProgramReader();
  private video: { pid: number; type: number } | undefined;
  private unit: Unit | undefined;

  /** Returns captions in the order in which their frames were decoded. */
  push(chunk: Buffer): ReadCaptions[] {
    const data = this.splitter.push(chunk);
    const captions: ReadCaptions[] = [];
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      for (const { streams } of this.tables.push(data, at)) this.video = streams?.[0] ?? this.video;
      if (pidOf(data, at) === this.video?.pid) captions.push(...this.take(data, at));
    }
    return captions;
  }

  private take(data: Buffer, at: number): ReadCaptions[] {
    if (startsUnit(data, at)) {
      const pts = readPts(data, at);
      const pes = payloadStart(data, at);
      if (pts === undefined) return [];
      const seconds = this.time.unwrap(pts) / TICKS_PER_SECOND - OFFSET_SECONDS;
      // PES_packet_length counts what follows it: three bytes of the header, the rest of which is named in the third.
      const missing = data.readUInt16BE(pes + 4) - 3 - data[pes + 8]!;
      this.unit = { seconds, parts: [], missing };
    }
    const { unit } = this;
    if (unit === undefined) return [];
    const part = elementaryBytes(data, at);
    // Packets without payload could come for ever.
    if (part.length > 0) unit.parts.push(Buffer.from(part));
    unit.missing -= part.length;
    if (unit.missing > 0) return [];
    this.unit = undefined;
    const captions = frameCaptions(this.video!.type, Buffer.concat(unit.parts));
    return captions.map((frame) => ({ ...frame, seconds: unit.seconds }));
  }
}
