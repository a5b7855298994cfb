/** Starts from a source that never speaks, and stops at every moment of them. */
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { processesOf, startService, type Service } from '../helpers/service.ts';
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
    for (const waitMs of [0, 50, 300, 1500]) {
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
