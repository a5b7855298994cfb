/** Cue messages that the product reads and passes on, and never makes itself. */
import { breakIn } from '../../device/media/scte35/cue-message.ts';
import type { Upid } from '../../device/media/scte35/scte35-descriptor.ts';
import { encodeSplice, type SpliceInfo } from '../../device/media/scte35/scte35.ts';

const NO_UPID: Upid = { type: 0, bytes: Buffer.alloc(0) };

/** Takes back a cue whose time has not come. */
export function breakCancel(eventId: number): SpliceInfo {
  const info = breakIn({ eventId, ticks: undefined });
  return { ...info, command: { kind: 'splice_insert', eventId, event: undefined } };
}

/** time_signal with one segmentation descriptor (SCTE 35 §9.7.4, §10.3.3). */
export function segmentationCue(cue: {
  eventId: number;
  ticks: number | undefined;
  typeId: number;
  durationTicks?: number;
  upid?: Upid;
}): SpliceInfo {
  const { eventId, ticks, typeId, durationTicks, upid = NO_UPID } = cue;
  const event = {
    restrictions: undefined,
    components: undefined,
    durationTicks,
    upid,
    typeId,
    segmentNum: 1,
    segmentsExpected: 1,
    subSegments: undefined,
  };
  return {
    ...breakCancel(eventId),
    command: { kind: 'time_signal', time: ticks },
    descriptors: [{ kind: 'segmentation', eventId, idComplianceUnspecified: true, event }],
  };
}

/** A sign of life of a cue stream, without effect. */
export function heartbeat(): Buffer {
  return encodeSplice({ ...breakCancel(0), command: { kind: 'splice_null' }, descriptors: [] });
}
