/** Reads the pictures that runners have kept on this Device, and removes old ones. */
import { readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifAbsent } from '../../domain/base/absent.ts';
import { chosenPictures, type KeptPicture, type PicturesWanted } from '../../domain/shapes/reports/kept-pictures.ts';
import { namesIn } from '../../linux/folder.ts';
import { hourOf, parsePictureName, pictureName, picturesDir, picturesRoot, type PictureName } from './picture-files.ts';

const KEPT_HOURS = 7 * 24;
/** The pictures of a hundred days on air; the oldest hours go first. */
const MAX_BYTES = 1e9;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** Answers a JPEG for each keyframe, undefined for one that does not decode. Never rejects. */
export type Decode = (keyframes: readonly Buffer[]) => Promise<(Buffer | undefined)[]>;

/** Answers them the earliest first. One that was not written to its end, or is gone meanwhile, is left out. */
export async function readPictures(
  deviceDir: string,
  livestreamId: number,
  wanted: PicturesWanted,
  decode: Decode,
): Promise<KeptPicture[]> {
  const { fromSeconds, toSeconds } = wanted;
  const dir = picturesDir(deviceDir, livestreamId);
  const hours = (await hoursIn(dir)).filter((hour) => hour >= hourOf(fromSeconds) && hour <= hourOf(toSeconds));
  const found: (PictureName & { path: string })[] = [];
  for (const hour of hours)
    for (const name of await namesIn(join(dir, String(hour)))) {
      const picture = parsePictureName(name);
      if (picture === undefined || picture.atSeconds < fromSeconds || picture.atSeconds >= toSeconds) continue;
      found.push({ ...picture, path: join(dir, String(hour), name) });
    }
  found.sort((one, other) => one.atSeconds - other.atSeconds);
  const read = await Promise.all(
    chosenPictures(found, wanted).map(async (file) => ({
      ...file,
      bytes: await readFile(file.path).catch(ifAbsent(undefined)),
    })),
  );
  await decodeThose(read, decode);
  return read.flatMap(({ atSeconds, isOfEvent, bytes: jpeg }) =>
    jpeg?.subarray(-2).equals(END_OF_IMAGE) === true ? [{ atSeconds, isOfEvent, jpeg }] : [],
  );
}

interface ReadPicture extends PictureName {
  path: string;
  bytes: Buffer | undefined;
}

/** They are JPEGs from then on. */
async function decodeThose(read: readonly ReadPicture[], decode: Decode): Promise<void> {
  const coded = read.flatMap((file) =>
    file.isCoded && file.bytes !== undefined ? [{ file, keyframe: file.bytes }] : [],
  );
  const jpegs = await decode(coded.map(({ keyframe }) => keyframe));
  for (const [at, { file }] of coded.entries()) {
    const jpeg = jpegs[at];
    file.bytes = jpeg;
    if (jpeg === undefined) continue;
    try {
      await writeFile(join(dirname(file.path), pictureName({ ...file, isCoded: false })), jpeg, { mode: 0o600 });
      await rm(file.path, { force: true });
    } catch {
      // It is decoded again then.
    }
  }
}

/** The earliest first. */
async function hoursIn(dir: string): Promise<number[]> {
  const names = (await namesIn(dir)).filter((name) => /^\d+$/u.test(name));
  return names.map(Number).sort((one, other) => one - other);
}

/** Removes pictures of more than a week ago, and the oldest hours of more than a gigabyte. Rejects with the error of the filesystem. */
export async function sweepPictures(deviceDir: string, nowMs: number): Promise<void> {
  const root = picturesRoot(deviceDir);
  const folders: { path: string; hour: number }[] = [];
  for (const livestream of await namesIn(root)) {
    const dir = join(root, livestream);
    for (const hour of await hoursIn(dir)) folders.push({ path: join(dir, String(hour)), hour });
    // rmdir(2) removes only an empty folder.
    await rmdir(dir).catch(() => undefined);
  }
  const oldest = hourOf(nowMs / 1000) - KEPT_HOURS;
  let bytes = 0;
  for (const { path, hour } of folders.sort((one, other) => other.hour - one.hour)) {
    if (hour >= oldest) bytes += await bytesIn(path);
    if (hour < oldest || bytes > MAX_BYTES) await rm(path, { recursive: true, force: true });
  }
}

async function bytesIn(dir: string): Promise<number> {
  let bytes = 0;
  for (const name of await namesIn(dir)) {
    const entry = await stat(join(dir, name)).catch(ifAbsent(undefined));
    bytes += (entry?.blocks ?? 0) * 512;
  }
  return bytes;
}
