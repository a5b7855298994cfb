import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { FORMS, type FormOperation } from '../../web/gen/forms.ts';
import { addChannel, updateChannel } from '../../web/gen/forms/channels.ts';
import { addEncoding } from '../../web/gen/forms/encodings.ts';
import { addLivestreamAction } from '../../web/gen/forms/planned-actions.ts';
import { addPublishing } from '../../web/gen/forms/publishings.ts';
import { problemsEn } from '../../web/i18n/help/problems-en.ts';
import { problemsEs } from '../../web/i18n/help/problems-es.ts';
import { EVENT_KINDS } from '../../domain/shapes/installation/event.ts';
import { eventsEs } from '../../web/i18n/help/events-es.ts';
import { HELP } from '../../web/i18n/field-help.ts';
import { errorTexts, pathsOf, placeErrors } from '../../web/ui/form/errors.ts';
import type { Field, Values } from '../../web/ui/form/field.ts';
import { bodyOf, initialValues, withValue } from '../../web/ui/form/values.ts';

const CHANNEL = addChannel as unknown as Field[];
const EDIT = updateChannel as unknown as Field[];
const ACTION = addLivestreamAction as unknown as Field[];

function filled(fields: readonly Field[], changes: Record<string, unknown>, row?: Values): Values {
  return Object.entries(changes).reduce<Values>(
    (values, [path, value]) => withValue(values, path, value) as Values,
    initialValues(fields, row),
  );
}

/** Words of the API: people neither send null nor know names of fields. */
const OF_PROGRAMS =
  /\bnull\b|\b(?:true|false):|[Ll]eft out|Write-only|[Mm]asked|\bIds? (?:of|or)\b|operationId|[a-z]_[a-z]|\b[a-z]+[a-z][A-Z]\w+/u;

describe('words for people', () => {
  /** The server's texts, with a place of each; workflows are called by programs alone, and have no form on the page. */
  async function helpTexts(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const visit = (fields: readonly Field[], place: string): void => {
      for (const { name, help, fields: inner = [], item } of fields) {
        if (help !== '') found.set(help, `${place}.${name}`);
        visit([...inner, ...(item === undefined ? [] : [item])], `${place}.${name}`);
      }
    };
    for (const operation of Object.keys(FORMS) as FormOperation[])
      if (!/^[a-z]+(?:_[a-z]+)+$/u.test(operation) && operation !== 'setUpBroadcast')
        visit((await FORMS[operation]()) as unknown as Field[], operation);
    return found;
  }

  it('each help text of a form has them in both languages, and none is left of a text that the API has no more', async () => {
    const texts = await helpTexts();
    const missing = [...texts].filter(([help]) => HELP[help] === undefined);
    assert.deepEqual(missing, [], 'they have words in web/i18n/help/');
    for (const [help, place] of texts)
      for (const text of HELP[help]!) assert.ok(text !== '' && !OF_PROGRAMS.test(text), `${place}: ${text}`);
    assert.deepEqual(
      Object.keys(HELP).filter((help) => !texts.has(help)),
      [],
    );
  });

  it('each code of a refusal has a remedy for people in both languages, and a title in Spanish', () => {
    for (const { remedies } of [problemsEn, problemsEs])
      assert.deepEqual(
        Object.keys(remedies).sort(),
        [...new Set(Object.values(ERROR_CODES).map(({ remedy }) => remedy))].sort(),
      );
    assert.deepEqual(Object.keys(problemsEs.titles).sort(), Object.keys(ERROR_CODES).sort());
  });

  it('each kind of event, and a finding of any code, is told in Spanish', () => {
    assert.deepEqual(Object.keys(eventsEs).sort(), [...EVENT_KINDS, 'other'].sort());
    assert.ok(problemsEs.issues['other'] !== undefined && problemsEs.reasons['other'] !== undefined);
  });
});

describe('the form of an Encoding', () => {
  it('offers the numbers of channels and the modes of HDR that can be saved, and no others', () => {
    const choices = (group: string, name: string): unknown => {
      const { fields = [] } = (addEncoding as unknown as Field[]).find((field) => field.name === group)!;
      return fields.find((field) => field.name === name)!.choices;
    };
    assert.deepEqual(choices('settings_audio', 'channels'), [1, 2, 6, 8]);
    assert.deepEqual(choices('settings_video', 'hdr_mode'), ['off', 'hdr10', 'hlg']);
  });
});

