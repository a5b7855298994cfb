/** The shell blocks of the documents, and how each page's are run: one after the other, in a folder of their own, against a real server. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../helpers/ports.ts';
import { makeClip, type Service } from '../helpers/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A start waits for 30 s where its source does not come. */
const BOUND_MS = 120_000;
/** One pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
/** Videos that readers have. */
const VIDEOS = ['talk.mp4', 'service.mp4', 'feed-a.mp4'];
/** The ports of Channels that the documents name; another test may have them. */
const PORTS = ['19350', '19351'];
/** The address that the documents name. */
const DOCUMENTED = 'http://127.0.0.1:8090';

export interface Fence {
  page: string;
  line: number;
  text: string;
  /** The words behind `sh`. */
  marks: string[];
  /** The paragraph before it. */
  before: string;
}

export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export function fencesOf(page: string): Fence[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```(?:sh|bash|shell|console)\b([^\n]*)\n(.*?)^ *```$/gmsu)].map((match) => {
    const [, indent = '', words = '', body = ''] = match;
    const before = text.slice(0, match.index).trimEnd();
    return {
      page,
      line: before.split('\n').length + 2,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gmu'), ''),
      marks: words.split(' ').filter((word) => word !== ''),
      before: before.split(/\n\n/u).at(-1) ?? '',
    };
  });
}

/** A folder with what the documents take for granted: `onair`, `npx onair`, the package, a video, a logo. */
export function makeFolder(service: Service, name: string): string {
  const folder = join(service.scratch, `page-${name.replace(/\W/gu, '-')}`);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = (file: string, words: string): void => {
    writeFileSync(join(bin, file), `#!/bin/sh\n${words} "$@"\n`);
    chmodSync(join(bin, file), 0o755);
  };
  const onair = `exec '${process.execPath}' '${join(ROOT, 'bin', 'onair.js')}'`;
  program('onair', onair);
  program('npx', `[ "$1" = onair ] || exit 127\nshift\n${onair}`);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'onair'));
  for (const file of VIDEOS) makeClip(join(folder, file), 8, '640x360');
  writeFileSync(join(folder, 'bug.png'), Buffer.from(DOT, 'base64'));
  return folder;
}

/** Rejects with Error that shows the block and its output. What a block defines and exports counts for the next ones of its page. */
export async function runFences(service: Service, folder: string, fences: readonly Fence[]): Promise<void> {
  let script = fences.map(({ page, line, text }) => `echo '=== ${page}:${line}' >&2\n${text}`).join('\n');
  script = script.replaceAll(DOCUMENTED, service.url);
  for (const port of PORTS) script = script.replaceAll(port, String(await freePort()));
  writeFileSync(join(folder, 'page.sh'), `set -eu -o pipefail\n${script}`);
  const env = {
    ...service.env,
    ONAIR_URL: service.url,
    ONAIR_TOKEN: service.env['ONAIR_BOOTSTRAP_TOKEN'],
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  };
  const child = spawn('bash', ['page.sh'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: BOUND_MS });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // A program that a block leaves in the background holds the pipes open.
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0)
    throw new Error(`It ended with ${String(code)}; the last block is the one that failed.\n${output.slice(-4000)}`);
}
