/** A planned action in few words: `logo bug.png`, `cue 90 s`. */
import type { plannedActionsEn } from '../../i18n/en/forms.ts';

export interface PlannedAct {
  type: keyof typeof plannedActionsEn.types;
  payload?: Readonly<Record<string, unknown>> | undefined;
}

/** Longer words are cut: the dialog shows them whole. */
const MAX_LENGTH = 40;

export function actionText({ type, payload = {} }: PlannedAct, w: typeof plannedActionsEn): string {
  const name = w.types[type];
  if (type === 'logo') {
    const { filename = '' } = (payload['logo'] ?? {}) as { filename?: string };
    return filename === '' ? w.noLogoShown : `${name} ${filename}`;
  }
  if (type === 'blackout' && payload['mode'] === 'Live') return w.blackoutEnds;
  if (type === 'record' && payload['action'] === 'stop') return w.recordEnds;
  if (type === 'text') {
    const text = typeof payload['text'] === 'string' ? payload['text'] : '';
    if (payload['action'] === 'hide') return w.textEnds;
    return text === '' ? name : `${name} “${text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text}”`;
  }
  if (type === 'metadata') {
    const { duration } = (payload['metadata'] ?? {}) as { duration?: number };
    if (payload['type'] === 'CueOut') return duration === undefined ? w.cue : w.cueOut(String(duration));
    return payload['type'] === 'CueIn' ? w.cueIn : String(payload['type'] ?? name);
  }
  return name;
}
