/** Conversations about what is changed while viewers watch. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../../helpers/until.ts';
import type { Answer, Assistant } from './assistant.ts';
import type { Conversation } from './conversation.ts';
import { lookAt, type Look } from './video-changes.ts';
import { NEW_KEY, OLD_KEY } from './prepared-service.ts';

/** One a second, and a change is to be seen within two. */
const MAX_LOOKS = 3;
const SHOW = { livestream: 'Morning Show' };

async function goOnAir(assistant: Assistant): Promise<Answer> {
  assistant.hears('Put the Morning Show on air.');
  const answer = await assistant.uses('start_livestream', SHOW);
  assert.equal(answer.facts.status, 2, answer.text);
  return answer;
}

async function goOff(assistant: Assistant): Promise<void> {
  assistant.hears('Thank you, the Morning Show is over.');
  const { facts, text } = await assistant.uses('stop_livestream', SHOW);
  assert.deepEqual([facts.status, facts.changed], [0, true], text);
}

/** Until viewers see it: the answer of a change comes from the encoder, and the way to a viewer takes a moment. */
async function sees(assistant: Assistant, livestreamId: number, wanted: Partial<Look>): Promise<void> {
  const look = ({ picture, text }: Answer): Look => lookAt(picture ?? assert.fail(`no picture: ${text}`));
  await assistant.waits(
    () => assistant.runs('getLivestreamPreview', { livestreamId }),
    (_facts, answer) => isDeepStrictEqual({ ...look(answer), ...wanted }, look(answer)),
    MAX_LOOKS,
  );
}

/** In force, as the encoder says. */
function assertDone({ isError, text }: Answer): void {
  assert.ok(!isError, text);
}

const newKey: Conversation = {
  title: 'a stream key is changed on air: the platform takes the new one, and the website notices nothing',
  calls: 4,
  async run({ prepared, connect, note }) {
    const { rtmp } = prepared;
    rtmp.keys.add(OLD_KEY).delete(NEW_KEY);
    const assistant = await connect('v2 auto', { over: 'http' });
    await goOnAir(assistant);
    await until('the platform', async () => (await rtmp.publishing()).includes(OLD_KEY));
    const pathsNow = async (): Promise<Map<string, { state: string; since: string; attempts: number }>> =>
      new Map((await prepared.statusOf('Morning Show')).publishings.map(({ name, primary }) => [name, primary]));
    const before = await pathsNow();

    assistant.hears(`Our key at the platform has leaked. The new one is ${NEW_KEY}, the platform has it already.`);
    rtmp.keys.add(NEW_KEY).delete(OLD_KEY);
    const changed = await assistant.uses('update_destination_stream_key', {
      ...SHOW,
      destination: 'the platform',
      stream_key: NEW_KEY,
    });
    note(changed.text);
    assertDone(changed);
    assert.ok(!JSON.stringify(changed.facts).includes(NEW_KEY), 'no answer shows a key');
    await until('the new key', async () => {
      const names = await rtmp.publishing();
      return names.includes(NEW_KEY) && !names.includes(OLD_KEY);
    });
    const state = await assistant.waits(
      () => assistant.uses('get_livestream_status', SHOW),
      ({ publishings }) => publishings.every(({ primary }: { primary: { state: string } }) => primary.state === 'up'),
    );
    note(state.text);
    assert.match(state.text, /all its outputs deliver/u);
    const now = await pathsNow();
    for (const other of ['Website', 'Archive']) assert.deepEqual(now.get(other), before.get(other), other);
    assert.notEqual(now.get('Platform')?.since, before.get('Platform')?.since, 'the platform was called anew');
    await goOff(assistant);
  },
};

const blackout: Conversation = {
  title: 'a client that shows texts alone puts a broadcast to black and back, as viewers see it',
  calls: 10,
  async run({ connect }) {
    const assistant = await connect('v1', { over: 'stdio', textAlone: true });
    const { text } = await goOnAir(assistant);
    const [, watch = assert.fail(text)] = /^Website: (\S+)$/mu.exec(text) ?? [];
    assert.match(await (await fetch(watch)).text(), /^#EXTM3U/u, 'it can be watched where the text says');
    await assistant.finds('getLivestreamPreview', 'what do the viewers see');
    const unknown = await assistant.runs('getLivestreamPreview', { livestreamId: 'Morning Show' });
    const shown = await assistant.corrects(unknown);
    assert.equal(lookAt(shown.picture ?? assert.fail(shown.text)).middle, 'red');
    const { livestreamId } = shown.facts.data as { livestreamId: number };
    assistant.hears('Somebody has fallen on stage. Black, now!');
    await assistant.finds('runtimeApplyBlackout', 'hide the picture, go to black');
    assertDone(await assistant.runs('runtimeApplyBlackout', { livestreamId, mode: 'Black Frame' }));
    await sees(assistant, livestreamId, { middle: 'black' });
    assistant.hears('All is well. Back to the programme.');
    assertDone(await assistant.runs('runtimeApplyBlackout', { livestreamId, mode: 'Live' }));
    await sees(assistant, livestreamId, { middle: 'red' });
    await goOff(assistant);
  },
};

const camerasAndText: Conversation = {
  title: 'an assistant switches to another camera by its name, and puts logo and text on and off again',
  calls: 16,
  async run({ connect }) {
    const assistant = await connect('v1', { over: 'http' });
    const { livestreamId } = (await goOnAir(assistant)).facts as { livestreamId: number };
    assistant.hears('Switch to camera two.');
    await assistant.finds('runtimeApplySourceSwitch', 'switch to another camera');
    const unknown = await assistant.runs('runtimeApplySourceSwitch', { livestreamId, channelId: 'camera two' });
    assertDone(await assistant.corrects(unknown));
    assistant.hears('Our logo on the top left, and write "Live from the harbour" at the bottom.');
    await assistant.finds('runtimeApplyLogo', 'put our logo on the picture');
    await assistant.finds('listAssets', 'which logos are there');
    const { facts } = await assistant.runs('listAssets', { fileType: 'logos' });
    const [{ filename }] = facts.rows as [{ filename: string }];
    assertDone(await assistant.runs('runtimeApplyLogo', { livestreamId, logo: { filename, position: 'Top-Left' } }));
    await assistant.finds('setLivestreamText', 'write text on the screen');
    const text = { action: 'show', text: 'Live from the harbour', position: 'Bottom', size: 100 };
    assertDone(await assistant.runs('setLivestreamText', { livestreamId, ...text }));
    await assistant.finds('getLivestreamPreview', 'what do the viewers see');
    await sees(assistant, livestreamId, { middle: 'green', topLeft: 'yellow', caption: true });
    assistant.hears('Logo and text off again.');
    assertDone(await assistant.runs('runtimeApplyLogo', { livestreamId, logo: { filename: '' } }));
    assertDone(await assistant.runs('setLivestreamText', { livestreamId, action: 'hide' }));
    await sees(assistant, livestreamId, { middle: 'green', topLeft: 'green', caption: false });
    await goOff(assistant);
  },
};

export const ON_AIR = [newKey, blackout, camerasAndText];
