/** The feeder beside a runtime that stands in for NDI's: what it hands on, and what it says. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { groupsOf } from '../../../device/feeder/sound-groups.ts';
import type { NdiOrder } from '../../../device/feeder/ndi-receiver.ts';
import { numbersIn } from '../../helpers/counted.ts';
import { noCompiler, standInNdi, type TestRuntime } from '../../helpers/ndi-runtime.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { channelsOf, feed as feedOf, tracksOf, type Fed } from './feeding.ts';

function feed(t: TestContext, { folder }: Pick<TestRuntime, 'folder'>, order: Partial<NdiOrder>): Promise<Fed> {
  return feedOf(t, { kind: 'ndi', discovery: 'auto', hosts: [], ...order }, { NDI_RUNTIME_DIR_V6: folder });
}

function assertInOrder(media: string, atLeast: number): void {
  const numbers = numbersIn(media);
  assert.ok(numbers.length >= atLeast, `${numbers.length} pictures`);
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => numbers[0]! + i),
  );
}

it(
  'every picture comes once and in order, sixteen channels as tracks of groups, until the format changes',
  { skip: noCompiler },
  async (t) => {
    const ndi = standInNdi(testFolder(t, 'ndi'), { channels: 16, change_at: 40 });
    const { code, lines, media } = await feed(t, ndi, { groups: [2, 6, 2] });
    assert.equal(code, 0, 'the source goes on in another format');
    assert.deepEqual(lines, [{ format: '320x180, 16 channels' }]);
    assert.deepEqual(tracksOf(media), [
      'rawvideo,320,180,uyvy422,progressive',
      'pcm_f32le,2',
      'pcm_f32le,6',
      'pcm_f32le,2',
    ]);
    assertInOrder(media, 30);
    assert.deepEqual(
      [channelsOf(media, 0, 2), channelsOf(media, 1, 6), channelsOf(media, 2, 2)],
      [
        [1, 2],
        [3, 4, 5, 6, 7, 8],
        [9, 10],
      ],
    );
    assert.deepEqual(ndi.orders(), ['hosts -', 'name STUDIO (Camera 1)', 'address 127.0.0.1:5961']);
  },
);

it(
  'two fields are one interlaced picture, and a source without times or sound comes too',
  { skip: noCompiler },
  async (t) => {
    const ndi = standInNdi(testFolder(t, 'ndi'), { fields: 1, channels: 0, untimed: 1, change_at: 40 });
    const { code, media } = await feed(t, ndi, { discovery: 'typed', name: 'FAR (Hidden)' });
    assert.equal(code, 0);
    assert.deepEqual(tracksOf(media), ['rawvideo,320,180,uyvy422,tt']);
    assertInOrder(media, 20);
    assert.deepEqual(ndi.orders(), ['name FAR (Hidden)', 'address -'], 'a typed name is looked for by the runtime');
  },
);

it(
  'hosts are asked, an address is taken as it is, and what is not announced is said with what is',
  { skip: noCompiler },
  async (t) => {
    const ndi = standInNdi(testFolder(t, 'ndi'), { change_at: 2 });
    await feed(t, ndi, { name: 'STUDIO (Camera 2)', hosts: ['192.0.2.1', '192.0.2.2'] });
    assert.deepEqual(ndi.orders(), ['hosts 192.0.2.1,192.0.2.2', 'name STUDIO (Camera 2)', 'address 127.0.0.1:5962']);
    await feed(t, ndi, { discovery: 'typed', name: '192.0.2.7:5961' });
    assert.deepEqual(ndi.orders().slice(3), ['name 192.0.2.7:5961', 'address 192.0.2.7:5961']);
    const { code, lines } = await feed(t, ndi, { name: 'NOBODY' });
    const error = 'The NDI source "NOBODY" is not announced: announced are STUDIO (Camera 1), STUDIO (Camera 2).';
    assert.deepEqual([code, lines], [1, [{ error }]]);
  },
);

it('a runtime with another layout, and a machine without one, are refused by name', { skip: noCompiler }, async (t) => {
  const ndi = standInNdi(testFolder(t, 'ndi'), { layout: 1 });
  const { code, lines } = await feed(t, ndi, {});
  assert.equal(code, 1);
  assert.match(JSON.stringify(lines), /in another layout than those of versions 5 and 6.*"isFinal":true/u);
  const none = await feed(t, { folder: testFolder(t, 'none') }, {});
  assert.match(JSON.stringify(none.lines), /The NDI runtime is not on this Device.*"isFinal":true/u);
});

it('groups end where the channels do, and pairs are the usual ones', () => {
  assert.deepEqual(groupsOf(16, undefined), [2, 2, 2, 2, 2, 2, 2, 2]);
  assert.deepEqual(groupsOf(3, undefined), [2, 1]);
  assert.deepEqual(groupsOf(6, [2, 6]), [2], 'four of six channels are no 5.1');
  assert.deepEqual(groupsOf(64, [8, 8]), [8, 8]);
  assert.deepEqual(groupsOf(1, [6]), [1]);
});
