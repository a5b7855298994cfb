/** The form of a source's picture and sound in a few words. */
import type { Schemas } from '../../../client/types.d.ts';

type Ingest = NonNullable<Schemas['Channel']['ingest']>;

export function pictureText({ codec, width, height, fps, interlaced, hdr }: NonNullable<Ingest['video']>): string {
  const scan = interlaced === true ? 'i' : 'p';
  const rate = fps === null ? '' : `${scan}${Number(fps.toFixed(2))}`;
  return [`${width} × ${height}${rate}`, codec.toUpperCase(), hdr].filter((part) => part !== null).join(' · ');
}

const LAYOUTS: Readonly<Record<number, string>> = { 1: 'mono', 2: 'stereo', 6: '5.1', 8: '7.1' };

export function soundText({ codec, channels, sample_rate, language }: Ingest['audio'][number]): string {
  const rate = `${sample_rate / 1000} kHz`;
  return [codec.toUpperCase(), LAYOUTS[channels] ?? `${channels} ch`, rate, language]
    .filter((part) => part !== null)
    .join(' ');
}
