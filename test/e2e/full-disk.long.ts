/** One Operator fills a small disk by uploads and then by Channels; what ends, darkens or clears goes on, and nothing acknowledged is lost. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { smallDiskMissing } from '../helpers/servers/small-disk.ts';
import {
  endAll,
  makeClip,
  processesOf,
  PROGRAM,
  startService,
  TOKEN,
  type RestReply,
  type Service,
} from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const DISK = '60m';
const PASSWORD = 'canary-first-password-1';

describe('a disk that an Operator fills', { skip: smallDiskMissing() }, () => {
  let service: Service;
  let show: SmallBroadcast;
  let operator = '';
  const assets: string[] = [];
  const channels: number[] = [];
  const filler = (): string => join(service.dataDir, 'filler');

  before(async () => {
    service = await startService({ ONAIR_BOOTSTRAP_PASSWORD: PASSWORD, ONAIR_RATE_LIMIT: '0' }, async (env) => {
      mkdirSync(env['ONAIR_DATA']!, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'none', env['ONAIR_DATA']!]);
    });
    const url = `udp://127.0.0.1:${await freePort()}`;
    show = await smallBroadcast(service, [{ name: 'far', type: 'STREAM', settings: { url } }]);
    const person = { username: 'op', first_name: 'O', last_name: 'P', email: 'op@example.com', user_role: 2 };
    const userId = await service.create('/users', { ...person, password: 'canary-operator-password' });
    const token = await service.rest('POST', '/security/tokens', { name: 'fill', userId });
    operator = token.body.data.token as string;
    assert.ok(operator, JSON.stringify(token.body));
    await goOnAir(service, show.livestreamId);
  });
  after(async () => {
    if (service === undefined) return;
    spawnSync('umount', ['-l', service.dataDir]);
    await service.dispose();
  });

  const asOperator = (): Record<string, string> => ({ authorization: `Bearer ${operator}` });
  const fillUp = (): void => {
    const file = openSync(filler(), 'a');
    assert.throws(() => {
      for (;;) writeSync(file, Buffer.alloc(4096));
    }, /ENOSPC/u);
    closeSync(file);
  };
  const agentPids = (): number[] =>
    processesOf(service.scratch).flatMap(({ pid, command }) => (/ device --dir /u.test(command) ? [pid] : []));
  const free = (): number => {
    const { bavail, bsize } = statfsSync(service.dataDir);
    return bavail * bsize;
  };
  const addChannel = (name: string): Promise<RestReply> => {
    const url = `http://127.0.0.1/${'x'.repeat(1500)}`;
    const channel = { name, type: 'Stream', settings: { url }, description: 'd'.repeat(250) };
    return service.rest('POST', '/channels', channel, asOperator());
  };
  async function upload(filename: string, content: Buffer): Promise<{ status: number; detail: string }> {
    const form = new FormData();
    form.set('fileType', 'files');
    form.set('file', new Blob([content as Uint8Array<ArrayBuffer>]), filename);
    const options = { method: 'POST', headers: asOperator(), body: form };
    const reply = await fetch(`${service.url}/svcapiv2/assets`, options);
    return { status: reply.status, detail: ((await reply.json()) as { detail?: string }).detail ?? '' };
  }
  function assertFull(reply: RestReply): void {
    assert.equal(reply.status, 503, JSON.stringify(reply.body));
    assert.equal(reply.body.code, 'unavailable');
    assert.match(reply.body.detail, /disk of the data folder.*full.*Delete Assets/u);
  }
  async function signIn(): Promise<number> {
    const body = JSON.stringify({ username: 'admin', password: PASSWORD });
    const headers = { 'content-type': 'application/json', origin: service.url };
    return (await fetch(`${service.url}/svcapiv2/security/login`, { method: 'POST', headers, body })).status;
  }
  async function present(): Promise<void> {
    const files = await service.rest('GET', '/assets?fileType=files&pageSize=100');
    const names = files.body.rows.map(({ filename }: { filename: string }) => filename);
    assert.deepEqual(
      assets.filter((name) => !names.includes(name)),
      [],
      'Assets were lost',
    );
    const { total } = (await service.rest('GET', '/channels?pageSize=1')).body.pagination;
    // The first is that of the broadcast.
    assert.equal(total, channels.length + 1, 'Channels were lost, or are there that were refused');
  }

  it('a full disk takes uploads down to its reserve, and the server says why it takes no more', async () => {
    // Long ones first: a multipart upload is there twice for a moment.
    for (const seconds of [20, 2]) {
      const clip = readFileSync(makeClip(join(service.scratch, 'fill.mp4'), seconds, '640x360'));
      for (;;) {
        const name = `a${assets.length}.mp4`;
        const { status, detail } = await upload(name, clip);
        if (status === 201) assets.push(name);
        else {
          assert.equal(status, 503, detail);
          assert.match(detail, /no room.*must stay free.*Delete Assets/u);
          break;
        }
      }
    }
    assert.ok(assets.length > 3, `${assets.length} uploads`);
    assert.ok(free() > 5_000_000, `only ${free()} bytes were left free`);
  });

  it('a full disk takes Channels until the rest is kept for what cannot wait', async () => {
    // A few hundred Channels fill what is left beyond this.
    writeFileSync(filler(), Buffer.alloc(Math.max(0, free() - 2_000_000)));
    let isFull = false;
    while (!isFull) {
      const names = Array.from({ length: 32 }, (_, at) => `c${channels.length}-${at}`);
      for (const reply of await Promise.all(names.map(addChannel))) {
        if (reply.status === 201) channels.push(reply.body.data.id as number);
        else {
          isFull = true;
          assertFull(reply);
        }
      }
    }
    assert.ok(channels.length > 100, `${channels.length} Channels`);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });

  it('a user signs in, blacks out and deletes all the same, with not a byte free', async () => {
    fillUp();
    assertFull(await addChannel('one more'));
    assert.equal(await signIn(), 200);
    const runtime = `/livestreams/${show.livestreamId}/runtimeOptions/blackout`;
    const dark = await service.rest('POST', runtime, { mode: 'Black Frame' });
    assert.equal(dark.status, 200, JSON.stringify(dark.body));
    for (const id of channels.splice(-20)) {
      const reply = await service.rest('DELETE', `/channels/${id}`);
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
    }
    const last = assets.pop()!;
    const gone = await service.rest('DELETE', `/assets/${last}?fileType=files`);
    assert.ok(gone.status < 300, JSON.stringify(gone.body));
  });

  it('a broadcast is stopped where its own log finds no room either', async () => {
    endAtPage(join(service.dataDir, 'device', 'agent.log'));
    fillUp();
    const stop = await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    assert.equal(stop.status, 200, JSON.stringify(stop.body));
    await until('it is off', async () => (await statusOf(service, show.livestreamId)).status === 0);
  });

  it('the server starts again with not a byte free, and the broadcast stays off', async () => {
    const before = agentPids();
    assert.equal(before.length, 1, 'the agent outlived the stop');
    await service.kill('SIGKILL');
    for (const pid of before) process.kill(pid, 'SIGKILL');
    fillUp();
    await service.restart();
    await until('a new agent is there', async () => {
      const { rows } = (await service.rest('GET', '/devices')).body;
      return agentPids().length === 1 && rows[0].online === true;
    });
    assert.equal(await signIn(), 200);
    assert.equal((await statusOf(service, show.livestreamId)).status, 0);
    const runners = processesOf(service.scratch).filter(({ command }) => / runner /u.test(command));
    assert.deepEqual(runners, []);
  });

  it('the server serves in full again once there is room, and after a kill with all that was acknowledged', async () => {
    rmSync(filler());
    for (const name of assets.splice(0, 4))
      assert.ok((await service.rest('DELETE', `/assets/${name}?fileType=files`)).status < 300);
    await until('Channels are taken again', async () => {
      const reply = await addChannel('after');
      if (reply.status === 201) channels.push(reply.body.data.id as number);
      return reply.status === 201;
    });
    const clip = readFileSync(makeClip(join(service.scratch, 'late.mp4'), 2));
    assert.equal((await upload('late.mp4', clip)).status, 201);
    assets.push('late.mp4');
    await goOnAir(service, show.livestreamId);
    await present();
    await service.kill('SIGKILL');
    await service.restart();
    await present();
  });
});

/** The next write to it needs another block. */
function endAtPage(path: string): void {
  appendFileSync(path, `${'x'.repeat(4095 - (statSync(path).size % 4096))}\n`);
}

describe('logs that take nothing', () => {
  it('logs that take nothing end neither the server nor the agent', async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'onair-test-'));
    const url = `http://127.0.0.1:${await freePort()}`;
    mkdirSync(join(scratch, 'data', 'device'), { recursive: true });
    symlinkSync('/dev/full', join(scratch, 'data', 'device', 'agent.log'));
    const env = {
      ...process.env,
      ONAIR_DATA: join(scratch, 'data'),
      ONAIR_PORT: new URL(url).port,
      XDG_CONFIG_HOME: join(scratch, 'config'),
      ONAIR_BOOTSTRAP_TOKEN: TOKEN,
    };
    const log = openSync('/dev/full', 'w');
    const server = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'ignore', log] });
    closeSync(log);
    t.after(() => endAll(scratch));
    await until('the Device is there', async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const reply = await fetch(`${url}/svcapiv2/devices`, { headers }).catch(() => undefined);
      const { rows } = ((await reply?.json()) ?? {}) as { rows?: { online: boolean }[] };
      return rows?.[0]?.online;
    });
    assert.equal(server.exitCode, null);
  });
});
