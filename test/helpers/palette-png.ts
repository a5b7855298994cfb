/** Writes a PNG with a palette, a third of one in true colour: pictures that are kept with the sources should be small. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const MAX_COLOURS = 256;
/** How far a rare colour may be from the one that stands for it, in levels of a channel. */
const TOLERANCES = [0, 2, 4, 6, 7];

interface Picture {
  width: number;
  height: number;
  /** RGBA, opaque. */
  data: Uint8Array;
}

/** Surfaces keep their colours; those of few pixels are rounded to them. Throws RangeError for a picture of too many. */
export function palettePng(picture: Picture): Buffer {
  const colours = coloursOf(picture);
  for (const tolerance of TOLERANCES) {
    const places = placesOf(colours, tolerance);
    if (places !== undefined) return written(picture, colours, places);
  }
  throw new RangeError(`The picture has more than ${MAX_COLOURS} colours that differ.`);
}

/** The colour of each pixel, as one number. */
function coloursOf({ width, height, data }: Picture): Uint32Array {
  const at = (pixel: number): number => data[pixel * 4]! * 65_536 + data[pixel * 4 + 1]! * 256 + data[pixel * 4 + 2]!;
  return Uint32Array.from({ length: width * height }, (_, pixel) => at(pixel));
}

interface Places {
  palette: readonly number[];
  /** The place in the palette, by colour. */
  of: ReadonlyMap<number, number>;
}

/** undefined when the palette does not hold them. */
function placesOf(colours: Uint32Array, tolerance: number): Places | undefined {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette: number[] = [];
  const of = new Map<number, number>();
  for (const [colour] of [...counts].sort(([, one], [, other]) => other - one)) {
    const distances = palette.map((known) => distance(known, colour));
    const nearest = distances.indexOf(Math.min(...distances));
    if (nearest >= 0 && distances[nearest]! <= tolerance) {
      of.set(colour, nearest);
      continue;
    }
    if (palette.length === MAX_COLOURS) return undefined;
    of.set(colour, palette.length);
    palette.push(colour);
  }
  return { palette, of };
}

const channelsOf = (colour: number): number[] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function distance(one: number, other: number): number {
  const red = Math.abs((one >> 16) - (other >> 16));
  const green = Math.abs(((one >> 8) & 255) - ((other >> 8) & 255));
  return Math.max(red, green, Math.abs((one & 255) - (other & 255)));
}

/** The chunks of PNG, third edition, §11.2. */
function written({ width, height }: Picture, colours: Uint32Array, { palette, of }: Places): Buffer {
  // Each row begins with its filter, which is none.
  const rows = Buffer.alloc(height * (width + 1));
  colours.forEach((colour, pixel) => {
    rows[pixel + Math.floor(pixel / width) + 1] = of.get(colour)!;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a pixel, which are places in the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const pixels = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
