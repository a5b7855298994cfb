/**
 * Lengths of text are numbers of Unicode code points, as JSON Schema (2020-12, validation §6.3.1) counts maxLength: a name of 100 emoji has
 * 100 characters. zod counts UTF-16 units, of which such a character has two, and has no option for it; so its string schema counts anew
 * here, once for every schema of the project. Text without such characters goes the usual way.
 */
import { z } from 'zod/v3';

const BEYOND_UTF16_UNIT = /[\u{10000}-\u{10ffff}]/u;

export function codePoints(text: string): number {
  let count = 0;
  for (const _point of text) count += 1;
  return count;
}

/** Length in UTF-8, as protocols count. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

type Bound = Extract<z.ZodStringDef['checks'][number], { kind: 'min' | 'max' }>;

const unboundedOf = new WeakMap<z.ZodString, z.ZodString>();
const parseUnits = z.ZodString.prototype._parse;

z.ZodString.prototype._parse = function parseCodePoints(this: z.ZodString, input: z.ParseInput) {
  const bounds = this._def.checks.filter((check): check is Bound => check.kind === 'min' || check.kind === 'max');
  const value: unknown = input.data;
  if (
    typeof value !== 'string' ||
    !bounds.some((bound) => isNear(bound, value.length)) ||
    !BEYOND_UTF16_UNIT.test(value)
  )
    return parseUnits.call(this, input);
  const parsed = parseUnits.call(unbounded(this), input);
  // A check such as trim leaves its outcome there.
  const text = input.data as string;
  const length = codePoints(text);
  const passed = bounds.filter(({ kind, value }) => (kind === 'max' ? length > value : length < value));
  for (const { kind, value, message } of passed) {
    const about = { type: 'string', inclusive: true, exact: false, ...(message !== undefined && { message }) } as const;
    z.addIssueToContext(
      this._getOrReturnCtx(input),
      kind === 'max'
        ? { code: z.ZodIssueCode.too_big, maximum: value, ...about }
        : { code: z.ZodIssueCode.too_small, minimum: value, ...about },
    );
  }
  return passed.length === 0 ? parsed : z.DIRTY(text);
};

/** True when the two counts may disagree on the bound: a character has one unit or two. */
function isNear({ kind, value }: Bound, units: number): boolean {
  return kind === 'max' ? units > value : units < 2 * value;
}

function unbounded(schema: z.ZodString): z.ZodString {
  let bare = unboundedOf.get(schema);
  if (bare === undefined) {
    const checks = schema._def.checks.filter(({ kind }) => kind !== 'min' && kind !== 'max');
    bare = new z.ZodString({ ...schema._def, checks });
    unboundedOf.set(schema, bare);
  }
  return bare;
}
