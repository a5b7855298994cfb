/** All presets in the order in which people are shown them. */
import type { Preset } from '../domain/shapes/encodings/preset.ts';
import { LADDERS } from './ladders.ts';
import { TEMPLATES } from './templates.ts';

export const PRESETS: readonly Preset[] = [...LADDERS, ...TEMPLATES];
