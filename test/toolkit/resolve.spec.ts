import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toProblem, type AppError } from '../../domain/base/errors.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { openStore } from '../../store/open.ts';
import {
  findNamed,
  findRow,
  sayFound,
  takeNamed,
  takeRow,
  type Named,
  type Question,
} from '../../toolkit/input/resolve.ts';
import { sentence } from '../../toolkit/sentence.ts';
import { seededRandom } from '../helpers/random.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { stripInvisible } from '../../toolkit/output/visible.ts';
import { nameOrId } from '../../toolkit/subjects/workflow.ts';

const rows = ['Evening News', 'Evening Sports', 'Morning Show', 'Café Concert', 'Parliament TV', '2024 Gala'].map(
  (name, at) => ({ id: at + 1, name }),
);
const noun = 'Live stream';
const request = { operation: 'stop_livestream', sent: {} };
const question = (wanted: string): Required<Question> => ({ wanted, noun, from: { request, field: 'livestream' } });
const refusal = (
  wanted: string,
  take: (rows: readonly Named[], question: Question) => unknown = findNamed,
): AppError => {
  try {
    take(rows, { wanted, noun });
  } catch (error) {
    return error as AppError;
  }
  throw new Error(`${wanted} was matched`);
};

const TAKEN: [string, string][] = [
  ['evening  NEWS', 'Evening News'],
  ['Cafe\u0301 concert', 'Café Concert'],
  ['CAFE CONCERT', 'Café Concert'],
  ['Morn\u200bing Show', 'Morning Show'],
  ['morn', 'Morning Show'],
  ['cafe c', 'Café Concert'],
  ['2024 g', '2024 Gala'],
];
for (const [wanted, name] of TAKEN)
  test(`a change takes ${name} for ${JSON.stringify(wanted)}, and a read takes it without a word`, () => {
    assert.equal(takeNamed(rows, { wanted, noun }).name, name);
    assert.deepEqual(findNamed(rows, { wanted, noun }), { row: rows.find((row) => row.name === name) });
  });

const CLOSE: [string, string][] = [
  ['parliamnt TV', 'Parliament TV'],
  ['gala', '2024 Gala'],
  ['news evening', 'Evening News'],
  ['evening-news', 'Evening News'],
  ['mornig show', 'Morning Show'],
  ['"Morning Show"', 'Morning Show'],
  ['the gala', '2024 Gala'],
  ['2024 gala stream', '2024 Gala'],
  ['number five', 'Parliament TV'],
  ['live stream three', 'Morning Show'],
  ['the evening news broadcast', 'Evening News'],
  ['the concert stream', 'Café Concert'],
];
for (const [wanted, name] of CLOSE)
  test(`a read takes ${name} for ${wanted} and says so, and a change is refused with it as the nearest`, () => {
    const found = findNamed(rows, { wanted, noun });
    assert.deepEqual([found.row.name, found.taken_for], [name, wanted]);
    const { text } = sayFound(found, noun, sentence`All is well.`);
    assert.equal(text, `There is no Live stream ${JSON.stringify(wanted)}; the nearest is "${name}". All is well.`);
    const error = refusal(wanted, takeNamed);
    assert.equal(error.code, 'not_found');
    assert.equal((error.extras.facts?.['nearest'] as Named[])[0]?.name, name);
  });

test('several names with the beginning that was typed are a conflict that lists them with their ids, for reads and changes', () => {
  for (const error of [refusal('evening'), refusal('evening', takeNamed)]) {
    assert.equal(error.code, 'conflict');
    assert.deepEqual(error.extras.facts?.['matches'], [
      { id: 1, name: 'Evening News' },
      { id: 2, name: 'Evening Sports' },
    ]);
    assert.match(error.message, /1 "Evening News", 2 "Evening Sports"\.$/u);
  }
});

test('a name that no row has is answered with the nearest three, those that are equally close first', () => {
  const encoders = ['Aardvark', 'Encoder A', 'Encoder B', 'Encoder C'].map((name, at) => ({ id: at + 1, name }));
  for (const take of [findNamed, takeNamed])
    assert.throws(() => take(encoders, { wanted: 'Encoder Z', noun: 'Device' }), {
      code: 'not_found',
      message: 'There is no Device "Encoder Z". The nearest: "Encoder A", "Encoder B", "Encoder C".',
    });
  assert.deepEqual(
    (refusal('the evening show').extras.facts?.['nearest'] as Named[]).map(({ name }) => name).slice(0, 2),
    ['Evening News', 'Evening Sports'],
  );
  assert.equal(refusal('Midnight Mass').code, 'not_found');
  assert.equal(refusal('\u200b').code, 'not_found');
});

