import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toProblem, type AppError } from '../../domain/errors.ts';
import { systemClock } from '../../domain/clock.ts';
import { openStore } from '../../store/open.ts';
import { matchName, resolveRow } from '../../toolkit/input/resolve.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { stripInvisible } from '../../toolkit/output/visible.ts';
import { nameOrId } from '../../toolkit/subjects/workflow.ts';

const rows = ['Evening News', 'Evening Sports', 'Morning Show', 'Café Concert', 'Parliament TV', '2024 Gala'].map(
  (name, at) => ({ id: at + 1, name }),
);
const match = (wanted: string): string => matchName(wanted, rows, 'Live stream').name;
const refusal = (wanted: string): AppError => {
  try {
    match(wanted);
  } catch (error) {
    return error as AppError;
  }
  throw new Error(`${wanted} was matched`);
};

test('an exact name is matched, whatever the case, the spaces and the composition', () => {
  assert.equal(match('evening  NEWS'), 'Evening News');
  assert.equal(match('Cafe\u0301 concert'), 'Café Concert');
  assert.equal(match('evening-news'), 'Evening News');
  assert.equal(match('Morn\u200bing Show'), 'Morning Show');
});

test('a unique beginning of a name is matched', () => {
  assert.equal(match('morn'), 'Morning Show');
  assert.equal(match('2024'), '2024 Gala');
});

test('a close name is matched: a word of it, its words in another order, a slip', () => {
  assert.equal(match('parliament'), 'Parliament TV');
  assert.equal(match('gala'), '2024 Gala');
  assert.equal(match('news evening'), 'Evening News');
  assert.equal(match('mornig show'), 'Morning Show');
});

test('several names that match are listed with their ids', () => {
  const error = refusal('evening');
  assert.equal(error.code, 'conflict');
  assert.deepEqual(error.extras.facts?.['matches'], [
    { id: 1, name: 'Evening News' },
    { id: 2, name: 'Evening Sports' },
  ]);
  assert.match(error.message, /1 "Evening News", 2 "Evening Sports".*Ask which Live stream is meant/u);
  assert.deepEqual(refusal('the evening show').extras.facts?.['matches'], error.extras.facts?.['matches']);
});

test('a name that is close to nothing is answered with the nearest three', () => {
  const error = refusal('Midnight Mass');
  assert.equal(error.code, 'not_found');
  assert.equal((error.extras.facts?.['nearest'] as unknown[]).length, 3);
  assert.equal(refusal('\u200b').code, 'not_found');
});

test('invisible characters in a name are stripped, and those that scripts and emoji need stay', () => {
  assert.equal(stripInvisible('a\u200bb\u202ec\u2066d\ufeffe\u00adf\u{e0041}g'), 'abcdefg');
  assert.equal(stripInvisible('👩‍💻 می‌خواهم'), '👩‍💻 می‌خواهم');
  assert.equal(stripInvisible('x\u200d\u200d\u200c y\u200d'), 'x y');
});

test('the id of a deleted row, or an id with a sign before it, never finds a row by a part of its name', async () => {
  const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
  const id = await seedBroadcast(store, ' 7');
  const find = (wanted: string): Promise<{ id: number }> => resolveRow(store, 'livestreams', 'Live stream', wanted);
  assert.equal((await find(String(id))).id, id);
  assert.equal((await find('show 7')).id, id);
  assert.equal((await find(`number ${id}`)).id, id);
  for (const wanted of [`-${id}`, `.${id}`, `id -${id}`, `−${id}`])
    await assert.rejects(find(wanted), { code: 'not_found' }, wanted);
  for (const wanted of ['7', '#7', ' 7 ']) await assert.rejects(find(wanted), { code: 'not_found' }, wanted);
  await store.close();
});

test('a number that is the id of one row and the name of another is refused and names both; with # before it, it is the id', async () => {
  const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
  const first = await seedBroadcast(store);
  const second = await seedBroadcast(store, ' two');
  await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', first)!, name: String(second) }));
  const find = (wanted: string): Promise<{ id: number }> => resolveRow(store, 'livestreams', 'Live stream', wanted);
  const rows = (await store.find('livestreams', {})).rows;
  for (const refused of [find(String(second)), async () => matchName(String(second), rows, 'Live stream')]) {
    await assert.rejects(refused, (error: AppError) => {
      assert.equal(error.code, 'conflict');
      const matches = error.extras.facts?.['matches'] as { id: number }[];
      assert.deepEqual(matches.map(({ id }) => id).sort(), [first, second]);
      assert.match(error.message, /repeat the call with # before its id/u);
      return true;
    });
  }
  assert.equal((await find(`#${second}`)).id, second);
  assert.equal(matchName(`#${second}`, rows, 'Live stream').id, second);
  assert.equal((await find(String(first))).id, first);
  assert.equal(nameOrId.parse(second), `#${second}`);
  assert.equal(nameOrId.parse(-second), String(-second));
  await store.close();
});

test('a name of a kind that has no rows yet is answered with how to add one', async () => {
  const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
  await assert.rejects(resolveRow(store, 'livestreams', 'Live stream', 'Show'), (error: AppError) => {
    assert.match(error.message, /None exists yet; add one with addLivestream/u);
    assert.equal(toProblem(error, 'r').remedy, 'Add one first.');
    return true;
  });
  assert.equal(toProblem(refusal('evening'), 'r').remedy, 'Take one of the matches by its id.');
  await store.close();
});

const SAID: [string, string][] = [
  ['"Morning Show"', 'Morning Show'],
  ['“morning show”', 'Morning Show'],
  ['cafe concert', 'Café Concert'],
  ['the gala', '2024 Gala'],
  ['2024 gala stream', '2024 Gala'],
  ['number five', 'Parliament TV'],
  ['live stream three', 'Morning Show'],
  ['the evening news broadcast', 'Evening News'],
  ['the concert stream', 'Café Concert'],
];
for (const [output, name] of SAID) {
  test(`the spoken name ${output} is matched to ${name}`, () => {
    assert.equal(match(output), name);
  });
}

const NUMBERED = ['Camera 2', 'Camera 3', 'Camera 10', 'Studio Twenty One', 'Straße', 'Ångström B'].map((name, at) => ({
  id: at + 101,
  name,
}));

test('numbers in names are understood as words, and never rounded', () => {
  const numbered = (wanted: string): string => matchName(wanted, NUMBERED, 'Channel').name;
  assert.equal(numbered('camera two'), 'Camera 2');
  assert.equal(numbered('camera3'), 'Camera 3');
  assert.equal(numbered('Camera Ten'), 'Camera 10');
  assert.equal(numbered('studio 21'), 'Studio Twenty One');
  assert.equal(numbered('strasse'), 'Straße');
  assert.equal(numbered('angstrom b'), 'Ångström B');
  assert.equal(numbered('camrea 2'), 'Camera 2');
  for (const wanted of ['camera 1', 'camera four', 'camera 20', 'studio 2', 'camera', 'camera 21', 'channel 3']) {
    assert.throws(() => numbered(wanted), /There is no Channel|fits several/u, wanted);
  }
});

test('of two names that differ in spelling alone, such as Channel 1 and Channel One, the one with the exact spelling is found', () => {
  const alike = ['Channel One', 'Channel 1', 'Cafe', 'Café'].map((name, at) => ({ id: at + 1, name }));
  for (const { name } of alike) assert.equal(matchName(name, alike, 'Channel').name, name);
  assert.equal(matchName('CHANNEL ONE', alike, 'Channel').name, 'Channel One');
  assert.throws(() => matchName('the channel one', alike, 'Channel'), { code: 'conflict' });
});
