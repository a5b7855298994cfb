/** Each change on air that a caller asks for: all that is true of it and not of the others. A change is added here (CONTRIBUTING.md). */
import {
  adValuesChange,
  blackoutChange,
  logoChange,
  metadataChange,
  pathsChange,
  recordChange,
  sourceChange,
  textChange,
  type AdValues,
  type MetadataType,
} from './change-bodies.ts';
import { changeRow, type BodyOf } from './change-row.ts';

const none = (): [] => [];
/** Columns of a change that names nothing and can contradict nothing. */
const USUAL = { isAhead: () => false, mistakes: none, contradictions: none, files: none, rows: () => ({}) };
const BREAK_CUES: readonly MetadataType[] = ['CueOut', 'CueIn', 'ScteOut', 'ScteIn'];
const secondsText = (seconds: number | null): string => (seconds === null ? 'none' : `${seconds} s`);

/** In the order in which planned actions list them. */
export const CHANGES = {
  logo: changeRow({
    ...USUAL,
    body: logoChange,
    operation: 'runtimeApplyLogo',
    action: 'logo',
    spoken: 'logo',
    label: { en: 'logo', es: 'logo' },
    title: { en: 'Logo', es: 'Logo' },
    needs: { what: 'A logo', of: 'picture' },
    subjects: () => ['logo'],
    files: ({ logo }) => [{ field: 'logo.filename', fileType: 'logos', filename: logo.filename }],
    setting: null,
  }),
  blackout: changeRow({
    ...USUAL,
    body: blackoutChange,
    operation: 'runtimeApplyBlackout',
    action: 'blackout',
    spoken: 'blackout',
    label: { en: 'blackout', es: 'negro' },
    title: { en: 'Blackout', es: 'Negro' },
    needs: { what: 'A blackout', of: 'video' },
    subjects: () => ['blackout'],
    contradictions({ mode, filename }) {
      if (mode === 'File' && filename === undefined) {
        const message = 'is required with mode File: the name of an Asset in the bucket files';
        return [{ field: 'filename', code: 'required', message }];
      }
      if (mode === 'File' || filename === undefined) return [];
      return [{ field: 'filename', code: 'unknown_field', message: `belongs to mode File, not to ${mode}` }];
    },
    files: ({ filename }) => [{ field: 'filename', fileType: 'files', filename }],
    setting: null,
  }),
  source: changeRow({
    ...USUAL,
    body: sourceChange,
    operation: 'runtimeApplySourceSwitch',
    action: 'sourceSwitch',
    spoken: 'source switch',
    label: { en: 'source', es: 'fuente' },
    title: { en: 'Switch source', es: 'Cambiar fuente' },
    needs: { what: 'A switch of the source', of: 'video' },
    subjects: () => ['source'],
    rows: ({ channelId }) => ({ channels: [channelId] }),
    setting: null,
  }),
  paths: changeRow({
    ...USUAL,
    body: pathsChange,
    operation: 'runtimeTogglePublishings',
    action: 'publishings',
    spoken: 'change of Destinations',
    label: { en: 'Destinations', es: 'destinos' },
    title: { en: 'Paths', es: 'Vías' },
    needs: null,
    subjects: ({ publishings }) => publishings.map(({ publishingId }) => `path ${publishingId}`),
    rows: ({ publishings }) => ({ publishings: publishings.map(({ publishingId }) => publishingId) }),
    setting: null,
  }),
  metadata: changeRow({
    ...USUAL,
    body: metadataChange,
    operation: 'runtimePushMetadata',
    action: 'metadata',
    spoken: 'cue',
    label: { en: 'cue', es: 'cue' },
    title: { en: 'Cue or metadata', es: 'Señal o metadatos' },
    needs: null,
    // Each is an event of its own.
    subjects: none,
    isAhead: ({ type }) => BREAK_CUES.includes(type),
    setting: null,
  }),
  adValues: changeRow({
    ...USUAL,
    body: adValuesChange,
    operation: 'runtimeSetAdValues',
    action: 'adValues',
    spoken: 'change of ad breaks',
    label: { en: 'ad values', es: 'valores de pausas' },
    title: { en: 'Ad values', es: 'Valores de anuncio' },
    needs: null,
    subjects: () => ['adValues'],
    // The cues of breaks use them: those of the same instant must arrive first.
    isAhead: () => true,
    mistakes(body) {
      if (Object.values(body).some((value) => value !== undefined)) return [];
      const fields = 'default_ad_duration, max_ad_duration, next_ad_duration';
      return [{ field: 'default_ad_duration', code: 'one_of', message: `send at least one of ${fields}` }];
    },
    setting: {
      atStart: { default_ad_duration: null, max_ad_duration: null, next_ad_duration: null } as AdValues,
      of: (body) => body,
      usedUp: ['next_ad_duration'],
      notes: ({ default_ad_duration, max_ad_duration, next_ad_duration }, sent) => {
        const next =
          sent.next_ad_duration === undefined ? [] : [`of the next break alone ${secondsText(next_ad_duration)}`];
        const durations = [
          `by default ${secondsText(default_ad_duration)}`,
          `at most ${secondsText(max_ad_duration)}`,
          ...next,
        ];
        return [`Ad durations: ${durations.join(', ')}.`];
      },
      cloud: 'runtimeOptions/adValues',
    },
  }),
  text: changeRow({
    ...USUAL,
    body: textChange,
    operation: 'setLivestreamText',
    action: 'text',
    spoken: 'text',
    label: { en: 'text', es: 'texto' },
    title: { en: 'Text', es: 'Texto' },
    needs: { what: 'A text', of: 'picture' },
    subjects: () => ['text'],
    // A text that is left out may be there by its time.
    contradictions: ({ action, text }) =>
      action === 'show' && text === '' ? [{ field: 'text', code: 'required', message: 'must not be empty' }] : [],
    setting: null,
  }),
  record: changeRow({
    ...USUAL,
    body: recordChange,
    operation: 'runtimeRecord',
    action: 'record',
    spoken: 'recording',
    label: { en: 'recording', es: 'grabación' },
    title: { en: 'Record', es: 'Grabar' },
    needs: null,
    subjects: () => ['record'],
    setting: null,
  }),
};

type Rows = typeof CHANGES;
export type ChangeKind = keyof Rows;
export type ChangeBody<K extends ChangeKind> = BodyOf<Rows[K]['body']>;
type ValuesOf<K extends ChangeKind> = NonNullable<Rows[K]['setting']>['atStart'];

/** The changes of settings of a run; each has its name in the run's row, in its spec and in the change that the runner gets. */
export type SettingKind = { [K in ChangeKind]: [ValuesOf<K>] extends [never] ? never : K }[ChangeKind];
/** Each has the kind that changes it as its name. */
export type RunSettings = { [K in SettingKind]: ValuesOf<K> };
