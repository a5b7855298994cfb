/** The light of video as manifests say it: by its transfer, as ITU-T H.273 counts them. */
import { HLG_TRANSFER, PQ_TRANSFER, type Colour } from '../fmp4/fmp4-codec.ts';
import { element, type Element } from './xml-text.ts';

/** RFC 8216bis §4.4.6.2. */
export type VideoRange = 'SDR' | 'PQ' | 'HLG';

const RANGES: Readonly<Record<number, VideoRange>> = { [PQ_TRANSFER]: 'PQ', [HLG_TRANSFER]: 'HLG' };

export function videoRange(colour: Colour | undefined): VideoRange {
  return RANGES[colour?.transfer ?? 0] ?? 'SDR';
}

const NAMES: Readonly<Record<string, VideoRange>> = { HDR10: 'PQ', HLG: 'HLG' };

/** `name` is that of a look at parameter sets. */
export function namedRange(name: string | null): VideoRange {
  return NAMES[name ?? ''] ?? 'SDR';
}

const CICP = 'urn:mpeg:mpegB:cicp:';

/** A player that does not know PQ must not play it; HLG is a picture on other displays, too (DASH-IF IOP 4.3 §10.4). */
export function colourElements(colour: Colour | undefined): Element[] {
  const range = videoRange(colour);
  if (colour === undefined || range === 'SDR') return [];
  const name = range === 'PQ' ? 'EssentialProperty' : 'SupplementalProperty';
  const { primaries, transfer, matrix } = colour;
  const values = { ColourPrimaries: primaries, TransferCharacteristics: transfer, MatrixCoefficients: matrix };
  return Object.entries(values).map(([what, value]) => element(name, { schemeIdUri: `${CICP}${what}`, value }));
}
