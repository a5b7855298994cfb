/** Arguments as a corrected call repeats them. */
import { placeholderOf } from './placeholders.ts';

/** The texts of these fields may be repeated. Any other text may be a secret, and a placeholder takes its place. */
const REPEATED = new Set(
  (
    'livestream destination target path action mode type position fileType filename start end execute_at occurrence_start ' +
    'name alias description location codec preset hdr_mode aspect_ratio quality_order encryption_mode recurrence timezone until ' +
    'username first_name last_name language color text client source_name protocol sort fields search from to status ' +
    'channelId deviceId idEncoderGroup cloudAccountId encodingId encodingGroupId publishingId publishingGroupId'
  ).split(' '),
);
const MAX_TEXT = 100;
const MAX_NAME = 100;
const MAX_ITEMS = 20;

type Fields = Record<string, unknown>;

export function shownArguments(args: Fields): Fields {
  const entries = Object.entries(args).slice(0, MAX_ITEMS);
  return Object.fromEntries(
    entries.map(([key, value]) => [key.slice(0, MAX_NAME), shownValue(key.slice(0, MAX_NAME), value)]),
  );
}

/** Whether the shown arguments leave nothing out. */
export function isShownWhole(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const entries = Object.entries(value);
  return entries.length <= MAX_ITEMS && entries.every(([key, inner]) => key.length <= MAX_NAME && isShownWhole(inner));
}

function shownValue(key: string, value: unknown): unknown {
  if (typeof value === 'string') return REPEATED.has(key) && value.length <= MAX_TEXT ? value : placeholderOf(key);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => shownValue(key, item));
  return typeof value === 'object' && value !== null ? shownArguments(value as Fields) : value;
}
