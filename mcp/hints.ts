/** The four hints and the title of a tool, as they follow from its effect and its name. */
import type { Effect, Tool } from '../toolkit/tool.ts';

export interface Hints {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}
type Traits = Omit<Hints, 'title'>;

/** A control puts pictures before an audience or takes them away: as far from harmless as a delete, and it reaches outside. */
const TRAITS: Record<Effect, Traits> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  control: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

export function hintsOf(tool: Pick<Tool, 'name' | 'effect'>): Hints {
  return { title: titleOf(tool.name), ...TRAITS[tool.effect] };
}

/** What can be said of a door to many tools: harmless only as far as each of them is. */
export function jointHints(title: string, tools: readonly Pick<Tool, 'effect'>[]): Hints {
  const traits = [...new Set(tools.map((tool) => tool.effect))].map((effect) => TRAITS[effect]);
  return {
    title,
    readOnlyHint: traits.every((trait) => trait.readOnlyHint),
    destructiveHint: traits.some((trait) => trait.destructiveHint),
    idempotentHint: traits.every((trait) => trait.idempotentHint),
    openWorldHint: traits.some((trait) => trait.openWorldHint),
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
