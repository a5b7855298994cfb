/**
 * Tells one ffmpeg from another without running it: by its file, and by the libraries that the loader of this machine would give it now. An
 * upgrade replaces one of these files, and another path to libraries leads to other files.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { launchOther } from './launch.ts';
import { findProgram, programOf } from './programs.ts';

/** The loader reads some 200 small tables in 15 ms. */
const LOADER_MS = 5000;
/** The headers of an ELF file and the name of its loader are at its beginning. */
const HEAD_BYTES = 4096;
const ELF_64_LITTLE_ENDIAN = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const PT_INTERP = 3;

/** An ffmpeg that has its codecs in itself is larger, and a program that only starts another one is smaller. */
const MIN_STATIC_BYTES = 4 << 20;

/**
 * Undefined for a program that says nothing about what it runs: a script, or a program that starts another one (snap,
 * firejail, a wrapper).
 */
export async function ffmpegIdentity(): Promise<string | undefined> {
  const program = findProgram(programOf('ffmpeg'));
  if (program === undefined || !basename(program).startsWith('ffmpeg')) return undefined;
  try {
    const libraries = await librariesOf(program);
    const hasCodecs = libraries.some((path) => basename(path).startsWith('libavcodec.'));
    if (!hasCodecs && statSync(program).size < MIN_STATIC_BYTES) return undefined;
    const files = [program, ...libraries];
    return createHash('sha256').update(files.map(stateOf).join('\n')).digest('hex');
  } catch {
    // It cannot be told then; who asks has to run the program.
    return undefined;
  }
}

/** The facts that change with a file: an upgrade may keep its size, and an image of a system the time of its content. Throws for a missing file. */
export function stateOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [path, dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/** Rejects when a library is missing or the file is none that the loader takes. */
async function librariesOf(program: string): Promise<string[]> {
  const loader = loaderOf(program);
  if (loader === null) return [];
  const list = await listOf(loader, program);
  if (list.includes('not found')) throw new Error('A library of ffmpeg is missing.');
  // `libavcodec.so.59 => /lib/libavcodec.so.59 (0x00007f…)`; the loader itself and the kernel's own library have no arrow.
  const libraries = [...list.matchAll(/ => (\/\S+) \(0x/gu)].map((match) => match[1]!);
  return [loader, ...new Set(libraries)];
}

function listOf(loader: string, program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = launchOther(loader, ['--list', program], ['ignore', 'pipe', 'ignore']);
    const timer = setTimeout(() => child.kill('SIGKILL'), LOADER_MS);
    let list = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (list += text));
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(list);
      else reject(new Error(`${loader} ended with ${code ?? 'a signal'}.`));
    });
  });
}

/** The loader that an ELF file names (elf(5)), null for a static one. Throws for any other file. */
export function loaderOf(program: string): string | null {
  const head = beginningOf(program);
  if (!head.subarray(0, ELF_64_LITTLE_ENDIAN.length).equals(ELF_64_LITTLE_ENDIAN)) throw new Error('No ELF file.');
  const tableAt = Number(head.readBigUInt64LE(32));
  const entryBytes = head.readUInt16LE(54);
  const entries = head.readUInt16LE(56);
  if (tableAt + entries * entryBytes > head.length) throw new Error('The ELF file is torn.');
  for (let at = tableAt; at < tableAt + entries * entryBytes; at += entryBytes) {
    if (head.readUInt32LE(at) !== PT_INTERP) continue;
    const begin = Number(head.readBigUInt64LE(at + 8));
    const end = head.indexOf(0, begin);
    if (end < begin) throw new Error('The name of the loader is not where it has to be.');
    return head.toString('latin1', begin, end);
  }
  return null;
}

function beginningOf(path: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
