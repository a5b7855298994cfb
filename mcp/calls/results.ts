/** From an answer or an error of dispatch to a tool result: structured content for programs, a short text for people and models. */
import { AppError, toProblem, type Problem } from '../../domain/errors.ts';
import type { Reply } from '../../toolkit/dispatch.ts';
import { visibleBody } from '../../toolkit/output/visible.ts';
import { sayReason } from '../../toolkit/subjects/workflow.ts';
import { writtenProblem } from '../rpc.ts';
import { CHARS_PER_TOKEN } from '../search/schema-size.ts';
import type { Telling } from '../voice/spoken-text.ts';
import { spoken, type Hearing } from '../voice/speech.ts';
import { shorten } from './shorten.ts';
import { spokenError } from '../voice/spoken-errors.ts';

export interface ToolResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  structuredContent: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
}

/** 1,500 tokens: what an answer may cost a model that did not ask for more. */
export const TEXT_LIMIT = 1500 * CHARS_PER_TOKEN;

/** Said of an answer that somebody is given again: what it tells was so then. */
const REPLAYED = 'This was done before, and nothing was done now; it may have changed since.';

type Fields = Record<string, unknown>;

export interface Audience {
  /** The answer is heard; left out: it is read. */
  hearing?: Hearing | undefined;
  /** Its first answer was lost on the way, so this one is no repetition to who asked. */
  isResent?: boolean;
}

export function toResult(reply: Reply, audience: Audience = {}): ToolResult {
  const { json, body } = visibleBody(reply.body as Fields);
  const meta = {
    ...(reply.etag !== undefined && { etag: reply.etag }),
    ...(reply.replayed && { idempotencyReplayed: true }),
  };
  return {
    content: [...texts(reply, body, json, audience), ...pictures(reply)],
    structuredContent: body,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** `telling`: the refusal is heard; left out: it is read. */
export function toErrorResult(error: unknown, requestId: string, telling?: Telling): ToolResult {
  const { body } = visibleBody(toProblem(error, requestId));
  const told = withReason(body);
  const text = telling === undefined ? writtenError(told) : spokenError(told, telling);
  const replayed = error instanceof AppError && error.extras.replayed;
  return {
    content: [{ type: 'text', text }],
    structuredContent: body,
    isError: true,
    ...(replayed && { _meta: { idempotencyReplayed: true } }),
  };
}

/** The text of a refusal is all that many clients show, so it says why in the words of the outside; the problem keeps them apart. */
function withReason(problem: Problem): Problem {
  const { detail, upstream } = problem;
  if (upstream === undefined) return problem;
  const [first = '', ...others] = detail.split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  const sentence = `${first.replace(/[.!?]$/u, '')}; the reason given is ${sayReason(upstream)}.`;
  return { ...problem, detail: [sentence, ...others].join(' ') };
}

function writtenError(problem: Problem): string {
  const { detail, corrected_call } = problem;
  const isTold = corrected_call === undefined || detail.includes('{');
  return `${writtenProblem(problem)}${isTold ? '' : ` Corrected call: ${JSON.stringify(corrected_call)}`}`;
}

function texts(reply: Reply, body: Fields, json: string, { hearing, isResent }: Audience): ToolResult['content'] {
  const again = reply.replayed && !isResent ? [REPLAYED] : [];
  if (hearing !== undefined) return [{ type: 'text', text: [spoken(reply.tool, body, hearing), ...again].join(' ') }];
  const { message, preview } = body;
  const isSentence = reply.tool.tag === 'Workflows' || preview === true;
  const told = isSentence && typeof message === 'string' ? [message, ...addresses(body)] : cut(body, json);
  return [...told, ...again].map((text) => ({ type: 'text', text }));
}

/** Many clients hand a model the texts alone, and where to watch is asked for next. */
function addresses({ watch }: Fields): string[] {
  if (!Array.isArray(watch)) return [];
  return (watch as { name: string; url: string }[]).map(({ name, url }) => `${name}: ${url}`);
}

/** What was made for this answer; a file that is kept is fetched over REST. */
function pictures({ file }: Reply): ToolResult['content'] {
  if (file === undefined || !('content' in file) || !file.contentType.startsWith('image/')) return [];
  return [{ type: 'image', data: Buffer.from(file.content).toString('base64'), mimeType: file.contentType }];
}

/** Whole rows up to the limit, and how to get the rest as a text of its own: the first one stays JSON. */
function cut(body: Fields, json: string): string[] {
  if (json.length <= TEXT_LIMIT) return [json];
  const { rows } = body;
  if (!Array.isArray(rows)) {
    const how = `Cut at ${TEXT_LIMIT} of ${json.length} characters; structuredContent holds all of it.`;
    return [json.slice(0, TEXT_LIMIT), how];
  }
  const kept: unknown[] = [];
  const around = JSON.stringify({ ...body, rows: [] }).length;
  let size = around;
  for (const row of rows as unknown[]) {
    size += JSON.stringify(row).length + 1;
    if (size > TEXT_LIMIT) break;
    kept.push(row);
  }
  if (kept.length === 0) {
    const shortened: string[] = [];
    const first = shorten(rows[0], TEXT_LIMIT - around, '', shortened);
    const how = `Cut to the first of the ${rows.length} rows of this page, and that in ${shortened.join(', ')}; structuredContent holds them all. For a shorter answer send fewer fields.`;
    return [JSON.stringify({ ...body, rows: [first] }), how];
  }
  const how = `Cut to ${kept.length} of the ${rows.length} rows of this page; structuredContent holds them all. For a shorter answer send fewer fields, or pageSize ${Math.max(1, kept.length)} and page by page.`;
  return [JSON.stringify({ ...body, rows: kept }), how];
}
