/** Manifests that are zipped or carry a token: each version is made once for all viewers that ask for it. */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { manifestWithToken, playlistWithToken } from './tokened-manifest.ts';

interface ManifestFile {
  fd: number;
  size: number;
  /** The entity tag names the file and its version. */
  etag: string;
  type: string;
}

interface Form {
  /** The token that every address in the manifest carries on; undefined when none does. */
  token: string | undefined;
  gzip: boolean;
}

/** Each manifest on air changes every second or so: these are the versions of the last moments. */
const MAX_KEPT = 64;
/** A manifest that reaches a day back has some 8 MB, that of the usual minute 10 KB. */
const MAX_KEPT_BYTES = 16 << 20;

const readFd = promisify(read);
const zip = promisify<Buffer, Buffer>(gzip);
const kept = new Map<string, Promise<Buffer>>();
let keptBytes = 0;

/** Other viewers share the bytes, so nobody may change them. Rejects with the error of the filesystem. */
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
