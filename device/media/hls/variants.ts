/** Which variant of a master playlist is taken, and which sound beside it. */
import type { MasterPlaylist, SoundRendition, Variant } from './playlist.ts';

/** Codecs (RFC 6381) whose segments are read here; a variant with others is for players of its own. */
const READ = /^(?:avc[13]|hvc1|hev1|mp4a|mp3|ac-3|ec-3|mp4v|dvh1|dvhe)/u;
const VIDEO = /^(?:avc|hvc|hev|av01|vp0?[89]|mp4v|dvh)/u;
const MAX_SOUNDS = 8;

/**
 * Returns the variants in the order in which they are tried: those that can be read first, pictures before sound alone, then the largest
 * picture and the highest rate. `program` counts the variants as ffmpeg does, and names the one that is taken.
 */
export function rankedVariants({ variants }: MasterPlaylist, maxPixels: number, program?: number): Variant[] {
  const named = program === undefined || program === 0 ? undefined : variants[program];
  if (named !== undefined) return [named];
  const rank = (variant: Variant): number[] => [
    Number(variant.codecs.every((codec) => READ.test(codec)) && variant.pixels <= maxPixels),
    Number(hasPictures(variant)),
    variant.pixels,
    variant.bandwidth,
  ];
  return variants.toSorted((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    return y.map((value, i) => value - x[i]!).find((difference) => difference !== 0) ?? 0;
  });
}

function hasPictures({ pixels, codecs }: Variant): boolean {
  return pixels > 0 || codecs.length === 0 || codecs.some((codec) => VIDEO.test(codec));
}

/** Returns the renditions of sound beside the variant: the default first. Those without an address are in the variant itself. */
export function soundsOf({ sounds }: MasterPlaylist, { audioGroup, uri }: Variant): SoundRendition[] {
  const own = sounds.filter(({ group, uri: at }) => group === audioGroup && at !== uri);
  return own.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault)).slice(0, MAX_SOUNDS);
}
