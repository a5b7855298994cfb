import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { wallTiles } from '../../domain/rules/broadcasts/wall.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('walls', () => {
  let app: TestApp;
  let streams: number[];
  beforeEach(async () => {
    app = await startTestApp();
    streams = [];
    for (const suffix of ['', ' 2', ' 3']) streams.push((await addBroadcast(app, suffix)).livestreamId);
  });
  afterEach(() => app.close());
  const add = (more: object = {}, user: 'admin' | 'operator' = 'operator') =>
    app.data('addWall', { name: 'Gallery', ...more }, { user });

  it('an Operator saves a wall for all; its order is kept as it is sent, and its name is taken once', async () => {
    const [a, b, c] = streams as [number, number, number];
    const wall = await add({ livestreamIds: [c, a, b] });
    assert.deepEqual([wall['layout'], wall['livestreamIds'], wall['tags'], wall['others']], [9, [c, a, b], [], false]);
    const changed = await app.data('updateWall', { wallId: wall.id, livestreamIds: [b, c], layout: 25 });
    assert.deepEqual([changed['livestreamIds'], changed['layout'], changed['name']], [[b, c], 25, 'Gallery']);
    assert.deepEqual(await app.rows('getAllWalls', {}), [changed]);
    await app.refused('conflict', 'addWall', { name: 'Gallery' });
  });

  it('a wall refuses another layout, a Live stream that is missing or there twice, and a tag that is there twice', async () => {
    const [a] = streams;
    for (const [code, fields, body] of [
      ['invalid_input', ['layout'], { layout: 2 }],
      ['rule_violated', ['livestreamIds.1'], { livestreamIds: [a, 99] }],
      ['rule_violated', ['livestreamIds.1'], { livestreamIds: [a, a] }],
      ['invalid_input', ['tags.1'], { tags: ['sport', 'Sport'] }],
    ] as const)
      assert.deepEqual(fieldsOf(await app.refused(code, 'addWall', { name: 'Gallery', ...body })), fields);
  });

  it('a deleted Live stream leaves its walls, which never show others in its place', async () => {
    const [a] = streams as [number];
    const { id: wallId } = await add({ livestreamIds: [a] });
    await app.data('deleteLivestream', { livestreamId: a });
    const wall = (await app.store.get('walls', wallId))?.row;
    assert.deepEqual(wall?.livestreamIds, []);
    assert.deepEqual(wallTiles(wall!, (await app.store.find('livestreams', {})).rows), []);
  });

  it('tiles are those named in their order, then those of its tags, or all others, by name', () => {
    const rows = [
      { id: 1, name: 'Show 10', tags: ['Sport'] },
      { id: 2, name: 'Show 9', tags: ['sport'] },
      { id: 3, name: 'Arena' },
      { id: 4, name: 'Chapel', tags: [] },
    ];
    const order = (wall: Partial<Parameters<typeof wallTiles>[0]>): string =>
      wallTiles({ livestreamIds: [], tags: [], others: false, ...wall }, rows)
        .map(({ livestreamId, always }) => `${livestreamId}${always ? '' : '?'}`)
        .join(' ');
    assert.equal(order({ livestreamIds: [4, 1, 99] }), '4 1');
    assert.equal(order({ livestreamIds: [4, 1], tags: ['SPORT'] }), '4 1 2?');
    assert.equal(order({ livestreamIds: [4], others: true }), '4 3? 2? 1?');
    assert.equal(order({}), '');
  });

  it('a display link is shown once, is for an administrator alone, and goes with its wall', async () => {
    const { id: wallId } = await add();
    const link = await app.data('createDisplayLink', { wallId, name: 'Lobby' });
    const token = String(link['token']);
    assert.match(token, /^onairdisplay_[0-9a-f]{12}_[\w-]{43}$/u);
    assert.ok(String(link['url']).endsWith(`/#/wall/${wallId}?key=${token}`));
    const [row] = await app.rows('listDisplayLinks', { wallId });
    assert.deepEqual(Object.keys(row!).sort(), ['created_at', 'id', 'kid', 'last_seen_at', 'name', 'wallId']);
    const stored = JSON.stringify((await app.store.find('displayLinks', {})).rows);
    assert.ok(!stored.includes(token.slice(-43)), 'the store has a hash alone');
    const audit = JSON.stringify((await app.store.find('audit', {})).rows);
    assert.ok(audit.includes('createDisplayLink') && !audit.includes(token.slice(-43)));
    await app.refused('not_found', 'revokeDisplayLink', { wallId, kid: 'none' });
    await app.data('deleteWall', { wallId });
    assert.equal((await app.store.find('displayLinks', {})).total, 0);
  });
});
