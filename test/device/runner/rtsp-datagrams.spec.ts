/** The UDP ports of a track: whose datagrams are taken. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { test } from 'node:test';
import { DatagramPair } from '../../../device/runner/rtsp/datagram-pair.ts';

import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { until } from '../../helpers/until.ts';

async function at(t: TestScope, address: string): Promise<{ socket: Socket; port: number; came: Buffer[] }> {
  const socket = createSocket('udp4');
  const came: Buffer[] = [];
  socket.on('message', (data) => came.push(data));
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  cleanUp(t, () => void socket.close());
  return { socket, port: socket.address().port, came };
}

test('datagrams are taken from the address of the server alone, and sent to the ports that it names', async (t) => {
  const [media, control, stranger] = [await at(t, '127.0.0.1'), await at(t, '127.0.0.1'), await at(t, '127.0.0.2')];
  const pair = await DatagramPair.open('127.0.0.1', '127.0.0.1');
  cleanUp(t, () => pair.close());
  const got: string[] = [];
  pair.receive((which, data) => got.push(`${which} ${data.toString()}`));
  assert.deepEqual([pair.ports[0] % 2, pair.ports[1] - pair.ports[0]], [0, 1]);
  for (const port of pair.ports) stranger.socket.send('strange', port, '127.0.0.1');
  media.socket.send('media', pair.ports[0], '127.0.0.1');
  control.socket.send('control', pair.ports[1], '127.0.0.1');
  await until('both', () => got.length === 2);
  assert.deepEqual([...got].sort(), ['0 media', '1 control']);
  pair.answerTo([media.port, control.port]);
  pair.send(1, Buffer.from('report'));
  await until('the report', () => control.came.some((data) => data.toString() === 'report'));
  // The first packet to each port opens the way through a router.
  assert.deepEqual([media.came.length, control.came.length, stranger.came.length], [1, 2, 0]);
});
