/** A server and a Device of two versions, with a broadcast on air whose pictures are counted. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goOnAir, statusOf, uploadFile } from '../../test/helpers/broadcast.ts';
import { makeCountedClip } from '../../test/helpers/counted.ts';
import { VIDEO } from '../../test/helpers/counted-broadcast.ts';
import { devicesOf } from '../../test/helpers/fleet.ts';
import { giveKnownFfmpeg } from '../../test/helpers/known-ffmpeg.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { endAll, startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { Receiver } from '../drills/receiver.ts';

export const PICTURES = 4080;

export class Pair {
  readonly service: Service;
  readonly receiver: Receiver;
  private readonly dir = mkdtempSync(join(tmpdir(), 'onair-skew-'));
  private readonly env: NodeJS.ProcessEnv;
  private readonly port: number;
  private web = 0;
  private deviceId = 0;
  livestreamId = 0;

  private constructor(service: Service, port: number, receiver: Receiver, token: string) {
    this.service = service;
    this.port = port;
    this.receiver = receiver;
    this.env = { ...process.env, ONAIR_DATA: this.dir, XDG_CONFIG_HOME: this.dir, ONAIR_JOIN_TOKEN: token };
    delete this.env['NODE_OPTIONS'];
  }

  static async open(server: string, device: string): Promise<Pair> {
    const port = await freePort();
    const service = await startService({ ONAIR_DEVICE_PORT: String(port) }, undefined, server);
    const { body } = await service.rest('POST', '/devices/joinTokens', { name: 'other version' });
    const pair = new Pair(service, port, await Receiver.open(), body.data.token as string);
    try {
      const before = new Set((await devicesOf(service)).map(({ id }) => id));
      giveKnownFfmpeg(join(pair.dir, 'device'));
      pair.startAgent(device);
      pair.deviceId = await until('the Device', async () => {
        const rows = await devicesOf(service);
        return rows.find((row) => !before.has(row.id) && row.online && row.capabilities !== null)?.id;
      });
      await pair.makeShow();
      return pair;
    } catch (error) {
      await pair.close();
      throw error;
    }
  }

  async start(): Promise<void> {
    await goOnAir(this.service, this.livestreamId);
    await this.comes();
  }

  async stop(): Promise<void> {
    await this.call('POST', `/livestreams/${this.livestreamId}/stop`);
    await until('off air', async () => (await statusOf(this.service, this.livestreamId)).status === 0);
  }

  /** Ends the agent and starts one of this version on the same folder. What is on air stays. */
  async upgradeAgent(program: string): Promise<void> {
    const { pid } = JSON.parse(readFileSync(join(this.dir, 'device', 'agent.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGTERM');
    await until('offline', async () => !(await this.isOnline()));
    this.startAgent(program);
    await until('online', () => this.isOnline());
    await this.isOnAir();
  }

  async upgradeServer(program: string): Promise<void> {
    await this.service.restart(program);
    await until('online', () => this.isOnline());
    await this.isOnAir();
  }

  /** Changes of the broadcast on air that every version knows. */
  async change(): Promise<void> {
    const path = `/livestreams/${this.livestreamId}/runtimeOptions/publishings`;
    for (const primary of [false, true])
      await this.call('POST', path, { publishings: [{ publishingId: this.web, primary }] });
  }

  async comes(): Promise<void> {
    const now = performance.now();
    await until('pictures', () => this.receiver.hasSince(now));
  }

  async close(): Promise<void> {
    this.receiver.close();
    await this.service.dispose();
    endAll(this.dir);
  }

  private async isOnline(): Promise<boolean> {
    return (await this.service.rest('GET', `/devices/${this.deviceId}`)).body?.data?.online === true;
  }

  private async isOnAir(): Promise<void> {
    await until('on air', async () => (await statusOf(this.service, this.livestreamId)).status === 2);
    await this.comes();
  }

  private startAgent(program: string): void {
    const words = [program, 'device', '--join', `127.0.0.1:${this.port}`, '--media-port', '0'];
    spawn(process.execPath, words, { env: this.env, stdio: 'ignore' });
  }

  private async call(method: string, path: string, body?: object): Promise<void> {
    const reply = await this.service.rest(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  }

  private async makeShow(): Promise<void> {
    const { service } = this;
    const filename = await uploadFile(service, makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES));
    const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings: { filename } });
    const settings_video = { ...VIDEO, height: 180, bitrate: 400, h264: { keyframe_interval: 1 } };
    const encodingId = await service.create('/encodings', { name: '180p', settings_video });
    const stream = { name: 'receiver', type: 'STREAM', settings: { url: this.receiver.url } };
    this.web = await service.create('/publishings', { name: 'web', type: 'HLS / TS' });
    const elements = [await service.create('/publishings', stream), this.web];
    const publishingGroupId = await service.create('/publishings/groups', { name: 'all', elements });
    const group = await service.create('/devices/groups', { name: 'Pool', devices: [this.deviceId] });
    const show = { name: 'Show', channelId, encodingId, publishingGroupId, idEncoderGroup: group };
    this.livestreamId = await service.create('/livestreams', show);
  }
}
