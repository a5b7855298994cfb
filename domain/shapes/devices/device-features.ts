/** The things that agents can do beyond the first version, and the protocol by which servers speak to them: both tell versions apart that run side by side. */

/**
 * Words are added and never used for anything else. A spec that needs one is given to no Device whose agent does not say it, because that would
 * take the spec and leave out what it does not know.
 */
export const DEVICE_FEATURES = [
  // It asks for leases, so that runs which move when it is lost may be there.
  'leases',
  // Runs have gates, so that broadcasts on air can be moved there.
  'moves',
  // Pushed sources may come by RTMPS.
  'rtmps',
  // Content keys may be replaced on air.
  'key_rotation',
  // Files of Recordings are sent to addresses.
  'recording_upload',
] as const;
export type DeviceFeature = (typeof DEVICE_FEATURES)[number];

/** Servers work with agents of the two versions before theirs; a number is left out of the range once no such agent needs it. */
export const DEVICE_PROTOCOL = { min: 1, max: 1 } as const;

export interface ProtocolRange {
  min: number;
  max: number;
}

export function speaksWith({ min, max }: ProtocolRange, own: ProtocolRange = DEVICE_PROTOCOL): boolean {
  return min <= own.max && max >= own.min;
}
