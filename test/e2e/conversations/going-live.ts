/** Conversations about getting on air: which one is meant, where there is room, and whether it has been started already. */
import assert from 'node:assert/strict';
import { startCuttingProxy } from '../../helpers/servers/cutting-proxy.ts';
import { until } from '../../helpers/until.ts';
import type { Conversation } from './conversation.ts';

const ambiguousName: Conversation = {
  title: 'an assistant goes live by a name that fits two: it asks, starts the one that was meant, and stops it again',
  calls: 3,
  async run({ prepared, connect }) {
    const assistant = await connect('v1', { over: 'http' });
    assistant.hears('Put the evening show on air.');
    const refused = await assistant.uses('start_livestream', { livestream: 'the evening show' });
    assert.equal(refused.facts.code, 'conflict', refused.text);
    const { matches } = refused.facts as { matches: { id: number; name: string }[] };
    assert.deepEqual(matches.map(({ name }) => name).sort(), ['Evening News', 'Evening Sport']);
    for (const { name } of matches) assert.equal((await prepared.statusOf(name)).status, 0, `${name} was guessed`);

    assistant.hears('The news, of course.');
    const news = matches.find(({ name }) => name.includes('News'))!;
    const started = await assistant.uses('start_livestream', { livestream: String(news.id) });
    assert.match(started.text, /^"Evening News" is on air on 1 destination\.$/mu);
    const [watch] = started.facts.watch as { url: string }[];
    const playlist = await fetch(watch!.url);
    assert.match(await playlist.text(), /^#EXTM3U/u, 'it can be watched where the answer says');
    assert.equal((await prepared.statusOf('Evening Sport')).status, 0);

    assistant.hears('That was it, off again.');
    const stopped = await assistant.uses('stop_livestream', { livestream: started.facts.name });
    assert.equal(stopped.text, '"Evening News" is off air.');
    assert.equal((await prepared.statusOf('Evening News')).status, 0);
  },
};

const noRoom: Conversation = {
  title: 'an assistant is refused a start for want of capacity, and is on air by what the refusal says',
  calls: 5,
  async run({ prepared, connect, note }) {
    const assistant = await connect('v1', { over: 'stdio' });
    assistant.hears('Start the lobby loop.');
    await assistant.uses('start_livestream', { livestream: 'lobby loop' });
    assistant.hears('And now Gala Night, please.');
    const refused = await assistant.uses('start_livestream', { livestream: 'Gala Night' });
    note(refused.text);
    assert.equal(refused.facts.code, 'no_capacity', refused.text);
    assert.match(refused.facts.remedy, /Stop another Live stream/u);
    assert.match(refused.text, /Lobby Loop/u, 'it says what takes the room');
    assert.equal((await prepared.statusOf('Gala Night')).status, 0);

    assistant.hears('Then take the lobby loop off, the gala matters more.');
    const stopped = await assistant.uses('stop_livestream', { livestream: 'Lobby Loop' });
    assert.equal(stopped.facts.status, 0, stopped.text);
    const started = await assistant.uses('start_livestream', { livestream: 'Gala Night' });
    assert.equal(started.facts.status, 2, started.text);
    assistant.hears('Wonderful. That was the gala.');
    await assistant.uses('stop_livestream', { livestream: 'Gala Night' });
    assert.equal((await prepared.statusOf('Gala Night')).status, 0);
  },
};

const lostAnswer: Conversation = {
  title: 'an assistant loses answers on the way, tries again with a key and without, and starts once',
  calls: 4,
  async run({ prepared, connect, note }) {
    const proxy = await startCuttingProxy(Number(new URL(prepared.service.url).port));
    try {
      const assistant = await connect('v1', { over: 'http', url: `http://127.0.0.1:${proxy.port}/mcp` });
      assistant.hears('Go live with Evening Sport.');
      const key = 'evening-sport-tonight';
      const go = { livestream: 'Evening Sport' };
      const lost = assistant.uses('start_livestream', go, { key });
      const failure = assert.rejects(lost);
      await until('the start', async () => (await prepared.statusOf('Evening Sport')).status > 0);
      proxy.cut();
      await failure;

      const again = await assistant.waits(
        () => assistant.uses('start_livestream', go, { key }),
        (facts) => facts.retry_after_seconds === undefined,
      );
      note(again.text);
      const since = await assistant.uses('start_livestream', go);
      note(since.text);
      assert.equal(since.facts.status, 2, since.text);
      assert.equal(since.facts.changed, false, 'it was started already');
      const starts = (await prepared.eventsOf('Evening Sport')).filter(({ kind }) => kind === 'start_requested');
      assert.equal(starts.length, 1, JSON.stringify(starts));
      await assistant.uses('stop_livestream', go);
      assert.equal((await prepared.statusOf('Evening Sport')).status, 0);
    } finally {
      await proxy.stop();
    }
  },
};

export const GOING_LIVE = [ambiguousName, noRoom, lostAnswer];
