/** The warnings beside a start that breaks demands of platforms; the start is never refused for them. */
import { z } from 'zod/v3';
import type { StartCheck } from '../../domain/ports/control.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import {
  templateWarning,
  templateWarnings,
  type TemplateWarning,
} from '../../domain/rules/encodings/template-warnings.ts';
import type { View } from '../../domain/ports/store.ts';
import { getTemplate } from '../../presets/templates.ts';

export const warningsField = z
  .array(templateWarning)
  .describe('Where it breaks a demand of the template of a Publishing; none refuses the start.');

/** The same for a set-up, with its ingest. */
export const setUpWarningsField = z
  .array(z.object({ code: z.string(), publishingId: z.number().int().nullable(), message: z.string() }).strict())
  .describe('Demands of the platform that it breaks, and an ingest that no other machine can reach.');

/** The same for the list of workflows, whose tokens every assistant pays. */
export const briefWarningsField = z
  .array(z.object({ code: z.string(), publishingId: z.number().int(), message: z.string() }).strict())
  .describe('Demands of platforms that it breaks.');

export function warningsOfStart(
  view: View,
  livestream: Readonly<Livestream>,
  { startConfig }: Pick<StartCheck, 'startConfig'>,
): TemplateWarning[] {
  return templateWarnings(view, livestream, startConfig, getTemplate);
}

/** One more sentence with the first warning, for who hears the answer; nothing is said without one. */
export function sayWarning([first, ...others]: readonly TemplateWarning[]): string {
  if (first === undefined) return '';
  return ` ${first.message}${others.length > 0 ? ` There are ${others.length + 1} such warnings.` : ''}`;
}
