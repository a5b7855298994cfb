/** Whether a run on air can be moved to another Device as it is now, wherever that is. */
import { AppError } from '../../domain/base/errors.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import { isRecordingNow } from '../../domain/rules/devices/device-storage.ts';
import { hasFeature } from '../../domain/rules/devices/needed-features.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { View } from '../../domain/ports/store.ts';
import { resolveBindings } from '../start/bindings.ts';

export interface Moved {
  livestream: Readonly<Livestream>;
  run: Readonly<Run>;
  from: Readonly<Device>;
}

export interface MovableDeps {
  reportOf: (runId: string) => RunReport | undefined;
  /** Recordings are sent to a bucket. */
  sendsRecordings: boolean;
  /** A Recording may become two, one of each Device. */
  mayCut: boolean;
}

/** Answers why it cannot; undefined when it can. */
export function whyUnmovable(view: View, moved: Moved, deps: MovableDeps): AppError | undefined {
  const { livestream, run } = moved;
  const subject = called('Live stream', livestream);
  if (run.move != null) {
    const detail = `${subject} is being moved to ${calledIn(view, 'Device', run.otherDeviceId ?? 0)} already; wait for the event run_moved.`;
    return new AppError('conflict', detail, { retryAfterSeconds: 5 });
  }
  if (!deps.mayCut && wouldCut(view, moved, deps)) {
    const detail = `${subject} has an open Recording on ${called('Device', moved.from)}, which would be cut in two.`;
    const remedy =
      'End it with runtimeRecord or runtimeTogglePublishings, or send force: true for a Recording of each Device. With ONAIR_MEDIA it goes on as one.';
    return new AppError('conflict', detail, { remedy });
  }
  const report = deps.reportOf(run.runId);
  if (report === undefined)
    return new AppError('unavailable', `Nothing is known of ${subject} yet.`, { retryAfterSeconds: 1 });
  if (report.gate !== undefined) return undefined;
  const detail = `The encoder of ${subject} is of an earlier version, which cannot be moved on air.`;
  return new AppError('unsupported_by_device', detail, {
    remedy: 'Stop it and start it again on the other Device, which its viewers notice.',
  });
}

/** In a bucket the files of both Devices become one Recording. */
function wouldCut(view: View, { livestream, run, from }: Moved, { sendsRecordings }: MovableDeps): boolean {
  if (!isRecordingNow(resolveBindings(view, livestream).publishings, run)) return false;
  return !sendsRecordings || !hasFeature(from, 'recording_upload');
}
