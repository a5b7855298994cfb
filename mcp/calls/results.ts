/** Turns a reply or an error of dispatch into a tool result: structured content for programs, a short text for people and models. */
import { AppError, toProblem, type Problem } from '../../domain/errors.ts';
import type { Reply } from '../../toolkit/call.ts';
import { visibleBody } from '../../toolkit/output/visible.ts';
import { quoteReason } from '../../toolkit/sentence.ts';
import { writtenProblem } from '../rpc.ts';
import { CHARS_PER_TOKEN } from '../search/schema-size.ts';
import type { SpeechContext } from '../voice/spoken-text.ts';
import { spokenAnswer, type AnswerContext } from '../voice/speech.ts';
import { shorten } from './shorten.ts';
import { spokenError } from '../voice/spoken-errors.ts';

export interface ToolResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  structuredContent: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
}

/** 1,500 tokens: the price of an answer for a model that did not ask for more. */
const TEXT_LIMIT = 1500 * CHARS_PER_TOKEN;

/** Stands beside an answer that is repeated, because it was true when the call was made. */
const REPLAYED = 'This was done before, and nothing was done now; it may have changed since.';

type Fields = Record<string, unknown>;

export interface Audience {
  /** Present: the answer is heard; left out: it is read. */
  speech?: AnswerContext | undefined;
  /** True: the first answer was lost on the way, so to the caller this one is no repetition. */
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

/** With `speech` the refusal is heard; without it the refusal is read. */
export function toErrorResult(error: unknown, requestId: string, speech?: SpeechContext): ToolResult {
  const { body } = visibleBody(toProblem(error, requestId));
  const problem = withReason(body);
  const { names, replayed } = error instanceof AppError ? error.extras : {};
  const text = speech === undefined ? writtenError(problem) : spokenError(problem, { ...speech, names });
  return {
    content: [{ type: 'text', text }],
    structuredContent: body,
    isError: true,
    ...(replayed && { _meta: { idempotencyReplayed: true } }),
  };
}

/**
 * Many clients show nothing but the text of a refusal, so the text gives the reason in the words of the other side. The problem keeps
 * both apart.
 */
function withReason(problem: Problem): Problem {
  const { detail, upstream } = problem;
  if (upstream === undefined) return problem;
  const [first = '', ...others] = detail.split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  const sentence = `${first.replace(/[.!?]$/u, '')}; the reason given is ${quoteReason(upstream)}.`;
  return { ...problem, detail: [sentence, ...others].join(' ') };
}

function writtenError(problem: Problem): string {
  const { detail, corrected_call } = problem;
  const isWritten = corrected_call === undefined || detail.includes('{');
  const correction = isWritten ? '' : ` Corrected call: ${JSON.stringify(corrected_call)}`;
  return `${writtenProblem(problem)}${nearestCalls(problem)}${correction}`;
}

/** The nearest rows are other ones than the caller has named, so that each call stands with its condition. */
function nearestCalls({ nearest }: Problem): string {
  if (!Array.isArray(nearest)) return '';
  const rows = (nearest as { name: string; call?: object }[]).filter(({ call }) => call !== undefined);
  return rows.map(({ name, call }) => ` If you mean ${JSON.stringify(name)}: ${JSON.stringify(call)}`).join('');
}

function texts(reply: Reply, body: Fields, json: string, { speech, isResent }: Audience): ToolResult['content'] {
  const repetition = reply.replayed && !isResent ? [REPLAYED] : [];
  if (speech !== undefined)
    return [{ type: 'text', text: [spokenAnswer(reply.tool, body, speech), ...repetition].join(' ') }];
  const { message, preview } = body;
  const isSentence = reply.tool.tag === 'Workflows' || preview === true;
  const parts = isSentence && typeof message === 'string' ? [message, ...addresses(body)] : cut(body, json);
  return [...parts, ...repetition].map((text) => ({ type: 'text', text }));
}

/** Many clients hand a model the texts alone, and the next question is where to watch. */
function addresses({ watch }: Fields): string[] {
  if (!Array.isArray(watch)) return [];
  return (watch as { name: string; url: string }[]).map(({ name, url }) => `${name}: ${url}`);
}

/** Pictures that were made for this answer. A stored file is fetched over REST. */
function pictures({ file }: Reply): ToolResult['content'] {
  if (file === undefined || !('content' in file) || !file.contentType.startsWith('image/')) return [];
  return [{ type: 'image', data: Buffer.from(file.content).toString('base64'), mimeType: file.contentType }];
}

/** Whole rows up to the limit, and a second text that says how to get the rest, so that the first one stays JSON. */
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
