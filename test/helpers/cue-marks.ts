/** When the cues of a broadcast are, as its manifests and segments say it: each mark with its instant on the wall clock of the stream. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { cueBytes } from '../../device/media/scte35/cue-message.ts';
import { decodeSplice, spliceTicks } from '../../device/media/scte35/scte35.ts';
import { mediaPlaylist, type Playlist } from './broadcast.ts';

export interface Mark {
  /** The element that says it. */
  in: string;
  /** The id of the break, the range or the tag. */
  of: string;
  kind: 'out' | 'in' | 'range' | 'tag';
  atMs: number;
}

const TICKS_PER_MS = 90;
const HLS = 'EXT-X-DATERANGE';

/** `folder`: where the Destination is served; `scratch` takes what it serves. */
export async function marksOfTs(folder: string, scratch: string): Promise<Mark[]> {
  const { playlist, segments } = await served(folder);
  const path = join(scratch, 'marked.ts');
  writeFileSync(path, Buffer.concat(segments));
  const { firstPts, tags } = probe(path);
  const wallMs = (pts: number): number => programDates(playlist.text)[0]! + (pts - firstPts) / TICKS_PER_MS;
  const sections = [...playlist.text.matchAll(/SCTE35-(?:OUT|IN)=(0x[0-9A-F]+)/gu)];
  return [
    ...playlistMarks(playlist.text),
    ...sections.map(([, hex]) => sectionMark('splice_info_section', hex!, wallMs)),
    ...tags.map(({ pts, text }): Mark => ({ in: 'PES of ID3', of: text, kind: 'tag', atMs: wallMs(pts) })),
  ];
}

export async function marksOfCmaf(folder: string): Promise<Mark[]> {
  const { playlist, segments } = await served(folder);
  const text = await (await fetch(`${folder}/manifest.mpd`)).text();
  const isList = (name: string): boolean => ['Period', 'AdaptationSet', 'Representation', 'Event'].includes(name);
  const options = { ignoreAttributes: false, attributeNamePrefix: '', isArray: isList };
  const { MPD } = new XMLParser(options).parse(text) as any;
  const [period] = MPD.Period;
  const startMs = Date.parse(MPD.availabilityStartTime) + Number(/^PT([\d.]+)S$/u.exec(period.start)![1]) * 1000;
  const { presentationTimeOffset, timescale } = period.AdaptationSet[0].Representation[0].SegmentTemplate;
  const offset = Number(presentationTimeOffset) / Number(timescale);
  const events = period.EventStream?.Event ?? [];
  return [
    ...playlistMarks(playlist.text),
    ...events.map((event: any) =>
      sectionMark('EventStream', event.Signal.Binary, () => startMs + Number(event.presentationTime)),
    ),
    ...segments.flatMap(eventBoxes).map(({ seconds, text: of }): Mark => {
      return { in: 'emsg', of, kind: 'tag', atMs: startMs + (seconds - offset) * 1000 };
    }),
  ];
}

async function served(folder: string): Promise<{ playlist: Playlist; segments: Buffer[] }> {
  const master = `${folder}/index.m3u8`;
  const playlist = await mediaPlaylist(master);
  const segments: Buffer[] = [];
  for (const segment of playlist.segments)
    segments.push(Buffer.from(await (await fetch(new URL(segment, playlist.url))).arrayBuffer()));
  return { playlist, segments };
}

/** They are before the first picture of a segment; its times are those of the stream. */
function eventBoxes(segment: Buffer): { seconds: number; text: string }[] {
  if (segment.toString('latin1', 4, 8) !== 'emsg') return [];
  const length = segment.readUInt32BE(0);
  const box = segment.subarray(0, length);
  const seconds = Number(box.readBigUInt64BE(16)) / box.readUInt32BE(12);
  return [{ seconds, text: textOf(box) }, ...eventBoxes(segment.subarray(length))];
}

function playlistMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  let dateMs = NaN;
  const count = { out: 0, in: 0 };
  for (const line of text.split('\n')) {
    const [, date] = /^#EXT-X-PROGRAM-DATE-TIME:(.+)$/u.exec(line) ?? [];
    if (date !== undefined) dateMs = Date.parse(date);
    // These have no names: the first is of the first break.
    if (/^#EXT-X-CUE-OUT(?!-)/u.test(line))
      marks.push({ in: 'EXT-X-CUE-OUT', of: String(++count.out), kind: 'out', atMs: dateMs });
    if (line === '#EXT-X-CUE-IN') marks.push({ in: 'EXT-X-CUE-IN', of: String(++count.in), kind: 'in', atMs: dateMs });
    if (line.startsWith(`#${HLS}:`)) marks.push(...rangeMarks(line));
  }
  return marks;
}

function rangeMarks(line: string): Mark[] {
  const value = (name: string): string | undefined => new RegExp(`[:,]${name}="([^"]+)"`, 'u').exec(line)?.[1];
  const [id, end] = [value('ID')!, value('END-DATE')];
  const atMs = Date.parse(value('START-DATE')!);
  const [, number] = /^cue-(\d+)$/u.exec(id) ?? [];
  if (number === undefined) return [{ in: HLS, of: id, kind: 'range', atMs }];
  // The line of its end repeats its beginning.
  const out: Mark = { in: HLS, of: number, kind: 'out', atMs };
  return end === undefined ? [out] : [out, { in: HLS, of: number, kind: 'in', atMs: Date.parse(end) }];
}

function sectionMark(where: string, text: string, wallMs: (pts: number) => number): Mark {
  const { info } = decodeSplice(cueBytes(text)!);
  if (info?.command.kind !== 'splice_insert') throw new Error(`${where}: ${text}`);
  const { eventId, event } = info.command;
  const kind = event?.outOfNetwork === true ? 'out' : 'in';
  return { in: where, of: String(eventId), kind, atMs: wallMs(spliceTicks(info)!) };
}

function programDates(text: string): number[] {
  return [...text.matchAll(/^#EXT-X-PROGRAM-DATE-TIME:(.+)$/gmu)].map(([, date]) => Date.parse(date!));
}

function probe(path: string): { firstPts: number; tags: { pts: number; text: string }[] } {
  const entries = 'stream=index,codec_name:packet=stream_index,pts,data';
  const args = ['-v', 'error', '-show_data', '-show_entries', entries, '-of', 'json', path];
  const { streams, packets } = JSON.parse(
    execFileSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 512 << 20, timeout: 60_000 }),
  ) as any;
  const of = (codec: string): any[] => {
    const { index } = streams.find((stream: any) => stream.codec_name === codec) ?? {};
    return packets.filter((packet: any) => packet.stream_index === index);
  };
  const tags = of('timed_id3').map(({ pts, data }) => ({ pts, text: textOf(bytesOf(data)) }));
  return { firstPts: Math.min(...of('h264').map(({ pts }) => pts as number)), tags };
}

/** Reads a dump as ffprobe prints it. */
function bytesOf(dump: string): Buffer {
  const hex = dump.replaceAll(/^[0-9a-f]{8}: ((?:[0-9a-f]{2,4} ?)+).*$/gmu, '$1');
  return Buffer.from(hex.replaceAll(/\s/gu, ''), 'hex');
}

/** The text of an ID3 tag of ours: the last words of its one frame. */
function textOf(bytes: Buffer): string {
  const frame = bytes.subarray(bytes.indexOf('TXXX'));
  return /tag-\d+/u.exec(frame.toString('utf8'))![0];
}
