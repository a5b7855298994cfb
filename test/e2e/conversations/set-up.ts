/** Conversations that begin with nothing, or end with nothing left. */
import assert from 'node:assert/strict';
import { freePort } from '../../helpers/ports.ts';
import type { Answer } from './assistant.ts';
import type { Conversation } from './conversation.ts';

const fromNothing: Conversation = {
  title: 'an assistant sets a broadcast up from nothing, puts it on air, and removes all of it again',
  calls: 20,
  async run({ prepared, connect, note }) {
    const url = `${prepared.rtmp.url}/cam2`;
    const assistant = await connect('v2 auto', { over: 'stdio' });
    assistant.hears(
      `Set up a broadcast called Harbour Cam: the source is ${url}, 180 lines at 300 kbit/s, for the web. Then go live.`,
    );
    const idOf = ({ facts, text }: Answer): number => facts.data?.id ?? assert.fail(text);
    await assistant.finds('addChannel', 'add a source');
    const channel = { name: 'Harbour Cam', type: 'Stream', settings: { url } };
    const flat = await assistant.uses('call_tool', { operationId: 'addChannel', ...channel });
    note(flat.text);
    assert.equal(flat.facts.code, 'invalid_input');
    const channelId = idOf(await assistant.corrects(flat, channel));
    await assistant.finds('addEncoding', 'create an encoding profile');
    const video = { height: 180, bitrate: 300, preset: 'ultrafast' };
    const encodingId = idOf(await assistant.runs('addEncoding', { name: 'Harbour Cam', settings_video: video }));
    await assistant.finds('addPublishing', 'create a destination');
    const publishingId = idOf(await assistant.runs('addPublishing', { name: 'Harbour Cam', type: 'HLS / TS' }));
    await assistant.finds('addLivestream', 'create a broadcast');
    const bound = { name: 'Harbour Cam', channelId, encodingId, publishingId };
    const livestreamId = idOf(await assistant.runs('addLivestream', bound));
    const started = await assistant.uses('start_livestream', { livestream: 'Harbour Cam' });
    assert.equal(started.facts.status, 2, started.text);
    const air = await assistant.uses('get_livestream_status', { livestream: 'Harbour Cam' });
    assert.match(air.text, /^"Harbour Cam" is on air .*all its outputs deliver\.$/mu);

    assistant.hears('It works. Now remove all of it again.');
    await assistant.finds('deleteLivestream', 'delete a live stream');
    const refused = await assistant.runs('deleteLivestream', { livestreamId });
    note(refused.text);
    assert.equal(refused.facts.code, 'wrong_state');
    await assistant.uses('stop_livestream', { livestream: 'Harbour Cam' });
    const plan = await assistant.runs('deleteLivestream', { livestreamId }, { dry_run: true });
    note(plan.text);
    assert.match(plan.text, /^Nothing was done yet\. It would delete Live stream \d+ "Harbour Cam"\.$/u);
    assistant.hears('Yes, delete it.');
    const parts = ['deletePublishing', 'deleteEncoding', 'deleteChannel'];
    await assistant.finds(parts, 'delete a channel, an encoding and a destination', { detail: 'names' });
    for (const [operation, args] of [
      ['deleteLivestream', { livestreamId }],
      ['deletePublishing', { publishingId }],
      ['deleteEncoding', { encodingId }],
      ['deleteChannel', { channelId }],
    ] as const) {
      const deleted = await assistant.runs(operation, args);
      assert.equal(deleted.facts.data?.deleted, true, deleted.text);
    }
    const { body } = await prepared.service.rest('GET', '/livestreams?search=Harbour');
    assert.deepEqual(body.rows, []);
  },
};

const encoderFirst: Conversation = {
  title: 'an assistant says where OBS has to send, sees it come, and goes live with it',
  calls: 11,
  async run({ prepared, connect, note }) {
    const assistant = await connect('v2 auto', { over: 'http' });
    const port = await freePort();
    assistant.hears(
      `We stream the reading with OBS tonight, application live, port ${port}, 180 lines at 300 kbit/s for the web. ` +
        'Call it Reading. Where do I point OBS?',
    );
    const idOf = ({ facts, text }: Answer): number => facts.data?.id ?? assert.fail(text);
    await assistant.finds('addChannel', 'let OBS push to us');
    const obs = { name: 'Reading', type: 'RTMP-Push', settings: { app: 'live', port } };
    const made = await assistant.runs('addChannel', obs);
    const channelId = idOf(made);
    const { url } = made.facts.data.ingest as { url: string };
    assert.ok(made.text.includes(url), 'a model that reads text alone has the address');
    await assistant.finds('addEncoding', 'create an encoding profile');
    const video = { height: 180, bitrate: 300, preset: 'ultrafast' };
    const encodingId = idOf(await assistant.runs('addEncoding', { name: 'Reading', settings_video: video }));
    await assistant.finds('addPublishing', 'create a destination');
    const publishingId = idOf(await assistant.runs('addPublishing', { name: 'Reading', type: 'HLS / TS' }));
    await assistant.finds('addLivestream', 'create a broadcast');
    await assistant.runs('addLivestream', { name: 'Reading', channelId, encodingId, publishingId });
    const dry = { livestream: 'Reading', dry_run: true };
    const early = await assistant.waits(
      () => assistant.uses('start_livestream', dry),
      ({ source }) => source.ingest.state === 'waiting',
    );
    note(early.text);
    assert.match(early.text, /Nobody pushes to the source yet, so the start would fail after 25 s/u);
    assert.match(early.facts.source.ingest.url, /\/live\/\*{4}/u, 'the key is masked from now on');

    assistant.hears('OBS is sending now. Go live!');
    prepared.pushTo(url);
    const ready = await assistant.waits(
      () => assistant.uses('start_livestream', dry),
      ({ source }) => source.ingest.state === 'receiving' && typeof source.ingest.video?.fps === 'number',
    );
    note(ready.text);
    assert.match(ready.text, /The source sends 320×180 at 30 fps\.$/mu);
    const started = await assistant.uses('start_livestream', { livestream: 'Reading' });
    assert.equal(started.facts.status, 2, started.text);
  },
};

export const SET_UP = [fromNothing, encoderFirst];
