/** Codes of the server, and sentences of its own that never differ, have their words in Spanish. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { CONNECTION_WORDS, sourceReason } from '../../device/media/ffmpeg-output/source-reason.ts';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { START_REFUSALS } from '../../domain/ports/control.ts';
import { TEMPLATE_WARNINGS } from '../../domain/rules/encodings/template-warnings.ts';
import { SOURCE_WARNINGS } from '../../domain/rules/sources/source-warnings.ts';
import { ALARM_CHECKS } from '../../domain/shapes/installation/finding.ts';
import { kindOf } from '../../toolkit/tags.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { auditEn } from '../../web/i18n/en/audit.ts';
import { auditEs } from '../../web/i18n/es/audit.ts';
import { causesEs } from '../../web/i18n/help/causes-es.ts';
import { problemsEs } from '../../web/i18n/help/problems-es.ts';
import { alarmRemediesEs, warningsEs } from '../../web/i18n/help/warnings-es.ts';
import { englishTexts } from '../helpers/english-texts.ts';
import { PROGRAM } from '../helpers/service.ts';

const ROOMS = [
  'assets',
  'auth',
  'control',
  'domain',
  'integrations',
  'rest',
  'system',
  'toolkit',
  'tools',
  'workflows',
];
/** A finding about a field, as sources have it: an object, or arguments of a function that makes one. */
const FINDINGS = [
  /\bfield\b[^{};]{0,160}?\bcode: '([a-z_]+)'/gsu,
  /\b(?:add\([^(),]+, |issue\((?:[^(),]+, )?)'([a-z_]+)', /gu,
];

describe('words in Spanish', () => {
  it('warnings about sources and platforms, what helps against alarms, and obstacles of a start', () => {
    assert.deepEqual(Object.keys(warningsEs).sort(), [...SOURCE_WARNINGS, ...TEMPLATE_WARNINGS].sort());
    assert.deepEqual(Object.keys(alarmRemediesEs).sort(), [...ALARM_CHECKS].sort());
    for (const code of START_REFUSALS) assert.ok(problemsEs.reasons[code] !== undefined, code);
  });

  it('every refusal by its code, what helps against it, and every finding about a field', async () => {
    const root = join(dirname(PROGRAM), '..');
    const sources = ROOMS.flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(root, room, name), 'utf8')),
    );
    const codes = new Set(
      sources.flatMap((text) => FINDINGS.flatMap((finding) => [...text.matchAll(finding)].map(([, code]) => code!))),
    );
    assert.ok(codes.size > 40, [...codes].join());
    const { titles, remedies, issues, reasons } = problemsEs;
    assert.deepEqual(
      [...codes].filter((code) => issues[code] === undefined),
      [],
    );
    for (const { remedy } of Object.values(ERROR_CODES)) assert.ok(remedies[remedy] !== undefined, remedy);
    const found = Object.values(issues).map((issue) => issue({ min: 1, max: 9, message: 'This is of the server.' }));
    const texts = [...Object.values(titles), ...Object.values(remedies), ...found, ...Object.values(reasons)];
    assert.deepEqual((await englishTexts()).among(texts), []);
  });

  it('every kind of resource that the audit names', () => {
    const kinds = new Set([...operations, ...workflows].map(kindOf));
    for (const words of [auditEn.kinds, auditEs.kinds])
      assert.deepEqual(
        [...kinds].filter((kind) => words[kind] === undefined),
        [],
      );
  });

  it('what connections fail with, and what ffmpeg and libsrt say most', () => {
    const lines = [
      ...Object.values(CONNECTION_WORDS),
      'certificate',
      'srt://10.0.0.1:9000 failed: Input/output error',
      'Connection to srt REJECT reported from HS processing: peer rejected - not processing further',
      'failed to set option SRTO_PASSPHRASE',
      'failed to set option SRTO_LATENCY',
      'Server returned 403 Forbidden',
      'Server returned 500 Internal Server Error',
      'Server error: not authorised.',
      'Invalid data found when processing input',
      'End of file',
      'Malformed packet, rtp flag',
    ];
    for (const words of lines) {
      const why = sourceReason(words)?.why ?? '';
      assert.ok(
        Object.keys(causesEs).some((text) => why.includes(text)),
        `${words}: ${why}`,
      );
    }
  });
});
