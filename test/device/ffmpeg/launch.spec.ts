/** The reach of an ffmpeg that was broken into: real processes, confined as those of a broadcast are. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { handOnEnvironment } from '../../../bin/environment.ts';
import { launch, type FileAccess, type Sandbox } from '../../../device/ffmpeg/launch.ts';
import { runMedia } from '../../../device/ffmpeg/run.ts';
import { knownSandbox, sandboxFile, sandboxRecord, trySandbox } from '../../../device/ffmpeg/trial.ts';
import { programArguments } from '../../helpers/program.ts';
import { until } from '../../helpers/until.ts';
import type { StarvedStarts } from './fixtures/starved.ts';

const dir = mkdtempSync(join(tmpdir(), 'onair-launch-'));
const data = join(dir, 'data');
const own = join(data, 'device', 'runs', 'one');
const linkKey = join(data, 'link.key');
const socketFile = join(data, 'agent.sock');
const agent = createServer((socket) => socket.end('hello'));
let sandbox: Sandbox;

before(async () => {
  handOnEnvironment();
  mkdirSync(own, { recursive: true });
  writeFileSync(linkKey, 'canary of the link');
  writeFileSync(join(own, 'clip.raw'), 'the media of the broadcast');
  await new Promise<void>((resolve) => agent.listen(socketFile, resolve));
  ({ sandbox } = await trySandbox());
});
after(() => {
  agent.close();
  rmSync(dir, { recursive: true, force: true });
});

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

async function ended(child: ChildProcess): Promise<End> {
  const end: End = { code: null, signal: null, out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (end.out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (end.err += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(Object.assign(end, { code, signal }))));
}

function start(
  args: string[],
  access: FileAccess = {},
  more: { outlives?: boolean; program?: string } = {},
): ChildProcess {
  return launch('ffmpeg', args, { stdio: 'pipe', work: 'read', sandbox, access, ...more });
}

const QUIET = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'];
const ANY = ['-protocol_whitelist', 'file,unix,tcp', '-format_whitelist', 'data', '-f', 'data'];
const AS_IS = ['-map', '0', '-c', 'copy', '-f', 'data'];

/** A demuxer that obeys a stranger would do this: open that file and give its bytes out. */
const reading = (path: string): string[] => [...QUIET, ...ANY, '-i', `file:${path}`, ...AS_IS, 'pipe:1'];
const writing = (path: string): string[] => [
  ...[...QUIET, ...ANY, '-i', `file:${join(own, 'clip.raw')}`, ...AS_IS],
  `file:${path}`,
];
/** Goes on until somebody ends it. */
const WAITING = [...QUIET, '-f', 's16le', '-ar', '8000', '-ac', '1', '-i', 'pipe:0', '-f', 'null', '-'];

function fieldOf(pid: number, file: string, pattern: RegExp): string | undefined {
  return pattern.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1];
}

/** Its handlers of signals are there, which setpriv, prlimit and perl before it have not. */
async function isFfmpeg(pid: number): Promise<void> {
  const SIGTERM_BIT = 1n << 14n;
  await until('ffmpeg that hears signals', () => {
    const caught = BigInt(`0x${fieldOf(pid, 'status', /^SigCgt:\s+(\w+)$/mu) ?? '0'}`);
    return fieldOf(pid, 'comm', /^(.*)$/mu) === 'ffmpeg' && (caught & SIGTERM_BIT) !== 0n;
  });
}

