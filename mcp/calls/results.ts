/**
 * Turns a reply or an error of dispatch into a tool result. Clients hand a model the texts or the structure, so each of them has all facts:
 * both are made of one body.
 */
import { AppError, toProblem, type Problem } from '../../domain/base/errors.ts';
import type { Reply } from '../../toolkit/call.ts';
import { visibleBody } from '../../toolkit/output/visible.ts';
import { quoteReason } from '../../toolkit/sentence.ts';
import { writtenProblem } from '../rpc.ts';
import { CHARS_PER_TOKEN } from '../search/schema-size.ts';
import type { SpeechContext } from '../voice/spoken-text.ts';
import { spokenAnswer, type AnswerContext } from '../voice/speech.ts';
import { shortened } from './shorten.ts';
import { spokenError } from '../voice/spoken-errors.ts';

export interface ToolResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  /** Left out beside an image, because clients that have it show nothing else. */
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
}

/** 1,500 tokens: so much a model is charged for an answer at most. */
const MAX_CHARACTERS = 1500 * CHARS_PER_TOKEN;

/** Stands beside an answer that is repeated, because it was true when the call was made. */
const REPLAYED = 'This was done before, and nothing was done now; it may have changed since.';

type Fields = Record<string, unknown>;

export interface Audience {
  /** Present: the answer is heard; left out: it is read. */
  speech?: AnswerContext | undefined;
  /** True: the first answer was lost on the way, so to the caller this one is no repetition. */
  isResent?: boolean;
}

export function toResult(reply: Reply, { speech, isResent = false }: Audience = {}): ToolResult {
  const { json, body: whole } = visibleBody(reply.body as Fields);
  const repetition = reply.replayed && !isResent ? [REPLAYED] : [];
  const room = MAX_CHARACTERS - repetition.join().length;
  const body = json.length <= room ? whole : shortened(whole, room);
  const texts =
    speech === undefined
      ? [...written(reply, body, body === whole ? json : undefined), ...repetition]
      : [[spokenAnswer(reply.tool, body, speech), ...repetition].join(' ')];
  const images = pictures(reply);
  const meta = {
    ...(reply.etag !== undefined && { etag: reply.etag }),
    ...(reply.replayed && { idempotencyReplayed: true }),
  };
  return {
    content: [...texts.map((text) => ({ type: 'text', text }) as const), ...images],
    ...(images.length === 0 && { structuredContent: body }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** With `speech` the refusal is heard; without it the refusal is read. */
export function toErrorResult(error: unknown, requestId: string, speech?: SpeechContext): ToolResult {
  const { body: whole } = visibleBody(toProblem(error, requestId));
  const body = shortened(whole, MAX_CHARACTERS) as Problem;
  const problem = withReason(body);
  const { names, replayed } = error instanceof AppError ? error.extras : {};
  const texts = speech === undefined ? problemTexts(problem) : [spokenError(problem, { ...speech, names })];
  return {
    content: texts.map((text) => ({ type: 'text', text })),
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

/** The sentences, and the facts of the problem that they do not tell. */
export function problemTexts(problem: Problem): string[] {
  const { type: _type, title: _title, request_id: _id, detail, remedy: _remedy, ...others } = problem;
  const { errors = [], corrected_call, ...facts } = others;
  const isWritten = corrected_call === undefined || detail.includes('{');
  const correction = isWritten ? '' : ` Corrected call: ${JSON.stringify(corrected_call)}`;
  const text = `${writtenProblem(problem)}${nearestCalls(problem)}${correction}`;
  const untold = errors.filter(({ message }) => !text.includes(message));
  const untoldFacts = Object.entries(facts).filter(([, fact]) => typeof fact !== 'string' || !text.includes(fact));
  return [text, JSON.stringify({ ...Object.fromEntries(untoldFacts), ...(untold.length > 0 && { errors: untold }) })];
}

/** The nearest rows are other ones than the caller has named, so that each call stands with its condition. */
function nearestCalls({ nearest }: Problem): string {
  if (!Array.isArray(nearest)) return '';
  const rows = (nearest as { name: string; call?: object }[]).filter(({ call }) => call !== undefined);
  return rows.map(({ name, call }) => ` If you mean ${JSON.stringify(name)}: ${JSON.stringify(call)}`).join('');
}

/** A sentence first, where the answer has one that says what it is about. */
function written({ tool }: Reply, body: Fields, json: string | undefined): string[] {
  const { message, ...facts } = body;
  const isSentence = tool.tag === 'Workflows' || body['preview'] === true;
  return isSentence && typeof message === 'string' ? [message, JSON.stringify(facts)] : [json ?? JSON.stringify(body)];
}

/** Pictures that were made for this answer. A stored file is fetched over REST. */
function pictures({ file }: Reply): ToolResult['content'] {
  if (file === undefined || !('content' in file) || !file.contentType.startsWith('image/')) return [];
  return [{ type: 'image', data: Buffer.from(file.content).toString('base64'), mimeType: file.contentType }];
}
