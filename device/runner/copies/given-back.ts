/** Writes the event of a source that ffmpeg reads in place of this process; each reason is one once. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { EventLog } from '../process/event-log.ts';

export function givenBackReporter(
  events: EventLog | undefined,
  { name, channelId }: SourceSpec,
): (why: string) => void {
  const reasons = new Set<string>();
  return (why) => {
    if (reasons.has(why)) return;
    reasons.add(why);
    const message = `Channel "${name}" is read by ffmpeg from now on, which costs more of the processor: ${why}.`;
    events?.add('runtime_changed', 'info', message, { change: 'reader', channelId, reason: why });
  };
}
