/** The body that is sent of the form of a planned action. */
import type { Draft } from '../../ui/form/draft.ts';
import { bodyOf } from '../../ui/form/values.ts';

type Body = Record<string, unknown>;

/** The server takes the payload as a whole, and an empty file name takes the logo away. */
export function withWholePayload(body: Body, { fields, values }: Pick<Draft, 'fields' | 'values'>): Body {
  if (!('payload' in body) && !('type' in body)) return body;
  const { type, payload = {} } = bodyOf(fields, values.peek());
  const filename = type === 'logo' && { logo: { filename: '', ...((payload as Body)['logo'] as Body | undefined) } };
  return { ...body, type, payload: { ...(payload as Body), ...filename } };
}
