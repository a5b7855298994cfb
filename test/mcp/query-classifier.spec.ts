import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBayes } from '../../mcp/search/classifier.ts';
import { exampleClassesOf } from '../../mcp/search/example-classes.ts';
import { createSpeller } from '../../mcp/search/spelling.ts';
import { catalogue } from '../app/test-app.ts';

test('the class that has shown the traits is the likeliest, and the others go by how far they are from it', () => {
  const bayes = createBayes(0.1);
  bayes.learn('start', ['go', 'live']);
  bayes.learn('start', ['start', 'now']);
  bayes.learn('stop', ['stop', 'now']);
  const found = bayes.likeness(['go', 'live', 'now']);
  assert.equal(found.get('start'), 1);
  const other = found.get('stop') ?? Infinity;
  assert.ok(other > 0 && other < 0.2, `${other}`);
  assert.equal(bayes.likeness(['zebra']).size, 0);
});

test('a trait that both classes have shown as often says less than one that only one class has shown', () => {
  const bayes = createBayes(0.1);
  bayes.learn('start', ['begin', 'show']);
  bayes.learn('stop', ['end', 'show']);
  assert.equal(bayes.likeness(['show']).get('stop'), 1);
  assert.ok((bayes.likeness(['show', 'begin']).get('stop') ?? 1) < 0.2);
});

test('slips of spelling are repaired, and names and short words are left as they are', () => {
  const { spell } = createSpeller(exampleClassesOf(catalogue.operations), new Set());
  assert.equal(spell('delte the recordign'), 'delete the recording');
  assert.equal(spell('shcedule it'), 'schedule it');
  for (const output of ['Bartok in E', 'cam 2', 'getAllLivestreams', 'rtmp://x/y', 'encoders', 'zzzzqqqq']) {
    assert.equal(spell(output), output);
  }
});
