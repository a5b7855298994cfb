/** The Debian package in a machine of its own: its commands, its page over TLS, and a broadcast of counted pictures to an RTMP server outside. */
import assert from 'node:assert/strict';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { receive } from './counted-broadcast.ts';
import { flowOf, makeCountedClip, numbersIn, type Flow } from './counted.ts';
import { DebianMachine, HOST, NAME } from './debian-machine.ts';
import { startRtmp, type RtmpServer } from './servers/rtmp.ts';
import { endAll, PROGRAM } from './service.ts';
import { until } from './until.ts';

export const ROOT = dirname(dirname(PROGRAM));
export const FETCH = 'curl -fsS --cacert /etc/onair/tls/cert.pem';
export const PASSWORD = 'a quite long password';
const PICTURES = 4080;
/** The receiver decodes nothing before its first keyframe. */
const MIN_PICTURES = 90;
const RECEIVE_SECONDS = 10;
/** The keyframe distance of the broadcast is two seconds. */
const FIRST_KEYFRAME_MS = 3000;

/** Builds the package of a checkout; answers its path. */
export function buildDeb(checkout: string, folder: string): string {
  const script = join(checkout, 'scripts', 'deb.mjs');
  return execFileSync(process.execPath, [script, folder], { cwd: checkout, encoding: 'utf8' }).trim();
}

export class InstalledService {
  readonly scratch = mkdtempSync(join(tmpdir(), 'onair-machine-'));
  readonly machine = new DebianMachine(join(this.scratch, 'machine'));
  rtmp!: RtmpServer;
  /** A version that does not take the names of its certificate for its own is called by another. */
  server = `https://${NAME}:8090`;
  private receiver: ChildProcess | undefined;

  /** Boots a bare Debian, with packages at hand as its user has downloaded them. */
  async boot(packages: Record<string, string>): Promise<void> {
    await this.machine.make();
    for (const [name, path] of Object.entries(packages)) this.machine.place(path, `root/${name}`);
    this.rtmp = await startRtmp();
    await this.machine.boot();
    await this.run('apt-get update -q');
  }

  async dispose(): Promise<void> {
    this.receiver?.kill('SIGKILL');
    this.machine.end();
    await this.rtmp?.dispose();
    endAll(this.scratch);
  }

  run(line: string, input?: string): Promise<string> {
    return this.machine.run(line, input);
  }

  /** The commands that are printed before a broadcast can be set up. */
  async install(name: string): Promise<void> {
    await this.run(`apt-get install -y -q --no-install-recommends /root/${name}`);
    await this.run(`onair-certificate ${NAME}`);
    await this.isReady();
    await this.run('onair user password admin --password-stdin', `${PASSWORD}\n`);
    await this.run(`onair login ${this.server} --username admin`, `${PASSWORD}\n`);
  }

  async isReady(): Promise<void> {
    await until('the server', () => this.run(`${FETCH} ${this.server}/readyz`).catch(() => undefined), {
      everyMs: 500,
    });
  }

  /** Signs in as the page does; answers the token that its changes bring. The session is in the jar. */
  async signIn(jar: string): Promise<string> {
    const login = JSON.stringify({ username: 'admin', password: PASSWORD });
    const type = "-H 'content-type: application/json'";
    const text = await this.run(`${FETCH} -c ${jar} ${type} -d '${login}' ${this.server}/svcapiv2/security/login`);
    return (JSON.parse(text) as { data: { csrf_token: string } }).data.csrf_token;
  }

  /** The address of the RTMP server as the machine reaches it; a stream key follows. */
  get destination(): string {
    return `rtmp://${HOST}:${this.rtmp.port}/live`;
  }

  /** An operation by the CLI. */
  async call<T = { data: { id: number } }>(words: string, input?: string): Promise<T> {
    return JSON.parse(await this.run(`onair call ${words}`, input)) as T;
  }

  async isOnAir(livestreamId: number): Promise<boolean> {
    const status = this.call<{ data: { status: number } }>(`getLivestreamStatus --livestreamId ${livestreamId}`);
    return status.then(
      ({ data }) => data.status === 2,
      () => false,
    );
  }

  runners(): Promise<string> {
    return this.run("pgrep -f '[o]nair.js runner' | sort | xargs");
  }

  agent(): Promise<string> {
    return this.run('node -p "require(\'/var/lib/onair/data/device/agent.json\').pid"');
  }

  /** Counted pictures to the RTMP server and into a Recording; answers the id of the Live stream on air. */
  async startCounted(): Promise<number> {
    const clip = makeCountedClip(join(this.scratch, 'counted.mp4'), PICTURES);
    this.machine.place(clip, 'root/counted.mp4');
    await this.run('onair upload /root/counted.mp4 --type files');
    const id = async (words: string, body: object): Promise<number> =>
      (await this.call(`${words} -`, JSON.stringify(body))).data.id;
    const channelId = await id('addChannel', { name: 'Counted', type: 'File', settings: { filename: 'counted.mp4' } });
    const settings_video = { codec: 'h264', height: 180, bitrate: 400, fps: 30, preset: 'ultrafast' };
    const encodingId = await id('addEncoding', { name: 'small', settings_video });
    const settings = { url: this.destination, stream_key: 'counted' };
    const elements = [
      await id('addPublishing', { name: 'RTMP', type: 'RTMP', settings }),
      await id('addPublishing', { name: 'Kept', type: 'Record' }),
    ];
    const publishingGroupId = await id('addPublishingGroup', { name: 'All', elements });
    const livestreamId = await id('addLivestream', { name: 'Counted', channelId, encodingId, publishingGroupId });
    await this.run('onair call start_livestream --livestream Counted --quiet');
    return livestreamId;
  }

  /** How the pictures followed each other at the RTMP server while `act` went on, and for some seconds before and after. */
  async picturesDuring(act: () => Promise<unknown>): Promise<Flow> {
    const isPublished = async (): Promise<boolean> => (await this.rtmp.publishing()).includes('counted');
    await until('the stream at the RTMP server', isPublished, { everyMs: 200 });
    // A receiver that comes before the first keyframe takes the stream for one of sound alone.
    await sleep(FIRST_KEYFRAME_MS);
    const { receiver, path } = await until('pictures before it', () => this.receivePictures(), { everyMs: 1000 });
    const ended = once(receiver, 'exit');
    await act();
    const before = numbersIn(path).length;
    await until('pictures after it', () => numbersIn(path).length > before + MIN_PICTURES, { everyMs: 1000 });
    assert.equal(receiver.exitCode, null, 'the RTMP server has ended the stream');
    receiver.kill('SIGKILL');
    await ended;
    return flowOf(numbersIn(path), PICTURES);
  }

  /** False where the receiver has got no pictures in some seconds, as one that took the stream for sound alone. */
  private async receivePictures(): Promise<{ receiver: ChildProcess; path: string } | false> {
    const path = join(this.scratch, `received-${Date.now()}.ts`);
    const receiver = receive(`${this.rtmp.url}/counted`, path);
    this.receiver = receiver;
    // One that finds no stream ends by itself.
    const ended = once(receiver, 'exit');
    for (let second = 0; second < RECEIVE_SECONDS; second += 1) {
      await sleep(1000);
      if (existsSync(path) && numbersIn(path).length > MIN_PICTURES) return { receiver, path };
    }
    receiver.kill('SIGKILL');
    await ended;
    return false;
  }
}
