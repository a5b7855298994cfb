/** A conversation about who may do what: a voice in the control room, and a seat that only looks. */
import assert from 'node:assert/strict';
import type { Answer } from './assistant.ts';
import type { Conversation } from './conversation.ts';

/** One or two sentences, as one says them. */
function assertSpoken({ text }: Answer): void {
  assert.match(text, /^[\p{L}\d].*[.?!]$/su, text);
  assert.doesNotMatch(text, /[{}[\]<>"`|\\#_]|:\/\/|\bids?\b|call_tool/u, text);
}

const voiceAndEyes: Conversation = {
  title: 'a voice assistant starts and stops, and changes no key; an assistant that only reads looks on',
  calls: 10,
  async run({ prepared, connect, note }) {
    const voice = await connect('v1', { over: 'stdio', profile: 'voice' });
    voice.hears('Go live with the evening show.');
    const request = await voice.uses('start_livestream', { livestream: 'the evening show' });
    assert.match(request.text, /Evening News and Evening Sport\. Which one/u);
    voice.hears('The evening news.');
    const started = await voice.uses('start_livestream', { livestream: 'the evening news' });
    assert.equal(started.facts.status, 2, started.text);
    const lines = [request, started];
    voice.hears('Show the text "Good evening".');
    await voice.finds('setLivestreamText', 'show a text');
    const { livestreamId } = started.facts as { livestreamId: number };
    lines.push(await voice.runs('setLivestreamText', { livestreamId, action: 'show', text: 'Good evening' }));
    voice.hears('Change the key of the website to fresh-key-4711.');
    const key = { livestream: 'evening news', destination: 'website', stream_key: 'fresh-key-4711' };
    const refusedKey = await voice.uses('update_destination_stream_key', key);
    assert.equal(refusedKey.facts.code, 'profile_forbidden');
    voice.hears('Delete the evening news.');
    const { facts } = await voice.uses('search_tools', { query: 'delete a live stream' });
    assert.ok(!(facts.tools as { name: string }[]).some(({ name }) => name === 'deleteLivestream'), 'is not offered');

    const reader = await connect('v1', { over: 'http', profile: 'readonly' });
    reader.hears('Take the evening news off the air.');
    const refusedStop = await reader.uses('stop_livestream', { livestream: 'evening news' });
    note(refusedStop.text);
    assert.equal(refusedStop.facts.code, 'profile_forbidden');
    assert.equal((await prepared.statusOf('Evening News')).status, 2, 'still on air');
    reader.hears('How is it doing, then?');
    const status = await reader.uses('get_livestream_status', { livestream: 'evening news' });
    assert.match(status.text, /on air/u);
    const log = await reader.runs('getLivestreamEvents', { livestreamId: status.facts.livestreamId });
    assert.ok(log.facts.rows.length > 0, log.text);

    voice.hears('Stop the evening news.');
    lines.push(refusedKey, await voice.uses('stop_livestream', { livestream: 'evening news' }));
    for (const answer of lines) {
      note(answer.text);
      assertSpoken(answer);
    }
    assert.equal((await prepared.statusOf('Evening News')).status, 0);
  },
};

export const RIGHTS = [voiceAndEyes];
