import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { toErrorResult, toResult, type Audience } from '../../mcp/calls/results.ts';
import { shorten } from '../../mcp/calls/shorten.ts';
import type { AnswerContext } from '../../mcp/voice/speech.ts';
import { start_livestream } from '../../workflows/start_livestream.ts';

const speech = { zone: 'UTC', nowMs: 0, streamNames: new Map() } as unknown as AnswerContext;

const outputOf = (error: AppError): string => {
  const [first] = toErrorResult(error, 'r').content;
  return first?.type === 'text' ? first.text : '';
};

test('the text of an error is sentences: what failed, then the remedy', () => {
  const missing = invalidInput([{ field: 'name', code: 'required', message: 'is required' }]);
  assert.match(outputOf(missing), /name: is required\. Correct the fields/u);
  assert.match(outputOf(new AppError('conflict', 'It is there.')), /^It is there\. Read the present state/u);
});

test('the text of an error holds the reason from outside, read or spoken, and the problem keeps it apart', () => {
  const detail = 'Show did not go on air: the start failed after 3 seconds.';
  const error = new AppError('upstream_failed', detail, { upstream: 'rtmp://10.0.0.9/live refused the key. Line 2.' });
  assert.match(
    outputOf(error),
    /after 3 seconds; the reason given is "rtmp:\/\/10\.0\.0\.9\/live refused the key"\. /u,
  );
  const { content, structuredContent } = toErrorResult(error, 'r', { zone: 'UTC', nowMs: 0 });
  assert.match(
    (content[0] as { text: string }).text,
    /after 3 seconds; the reason given is [^:"]* refused the key\. /u,
  );
  assert.equal(structuredContent?.['detail'], detail);
});

function replyOfStart<T>(body: T, replayed: boolean) {
  return { tool: start_livestream, body, status: 202, etag: undefined, names: [], replayed, file: undefined };
}

test('the texts of a start are its sentence and its facts, and by voice the sentence alone', () => {
  const watch = [{ publishingId: 1, name: 'Web', type: 'HLS / TS', url: 'http://127.0.0.1:8091/live/1/1/index.m3u8' }];
  const body = { message: 'Show is on air on 1 destination.', watch };
  const reply = replyOfStart(body, false);
  const texts = (speech?: AnswerContext): unknown[] =>
    toResult(reply, { speech }).content.map((block) => (block as { text?: string }).text);
  assert.deepEqual(texts(), ['Show is on air on 1 destination.', JSON.stringify({ watch })]);
  assert.deepEqual(texts(speech), ['Show is on air on 1 destination.']);
});

test('a repeated answer says that nothing was done now, read or spoken; the answer to a first asker does not', () => {
  const body = { message: 'Show is on air on 1 destination.' };
  const reply = replyOfStart(body, true);
  const text = (audience: Audience): string =>
    toResult(reply, audience)
      .content.map((block) => (block as { text: string }).text)
      .join(' ');
  const expected = /^Show is on air on 1 destination\.(?: \{\})? This was done before, and nothing was done now; /u;
  assert.match(text({}), expected);
  assert.match(text({ speech }), expected);
  assert.equal(text({ isResent: true }), `${body.message} {}`);
  assert.equal(text({ speech, isResent: true }), body.message);
});

test('a result that is too long is cut where it is longest, keeps every field, and names what was cut', () => {
  const row = {
    id: 1,
    name: 'Show',
    text: 'n'.repeat(300),
    group: { name: 'All', members: Array.from('abcdefghijklmnopqrstuvwxyz') },
  };
  for (const room of [200, 230, 280, 400, 420, 600]) {
    const cut: string[] = [];
    const short = shorten(row, room, '', cut) as typeof row;
    assert.ok(JSON.stringify(short).length <= room, `${room}: ${JSON.stringify(short)}`);
    assert.deepEqual(Object.keys(short), Object.keys(row));
    assert.deepEqual([short.id, short.name], [1, 'Show']);
    assert.equal(cut.length > 0, room < 600);
  }
  const cut: string[] = [];
  shorten(row, 220, '', cut);
  assert.match(cut.join(), /^text,group\.members \(\d+ of 26\)$/u);
});
