/** Rules of overlays and blackouts: which of them a run can show, and the sentence of the event for a change. */
import { AppError } from '../../../domain/base/errors.ts';
import type { PictureSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';

/** The parts that a change names. */
export type PictureChange = Partial<PictureSpec>;

/** Throws AppError rule_violated, and names what cannot be shown. To take something away is always possible. */
export function assertShowable(
  { logo, text, blackout }: PictureChange,
  { copy, hasVideo }: Pick<LadderPlan, 'copy' | 'hasVideo'>,
): void {
  const overlays = [...(logo == null ? [] : ['a logo']), ...(text == null ? [] : ['a text'])];
  const parts = [...overlays, ...(blackout === undefined || blackout.mode === 'Live' ? [] : ['a blackout'])];
  if (copy && parts.length > 0)
    throw new AppError(
      'rule_violated',
      `Copied video cannot be changed, so ${parts.join(' and ')} cannot be shown; use an Encoding that encodes.`,
    );
  if (!hasVideo && overlays.length > 0)
    throw new AppError('rule_violated', `The run has sound only, so ${overlays.join(' and ')} cannot be shown.`);
}

/** An event is a line; a text on the screen may have many. */
const MAX_QUOTED = 100;

function cut(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const characters = [...line];
  return characters.length > MAX_QUOTED ? `${characters.slice(0, MAX_QUOTED).join('')}…` : line;
}

export function sentenceOf({ logo, text, blackout }: PictureChange): string {
  const sentences: string[] = [];
  if (logo !== undefined)
    sentences.push(
      logo === null ? 'No logo is shown.' : `The logo "${logo.filename}" is shown, position ${logo.position}.`,
    );
  if (text !== undefined)
    sentences.push(
      text === null ? 'No text is shown.' : `The text "${cut(text.text)}" is shown, position ${text.position}.`,
    );
  if (blackout !== undefined) {
    const audioPart = blackout.keepAudio ? ' and hear the programme' : '';
    if (blackout.mode === 'Live') sentences.push('Viewers get the programme.');
    else if (blackout.mode === 'File')
      sentences.push(`Viewers see the file "${blackout.file?.filename ?? ''}"${audioPart}.`);
    else sentences.push(`Viewers see black${audioPart === '' ? ' and hear nothing' : audioPart}.`);
  }
  return sentences.join(' ');
}
