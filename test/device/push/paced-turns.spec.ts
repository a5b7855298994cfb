/** Media that may wait a moment goes to its readers ten times a second, all of it and in order. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Intake } from '../../../device/push/intake.ts';
import { openMediaSocket } from '../../../device/push/media-socket.ts';
import { AT_ONCE, IN_TURNS, PacedReading } from '../../../device/push/paced-turns.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { settled } from '../../helpers/pass.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const TURN_MS = 100;
/** The turns of the event loop within which loopback brings what is sent. */
const MAX_PASSES = 100_000;

test('a reader that may wait is woken once a turn, and one that says otherwise gets all at once', async (t) => {
  const path = join(testFolder(t, 'turns'), 'media.sock');
  const hooks = { onChange: () => undefined, onEvent: () => undefined };
  const intake = new Intake({ channelId: 7, name: 'Seven', type: 'RTMP-Push', settings: {} }, hooks);
  const facts = { video: null, audio: [], captions: [] };
  const media = { facts, beginning: [Buffer.from('begin ')], isSettled: true, isOfOneFormat: false };
  intake.admit({ from: 'here', media, dismiss: () => undefined });
  await openMediaSocket(path, () => intake);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reader = connect(path);
  cleanUp(t, () => reader.destroy());
  let got = '';
  reader.on('data', (bytes: Buffer) => (got += bytes.toString()));
  const isGot = async (text: string): Promise<void> => {
    while (got !== text) await once(reader, 'data');
  };
  const part = (text: string): void => intake.take(media, { bytes: Buffer.from(text), isStart: false, isHead: false });
  reader.write('7\n');
  await isGot('begin ');
  assert.equal(intake.mayWait, false, 'it has not said so');

  reader.write(IN_TURNS);
  while (!intake.mayWait) await settled();
  for (const word of ['one ', 'two ', 'three ']) part(word);
  t.mock.timers.tick(TURN_MS - 1);
  await settled();
  assert.equal(got, 'begin ');
  t.mock.timers.tick(1);
  await isGot('begin one two three ');

  part('four ');
  reader.write(AT_ONCE);
  await isGot('begin one two three four ');
  part('five');
  await isGot('begin one two three four five');
  assert.equal(intake.mayWait, false);
  t.mock.timers.tick(TURN_MS);
});

test('a pusher is read once a turn as soon as its readers may wait, however much it has sent before', async (t) => {
  let mayWait = false;
  let got = '';
  const server = createServer({ highWaterMark: 1 }, (socket) => {
    const pace = new PacedReading(socket, () => mayWait);
    socket.on('data', (bytes: Buffer) => {
      got += bytes.toString();
      pace.took(bytes);
    });
    cleanUp(t, () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  const pusher = connect((server.address() as AddressInfo).port, '127.0.0.1');
  pusher.setNoDelay(true);
  cleanUp(t, () => pusher.destroy());
  const isGot = async (text: string): Promise<void> => {
    for (let passes = 0; !got.endsWith(text); passes += 1) {
      assert.ok(passes < MAX_PASSES, `${text} does not come`);
      await settled();
    }
  };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  pusher.write(`${'.'.repeat(2_000_000)} prompt`);
  await isGot(' prompt');

  mayWait = true;
  t.mock.timers.tick(TURN_MS);
  pusher.write(' first');
  await isGot(' first');
  for (const word of [' second', ' third', ' fourth']) {
    pusher.write(word);
    for (let passes = 0; passes < 20; passes += 1) await settled();
  }
  assert.ok(got.endsWith(' first'), 'the rest of the turn waits');
  t.mock.timers.tick(TURN_MS);
  await isGot(' second third fourth');

  mayWait = false;
  t.mock.timers.tick(TURN_MS);
  pusher.write(' fifth');
  await isGot(' fifth');
  pusher.write(' sixth');
  await isGot(' sixth');
});
