/** Starts that cannot work, stops at every moment, and secrets that must not show. */
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { someOf } from '../helpers/counts.ts';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { processesOf, startService, TOKEN, type Service } from '../helpers/service.ts';
import { letPass } from '../helpers/pass.ts';
import { until } from '../helpers/until.ts';

/** Accepts and never speaks. */
async function silentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

describe('a source that never speaks', () => {
  let service: Service;
  let show: SmallBroadcast;
  let silent: Awaited<ReturnType<typeof silentServer>>;

  before(async () => {
    [service, silent] = await Promise.all([startService(), silentServer()]);
    show = await smallBroadcast(service, [], {
      type: 'Stream',
      settings: { url: `http://127.0.0.1:${silent.port}/live.ts` },
    });
  });
  after(async () => {
    await service.dispose();
    await silent.close();
  });

  it('a start from a source that never speaks can be stopped at every moment', async () => {
    for (const waitMs of someOf([0, 50, 300, 1500], 2)) {
      const start = await service.rest('POST', `/livestreams/${show.livestreamId}/start`, {});
      assert.equal(start.status, 202, JSON.stringify(start.body));
      await letPass(waitMs);
      const stop = await service.rest('POST', `/livestreams/${show.livestreamId}/stop`);
      assert.equal(stop.status, 200, JSON.stringify(stop.body));
      await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
      await until('no process left', () =>
        processesOf(service.scratch).every(({ command }) => !/runner|ffmpeg/u.test(command)),
      );
    }
  });

  it('a start from a source that never speaks is at 1, then at 3 with the reason, and leaves no process', async () => {
    await service.rest('POST', `/livestreams/${show.livestreamId}/start`, {});
    assert.equal((await statusOf(service, show.livestreamId)).status, 1);
    const failed = await until('status 3', async () => {
      const status = await statusOf(service, show.livestreamId);
      assert.notEqual(status.status, 2);
      return status.status === 3 && status;
    });
    assert.match(failed.errorstatus ?? '', /no media within \d+ s/u);
    await until('no process left', () =>
      processesOf(service.scratch).every(({ command }) => !/runner|ffmpeg/u.test(command)),
    );
    const stop = await service.rest('POST', `/livestreams/${show.livestreamId}/stop`);
    assert.equal(stop.status, 200);
    await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
  });
});

describe('secrets', () => {
  const KEY = 'canary-stream-key-9f27c1';
  const URL_SECRET = 'canary-url-token-51b3';
  let service: Service;
  let show: SmallBroadcast;
  let refusing: Awaited<ReturnType<typeof silentServer>>;

  before(async () => {
    [service, refusing] = await Promise.all([startService({ ONAIR_LOG_LEVEL: 'debug' }), silentServer()]);
    show = await smallBroadcast(service, [
      {
        name: 'restream',
        type: 'RTMP',
        settings: {
          url: `rtmp://127.0.0.1:${refusing.port}/live?auth=${URL_SECRET}`,
          stream_key: KEY,
        },
      },
    ]);
  });
  after(async () => {
    await service.dispose();
    await refusing.close();
  });

  it('secrets appear in no answer, event, log, process list or file but the store and the run’s own spec', async () => {
    await goOnAir(service, show.livestreamId);
    const lines = new Set<string>();
    for (let look = 0; look < 30; look += 1) {
      for (const { command } of processesOf(service.scratch)) lines.add(command);
      await letPass(100);
    }
    const answers = await Promise.all(
      [
        '/publishings',
        '/publishings?fields=*',
        '/livestreams?includeDestinations=true',
        `/livestreams/${show.livestreamId}/events?pageSize=500`,
        `/livestreams/${show.livestreamId}/status`,
        '/security/tokens',
        '/devices',
      ].map(async (path) => JSON.stringify((await service.rest('GET', path)).body)),
    );
    const wrong = await service.rest('POST', '/publishings', {
      name: 'bad',
      type: 'RTMP',
      settings: { url: `rtmp://h/${KEY} x`, stream_key: KEY, nope: 1 },
    });
    answers.push(JSON.stringify(wrong.body), service.output(), ...lines);
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`);
    await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
    // The agent removes the folder of a run once its processes have gone.
    await until('the run’s own spec is gone', () => !files(service.dataDir).some((path) => path.endsWith('spec.json')));
    for (const secret of [KEY, URL_SECRET, TOKEN]) {
      const leak = answers.find((answer) => answer.includes(secret));
      assert.equal(leak, undefined, `${secret} in ${leak?.slice(0, 400)}`);
    }
    for (const path of files(service.dataDir)) {
      const text = unlessGone(() => readFileSync(path, 'latin1'), '');
      assert.ok(!text.includes(TOKEN), `the token is in ${path}`);
      if (path.includes('/store/')) continue;
      assert.ok(!text.includes(KEY) && !text.includes(URL_SECRET), `a secret is in ${path}`);
    }
    for (const path of files(join(service.dataDir, 'store')))
      assert.equal(statSync(path).mode & 0o077, 0, `${path} can be read by others`);
  });
});

/** The agent removes the folder of a run that is over, maybe now: what is gone holds nothing. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

function files(folder: string): string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return entry.isFile() ? [path] : [];
  });
}