describe('forms of the page', () => {
  it('a new row sends the settings of its type alone, and numbers that were typed are numbers', () => {
    const values = filled(CHANNEL, {
      name: 'Cam',
      type: 'SRT',
      'settings.host': 'cam.example',
      'settings.port': '9000',
      'settings.url': 'rtmp://typed-before-the-type-was-changed',
    });
    assert.deepEqual(bodyOf(CHANNEL, values), {
      name: 'Cam',
      type: 'SRT',
      settings: { mode: 'caller', host: 'cam.example', port: 9000, latency_ms: 200 },
      enabled: true,
    });
  });

  it('switching the type to and fro keeps what was typed for it', () => {
    const values = filled(CHANNEL, { type: 'Stream', 'settings.url': 'http://a' });
    const back = withValue(withValue(values, 'type', 'NDI'), 'type', 'Stream') as Values;
    assert.deepEqual(bodyOf(CHANNEL, back), { type: 'Stream', settings: { url: 'http://a' }, enabled: true });
  });

  it('an edit sends what has changed, null for what was emptied, and no masked secret', () => {
    const row = {
      name: 'Cam',
      alias: 'c',
      description: null,
      type: 'RTMP-Push',
      settings: { app: 'live', stream_key: '****abcd', port: 1935 },
    };
    const before = initialValues(EDIT, row);
    assert.deepEqual(bodyOf(EDIT, before, before), {});
    const values = filled(EDIT, { alias: '', 'settings.app': 'live2', 'settings.port': '' }, row);
    assert.deepEqual(bodyOf(EDIT, values, before), { alias: null, settings: { app: 'live2', port: null } });
    const replaced = filled(EDIT, { 'settings.stream_key': 'new key' }, row);
    assert.deepEqual(bodyOf(EDIT, replaced, before), { settings: { stream_key: 'new key' } });
  });

  it('an edit to another type sends the settings that this one needs', () => {
    const row = { name: 'Cam', type: 'Stream', settings: { url: 'http://a' } };
    const before = initialValues(EDIT, row);
    const values = filled(EDIT, { type: 'File', 'settings.filename': 'loop.mp4' }, row);
    assert.deepEqual(bodyOf(EDIT, values, before), { type: 'File', settings: { filename: 'loop.mp4', loop: true } });
  });

  it('a number that cannot be read goes as it was typed, so that the server names it', () => {
    const values = filled(CHANNEL, { type: 'SRT', 'settings.port': 'abc' });
    assert.equal((bodyOf(CHANNEL, values)['settings'] as Values)['port'], 'abc');
  });

  it('a planned action has the body of its type, with lists of objects', () => {
    const values = filled(ACTION, {
      type: 'publishings',
      execute_at: '2026-01-01T00:00:00.000Z',
      'payload.publishings': [{ publishingId: 4, primary: false, backup: '' }],
    });
    assert.deepEqual(bodyOf(ACTION, values), {
      type: 'publishings',
      execute_at: '2026-01-01T00:00:00.000Z',
      payload: { publishings: [{ publishingId: 4, primary: false }] },
    });
  });

  it('codecs that new profiles refuse are not offered, and options of a codec belong to it', () => {
    const video = (addEncoding as unknown as Field[]).find(({ name }) => name === 'settings_video')?.fields ?? [];
    const named = (name: string): Field | undefined => video.find((field) => field.name === name);
    assert.equal(named('codec')?.choices?.includes('mpgv'), false);
    assert.deepEqual(named('h264')?.when, { 'settings_video.active': [true], 'settings_video.codec': ['h264'] });
  });

  it('an object that may be absent is absent until somebody sets it', () => {
    const fields = addPublishing as unknown as Field[];
    const values = filled(fields, { name: 'Web', type: 'CMAF' });
    assert.equal('drm' in bodyOf(fields, values), false);
  });

  it('findings stand at their fields however the path is written; what has no field is left to the alert', () => {
    const values = filled(CHANNEL, { type: 'Stream' });
    const { at, first, shown } = placeErrors(
      [
        { field: 'settings.url', message: 'is required' },
        { pointer: '/name', message: 'is taken' },
        { field: 'settings.host', message: 'belongs to another type' },
        { field: 'nothing', message: 'is unknown' },
      ],
      pathsOf(CHANNEL, values),
    );
    assert.deepEqual(errorTexts(at), {
      'settings.url': 'is required',
      name: 'is taken',
      settings: 'belongs to another type',
    });
    assert.deepEqual([first, shown], ['name', ['settings.url', '/name', 'settings.host']]);
  });
});
