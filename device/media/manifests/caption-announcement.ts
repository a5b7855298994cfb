/** Announces captions that lie in the video: RFC 8216 §4.3.4.1 in HLS, SCTE 214-1 §7.2.5 in an MPD. */
import type { CaptionChannel } from '../captions/cc-channels.ts';
import { element, type Element } from './xml-text.ts';

const GROUP = 'captions';
const TEXT_GROUP = 'text';

function serviceOf(channel: CaptionChannel): string | undefined {
  return channel.startsWith('SERVICE') ? channel.slice('SERVICE'.length) : undefined;
}

/** INSTREAM-ID with a service came with version 7 (RFC 8216 §7). */
export function playlistVersion(captions: readonly CaptionChannel[], minimum: number): number {
  return captions.some((channel) => serviceOf(channel) !== undefined) ? Math.max(7, minimum) : minimum;
}

export function captionName(channel: CaptionChannel): string {
  const service = serviceOf(channel);
  return service === undefined ? channel : `Service ${service}`;
}

/** Folder of a track of text: WebVTT for HLS, and the same in fragmented MP4 for DASH. */
export function textFolder(channel: CaptionChannel, form: 'vtt' | 'mp4'): string {
  return `text-${channel.toLowerCase()}${form === 'mp4' ? '-mp4' : ''}`;
}

/** Returns a line of the master playlist a track of text. It does not start by itself: players that read the captions show them already. */
export function textMediaLines(texts: readonly CaptionChannel[]): string[] {
  const characteristics =
    'public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound';
  return texts.map(
    (channel) =>
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="${TEXT_GROUP}",NAME="${captionName(channel)}",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="${characteristics}",URI="${textFolder(channel, 'vtt')}/index.m3u8"`,
  );
}

export function textAttributes(texts: readonly CaptionChannel[]): string[] {
  return texts.length === 0 ? [] : [`SUBTITLES="${TEXT_GROUP}"`];
}

/**
 * Returns a line of the master playlist a channel. The language is not known: line 21 does not tell it. Services come first, because hls.js
 * takes the name of a track from the last line with its number, and reads line 21.
 */
export function captionMediaLines(captions: readonly CaptionChannel[]): string[] {
  const isService = (channel: CaptionChannel): boolean => serviceOf(channel) !== undefined;
  const listed = [...captions.filter(isService), ...captions.filter((channel) => !isService(channel))];
  return listed.map((channel) => {
    return `#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="${GROUP}",NAME="${captionName(channel)}",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="${channel}"`;
  });
}

/** Attributes of a variant. Without captions all variants say so, also those that have no video (RFC 8216 §4.3.4.2). */
export function captionAttributes(captions: readonly CaptionChannel[], hasVideo: boolean): string[] {
  if (captions.length === 0) return ['CLOSED-CAPTIONS=NONE'];
  return hasVideo ? [`CLOSED-CAPTIONS="${GROUP}"`] : [];
}

/** Elements of a video adaptation set. `und` is ISO 639-2's word for a language that is not known. */
export function captionAccessibility(captions: readonly CaptionChannel[]): Element[] {
  const line21 = captions.filter((channel) => serviceOf(channel) === undefined).map((channel) => `${channel}=und`);
  const services = captions.flatMap((channel) => serviceOf(channel) ?? []).map((service) => `${service}=lang:und`);
  const of = (kind: string, values: string[]): Element[] =>
    values.length === 0
      ? []
      : [element('Accessibility', { schemeIdUri: `urn:scte:dash:cc:cea-${kind}:2015`, value: values.join(';') })];
  return [...of('608', line21), ...of('708', services)];
}
