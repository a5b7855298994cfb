/** A captured Device dials a server again and again, and says and answers real messages in which any value is another. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { openChannel, serveOver } from '../../../device/agent/dial/dial-out.ts';
import { keySecret } from '../../../device/agent/psk.ts';
import { openDialIn } from '../../../device/link/client.ts';
import { newChannelKey } from '../../../domain/shapes/sources/channel-key.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { addBroadcast } from '../../app/broadcast.ts';
import { startTestApp } from '../../app/test-app.ts';
import { randomOf } from '../../fuzz/mutation.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { letPass } from '../../helpers/pass.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { changed, REAL_MESSAGES } from './garbled.ts';

const CONNECTIONS = 1500;
const MESSAGES = 40;

test(`${CONNECTIONS} connections of nonsense leave the server, the other Device and its broadcast as they are`, async (t) => {
  const app = await startTestApp({ clock: systemClock });
  cleanUp(t, () => app.close());
  const dir = testFolder(t, 'transfers');
  const devices = await app.control.openDevicePort();
  const dialIn = await openDialIn({ host: '127.0.0.1', port: 0, devices, log: silentLog, dir });
  cleanUp(t, () => dialIn.close());
  const { livestreamId } = await addBroadcast(app);
  await app.data('startLivestream', { livestreamId });
  const runId = await until('a run', () => app.device.runIds.at(-1));
  app.device.running(runId);
  await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
  const key = newChannelKey();
  const { id: _id, ...local } = (await app.store.get('devices', app.deviceId))!.row;
  const row = { ...local, name: 'captured', local: false, dials_in: true, link_key: key };
  await app.store.tx((tx) => tx.insert('devices', row));
  const facts = async (): Promise<unknown> => {
    const status = { ...(await app.data('getLivestreamStatus', { livestreamId })), uptime_seconds: 0 };
    return [status, (await app.store.find('events', { where: { livestreamId } })).rows, app.device.calls];
  };
  const before = structuredClone(await facts());

  const random = randomOf(5);
  const hello = await app.device.hello();
  const named = JSON.stringify({ ...REAL_MESSAGES, hello }).replaceAll(REAL_MESSAGES.gone.runId, runId);
  const { hello: realHello, ...real } = JSON.parse(named) as Record<string, unknown>;
  const nonsense = (value: unknown): string =>
    JSON.stringify(changed(value, Buffer.from(Array.from({ length: 3 * random(4) }, () => random(256))))) ?? 'null';
  const messages = Object.values(real);
  const say = async (response: ServerResponse): Promise<void> => {
    for (let count = 0; count < MESSAGES && !response.destroyed; count += 1) {
      response.write(`${nonsense(messages[random(messages.length)])}\n`);
      if (count % 8 === 0) await letPass(1);
    }
    response.end();
  };
  let answered = 0;
  const agent = createServer(({ url = '' }, response) => {
    if (url === '/owner') return void response.end('{}');
    if (url.startsWith('/watch')) return void say(response);
    answered += 1;
    const body = url === '/hello' ? realHello : url === '/recordings' ? { recordings: [] } : { known: true };
    return void response.end(nonsense(body));
  });
  for (let connection = 0; connection < CONNECTIONS; connection += 1) {
    const socket = await openChannel(dialIn.address, keySecret(key), 10_000);
    assert.ok(typeof socket !== 'string', `the server takes connection ${connection}`);
    const watched = new Promise<void>((resolve) => agent.once('request', () => resolve()));
    const session = serveOver(socket, agent);
    await watched;
    await letPass(5);
    session.destroy();
  }
  assert.ok(answered > 0);
  assert.deepEqual(await facts(), before);
  assert.deepEqual(readdirSync(dir), []);
});
