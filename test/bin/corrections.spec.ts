/** The program's output for a refused call: the call as it should have been, as an assistant is told it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { someOf } from '../helpers/counts.ts';
import { PROGRAM, startService, type Service } from '../helpers/service.ts';

let service: Service;
before(async () => {
  service = await startService();
  const channelId = await service.create('/channels', {
    name: 'Camera',
    type: 'Stream',
    settings: { url: 'http://127.0.0.1:9/a.m3u8' },
  });
  const encodingId = await service.create('/encodings', {
    name: '720p',
    settings_video: { codec: 'h264', width: 1280, height: 720, bitrate: 900 },
  });
  const publishingId = await service.create('/publishings', { name: 'Web', type: 'HLS / TS' });
  await service.create('/livestreams', { name: 'L', channelId, encodingId, publishingId });
});
after(() => service.dispose());

async function refused(...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, 'call', ...words], {
    env: service.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 2, text);
  return text;
}

const CORRECTED: [string[], string, object][] = [
  [['getLivestreamByID', '--livestreamId', '1'], 'getLivestreamById', { livestreamId: 1 }],
  [['getallchannels', '--page-size', '2'], 'getAllChannels', { pageSize: 2 }],
  [['start-livestream', '--livestream', 'L'], 'start_livestream', { livestream: 'L' }],
  [['getLivestreamById', '--id', '1'], 'getLivestreamById', { livestreamId: 1 }],
  [['getLivestreamById', '--livestreamID', '1'], 'getLivestreamById', { livestreamId: 1 }],
  [['getLivestreamById', '--livestreamId', 'L'], 'getLivestreamById', { livestreamId: 1 }],
  [['startLivestream', '--livestream', 'L'], 'startLivestream', { livestreamId: 1 }],
  [
    ['setLivestreamText', '--livestreamId', 'L', '--action', 'Show', '--text', 'hi'],
    'setLivestreamText',
    { livestreamId: 1, action: 'show', text: 'hi' },
  ],
  [['getAllChannels', '--page_size', '1'], 'getAllChannels', { pageSize: 1 }],
  [['addUserGroup', '--nmae', 'Crew'], 'addUserGroup', { name: 'Crew' }],
];
for (const [words, name, args] of someOf(CORRECTED, 5)) {
  test(`the refusal of onair call ${words.join(' ')} shows the correct command`, async () => {
    const text = await refused(...words);
    assert.ok(text.includes(`\n  corrected: onair call ${name} '${JSON.stringify(args)}'\n`), text);
  });
}

test('the refusal of an unknown field names it, and the refusal of an impossible id says that it is no id', async () => {
  assert.match(
    await refused('getLivestreamById', '--id', '1'),
    /id: is not a field of this operation; did you mean livestreamId\?/u,
  );
  assert.match(await refused('getLivestreamById', '--livestreamId', '0'), /livestreamId: must be more than 0/u);
  const beyond = await refused('getLivestreamById', '--livestreamId', '99999999999999999999');
  assert.match(beyond, /livestreamId: is no id; ids are positive integers up to 9007199254740991/u);
  assert.doesNotMatch(beyond, /100000000000000000000/u);
});

test('an operation that does not exist is refused as unknown, whatever arguments follow it', async () => {
  const text = await refused('livestreams', 'list');
  assert.match(text, /There is no operation "livestreams"/u);
  assert.doesNotMatch(text, /corrected:/u);
});
