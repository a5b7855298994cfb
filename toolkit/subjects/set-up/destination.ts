/** The Destination of a set-up: that of a template, of an address, or of neither. */
import { invalidInput } from '../../../domain/base/errors.ts';
import type { TemplateId } from '../../../domain/shapes/encodings/preset-ids.ts';
import { getTemplate } from '../../../presets/templates.ts';
import {
  DESTINATION_ROWS,
  PUBLISHING_TYPES,
  RECORDING_TYPE,
  SERVED_TYPE,
  type PublishingType,
} from '../../../domain/types/destination-types.ts';

export interface PlannedDestination {
  template: TemplateId | null;
  type: PublishingType;
  settings: object;
  /** The end of its name. */
  suffix: string;
  /** The path of its fields in what the caller has sent: `destinations.1.`; left out: at the top. */
  place?: string;
}

/** A Destination that was there before. */
export interface TakenDestination {
  publishingId: number;
  type: PublishingType;
}

/** A new Destination as the caller names it. */
export interface WantedDestination {
  template?: TemplateId | undefined;
  url?: string | undefined;
  stream_key?: string | undefined;
}

/** A first viewer waits for less than with the usual 6 s, and the keyframes fit. */
const SEGMENT_SECONDS = 2;
/** The Destination that records beside the other one. */
export const RECORDED = { type: RECORDING_TYPE } as const;

/** Throws AppError invalid_input where the address is missing, or of a scheme that nothing is delivered by. */
export function destinationOf({ template, url: sent, stream_key }: WantedDestination): PlannedDestination {
  const known = template === undefined ? undefined : getTemplate(template);
  const type = known?.type ?? (sent === undefined ? SERVED_TYPE : typeOf(sent));
  const url = sent ?? known?.url ?? null;
  if (url === null && DESTINATION_ROWS[type].needsUrl) {
    const message = `is needed: ${known?.name ?? type} has no address for everybody; send the one that you have or were given`;
    throw invalidInput([{ field: 'url', code: 'required', message }]);
  }
  const suffix = known !== undefined && known.demands.stream_key ? ` ${known.name}` : url === null ? ' web' : ' out';
  const segments = DESTINATION_ROWS[type].needsUrl ? {} : { segment_duration: SEGMENT_SECONDS };
  const settings = { ...segments, ...(url !== null && { url }), ...(stream_key !== undefined && { stream_key }) };
  return { template: template ?? null, type, settings, suffix };
}

/** The first type that is delivered to by the scheme of the address. */
function typeOf(url: string): PublishingType {
  const scheme = /^([a-z][a-z\d+.-]*):/iu.exec(url)?.[1]?.toLowerCase() ?? '';
  const type = PUBLISHING_TYPES.find((name) => DESTINATION_ROWS[name].schemes.includes(scheme));
  if (type !== undefined) return type;
  const allowed = [...new Set(PUBLISHING_TYPES.flatMap((name) => DESTINATION_ROWS[name].schemes))];
  const message = `has a scheme that nothing is delivered by; use one of ${allowed.join(', ')}`;
  throw invalidInput([{ field: 'url', code: 'invalid_url', message, allowed }]);
}

/** A Destination that needs an address gets the best rendition alone, so that more of them would only cost. */
export function isSingleRendition({ type }: { type: PublishingType }): boolean {
  return DESTINATION_ROWS[type].needsUrl;
}
