/** Parameters and headers that the OpenAPI description has once and refers to. */
import { pascal } from './openapi-components.ts';

type Json = Record<string, unknown>;

export function sharedParameters(): Json {
  return {
    RequestId: header('X-Request-Id', 128, 'Your own id of the call, printable characters; left out, one is made.'),
    IdempotencyKey: header(
      'Idempotency-Key',
      255,
      'A retry with the same key and arguments gets the stored answer, a refusal included; kept for 24 hours.',
    ),
    IfMatch: header(
      'If-Match',
      1000,
      'ETags of which the resource must still have one, or `*`; 412 otherwise. Weak ones never match.',
    ),
  };
}

function header(name: string, maxLength: number, description: string): Json {
  return { name, in: 'header', required: false, description, schema: { type: 'string', minLength: 1, maxLength } };
}

export function sharedHeaders(): Json {
  return {
    'X-Request-Id': text('Id of the call, for the log and the audit.'),
    ETag: text('Version of a stored resource, for If-Match; absent where the answer is none.'),
    'Idempotency-Replayed': {
      description: 'Present when the answer is the stored one of an earlier call with the same Idempotency-Key.',
      schema: { type: 'string', enum: ['true'] },
    },
    'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 1 } },
    'WWW-Authenticate': text('The scheme that is wanted.'),
    Allow: text('With 405: the methods that the path knows.'),
  };
}

function text(description: string): Json {
  return { description, schema: { type: 'string' } };
}

/** Replaces, in place, each parameter that two operations share with a reference; answers the shared ones by name. */
export function shareParameters(paths: Record<string, Json>): Json {
  const lists = Object.values(paths).flatMap((item) =>
    Object.values(item).map((operation) => (operation as { parameters: Json[] }).parameters),
  );
  const times = new Map<string, number>();
  for (const parameter of lists.flat()) {
    const key = JSON.stringify(parameter);
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  const shared: Json = {};
  const nameOf = new Map<string, string>();
  for (const list of lists) {
    list.forEach((parameter, index) => {
      const key = JSON.stringify(parameter);
      if ('$ref' in parameter || (times.get(key) ?? 0) < 2) return;
      const name = nameOf.get(key) ?? pascal(String(parameter['name']));
      // Another parameter of the same name stays where it is used.
      if (!nameOf.has(key) && name in shared) return;
      nameOf.set(key, name);
      shared[name] = parameter;
      list[index] = { $ref: `#/components/parameters/${name}` };
    });
  }
  return shared;
}
