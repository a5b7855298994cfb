/** How long a break lasts, and how long the open one has left. */
import { useComputed, useSignal } from '@preact/signals';
import { moment } from '../../../live/clock.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { durationText } from '../../../zone.ts';
import { memoryOf } from '../acts/memory.ts';
import { words } from '../words.ts';

const SECONDS = ['30', '60', '90'] as const;

export function CuesTab({ status }: { status: LivestreamStatus }) {
  const memory = memoryOf(status.livestreamId);
  const seconds = useSignal(String(memory.cueSeconds));
  const w = words.value.solo;
  const open = useComputed(() => {
    const left = (memory.breakEndsAt ?? 0) - moment.value;
    return left > 0 ? words.value.solo.openBreak(durationText(left / 1000)) : words.value.solo.noBreak;
  });
  return (
    <>
      <RadioGroup
        label={w.duration}
        isLabelShown
        value={seconds.value}
        options={SECONDS.map((value) => ({ value, label: w.seconds(Number(value)) }))}
        onValue={(value) => {
          seconds.value = value;
          memory.cueSeconds = Number(value);
        }}
      />
      <p>{open}</p>
    </>
  );
}
