/** The end of the whole media in a part: a runner that is killed in the middle of a write leaves a torn end. */
import { open, type FileHandle } from 'node:fs/promises';

const TS_PACKET_BYTES = 188;
/** ftyp and moov of a fragmented file take a few kilobytes a track, since its index is in its fragments. */
const MAX_INIT_BYTES = 1 << 20;

/** Cuts the torn end off. Resolves with the bytes that are left: 0 when there is no media in the file. */
export async function trimPart(path: string, container: 'mp4' | 'ts'): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const { size, atime, mtime } = await file.stat();
    const whole = container === 'ts' ? size - (size % TS_PACKET_BYTES) : await endOfFragments(file, size);
    if (whole > 0 && whole < size) {
      await file.truncate(whole);
      // The file's time says when the last of the media was written.
      await file.utimes(atime, mtime);
      await file.sync();
    }
    return whole;
  } finally {
    await file.close();
  }
}

/** Position behind the last fragment that is complete (moof with its mdat, ISO/IEC 14496-12 §8.8.4); 0 when there is none. */
async function endOfFragments(file: FileHandle, size: number): Promise<number> {
  let end = 0;
  let hasHead = false;
  for (let at = 0; at < size;) {
    const box = await readBox(file, at);
    if (box === undefined || at + box.size > size) break;
    at += box.size;
    if (box.type === 'moof') hasHead = true;
    else if (box.type === 'mdat' && hasHead) end = at;
  }
  return end;
}

/** Tells whether the index comes before the media, so that a player can begin before the file has come to its end. */
export async function isFastStart(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    for (let at = 0; at < size;) {
      const box = await readBox(file, at);
      if (box === undefined || box.type === 'mdat') return false;
      if (box.type === 'moov') return true;
      at += box.size;
    }
    return false;
  } finally {
    await file.close();
  }
}

/** ftyp and moov of a file that begins with them; undefined for any other file. */
export async function readInit(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r');
  try {
    for (let at = 0; ;) {
      const box = await readBox(file, at);
      if (box === undefined || !['ftyp', 'moov'].includes(box.type) || box.size > MAX_INIT_BYTES) return undefined;
      at += box.size;
      if (box.type !== 'moov') continue;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(at), 0, at, 0);
      return bytesRead === at ? buffer : undefined;
    }
  } finally {
    await file.close();
  }
}

interface BoxSize {
  type: string;
  size: number;
}

/** Undefined where no box begins. A box of size 0, which goes up to the end of the file, is never written by our muxers. */
async function readBox(file: FileHandle, at: number): Promise<BoxSize | undefined> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(16), 0, 16, at);
  if (bytesRead < 8) return undefined;
  const short = buffer.readUInt32BE(0);
  const size = short === 1 && bytesRead === 16 ? Number(buffer.readBigUInt64BE(8)) : short;
  return size < 8 ? undefined : { type: buffer.toString('latin1', 4, 8), size };
}
