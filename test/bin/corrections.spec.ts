/** The program's output for a refused call: the call as it should have been, as an assistant is told it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onair } from '../helpers/cli.ts';
import { someOf } from '../helpers/counts.ts';
import type { Service } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';

let service: Service;
/** The id of the Live stream stands as ID in the calls below. */
let id: number;
before(async () => {
  service = await sharedService();
  const channelId = await service.create('/channels', {
    name: 'Corrections camera',
    type: 'Stream',
    settings: { url: 'http://127.0.0.1:9/a.m3u8' },
  });
  const encodingId = await service.create('/encodings', {
    name: 'Corrections 720p',
    settings_video: { codec: 'h264', width: 1280, height: 720, bitrate: 900 },
  });
  const publishingId = await service.create('/publishings', { name: 'Corrections web', type: 'HLS / TS' });
  id = await service.create('/livestreams', { name: 'L', channelId, encodingId, publishingId });
});

async function refused(...words: string[]): Promise<string> {
  const { code, screen } = await onair(
    ['call', ...words.map((word) => (word === 'ID' ? String(id) : word))],
    service.env,
  );
  assert.equal(code, 2, screen);
  return screen;
}

const CORRECTED: [string[], string, object][] = [
  [['getLivestreamByID', '--livestreamId', 'ID'], 'getLivestreamById', { livestreamId: 'ID' }],
  [['getallchannels', '--page-size', '2'], 'getAllChannels', { pageSize: 2 }],
  [['stop-livestream', '--livestream', 'L'], 'stop_livestream', { livestream: 'L' }],
  [['getLivestreamById', '--id', 'ID'], 'getLivestreamById', { livestreamId: 'ID' }],
  [['getLivestreamById', '--livestreamID', 'ID'], 'getLivestreamById', { livestreamId: 'ID' }],
  [['getLivestreamById', '--livestreamId', 'L'], 'getLivestreamById', { livestreamId: 'ID' }],
  [['startLivestream', '--livestream', 'L'], 'startLivestream', { livestreamId: 'ID' }],
  [
    ['setLivestreamText', '--livestreamId', 'L', '--action', 'Show', '--text', 'hi'],
    'setLivestreamText',
    { livestreamId: 'ID', action: 'show', text: 'hi' },
  ],
  [['getAllChannels', '--page_size', '1'], 'getAllChannels', { pageSize: 1 }],
  [['addUserGroup', '--nmae', 'Crew'], 'addUserGroup', { name: 'Crew' }],
];
for (const [words, name, args] of someOf(CORRECTED, 5)) {
  test(`the refusal of onair call ${words.join(' ')} shows the correct command`, async () => {
    const text = await refused(...words);
    assert.ok(
      text.includes(`\n  corrected: onair call ${name} '${JSON.stringify(args).replace('"ID"', String(id))}'\n`),
      text,
    );
  });
}

test('the refusal of an unknown field names it, and the refusal of an impossible id says that it is no id', async () => {
  assert.match(
    await refused('getLivestreamById', '--id', 'ID'),
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
