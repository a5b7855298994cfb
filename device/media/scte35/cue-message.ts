/** Cues as an operator means them, and the texts in which manifests and people carry them. */
import type { SpliceInfo } from './scte35.ts';

const EVERYBODY = { ptsAdjustment: 0, tier: 0xfff, cwIndex: 0xff, sapType: 3 };

export interface BreakCue {
  eventId: number;
  /** 33-bit ticks of the stream that will carry the cue; undefined: at once. */
  ticks: number | undefined;
}

/** splice_insert that begins a break (SCTE 35 §9.7.3). Without `autoReturn`, a breakIn has to end it. */
export function breakOut(cue: BreakCue & { durationTicks?: number; autoReturn?: boolean }): SpliceInfo {
  const { durationTicks, autoReturn = false } = cue;
  return insert(cue, true, durationTicks === undefined ? undefined : { ticks: durationTicks, autoReturn });
}

/** splice_insert that ends the break of the same event id. */
export function breakIn(cue: BreakCue): SpliceInfo {
  return insert(cue, false, undefined);
}

function insert(
  { eventId, ticks }: BreakCue,
  outOfNetwork: boolean,
  breakDuration: { ticks: number; autoReturn: boolean } | undefined,
): SpliceInfo {
  const event = {
    outOfNetwork,
    time: ticks ?? ('immediate' as const),
    components: undefined,
    breakDuration,
    idComplianceUnspecified: true,
    uniqueProgramId: 0,
    availNum: 0,
    availsExpected: 0,
  };
  return { ...EVERYBODY, command: { kind: 'splice_insert', eventId, event }, descriptors: [] };
}

/** Returns the form of SCTE35-OUT, SCTE35-IN and SCTE35-CMD: RFC 8216 §4.2 hexadecimal-sequence. */
export function hexSequence(section: Buffer): string {
  return `0x${section.toString('hex').toUpperCase()}`;
}

/** Returns the content of a DASH Event of the scheme `CUE_SCHEME` (SCTE 214-1): the section in base64. */
export function dashSignal(section: Buffer): string {
  return `<Signal xmlns="http://www.scte.org/schemas/35/2016"><Binary>${section.toString('base64')}</Binary></Signal>`;
}

export const CUE_SCHEME = 'urn:scte:scte35:2014:xml+bin';

/** Reads a cue that a person or a manifest gives as base64 or as hex, with or without 0x. Undefined for any other text. */
export function cueBytes(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const hex = trimmed.replace(/^0x/iu, '');
  if (hex.length > 0 && hex.length % 2 === 0 && /^[0-9a-f]+$/iu.test(hex) && /^fc/iu.test(hex))
    return Buffer.from(hex, 'hex');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/u.test(trimmed) && trimmed.length % 4 === 0;
  return isBase64 ? Buffer.from(trimmed, 'base64') : undefined;
}

/** A break as manifests announce it. */
export interface ManifestBreak {
  /** Unique in the presentation, and the same as long as the break is listed; 31 bits (Event@id of DASH, where its end has one, too). */
  id: number;
  /** Wall clock as of the segments, ISO 8601. */
  startAt: string;
  plannedSeconds: number | undefined;
  /** The section that began it. */
  out: Buffer;
  /** The break is announced to old players of HLS, too (CUE-OUT, CUE-IN). */
  cueTags: boolean;
  /** Set once the end is known: by a cue of its own, or by automatic return. */
  end: { at: string; in: Buffer | undefined } | undefined;
}

/** A span or an instant with a meaning that only its users know; HLS can quote all of its texts. */
export interface ManifestRange {
  /** Unique in the presentation. */
  id: string;
  className: string | undefined;
  /** Wall clock as of the segments, ISO 8601. */
  startAt: string;
  seconds: number | undefined;
  /** Names begin with X-. */
  attributes: readonly (readonly [string, string | number])[];
}
