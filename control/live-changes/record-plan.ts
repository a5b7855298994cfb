/** Plans the beginning and the end of a recording that no Destination makes. */
import { assertRecordable } from '../../domain/rules/devices/device-storage.ts';
import { AppError, wrongState } from '../../domain/base/errors.ts';
import type { OutputSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { LiveBody } from '../../domain/shapes/changes/live-change.ts';
import { takeOutput } from '../start/run-spec.ts';
import type { OnAir } from './on-air.ts';
import type { Plan } from './change-steps.ts';

export function planRecord(onAir: OnAir, { action }: LiveBody<'record'>): Plan {
  return action === 'start' ? planBeginning(onAir) : planEnd(onAir);
}

/** A recording that goes on already is the one that was asked for. */
function planBeginning({ view, run, livestream }: OnAir): Plan {
  if (run.deviceId === null) {
    const detail = `Live stream "${livestream.name}" is on air on the cloud platform, which keeps no Recordings that are begun on air.`;
    throw new AppError('unsupported_by_device', `${detail} Bind a Record Destination to it, and start it anew.`);
  }
  const { count, isOpen } = run.takes ?? { count: 0, isOpen: false };
  if (isOpen) return { steps: [], notes: [] };
  assertRecordable(view, run.deviceId);
  return { steps: [takeStep(count + 1, { add: [takeOutput(count + 1)], remove: [] }, true)], notes: [] };
}

function planEnd({ run, livestream }: OnAir): Plan {
  if (run.takes?.isOpen !== true) {
    const detail = `Live stream "${livestream.name}" has no Recording that was begun on air and goes on.`;
    const remedy = 'What a Record Destination keeps is ended by runtimeTogglePublishings.';
    throw wrongState(detail, 'not recorded', ['recorded'], remedy);
  }
  return { steps: [takeStep(run.takes.count, { add: [], remove: [-run.takes.count] }, false)], notes: [] };
}

/** The number is used up before the encoder hears of it: its files are named by it. */
function takeStep(
  count: number,
  change: { add: OutputSpec[]; remove: number[] },
  isOpen: boolean,
): Plan['steps'][number] {
  return {
    change: { type: 'outputs', ...change },
    reserved: (run) => ({ ...run, takes: { count, isOpen: true } }),
    confirmed: (run) => ({ ...run, takes: { count, isOpen } }),
    refused: (run) => ({ ...run, takes: { count, isOpen: !isOpen } }),
  };
}
