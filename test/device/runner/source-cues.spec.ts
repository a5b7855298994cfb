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

test('cues of an encoder that pushes by encrypted SRT are not read, and one event says why; without a passphrase they are', (t) => {
  const path = join(testFolder(t, 'source-cues'), 'events.jsonl');
  const cuesOf = (settings: Partial<ChannelSettings>): { cues: SourceCues; kinds: () => string[] } => {
    const pushed = source('SRT', { mode: 'listener', port: 9000, ...settings });
    const spec = { ...runSpec('cues', pushed, [output(21, 'HLS / TS', QUICK.output)]), scteMarkers: true };
    const events = new EventLog(path, spec, systemClock, (text) => text);
    const cues = new SourceCues(pushed, { spec, cues: {} as Cues, events, isOnAir: () => true }, () => undefined);
    return {
      cues,
      kinds: () => new EventLog(path, spec, systemClock, (text) => text).earlier.map(({ message }) => message),
    };
  };
  const secret = cuesOf({ passphrase: 'canary-phrase-1', encryption: 128 });
  for (const _ of [1, 2]) secret.cues.connect({} as Child, 5, () => undefined);
  assert.equal(secret.cues.isWanted, false);
  assert.equal(secret.cues.begin(), false);
  assert.equal(secret.kinds().length, 1);
  assert.match(secret.kinds()[0]!, /^Cues of Channel ".+" are not carried: it is opened with a secret/u);
  assert.equal(cuesOf({}).cues.isWanted, true);
});
