/** Reads the pictures that runners have kept on this Device, and removes old ones. */
import { readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifAbsent } from '../../domain/base/absent.ts';
import { chosenPictures, type KeptPicture, type PicturesWanted } from '../../domain/shapes/reports/kept-pictures.ts';
import { namesIn } from '../../linux/folder.ts';
import { hourOf, parsePictureName, picturesDir, picturesRoot } from './picture-files.ts';

const KEPT_HOURS = 7 * 24;
/** The pictures of a hundred days on air; the oldest hours go first. */
const MAX_BYTES = 1e9;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** Answers them the earliest first. One that was not written to its end, or is gone meanwhile, is left out. */
export async function readPictures(
  deviceDir: string,
  livestreamId: number,
  wanted: PicturesWanted,
): Promise<KeptPicture[]> {
  const { fromSeconds, toSeconds } = wanted;
  const dir = picturesDir(deviceDir, livestreamId);
  const hours = (await hoursIn(dir)).filter((hour) => hour >= hourOf(fromSeconds) && hour <= hourOf(toSeconds));
  const found: (Omit<KeptPicture, 'jpeg'> & { path: string })[] = [];
  for (const hour of hours)
    for (const name of await namesIn(join(dir, String(hour)))) {
      const picture = parsePictureName(name);
      if (picture === undefined || picture.atSeconds < fromSeconds || picture.atSeconds >= toSeconds) continue;
      found.push({ ...picture, path: join(dir, String(hour), name) });
    }
  found.sort((one, other) => one.atSeconds - other.atSeconds);
  const read = chosenPictures(found, wanted).map(async ({ atSeconds, isOfEvent, path }) => {
    const jpeg = await readFile(path).catch(ifAbsent(undefined));
    return jpeg?.subarray(-2).equals(END_OF_IMAGE) === true ? [{ atSeconds, isOfEvent, jpeg }] : [];
  });
  return (await Promise.all(read)).flat();
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
