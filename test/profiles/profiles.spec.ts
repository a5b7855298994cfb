import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { intersectProfiles, profileByName, profiles } from '../../profiles/profiles.ts';
import { VOICE_OPERATIONS } from '../../profiles/voice.ts';
import type { Profile } from '../../toolkit/access.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';

const all = [...operations, ...workflows];

test('there are four profiles, and full holds when none is named', () => {
  assert.deepEqual(
    profiles.map(({ name }) => name),
    ['voice', 'readonly', 'operator', 'full'],
  );
  assert.equal(profileByName(undefined).name, 'full');
  assert.equal(profileByName('').name, 'full');
});

test('an unknown profile is refused with the valid ones', () => {
  assert.throws(
    () => profileByName('root'),
    (error: unknown) =>
      error instanceof AppError &&
      error.code === 'invalid_input' &&
      /voice, readonly, operator, full/u.test(error.message),
  );
});

test('the profile voice lists tools that exist and an Operator may call, and confirms all deletes but a skip', () => {
  for (const [name, execution] of Object.entries(VOICE_OPERATIONS)) {
    const tool = all.find((each) => each.name === name) ?? assert.fail(`There is no tool ${name}.`);
    assert.equal(tool.access, 'operator', name);
    assert.equal(execution === 'when_confirmed', tool.effect === 'delete' && name !== 'restoreSkip', name);
  }
});

test('answers are spoken under the profile voice and wherever it narrows another', () => {
  const [voice, ...others] = profiles as [Profile, ...Profile[]];
  assert.equal(voice.spoken, true);
  for (const other of others) {
    assert.equal(other.spoken, false, other.name);
    assert.equal(intersectProfiles(other, voice).spoken, true, other.name);
    assert.equal(intersectProfiles(voice, other).spoken, true, other.name);
  }
});

test('a client can narrow the profile of its server, never widen it', () => {
  const [voice, readonly, operator, full] = profiles as [never, never, never, never];
  assert.equal(intersectProfiles(full, readonly), readonly);
  assert.equal(intersectProfiles(readonly, full), readonly);
  assert.equal(intersectProfiles(voice, voice), voice);
  const both = intersectProfiles(readonly, operator);
  assert.equal(both, intersectProfiles(readonly, operator));
  for (const tool of all) assert.equal(both.allows(tool), tool.effect === 'read' && tool.access === 'operator');
});
