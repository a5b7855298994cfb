/** Planned actions: their words, and what is sent of their form. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addLivestreamAction, updatePlannedAction } from '../../web/gen/forms/planned-actions.ts';
import { plannedActionsEn } from '../../web/i18n/en/forms.ts';
import { actionText, type PlannedAct } from '../../web/resource/planned-action/action-text.ts';
import { withWholePayload } from '../../web/resource/planned-action/whole-payload.ts';
import { createDraft } from '../../web/ui/form/draft.ts';
import type { Field } from '../../web/ui/form/field.ts';

const AT = '2027-01-01T20:15:00.000Z';
const text = (type: PlannedAct['type'], payload: Record<string, unknown>): string =>
  actionText({ type, payload }, plannedActionsEn);

describe('planned actions of the page', () => {
  it('each says in few words what it does', () => {
    assert.equal(text('logo', { logo: { filename: 'bug.png' } }), 'logo bug.png');
    assert.equal(text('logo', { logo: { filename: '' } }), 'no logo');
    assert.equal(text('metadata', { type: 'CueOut', metadata: { duration: 90 } }), 'cue 90 s');
    assert.equal(text('text', { action: 'hide' }), 'end of text');
    assert.equal(text('blackout', { mode: 'Live' }), 'end of blackout');
    assert.equal(text('record', { action: 'start' }), 'recording');
    assert.equal(text('record', { action: 'stop' }), 'end of recording');
    assert.equal(text('options', { crop: null }), 'options');
    assert.equal(text('stop', {}), 'stop');
  });

  it('a new one sends what its type needs alone, whatever was offered for the others', () => {
    const seed = { type: 'logo', execute_at: AT, payload: { mode: 'Black Frame', metadata: { duration: 30 } } };
    const draft = createDraft(addLivestreamAction as unknown as Field[], undefined, seed);
    const logo = { type: 'logo', payload: { logo: { filename: '' } }, execute_at: AT };
    assert.deepEqual(withWholePayload(draft.body(), draft), logo);
    draft.set('type', 'blackout');
    assert.deepEqual(withWholePayload(draft.body(), draft)['payload'], { mode: 'Black Frame', keepAudio: false });
    draft.set('type', 'metadata');
    draft.set('payload.type', 'CueOut');
    assert.deepEqual(withWholePayload(draft.body(), draft)['payload'], { type: 'CueOut', metadata: { duration: 30 } });
  });

  it('an edit of its time sends the time alone, and one of what it does sends all of that', () => {
    const payload = { type: 'CueOut', metadata: { duration: 30, id: '7' } };
    const row = { id: 1, type: 'metadata', payload, execute_at: AT };
    const draft = createDraft(updatePlannedAction as unknown as Field[], row);
    draft.set('execute_at', '2027-01-01T20:30:00.000Z');
    assert.deepEqual(withWholePayload(draft.body(), draft), { execute_at: '2027-01-01T20:30:00.000Z' });
    draft.set('payload.metadata.duration', '60');
    assert.deepEqual(withWholePayload(draft.body(), draft)['payload'], {
      type: 'CueOut',
      metadata: { duration: 60, id: '7' },
    });
  });
});
