/** Resources, which a client may show beside the conversation. They are reads with the caller's rights, dispatched as calls are. */
import { toIso } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Session } from './session.ts';
import { visibleBody } from '../../toolkit/output/visible.ts';

const JSON_TYPE = 'application/json';
const STATUS_URI = 'onair://livestreams/status';
const ONE_STATUS_URI = /^onair:\/\/livestreams\/(\d{1,15})\/status$/u;
const OPENAPI_URI = 'onair://openapi.json';

export const RESOURCES = [
  {
    uri: STATUS_URI,
    name: 'livestreams_status',
    title: 'Status of all Live streams',
    description:
      'The first 20 Live streams: status, since when, on which Device; server_time and timezone. getLivestreamsStatus has the others.',
    mimeType: JSON_TYPE,
  },
  {
    uri: OPENAPI_URI,
    name: 'openapi',
    title: 'OpenAPI document',
    description: 'The whole REST API, for programs. It is large: search_tools shows a single operation.',
    mimeType: JSON_TYPE,
    annotations: { audience: ['user'], priority: 0 },
  },
] as const;

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'onair://livestreams/{livestreamId}/status',
    name: 'livestream_status',
    title: 'Status of one Live stream',
    description:
      'Its source, renditions and each Destination path, as getLivestreamStatus answers it, with server_time and timezone.',
    mimeType: JSON_TYPE,
  },
] as const;

export interface ResourceText {
  uri: string;
  mimeType: string;
  text: string;
  [key: string]: unknown;
}

/** Rejects with AppError, which names a URI without a resource. `openApi` answers the document of the REST api. */
export async function readResource(session: Session, uri: string, openApi: () => string): Promise<ResourceText> {
  try {
    return { uri, mimeType: JSON_TYPE, text: await textOf(session, uri, openApi) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError('not_found', error.message, { ...error.extras, facts: { ...error.extras.facts, uri } });
  }
}

async function textOf(session: Session, uri: string, openApi: () => string): Promise<string> {
  if (uri === STATUS_URI) return status(session, 'getLivestreamsStatus', {});
  const livestreamId = ONE_STATUS_URI.exec(uri)?.[1];
  if (livestreamId !== undefined) return status(session, 'getLivestreamStatus', { livestreamId: Number(livestreamId) });
  session.dispatcher.countCall(session.caller, session.via);
  if (uri === OPENAPI_URI) return openApi();
  throw new AppError('not_found', `There is no resource ${JSON.stringify(uri.slice(0, 200))}.`);
}

async function status(session: Session, operation: string, args: object): Promise<string> {
  const { dispatcher, caller, profile, requestId, via } = session;
  const reply = await dispatcher.dispatch({ operation, args, caller, via, profile, requestId });
  // The two fields stand beside the envelope, as in the answers of workflows.
  const now = { server_time: toIso(dispatcher.clock.now()), timezone: dispatcher.timezone };
  return JSON.stringify({ ...visibleBody(reply.body as object).body, ...now });
}
