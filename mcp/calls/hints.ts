/** The four hints of a tool, which follow from its effect, and its title, which follows from its name. */
import type { Effect, Tool } from '../../toolkit/tool.ts';

export interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** A control puts pictures before an audience or takes them away, so it is as destructive as a delete, and it reaches outside. */
const HINTS: Record<Effect, Hints> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  control: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

export function hintsOf(tool: Pick<Tool, 'effect'>): Hints {
  return HINTS[tool.effect];
}

/** The hints of a tool that runs many others: it is harmless only as far as each of them is. */
export function jointHints(tools: readonly Pick<Tool, 'effect'>[]): Hints {
  const hints = [...new Set(tools.map((tool) => tool.effect))].map((effect) => HINTS[effect]);
  return {
    readOnlyHint: hints.every((hint) => hint.readOnlyHint),
    destructiveHint: hints.some((hint) => hint.destructiveHint),
    idempotentHint: hints.every((hint) => hint.idempotentHint),
    openWorldHint: hints.some((hint) => hint.openWorldHint),
  };
}

/** `getAllLivestreams` → `Get all livestreams`. */
export function titleOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replace(/_/gu, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
