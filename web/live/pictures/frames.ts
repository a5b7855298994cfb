/** The stream of pictures as bytes: a header of 28 bytes, big-endian, then a JPEG; chunks end anywhere. */

export interface LivePicture {
  livestreamId: number;
  /** Milliseconds since 1970, the server's clock. */
  takenAt: number;
  /** dBFS; null is no sound. */
  peakLeft: number | null;
  peakRight: number | null;
  flags: number;
  width: number;
  jpeg: Uint8Array<ArrayBuffer>;
}

const HEADER_BYTES = 28;
const NO_SOUND = -32_768;
/** A picture of 640 × 360 has some 30 kB; a length beyond this one is no length. */
const MAX_JPEG_BYTES = 4_000_000;

/** The whole pictures of `rest` and `chunk`, and the bytes that begin the next one. Throws RangeError for bytes that are no pictures. */
export function takePictures(
  rest: Uint8Array,
  chunk: Uint8Array,
): { pictures: LivePicture[]; rest: Uint8Array<ArrayBuffer> } {
  const bytes = new Uint8Array(rest.length + chunk.length);
  bytes.set(rest);
  bytes.set(chunk, rest.length);
  const view = new DataView(bytes.buffer);
  const pictures: LivePicture[] = [];
  let from = 0;
  while (bytes.length - from >= HEADER_BYTES) {
    const length = view.getUint32(from);
    if (length > MAX_JPEG_BYTES) throw new RangeError(`a picture of ${length} bytes`);
    const end = from + HEADER_BYTES + length;
    if (end > bytes.length) break;
    pictures.push({
      livestreamId: view.getUint32(from + 4),
      takenAt: view.getFloat64(from + 8),
      peakLeft: peakOf(view.getInt16(from + 16)),
      peakRight: peakOf(view.getInt16(from + 18)),
      flags: view.getUint16(from + 20),
      width: view.getUint16(from + 22),
      // Each in a buffer of its own, which a worker hands over without a copy.
      jpeg: bytes.slice(from + HEADER_BYTES, end),
    });
    from = end;
  }
  return { pictures, rest: bytes.slice(from) };
}

function peakOf(tenths: number): number | null {
  return tenths === NO_SOUND ? null : tenths / 10;
}