describe('every ffmpeg', () => {
  it('no ffmpeg inherits our environment variables', async () => {
    const shell = join(own, 'env.sh');
    writeFileSync(shell, '#!/bin/sh\nenv\n', { mode: 0o755 });
    Object.assign(process.env, { ONAIR_BOOTSTRAP_TOKEN: 'canary-token', HOME: '/root/canary-home' });
    try {
      const { out } = await ended(start(['-version'], {}, { program: shell }));
      assert.match(out, /^PATH=/mu);
      assert.match(out, /^AV_LOG_FORCE_NOCOLOR=1$/mu);
      assert.doesNotMatch(out, /canary|^ONAIR|^HOME=/mu);
    } finally {
      delete process.env['ONAIR_BOOTSTRAP_TOKEN'];
    }
  });

  it('every ffmpeg is bounded, gains no rights, and is the very process that was started', async () => {
    const child = start(WAITING);
    const end = ended(child);
    await isFfmpeg(child.pid!);
    const limit = (name: string): string => fieldOf(child.pid!, 'limits', new RegExp(`^${name} +(\\w+)`, 'mu'))!;
    assert.ok(Number(limit('Max data size')) <= 3 * 2 ** 30);
    assert.deepEqual([limit('Max core file size'), limit('Max open files')], ['0', '1024']);
    assert.equal(fieldOf(child.pid!, 'status', /^NoNewPrivs:\s+(\d)$/mu), '1');
    assert.equal(fieldOf(child.pid!, 'status', /^PPid:\s+(\d+)$/mu), String(process.pid));
    child.kill('SIGTERM');
    child.stdin!.end();
    // 255 is how ffmpeg takes its leave of a signal that it has heard.
    assert.deepEqual([(await end).code, (await end).signal], [255, null]);
    const killed = start(WAITING);
    killed.kill('SIGKILL');
    assert.equal((await ended(killed)).signal, 'SIGKILL');
  });

  it('a program that does not exist is reported to the caller as any other failure to start', async () => {
    const child = start(WAITING, {}, { program: '/nowhere/ffmpeg' });
    const [error] = (await new Promise<unknown[]>((resolve) => child.once('error', (...args) => resolve(args)))) as [
      NodeJS.ErrnoException,
    ];
    assert.equal(error.code, 'ENOENT');
    assert.match(
      error.message,
      /program \/nowhere\/ffmpeg cannot be started, for it is no executable file\. Install it/u,
    );
    const { failure } = await runMedia('ffprobe', ['-version'], { program: 'no-such-ffprobe' });
    assert.equal(failure?.code, 'ENOENT');
    assert.match(failure.message, /program no-such-ffprobe cannot be started, for it is in none of the folders \//u);
  });

  it('an ffmpeg is found where programs always are when PATH is not set, and is bounded there as ever', async () => {
    const path = process.env['PATH'];
    delete process.env['PATH'];
    let child: ChildProcess;
    try {
      child = start(WAITING);
    } finally {
      process.env['PATH'] = path;
    }
    const end = ended(child);
    await isFfmpeg(child.pid!);
    assert.equal(fieldOf(child.pid!, 'status', /^NoNewPrivs:\s+(\d)$/mu), '1');
    assert.ok(Number(fieldOf(child.pid!, 'limits', /^Max data size +(\w+)/mu)) <= 3 * 2 ** 30);
    if (sandbox !== 'none') assert.equal(fieldOf(child.pid!, 'status', /^Seccomp:\s+(\d)$/mu), '2');
    child.kill('SIGKILL');
    await end;
  });

  it('no ffmpeg is taken from the working directory, though PATH leads there', async () => {
    const folder = mkdtempSync(join(dir, 'project-'));
    const [cwd, path] = [process.cwd(), process.env['PATH']];
    writeFileSync(join(folder, 'ffmpeg'), '#!/bin/sh\necho taken\n', { mode: 0o755 });
    process.chdir(folder);
    try {
      for (const leading of ['', ':', '.', './:', ':/nowhere']) {
        process.env['PATH'] = leading;
        assert.doesNotMatch((await runMedia('ffmpeg', ['-version'], { usesDrivers: true })).stdout, /taken/u, leading);
      }
      const { failure } = await runMedia('ffmpeg', ['-version'], { usesDrivers: true });
      assert.match(failure!.message, /in none of the folders \/nowhere/u);
    } finally {
      process.chdir(cwd);
      process.env['PATH'] = path;
    }
  });
});

describe('a confined ffmpeg', () => {
  const confined = (title: string, body: () => Promise<void>): void =>
    void it(`a confined ffmpeg ${title}`, async (t) =>
      sandbox === 'none' ? t.skip('this kernel confines nothing') : body());

  confined('reads the files that it was given, and no other', async () => {
    const clip = join(own, 'clip.raw');
    assert.equal((await ended(start(reading(clip), { reads: [clip] }))).out, 'the media of the broadcast');
    const secrets = [
      linkKey,
      '/etc/passwd',
      '/etc/shadow',
      `/proc/${process.pid}/environ`,
      join(own, '..', '..', '..', 'link.key'),
    ];
    for (const path of secrets) {
      const { out, err, code } = await ended(start(reading(path), { reads: [clip] }));
      assert.deepEqual([out, code], ['', 1], path);
      assert.match(err, /Permission denied/u, path);
    }
  });

  confined('writes the files and into the folders that it was given, and nowhere else', async () => {
    const [made, folder] = [join(own, 'joined.raw'), join(dir, 'recordings')];
    mkdirSync(folder);
    const access = { reads: [join(own, 'clip.raw')], writes: [made], makesIn: [folder] };
    for (const path of [made, join(folder, 'part-1.raw')]) {
      assert.equal((await ended(start(writing(path), access))).code, 0);
      assert.equal(readFileSync(path, 'utf8'), 'the media of the broadcast');
    }
    for (const path of [linkKey, join(data, 'new'), join(own, 'spec.json'), join(tmpdir(), 'onair-launch-outside')]) {
      const { err, code } = await ended(start(writing(path), access));
      assert.notEqual(code, 0, path);
      assert.match(err, /Permission denied/u, path);
    }
    assert.equal(readFileSync(linkKey, 'utf8'), 'canary of the link');
    assert.ok(!existsSync(join(data, 'new')));
    // Into a folder for parts, not out of it.
    assert.match((await ended(start(reading(join(folder, 'part-1.raw')), { makesIn: [folder] }))).err, /denied/u);
  });

  confined('reads of a home folder neither what lies beside it nor what its build does not need', async () => {
    const home = mkdtempSync(join(dir, 'home-'));
    for (const folder of ['bin', 'lib']) mkdirSync(join(home, folder));
    const secrets = ['credentials.json', 'bin/agent.json', 'lib/journal.txt', 'lib/key.so.txt'].map((name) =>
      join(home, name),
    );
    const library = join(home, 'lib', 'libours.so.1.2');
    for (const path of [...secrets, library]) writeFileSync(path, `canary of ${path}`);
    const script = `#!/bin/sh\nfor f in ${[...secrets, library].join(' ')}; do cat $f; done 2>&1; exec /usr/bin/ffmpeg "$@"\n`;
    for (const program of [join(home, 'ffmpeg'), join(home, 'bin', 'ffmpeg')]) {
      writeFileSync(program, script, { mode: 0o755 });
      const { out } = await ended(start(['-hide_banner', '-version'], {}, { program }));
      assert.match(out, /ffmpeg version/u);
      for (const path of secrets) assert.ok(!out.includes(`canary of ${path}`), `${program} read ${path}`);
      if (program.includes('/bin/')) assert.ok(out.includes(`canary of ${library}`), 'its libraries it has');
    }
  });

  confined('reaches servers, and no socket of this machine', async () => {
    const unix = [...QUIET, '-protocol_whitelist', 'unix', '-format_whitelist', 'data', '-f', 'data'];
    const outcome = await ended(start([...unix, '-i', `unix:${socketFile}`, ...AS_IS, 'pipe:1']));
    assert.equal(outcome.out, '');
    assert.match(outcome.err, /Permission denied/u);
    const server = createServer((socket) => socket.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const tcp = [...QUIET, '-protocol_whitelist', 'tcp', '-format_whitelist', 'data', '-f', 'data'];
    const address = `tcp://localhost:${(server.address() as AddressInfo).port}`;
    const heard = await ended(start([...tcp, '-i', address, ...AS_IS, 'pipe:1']));
    server.close();
    assert.equal(heard.out, 'hello', heard.err);
  });

  confined('reads a file that this process has open, though its name is gone', async () => {
    const path = join(dir, 'deleted.raw');
    writeFileSync(path, 'still there');
    const fd = openSync(path, 'r');
    rmSync(path);
    const { stdout } = await runMedia('ffmpeg', reading('/proc/self/fd/3'), { files: [fd] });
    assert.equal(stdout, 'still there');
  });
});

it('a runner uses the sandbox trial of its agent from the same boot, and otherwise makes a trial itself', async () => {
  const tried = await knownSandbox(dir);
  assert.equal(tried, sandbox);
  writeFileSync(sandboxFile(dir), JSON.stringify(sandboxRecord({ sandbox: 'none' })));
  assert.equal(await knownSandbox(dir), 'none');
  writeFileSync(sandboxFile(dir), JSON.stringify({ sandbox: 'none', bootId: 'another' }));
  assert.equal(await knownSandbox(dir), sandbox);
  writeFileSync(sandboxFile(dir), 'torn');
  assert.equal(await knownSandbox(dir), sandbox);
});

it('a program that cannot be started for want of a descriptor says so, and ends nothing else', () => {
  const entry = programArguments(new URL('fixtures/starved.ts', import.meta.url));
  const starts = JSON.parse(execFileSync(process.execPath, entry, { encoding: 'utf8' })) as StarvedStarts;
  assert.deepEqual({ ...starts, warned: starts.warned.length }, { error: 'EMFILE', out: '', viewers: 1, warned: 1 });
});
