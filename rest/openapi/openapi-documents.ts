/** The documents beside the operations, the description itself and those that watch the service. None needs a token. */
import { headerReferences } from './openapi-problems.ts';

type Json = Record<string, unknown>;

const STATUS = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['ok'], description: 'The process answers.' } },
  required: ['status'],
  additionalProperties: false,
};
const READY = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ready', 'not_ready'], description: 'Whether changes are accepted.' },
    store: {
      type: 'object',
      description: 'The store, which every change needs.',
      properties: {
        ok: { type: 'boolean', description: 'Whether it takes writes.' },
        problem: { type: ['string', 'null'], description: 'Why not, or null.' },
      },
      required: ['ok', 'problem'],
      additionalProperties: false,
    },
    timezone: { type: 'string', description: 'IANA zone that the service reckons in.' },
  },
  required: ['status', 'store', 'timezone'],
  additionalProperties: false,
};

/** `root` is the URL of the service without the prefix of the operations. */
export function documentPaths(root: string): Record<string, Json> {
  const servers = [{ url: root, description: 'The root of this service.' }];
  const at = (operation: Json): Json => ({ servers, get: { tags: ['System'], security: [], ...operation } });
  const ready = { status: 'ready', store: { ok: true, problem: null }, timezone: 'Europe/Zurich' };
  const notReady = { ...ready, status: 'not_ready', store: { ok: false, problem: 'the disk is full' } };
  return {
    '/openapi.json': at({
      operationId: 'openApiDocument',
      summary: 'Show this description.',
      description: 'Also under the prefix of the operations.',
      responses: only('The description.', 'application/json', { type: 'object' }, { openapi: '3.1.0' }),
    }),
    '/healthz': at({
      operationId: 'healthz',
      summary: 'Tell whether the process lives.',
      description: 'Answers as long as the process does; for a supervisor.',
      responses: only('It lives.', 'application/json', STATUS, { status: 'ok' }),
    }),
    '/readyz': at({
      operationId: 'readyz',
      summary: 'Tell whether the service accepts changes.',
      description: 'For a load balancer: 503 takes the server out.',
      responses: {
        ...only('Changes are accepted.', 'application/json', READY, ready),
        '503': content('Changes are refused; the body says why.', 'application/json', READY, notReady),
      },
    }),
    '/metrics': at({
      operationId: 'metrics',
      summary: 'Show the counters for Prometheus.',
      description: 'Calls by operation and outcome, their duration, and the memory of the process. Text format 0.0.4.',
      responses: only('The counters.', 'text/plain', { type: 'string' }, 'onair_info{version="1.0.0"} 1\n'),
    }),
  };
}

function only(description: string, type: string, schema: Json, example: unknown): Json {
  return { '200': content(description, type, schema, example), default: { $ref: '#/components/responses/Problem' } };
}

function content(description: string, type: string, schema: Json, example: unknown): Json {
  return {
    description,
    headers: headerReferences(['X-Request-Id']),
    content: { [type]: { schema, examples: { typical: { value: example } } } },
  };
}
