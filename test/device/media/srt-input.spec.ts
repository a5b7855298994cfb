/** The SRT source as ffmpeg gets it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { srtInput } from '../../../device/media/arguments/srt-input.ts';

const caller = { host: 'far.example', port: 9000, mode: 'caller', latency_ms: 120, encryption: 0 } as const;

test('an SRT caller has microseconds, an end to silence and to the attempt, and nothing in the arguments', () => {
  const { args, list, listens: waits } = srtInput(caller);
  assert.ok(!args.join(' ').includes('far.example'));
  assert.match(list!, /^file 'srt:\/\/far\.example:9000'$/mu);
  for (const line of ["mode '0'", "latency '120000'", "timeout '3000000'"])
    assert.ok(list!.includes(`option ${line}\n`), line);
  assert.ok(!/passphrase|pbkeylen/u.test(list!));
  assert.equal(waits, undefined);
});

test('an SRT caller asks for its stream id, which no process list shows', () => {
  const { args, list } = srtInput({ ...caller, streamid: "#!::r=cam 1,u=it's" });
  assert.ok(list!.includes("option srt_streamid '#!::r=cam 1,u=it'\\''s'\n"), list);
  assert.ok(!args.join(' ').includes('cam'));
  assert.ok(!srtInput(caller).list!.includes('streamid'));
});

test('an SRT listener waits as long as it takes', () => {
  const { list, listens: waits } = srtInput({ ...caller, host: '::', mode: 'listener' });
  assert.match(list!, /^file 'srt:\/\/\[::\]:9000'$/mu);
  assert.ok(list!.includes("option mode '1'\n") && list!.includes("option timeout '2000000'\n"));
  assert.ok(waits !== undefined && waits.againMs < 1000);
});

test('SRT with AES takes the key length in bytes and the passphrase as it is, and lets nobody in without it', () => {
  const passphrase = "it's a \\ &+%41 phrase";
  for (const [bits, bytes] of [
    [128, 16],
    [192, 24],
    [256, 32],
  ] as const) {
    const { args, list } = srtInput({ ...caller, encryption: bits, passphrase });
    assert.ok(list!.includes(`option pbkeylen '${bytes}'\n`));
    assert.ok(list!.includes("option enforced_encryption '1'\n"));
    assert.ok(list!.includes("option passphrase 'it'\\''s a \\ &+%41 phrase'\n"));
    assert.ok(!args.join(' ').includes('phrase'));
  }
  assert.ok(
    srtInput({ ...caller, passphrase }).list!.includes("option pbkeylen '16'\n"),
    'stored by an earlier version',
  );
  assert.throws(() => srtInput({ ...caller, encryption: 128, passphrase: 'ten letters\noption x y' }), TypeError);
});
