/** Tools of the tests, for what the product's own do not show of the REST API. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v3';
import { dataOf } from '../../toolkit/output/page.ts';
import { defineTool, type Tool, type ToolContext } from '../../toolkit/tool.ts';

type ToolParts = Pick<Tool, 'name' | 'rest' | 'effect' | 'input'> &
  Partial<Pick<Tool, 'access' | 'output' | 'secretAnswer'>>;

/** A tool of the tests: the answer of `act` under `data`. */
export function makeTool(parts: ToolParts, act: (ctx: ToolContext, input: Record<string, unknown>) => unknown): Tool {
  return defineTool({
    summary: `Do ${parts.name}.`,
    description: 'A tool of the tests.',
    tag: 'Tests',
    aliases: [],
    access: 'operator',
    output: dataOf(z.any()),
    ...parts,
    handle: async (ctx, input) => ({ body: { data: await act(ctx, input as Record<string, unknown>) } }),
  });
}

/** Answers its input, which shows how the API has read a request. */
export function echoTool(rest: string, shape: z.ZodRawShape, name = 'echoThing'): Tool {
  const effect = rest.startsWith('GET') ? 'read' : rest.startsWith('DELETE') ? 'delete' : 'control';
  return makeTool({ name, rest, effect, input: z.object(shape).strict() }, (_ctx, input) => input);
}

/** Takes a form and answers what arrived. */
export const uploadAsset = makeTool(
  {
    name: 'uploadAsset',
    rest: 'POST /assets',
    effect: 'create',
    input: z
      .object({
        filename: z.string().max(100).optional(),
        fileType: z.enum(['logos', 'files']),
        content_base64: z.string().optional(),
      })
      .strict(),
  },
  async (ctx, input) => {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of (ctx.request.upload?.content ?? []) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      size += chunk.byteLength;
    }
    return { ...input, uploadName: ctx.request.upload?.filename, size, sha256: hash.digest('hex') };
  },
);

/** Answers `content` as a file beside its JSON. */
export async function fileTool(dir: string, content: string): Promise<Tool> {
  const path = join(dir, 'asset.txt');
  await writeFile(path, content);
  return defineTool({
    name: 'readAsset',
    summary: 'Read a file.',
    description: 'A tool of the tests.',
    tag: 'Tests',
    aliases: [],
    rest: 'GET /assets/{filename}',
    access: 'operator',
    effect: 'read',
    input: z.object({ filename: z.string() }).strict(),
    output: dataOf(z.object({ filename: z.string() }).strict()),
    handle: async (_ctx, { filename }) => ({
      body: { data: { filename } },
      file: { path: filename === 'gone' ? join(dir, 'gone') : path, contentType: 'text/plain' },
    }),
  });
}
