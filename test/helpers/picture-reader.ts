/** Reads the stream of pictures as the operators' page does: a header of 28 bytes, then a JPEG. */
import { until } from './until.ts';

export interface ReadPicture {
  livestreamId: number;
  takenAt: number;
  /** In tenths of dBFS. */
  peaks: [left: number, right: number];
  flags: number;
  width: number;
  jpeg: Buffer;
  /** The last four bytes of the header. */
  rest: number;
  /** When it was read, by performance.now. */
  at: number;
}

export interface PictureReader {
  response: Response;
  pictures: ReadPicture[];
  /** Resolves with the next picture for which `isMeant` is true, of those that come from now on. */
  next(what: string, isMeant?: (picture: ReadPicture) => boolean): Promise<ReadPicture>;
  /** The server has ended the stream. */
  hasEnded(): boolean;
  close(): Promise<void>;
}

const HEADER_BYTES = 28;

export async function readPictures(url: string, want: string, headers: object): Promise<PictureReader> {
  const aborted = new AbortController();
  const response = await fetch(`${url}/svcapiv2/feed/pictures?want=${want}`, {
    headers: headers as Record<string, string>,
    signal: aborted.signal,
  });
  const pictures: ReadPicture[] = [];
  let hasEnded = false;
  const read = async (): Promise<void> => {
    let bytes: Buffer = Buffer.alloc(0);
    for await (const chunk of response.body!) {
      bytes = Buffer.concat([bytes, chunk as Uint8Array]);
      while (bytes.length >= HEADER_BYTES && bytes.length >= HEADER_BYTES + bytes.readUInt32BE(0)) {
        const end = HEADER_BYTES + bytes.readUInt32BE(0);
        pictures.push(pictureIn(bytes.subarray(0, end)));
        bytes = bytes.subarray(end);
      }
    }
    if (bytes.length > 0) throw new Error(`${bytes.length} bytes are left`);
  };
  const reading = read()
    .catch((error: unknown) => {
      if (!aborted.signal.aborted) throw error;
    })
    .finally(() => (hasEnded = true));
  return {
    response,
    pictures,
    hasEnded: () => hasEnded,
    async next(what, isMeant = () => true) {
      const from = pictures.length;
      return until(what, () => pictures.slice(from).find(isMeant));
    },
    async close() {
      aborted.abort();
      await reading;
    },
  };
}

function pictureIn(bytes: Buffer): ReadPicture {
  return {
    livestreamId: bytes.readUInt32BE(4),
    takenAt: bytes.readDoubleBE(8),
    peaks: [bytes.readInt16BE(16), bytes.readInt16BE(18)],
    flags: bytes.readUInt16BE(20),
    width: bytes.readUInt16BE(22),
    rest: bytes.readUInt32BE(24),
    jpeg: Buffer.from(bytes.subarray(HEADER_BYTES)),
    at: performance.now(),
  };
}
