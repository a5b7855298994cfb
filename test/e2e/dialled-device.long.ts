/** A Device that dials the server: it joins by a token, is on air while the server is killed and while the line is cut, and nothing is missing. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, mediaPlaylist, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { openLine, type Line } from '../helpers/line.ts';
import { freePort } from '../helpers/ports.ts';
import { endAll, pidsOf, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

describe('a Device that dials the server', () => {
  const dir = mkdtempSync(join(tmpdir(), 'onair-dialling-'));
  let service: Service;
  let show: SmallBroadcast;
  let line: Line;
  let deviceId: number;
  let output = '';

  before(async () => {
    const port = await freePort();
    service = await startService({ ONAIR_DEVICE_PORT: String(port) });
    line = await openLine(port);
    show = await smallBroadcast(service);
  });
  after(async () => {
    await service?.dispose();
    line?.close();
    endAll(dir);
  });

  const device = (token: string): ChildProcess => {
    const env: NodeJS.ProcessEnv = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir, ONAIR_JOIN_TOKEN: token };
    delete env['NODE_OPTIONS'];
    const words = [PROGRAM, 'device', '--join', `127.0.0.1:1,127.0.0.1:${line.port}`, '--media-port', '0'];
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return child;
  };
  const isOnline = async (): Promise<boolean> =>
    (await service.rest('GET', `/devices/${deviceId}`)).body.data.online === true;
  const runners = (): number[] => pidsOf(dir, /onair\S* runner/u);
  const playlist = (): string => {
    const record = JSON.parse(readFileSync(join(dir, 'device', 'agent.json'), 'utf8')) as { mediaUrl: string };
    return `${record.mediaUrl}/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
  };
  /** Segments go on from `first` without a gap. */
  const goesOn = async (first: Awaited<ReturnType<typeof mediaPlaylist>>, before: number[]): Promise<void> => {
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    assert.deepEqual(runners(), before, 'the encoder has noticed nothing');
    const later = await until('newer segments', async () => {
      const now = await mediaPlaylist(playlist());
      return now.mediaSequence + now.segments.length > first.mediaSequence + first.segments.length && now;
    });
    assert.equal(later.discontinuities, 0);
  };

  it('joins with a token over a list whose first server is dead, and goes on air with a file that only the server had', async () => {
    const made = await service.rest('POST', '/devices/joinTokens', { name: 'van' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { token } = made.body.data as { token: string };
    device(token);
    deviceId = await until('the Device', async () => {
      const { body } = await service.rest('GET', '/devices?fields=*');
      const rows = body.rows as { id: number; online: boolean; capabilities: unknown }[];
      return rows.find(({ id, online, capabilities }) => id !== 1 && online && capabilities !== null)?.id;
    });
    const idEncoderGroup = await service.create('/devices/groups', { name: 'Pool', devices: [deviceId] });
    await service.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup });
    await goOnAir(service, show.livestreamId);
    assert.equal(runners().length, 1);
    const kept = JSON.parse(readFileSync(join(dir, 'device', 'pairing.json'), 'utf8')) as { key: string };
    const listed = await service.rest('GET', '/devices/joinTokens?fields=*');
    assert.equal(listed.body.rows[0].used, 1);
    const all = output + service.output() + JSON.stringify(listed.body);
    assert.ok(!all.includes(token) && !all.includes(kept.key), 'no secret is shown again');
  });

  it('stays on air without a gap while the server is killed and while the line is cut', async () => {
    const before = runners();
    const first = await mediaPlaylist(playlist());
    await service.kill('SIGKILL');
    await service.restart();
    await until('online', isOnline);
    await goesOn(first, before);
    const second = await mediaPlaylist(playlist());
    line.cut();
    await until('online', isOnline);
    await goesOn(second, before);
  });

  it('a machine with a revoked token ends with the reason and an exit code', async () => {
    const { body } = await service.rest('POST', '/devices/joinTokens', { name: 'gone' });
    await service.rest('DELETE', `/devices/joinTokens/${body.data.kid}`);
    const other = mkdtempSync(join(tmpdir(), 'onair-dialling-'));
    const env = { ...process.env, ONAIR_DATA: other, XDG_CONFIG_HOME: other, ONAIR_JOIN_TOKEN: body.data.token };
    const words = [PROGRAM, 'device', '--join', `127.0.0.1:${line.port}`, '--media-port', '0'];
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((done) => void child.once('close', done));
    endAll(other);
    assert.notEqual(code, 0);
    assert.match(output, /revoked[\s\S]*createJoinToken/u);
  });
});
