/** RTMP that is pulled, and whose outputs tolerate delay, is read ten times a second: all of it and in order. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { parseNetworks, Reach } from '../../../domain/network/networks.ts';
import { writeAmf, type Amf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { writeChunks, type RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { RtmpLink } from '../../../device/runner/flv/rtmp-link.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { settled } from '../../helpers/pass.ts';

const TURN_MS = 100;
/** S0, S1 and S2. */
const GREETING = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
const command = (...values: Amf[]): Buffer => writeChunks({ type: 20, stream: 0, body: writeAmf(...values) }, 3, 128);

/** Gives a stream to whoever plays: `player` is its connection. */
async function server(t: TestScope): Promise<{ url: string; player: Promise<Socket> }> {
  let onPlayer: (socket: Socket) => void = () => undefined;
  const player = new Promise<Socket>((resolve) => (onPlayer = resolve));
  const listener = createServer((socket) => {
    const answers: [call: string, answer: Buffer][] = [
      ['', GREETING],
      ['connect', command('_result', 1, {}, {})],
      ['createStream', command('_result', 2, null, 1)],
    ];
    let heard = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1');
      for (; answers.length > 0 && heard.includes(answers[0]![0]); answers.shift()) socket.write(answers[0]![1]);
      if (heard.includes('play')) onPlayer(socket);
    });
    cleanUp(t, () => socket.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  cleanUp(t, () => listener.close());
  return { url: `rtmp://127.0.0.1:${(listener.address() as AddressInfo).port}/live/key`, player };
}

test('a pulled stream that may wait is read once a turn, and one that may not as it comes', async (t) => {
  const { url, player } = await server(t);
  let mayWait = true;
  let got = '';
  const onMessage = ({ body }: RtmpMessage): void => void (got += body.toString());
  const refuse = (): never => assert.fail('no name is looked up');
  const deps = { reach: new Reach(parseNetworks(''), refuse), authorities: () => [], now: () => 0 };
  const link = new RtmpLink(url, deps, { onMessage, onEnd: (why) => assert.fail(why), mayWait: () => mayWait });
  cleanUp(t, () => link.close());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // Each answer of the server is a turn, too.
  const turns = setInterval(() => t.mock.timers.tick(TURN_MS), 1);
  const socket = await player;
  const send = async (text: string): Promise<void> => {
    const body = Buffer.from(text);
    await new Promise((resolve) => socket.write(writeChunks({ type: 9, stream: 1, body }, 6, 128), resolve));
  };
  const isGot = async (text: string): Promise<void> => {
    while (got.length < text.length) await settled();
    assert.equal(got, text);
  };
  await send('begin ');
  await isGot('begin ');
  clearInterval(turns);
  t.mock.timers.tick(TURN_MS);
  await send('one ');
  await isGot('begin one ');

  for (const word of ['two ', 'three ']) await send(word);
  t.mock.timers.tick(TURN_MS - 1);
  await settled();
  assert.equal(got, 'begin one ');
  t.mock.timers.tick(1);
  await isGot('begin one two three ');

  mayWait = false;
  t.mock.timers.tick(TURN_MS);
  for (const word of ['four ', 'five']) await send(word);
  await isGot('begin one two three four five');
});
