/** Cues whose times nobody can know are not carried, and the run says so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../domain/time/clock.ts';
import type { Child } from '../../../device/runner/process/child.ts';
import { EventLog } from '../../../device/runner/process/event-log.ts';
import { SourceCues } from '../../../device/runner/input/source-cues.ts';
import type { Cues } from '../../../device/runner/stream/cues.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { output, QUICK, runSpec, source } from './specs.ts';
import type { ChannelSettings } from '../../../domain/types/channel-settings.ts';

test('cues of a source that is opened through a list are not carried, and one event says why; those of an encoder that pushes are, by encrypted SRT too', (t) => {
  const path = join(testFolder(t, 'source-cues'), 'events.jsonl');
  const messagesOf = (settings: Partial<ChannelSettings>, input: string): string[] => {
    const from = source('SRT', { mode: 'listener', port: 9000, ...settings });
    const spec = { ...runSpec('cues', from, [output(21, 'HLS / TS', QUICK.output)]), scteMarkers: true };
    const events = new EventLog(path, spec, systemClock, (text) => text);
    const cues = new SourceCues(from, { spec, cues: {} as Cues, events, isOnAir: () => true }, () => undefined);
    assert.deepEqual([cues.isWanted, cues.begin()], [true, true]);
    for (const _ of [1, 2]) {
      const child = { output: () => undefined } as unknown as Child;
      cues.connect(child, 5, () => undefined);
      child.onLine!(`Input #0, ${input}, from 'pipe:0':`);
    }
    return new EventLog(path, spec, systemClock, (text) => text).earlier.map(({ message }) => message);
  };
  const secret = { passphrase: 'canary-phrase-1', encryption: 128 } as const;
  assert.deepEqual([messagesOf({}, 'mpegts'), messagesOf(secret, 'mpegts')], [[], []]);
  const [message, ...more] = messagesOf({ mode: 'caller', host: '127.0.0.1', ...secret }, 'concat');
  assert.match(message!, /^Cues of Channel ".+" are not carried: it is opened with a secret/u);
  assert.deepEqual(more, []);
});
