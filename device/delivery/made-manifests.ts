/** Manifests that are not sent as they lie on the disk: made once for all viewers that ask for the same version. */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { manifestWithToken, playlistWithToken } from './tokened-manifest.ts';

interface ManifestFile {
  fd: number;
  size: number;
  /** Names the file and its version. */
  etag: string;
  type: string;
}

interface Form {
  /** Carried on in every address; undefined: none. */
  token: string | undefined;
  gzip: boolean;
}

/** Every second or so each manifest on air is another one: these are the versions of the last moments. */
const MAX_KEPT = 64;
/** The manifest of a day of seeking back is some 8 MB, of the usual minute 10 KB. */
const MAX_KEPT_BYTES = 16 << 20;

const readFd = promisify(read);
const zip = promisify<Buffer, Buffer>(gzip);
const kept = new Map<string, Promise<Buffer>>();
let keptBytes = 0;

/** Bytes that others have, too. Rejects with what the filesystem says. */
export function madeManifest(file: ManifestFile, form: Form): Promise<Buffer> {
  const key = `${file.etag} ${form.gzip} ${form.token ?? ''}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make(file, form);
  kept.set(key, made);
  made.then(
    (content) => keep(key, content.length),
    () => kept.delete(key),
  );
  return made;
}

const sizes = new Map<string, number>();

function keep(key: string, size: number): void {
  sizes.set(key, size);
  keptBytes += size;
  for (const [oldest, bytes] of sizes) {
    if (sizes.size <= MAX_KEPT && keptBytes <= MAX_KEPT_BYTES) return;
    sizes.delete(oldest);
    kept.delete(oldest);
    keptBytes -= bytes;
  }
}

async function make({ fd, size, type }: ManifestFile, { token, gzip: zipped }: Form): Promise<Buffer> {
  const content = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readFd(fd, content, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const found = content.subarray(0, filled);
  const carry = type === 'application/dash+xml' ? manifestWithToken : playlistWithToken;
  const written = token === undefined ? found : Buffer.from(carry(found.toString('utf8'), token));
  return zipped ? zip(written) : written;
}
