/** Questions that all of the product asks of changes on air; the answers are in their rows. */
import type { z } from 'zod/v3';
import type { ChangeRow } from './change-row.ts';
import { CHANGES, type ChangeKind, type RunSettings, type SettingKind } from './changes.ts';

/** A row for a body that is known to be of its kind. */
type AnyRow = ChangeRow<z.ZodRawShape, string, Record<string, unknown>>;
const ROWS = CHANGES as unknown as Readonly<Record<ChangeKind, AnyRow>>;

const CHANGE_KINDS = Object.keys(CHANGES) as ChangeKind[];
export const SETTING_KINDS = CHANGE_KINDS.filter((kind) => ROWS[kind].setting !== null) as SettingKind[];

export function changeRowOf(kind: ChangeKind): AnyRow {
  return ROWS[kind];
}

export function isSetting(kind: string): kind is SettingKind {
  return Object.hasOwn(CHANGES, kind) && ROWS[kind as ChangeKind].setting !== null;
}

export function settingOf(kind: SettingKind): NonNullable<AnyRow['setting']> {
  return ROWS[kind].setting!;
}

/** The kind that planned actions of this type carry out; undefined for those that are no changes on air. */
export function kindOfAction(type: string): ChangeKind | undefined {
  return CHANGE_KINDS.find((kind) => ROWS[kind].action === type);
}

function settings(valuesOf: (kind: SettingKind) => object): RunSettings {
  return Object.fromEntries(SETTING_KINDS.map((kind) => [kind, valuesOf(kind)])) as unknown as RunSettings;
}

export const SETTINGS_AT_START = settings((kind) => settingOf(kind).atStart);

/** The settings alone, of what has them among others. */
export function settingsIn(all: RunSettings): RunSettings {
  return settings((kind) => all[kind]);
}
