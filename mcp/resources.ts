/** Resources: what a client may show beside the conversation. They are reads with the caller's rights, by the same road as calls. */
import { notFound } from '../domain/errors.ts';
import type { Session } from './call.ts';
import { toResult } from './results.ts';

const JSON_TYPE = 'application/json';
const STATUS_URI = 'onair://livestreams/status';
const ONE_STATUS_URI = /^onair:\/\/livestreams\/(\d{1,15})\/status$/u;
const OPENAPI_URI = 'onair://openapi.json';

export const RESOURCES = [
  {
    uri: STATUS_URI,
    name: 'livestreams_status',
    title: 'Status of all Live streams',
    description: 'The first 20 Live streams: status, since when, on which Device. getLivestreamsStatus has the others.',
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
    description: 'Its source, renditions and each Destination path, as getLivestreamStatus answers it.',
    mimeType: JSON_TYPE,
  },
] as const;

export interface ResourceText {
  uri: string;
  mimeType: string;
  text: string;
  [key: string]: unknown;
}

/** Rejects with AppError. `openApi` answers the document of the REST door. */
export async function readResource(session: Session, uri: string, openApi: () => string): Promise<ResourceText> {
  const { dispatcher, caller, via } = session;
  const of = (text: string): ResourceText => ({ uri, mimeType: JSON_TYPE, text });
  if (uri === STATUS_URI) return of(await status(session, 'getLivestreamsStatus', {}));
  const livestreamId = ONE_STATUS_URI.exec(uri)?.[1];
  if (livestreamId !== undefined)
    return of(await status(session, 'getLivestreamStatus', { livestreamId: Number(livestreamId) }));
  dispatcher.countCall(caller, via);
  if (uri === OPENAPI_URI) return of(openApi());
  throw notFound('resource', JSON.stringify(uri.slice(0, 200)));
}

async function status(session: Session, operation: string, args: object): Promise<string> {
  const { dispatcher, caller, profile, requestId, via } = session;
  const reply = await dispatcher.dispatch({ operation, args, caller, via, profile, requestId });
  return JSON.stringify(toResult(reply, false).structuredContent);
}
