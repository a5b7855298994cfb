/** How a start, or a move, stands with one Device: whether it can take it, what is against it, and which of several is best. */
import type { DeviceCapacity } from '../../domain/shapes/encodings/capacity.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import { called } from '../../domain/base/sentence.ts';
import { lastResort } from './device-types.ts';

/** A Device and whether it can take one start. */
export interface DeviceAssessment {
  device: Readonly<Device>;
  capacity: DeviceCapacity;
  /** Cores that the start needs there. */
  needed: number;
  against: Against | undefined;
  /** Its encoders need not push there: the Device of the Channel comes first. */
  isSpare: boolean;
}

/** `why` continues a sentence that begins with the Device's name. */
export interface Against {
  cause: 'disabled' | 'offline' | 'no_input' | 'unsupported' | 'no_capacity' | 'storage';
  why: string;
  /** The Device was heard of lately: it may be back in a moment. */
  isSoon?: boolean;
  /** There is room, which a Device group keeps for a loss. */
  isReserve?: boolean;
}

type Ranked = Pick<DeviceAssessment, 'device' | 'capacity' | 'isSpare'>;

/** Answers the least loaded Device that can take the start, those of a cloud last; among equally loaded ones, that with most cores free. */
export function bestOf(assessments: readonly DeviceAssessment[]): DeviceAssessment | undefined {
  return assessments.filter(({ against }) => against === undefined).sort(byRoom)[0];
}

export function byRoom(one: Ranked, other: Ranked): number {
  const [a, b] = [one.capacity, other.capacity];
  const isSecond = Number(one.isSpare) - Number(other.isSpare);
  return isSecond || lastResort(one.device) - lastResort(other.device) || a.load - b.load || b.free - a.free;
}

/** Nearest to a yes first. */
export const NEAREST: readonly Against['cause'][] = [
  'no_capacity',
  'storage',
  'unsupported',
  'no_input',
  'offline',
  'disabled',
];
/** A refusal names so many Devices: a fleet has a thousand. */
const NAMED = 10;

/** A sentence for each Device that cannot take it; of many, those that are nearest to it. */
export function reasonsOf(assessments: readonly DeviceAssessment[]): string {
  const rank = ({ against }: DeviceAssessment): number => (against === undefined ? -1 : NEAREST.indexOf(against.cause));
  const named =
    assessments.length > NAMED ? assessments.toSorted((a, b) => rank(a) - rank(b)).slice(0, NAMED) : assessments;
  const sentences = named.map(({ device, against }) => `${called('Device', device)} ${against?.why ?? ''}.`);
  const others = assessments.length - named.length;
  return [...sentences, ...(others > 0 ? [`${others} more cannot take it either.`] : [])].join(' ');
}