/** Names of two to four words and a number, one letter or digit of the second changed, put in, left out or swapped with its neighbour. */
function* pairsOfNames(count: number): Generator<[string, string]> {
  const next = seededRandom(15);
  const below = (bound: number): number => Math.floor(next() * bound);
  const words = ['Studio', 'Camera', 'Sunday', 'Mass', 'Encoder', 'North', 'Hall', 'Kür', 'Web', 'Masse', 'A', 'B'];
  const signs = 'abcdefghijklmnopqrstuvwxyz0123456789';
  for (let made = 0; made < count;) {
    const name = [...Array.from({ length: 2 + below(3) }, () => words[below(words.length)]!), below(30)].join(' ');
    // Not at the end, where a name that is shorter by a letter is the beginning of the other.
    const at = below(name.length - 1);
    const sign = signs[below(signs.length)]!;
    const slips = [
      name.slice(0, at) + sign + name.slice(at + 1),
      name.slice(0, at) + sign + name.slice(at),
      name.slice(0, at) + name.slice(at + 1),
      name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2),
    ];
    const other = slips[below(slips.length)]!.trim();
    if (other.toLowerCase() === name.toLowerCase() || other.includes('  ')) continue;
    made += 1;
    yield [name, other];
  }
}

test('of 200 pairs of names that are one slip apart, a change never takes one for the other', () => {
  for (const [name, other] of pairsOfNames(200)) {
    assert.throws(
      () => takeNamed([{ id: 1, name }], { wanted: other, noun }),
      { code: 'not_found' },
      `${name}, ${other}`,
    );
    const both = [name, other].map((each, at) => ({ id: at + 1, name: each }));
    for (const { id, name: wanted } of both) assert.equal(takeNamed(both, { wanted, noun }).id, id, wanted);
  }
});

test('invisible characters in a name are stripped, and those that scripts and emoji need stay', () => {
  assert.equal(stripInvisible('a\u200bb\u202ec\u2066d\ufeffe\u00adf\u{e0041}g'), 'abcdefg');
  assert.equal(stripInvisible('👩‍💻 می‌خواهم'), '👩‍💻 می‌خواهم');
  assert.equal(stripInvisible('x\u200d\u200d\u200c y\u200d'), 'x y');
});

test('the id of a deleted row, or an id with a sign before it, never finds a row by a part of its name', async () => {
  const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
  const id = await seedBroadcast(store, ' 7');
  const find = async (wanted: string): Promise<{ id: number }> =>
    (await findRow({ store, request }, 'livestreams', question(wanted))).row;
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
  const find = (wanted: string): Promise<{ id: number }> =>
    takeRow({ store, request }, 'livestreams', question(wanted));
  const rows = (await store.find('livestreams', {})).rows;
  for (const refused of [find(String(second)), async () => takeNamed(rows, { wanted: String(second), noun })]) {
    await assert.rejects(refused, (error: AppError) => {
      assert.equal(error.code, 'conflict');
      const matches = error.extras.facts?.['matches'] as { id: number }[];
      assert.deepEqual(matches.map(({ id }) => id).sort(), [first, second]);
      assert.match(error.extras.remedy ?? '', /repeat the call with # before its id/u);
      return true;
    });
  }
  assert.equal((await find(`#${second}`)).id, second);
  assert.equal(takeNamed(rows, { wanted: `#${second}`, noun }).id, second);
  assert.equal((await find(String(first))).id, first);
  assert.equal(nameOrId.parse(second), `#${second}`);
  assert.equal(nameOrId.parse(-second), String(-second));
  await store.close();
});

test('a name of a kind that has no rows yet is answered with how to add one', async () => {
  const store = await openStore({ dir: '', clock: systemClock, kind: 'memory' });
  await assert.rejects(takeRow({ store, request }, 'livestreams', question('Show')), (error: AppError) => {
    assert.match(error.message, /None exists yet; add one with addLivestream/u);
    assert.equal(toProblem(error, 'r').remedy, 'Then repeat the call.');
    return true;
  });
  assert.equal(
    toProblem(refusal('evening'), 'r').remedy,
    'Ask which Live stream is meant, then repeat the call with its id.',
  );
  await store.close();
});

const NUMBERED = ['Camera 2', 'Camera 3', 'Camera 10', 'Studio Twenty One', 'Straße', 'Ångström B'].map((name, at) => ({
  id: at + 101,
  name,
}));

test('numbers in names are understood as words, and never rounded', () => {
  const numbered = (wanted: string): string => findNamed(NUMBERED, { wanted, noun: 'Channel' }).row.name;
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

test('of two names that differ in spelling alone, such as Channel 1 and Channel One, each is itself and nothing else', () => {
  const alike = ['Channel One', 'Channel 1', 'Cafe', 'Café'].map((name, at) => ({ id: at + 1, name }));
  const take = (wanted: string, among = alike): string => takeNamed(among, { wanted, noun: 'Channel' }).name;
  for (const { name } of alike) assert.equal(take(name), name);
  assert.equal(take('CHANNEL ONE'), 'Channel One');
  assert.throws(() => take('CAFE'), { code: 'conflict' });
  const pairs = [
    ['Channel 1', 'Channel One'],
    ['Camera 1', 'Camera -1'],
    ['Camera 10', 'Camera 1'],
    ['Camera 1.5', 'Camera 1'],
    ['Maße', 'Masse'],
    ['Camera ²', 'Camera 2'],
    ['Край', 'Краи'],
    ['Studio A', 'Studio \u0410'],
    ['The Mass', 'Mass'],
  ];
  for (const [name = '', wanted = ''] of pairs)
    assert.throws(() => take(wanted, [{ id: 1, name }]), { code: 'not_found' }, wanted);
});
