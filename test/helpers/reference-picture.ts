/** Compares what a page looks like with a picture of it that is kept, by pixels. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { palettePng } from './palette-png.ts';

/** The share of all pixels that may differ. */
const MAX_DIFFERENT = 0.001;
/** The threshold of pixelmatch, from 0 to 1: what a palette rounds is below it, another colour of a surface is not. */
const THRESHOLD = 0.03;
/** Answers that are under way have arrived by then. */
const PATIENCE_MS = 20_000;
const BETWEEN_MS = 500;
/** As many in a row are the same before a picture is kept. */
const STILL = 4;

export interface References {
  folder: string;
  /** Keeps what the page looks like now, in place of a comparison. */
  isRenewed: boolean;
  /** The command that renews all, for the message of a failure. */
  command: string;
}

type Shot = () => Promise<Buffer>;

interface Difference {
  pixels: number;
  total: number;
  image: PNG;
}

/** Throws Error when more than a thousandth of all pixels differ; a page that is still being painted has time to come to rest. */
export async function assertLooksAsKept(references: References, name: string, shoot: Shot): Promise<void> {
  const path = join(references.folder, `${name}.png`);
  if (references.isRenewed) {
    mkdirSync(references.folder, { recursive: true });
    writeFileSync(path, palettePng(await stillPicture(name, shoot)));
    return;
  }
  if (!existsSync(path)) throw new Error(`There is no ${path}. Make it: ${references.command}`);
  const kept = PNG.sync.read(readFileSync(path));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const made = await shoot();
    const found = difference(kept, PNG.sync.read(made));
    if (found !== undefined && found.pixels <= found.total * MAX_DIFFERENT) return;
    if (performance.now() > deadline) throw new Error(explained(references, { name, path, made, found }));
    await sleep(BETWEEN_MS);
  }
}

/** undefined when the sizes differ. */
function difference(kept: PNG, made: PNG): Difference | undefined {
  const { width, height } = kept;
  if (made.width !== width || made.height !== height) return undefined;
  const image = new PNG({ width, height });
  return {
    pixels: pixelmatch(kept.data, made.data, image.data, width, height, { threshold: THRESHOLD }),
    total: width * height,
    image,
  };
}

interface Failure {
  name: string;
  path: string;
  made: Buffer;
  found: Difference | undefined;
}

function explained({ command }: References, { name, path, made, found }: Failure): string {
  const folder = mkdtempSync(join(tmpdir(), 'onair-pictures-'));
  const madePath = join(folder, `${name}.png`);
  writeFileSync(madePath, made);
  const next = `If it is meant, renew the pictures: ${command}`;
  if (found === undefined) return `The picture ${madePath} has another size than ${path}. ${next}`;
  const { pixels, total, image } = found;
  const differencePath = join(folder, `${name}-difference.png`);
  writeFileSync(differencePath, PNG.sync.write(image));
  const share = ((pixels / total) * 100).toFixed(2);
  return `${pixels} of ${total} pixels (${share} %) of ${madePath} differ from ${path}, marked in ${differencePath}. ${next}`;
}

async function stillPicture(name: string, shoot: Shot): Promise<PNG> {
  const deadline = performance.now() + PATIENCE_MS;
  let last = await shoot();
  for (let same = 1; same < STILL;) {
    if (performance.now() > deadline) throw new Error(`${name} does not come to rest.`);
    await sleep(BETWEEN_MS);
    const next = await shoot();
    same = next.equals(last) ? same + 1 : 1;
    last = next;
  }
  return PNG.sync.read(last);
}
