import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EMPTY_FEED, reduceFeed, type FeedMessage } from '../../web/live/feed.ts';

const hello: FeedMessage = {
  event: 'hello',
  data: {
    boot: 'b',
    version: '1',
    server_time: '2026-01-01T00:00:00Z',
    timezone: 'UTC',
    user: 'ana',
    role: 2,
    tool_profile: 'full',
  },
};
const status = (id: string, row: object): FeedMessage =>
  ({ event: 'status', id, data: { livestreams: [{ livestreamId: 1, ...row }] } }) as FeedMessage;

describe('the feed in the page', () => {
  it('an older message that comes late overwrites no newer member, and still brings the members that it alone has', () => {
    const messages = [hello, status('b.2', { name: 'new', status: 2 }), status('b.1', { name: 'old', slot: 3 })];
    const row = messages.reduce(reduceFeed, EMPTY_FEED).streams.get(1)?.status;
    assert.deepEqual([row?.name, row?.status, row?.slot], ['new', 2, 3]);
  });

  it('a whole snapshot removes the streams that it does not name', () => {
    const gone: FeedMessage = { event: 'snapshot', data: { livestreams: [], done: true } };
    const state = [hello, status('b.1', { name: 'one' }), gone].reduce(reduceFeed, EMPTY_FEED);
    assert.deepEqual([state.complete, state.streams.size], [true, 0]);
  });
});
