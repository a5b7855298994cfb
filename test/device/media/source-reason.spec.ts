import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { redactorFor } from '../../../device/media/ffmpeg-output/redact.ts';
import {
  deliveryReason,
  quotable,
  sourceReason,
  troubleOf,
} from '../../../device/media/ffmpeg-output/source-reason.ts';
import { settingsSentence } from '../../../device/runner/change-executor.ts';
import { sentenceOf } from '../../../device/runner/playout/overlay-rules.ts';
import { fileSource, output, runSpec } from '../runner/specs.ts';

test('ffmpeg’s messages about a source are turned into plain reasons, and a refusal is distinguished from a passing fault', () => {
  const cases: [words: string, why: RegExp, isRefusal: boolean][] = [
    ['[error] Server returned 403 Forbidden (access denied)', /refuses the request \(403 Forbidden\)/u, true],
    ['[https] [warning] HTTP error 404 Not Found', /refuses the request \(404 Not Found\)/u, true],
    ['[error] Server returned 401 Unauthorized', /\(401 Unauthorized\)/u, true],
    ['[error] Server returned 5XX Server Error reply', /answers with an error \(5XX\)/u, false],
    ['[tcp] [error] Connection to tcp://127.0.0.1:9 failed: Connection refused', /nothing listens there/u, false],
    [
      'w!W:SRT.cn: processAsyncConnectRequest: REJECT reported from HS processing: Incorrect passphrase - not processing further',
      /Incorrect passphrase/u,
      true,
    ],
    [
      '[srt] [error] Connection to srt://10.0.0.9:9000 failed: Input/output error',
      /its SRT peer does not answer/u,
      false,
    ],
    ['[rtmp] [error] Server error: Permission denied.', /refuses the stream: Permission denied$/u, true],
    ['[rtmp] [error] Server error: The server is busy', /refuses the stream: The server is busy/u, false],
    ["[fatal] Stream map '0:V:0' matches no streams.", /no picture that could be copied/u, false],
    ['[error] pipe:0: Invalid data found when processing input', /cannot be read as media/u, false],
  ];
  for (const [words, why, isRefusal] of cases) {
    const found = sourceReason(words);
    assert.match(found?.why ?? '', why, words);
    assert.equal(found?.isRefusal, isRefusal, words);
    assert.doesNotMatch(found?.why ?? '', /(?:tcp|srt):\/\//u, words);
  }
  const unknown = troubleOf('[error] Something new', 'Something new');
  assert.deepEqual([unknown.message, unknown.upstream], ['it cannot be read', 'Something new']);
  assert.equal(unknown.publicMessage, 'it cannot be read (ffmpeg: Something new)');
  assert.equal(
    troubleOf('[error] Connection refused', 'x').publicMessage,
    troubleOf('[error] Connection refused', 'x').message,
  );
});

test('the list of reasons for a Destination leaves out those of sources alone, and has its own besides', () => {
  const cases: [words: string, sentence: string][] = [
    [
      '[tcp] [error] Connection to tcp://127.0.0.1:9 failed: Connection refused',
      'its address refuses the connection (Connection refused); nothing listens there',
    ],
    ['[error] Server returned 403 Forbidden (access denied)', 'its server refuses the request (403 Forbidden)'],
    ['[error] file:a.mp4: No space left on device', 'the disk of this Device is full'],
  ];
  for (const [words, why] of cases) assert.equal(deliveryReason(words, words), `The delivery has ended: ${why}.`);
  const own = '[error] Invalid data found when processing input';
  assert.equal(deliveryReason(own, 'Invalid data found'), 'The delivery has ended (ffmpeg: Invalid data found).');
  assert.equal(deliveryReason('', undefined), undefined);
});

test('words of ffmpeg that we pass on name neither an address nor an option that nobody has typed', () => {
  const reply =
    'failed with SRTO_MAXBW on srt://10.0.0.9:9000?streamid=canary-key: Input/output error; see rtmp://b/app/canary.';
  assert.equal(quotable(reply), 'failed with an SRT option on its address: Input/output error; see its address.');
  for (const report of [troubleOf('[error] x', reply).publicMessage, deliveryReason('[error] x', reply)!])
    assert.doesNotMatch(report, /canary|:\/\/|SRTO_/u, report);
});

test('a passphrase that SRT does not take, and an option, are refused in words of ours, and lastingly', () => {
  const address = 'srt://127.0.0.1:9?passphrase=canary';
  const { stderr } = spawnSync('ffmpeg', ['-hide_banner', '-v', 'level+error', '-i', address], { encoding: 'utf8' });
  assert.match(stderr, /SRTO_PASSPHRASE/u, 'as ffmpeg says it');
  const { publicMessage: report } = troubleOf(stderr, stderr);
  assert.equal(report, 'its SRT passphrase is none that SRT takes; it needs 10 to 79 characters');
  assert.equal(sourceReason(stderr)?.isRefusal, true);
  assert.equal(deliveryReason(stderr, stderr), `The delivery has ended: ${report}.`);
  const option = sourceReason('[error] failed to set option SRTO_LATENCY on socket: Bad parameters');
  assert.deepEqual(option, { why: 'its SRT settings are none that SRT takes', isRefusal: true });
});

test('no folder of this machine is in the words of ffmpeg that are passed on', () => {
  const { redact } = redactorFor(runSpec('run', fileSource('/srv/data/assets/a.mp4'), []));
  const reply = "File 'file:/srv/onair/data/device/recordings/13/run-11-1.mp4' already exists. Exiting.";
  assert.equal(redact(reply), "File 'run-11-1.mp4' already exists. Exiting.");
  assert.equal(redact('/tmp/x/y.mp4: No such file'), 'y.mp4: No such file');
  assert.equal(redact('Opening http://host/a/b.m3u8 and 3/4 of it'), 'Opening http://host/a/b.m3u8 and 3/4 of it');
});

test('events name the text that is shown and the settings of a Destination that changed, and never their values', () => {
  const text = { text: 'Back\nsoon', position: 'Bottom', size: 36, color: '#ffffff' } as const;
  assert.equal(sentenceOf({ text }), 'The text "Back soon" is shown, position Bottom.');
  const before = output(21, 'RTMP', { url: 'rtmp://a/live', stream_key: 'canary-old' });
  const keyed = output(21, 'RTMP', { url: 'rtmp://a/live', stream_key: 'canary-new' });
  assert.match(settingsSentence(before, keyed), /^Destination "[^"]*" has a new stream key\.$/u);
  const moved = output(21, 'RTMP', { url: 'rtmp://b/live', stream_key: 'canary-new' });
  assert.match(settingsSentence(before, moved), /has a new stream key, and new settings: url\.$/u);
  assert.match(settingsSentence(keyed, moved), /has new settings: url\.$/u);
});
