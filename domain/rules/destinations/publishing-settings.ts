/** Maps settings to types of Publishing. All types share one flat object; a stored field that does not belong shows by its value. */
import type { FieldIssue } from '../../base/errors.ts';
import { type Publishing } from '../../shapes/destinations/publishing.ts';
import { isPlain } from '../../base/schema.ts';
import { srtKeyBits } from '../../network/srt.ts';
import { ownersOf, ownsSetting } from '../../types/destination-questions.ts';
import { DEFAULT_SETTINGS, OWNED_SETTINGS, type PublishingSettings } from '../../types/destination-settings.ts';

type Field = keyof PublishingSettings;

function foreignFields({ type, settings }: Pick<Publishing, 'type' | 'settings'>): Field[] {
  return (Object.keys(settings) as Field[]).filter(
    (field) => !ownsSetting(type, field) && !isSame(settings[field], DEFAULT_SETTINGS[field]),
  );
}

/** Removes stored values that do not belong to the type, and empty secrets of an earlier version. Sent values stay and are checked. */
export function settledSettings(
  { type, settings }: Publishing,
  present: Readonly<Publishing> | undefined,
): PublishingSettings {
  if (present === undefined) return settings;
  const before = present.settings;
  const stored = (field: Field): boolean => isSame(settings[field], before[field]);
  const staleFields = foreignFields({ type, settings }).filter(stored);
  const empty = EMPTIABLE.filter((field) => isBlank(settings[field]) && stored(field));
  return {
    ...settings,
    ...Object.fromEntries([...staleFields, ...empty].map((field) => [field, DEFAULT_SETTINGS[field]])),
  };
}

/** The settings of the type, as they count: a row of an earlier version may have others. */
export function ownSettings({ type, settings }: Pick<Publishing, 'type' | 'settings'>): Partial<PublishingSettings> {
  const { srt, ...own }: Partial<PublishingSettings> = Object.fromEntries(
    Object.entries(settings).filter(([field]) => ownsSetting(type, field)),
  );
  // 0 says no more than its absence, and would contradict a passphrase in the address.
  return srt === undefined ? own : { ...own, srt: { ...srt, encryption: srtKeyBits(srt) || undefined } };
}

/** Any value counts: a caller who sends a field of another type, be it the default, expects something of it. null and {} say nothing. */
export function foreignIssues({ type }: Pick<Publishing, 'type'>, news: unknown): FieldIssue[] {
  if (!isPlain(news)) return [];
  return OWNED_SETTINGS.flatMap((field) => {
    if (ownsSetting(type, field) || !isGiven(news[field])) return [];
    const allowed = ownersOf(field);
    const message = `does not belong to a Destination of type ${type}; it is for ${allowed.join(', ')}`;
    return [{ field: `settings.${field}`, code: 'unknown_field', message, allowed }];
  });
}

function isGiven(value: unknown): boolean {
  return isPlain(value) ? Object.values(value).some(isGiven) : value !== undefined && value !== null;
}

const EMPTIABLE = ['stream_key', 'username', 'password', 'access_key', 'secret_key'] as const;

function isBlank(secret: string | null | undefined): boolean {
  return secret?.trim() === '';
}

/** An empty secret would be answered as one that is set, and nobody means blanks. */
export function emptyIssues({ settings }: Pick<Publishing, 'settings'>): FieldIssue[] {
  return EMPTIABLE.filter((field) => isBlank(settings[field])).map((field) => ({
    field: `settings.${field}`,
    code: 'too_short',
    message: 'must not be empty or blank; send null for none',
    min: 1,
  }));
}

/** The srt block as it was sent and as it is stored differ in the key length that 0 stands for. */
function isSame(a: PublishingSettings[Field], b: PublishingSettings[Field]): boolean {
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

function plain(value: PublishingSettings[Field]): unknown {
  return typeof value === 'object' && value !== null && 'latency_ms' in value
    ? {
        latency_ms: value.latency_ms,
        passphrase: value.passphrase,
        encryption: value.encryption ?? 0,
        streamid: value.streamid ?? null,
      }
    : value;
}
