import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { AppError, ruleViolated } from '../domain/base/errors.ts';
import { assertClosed, downloadName, downloadPath, recordingResource } from '../domain/rules/media/recording.ts';
import { instantField, reference } from '../domain/base/schema.ts';
import { called } from '../domain/base/sentence.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const downloadOutput = z
  .object({
    url: z
      .string()
      .describe('Opens without a token, with GET and HEAD and byte ranges: give it only to who may have the media.'),
    expires_at: instantField.describe('From then on it answers 403.'),
    filename: z.string().describe('Name that a client saves it under.'),
    size_bytes: z.number().int().describe('Of the whole Recording.'),
    files: z.number().int().describe('Files it consists of; part chooses one.'),
  })
  .strict();

export const createRecordingDownload = defineTool({
  name: 'createRecordingDownload',
  summary: 'Create a signed, time-bound URL that downloads a Recording.',
  description:
    'Use it to hand the media of a finished Recording to a person or program without a token. It can be interrupted and resumed until ' +
    'it expires, and cannot be called back. Refused (wrong_state) while the Recording is still written: cut a piece with createClip then.',
  tag: 'Recordings',
  aliases: ['archive', 'download link', 'share recording', 'get file', 'export recording', 'VOD link'],
  rest: 'POST /recordings/{recordingId}/downloads',
  access: 'operator',
  effect: 'create',
  secretAnswer: true,
  input: z
    .object({
      recordingId: reference('Recording'),
      expires_in: z.number().int().min(1).max(86_400).default(3600).describe('Seconds until it expires, 1-86400.'),
      part: z.number().int().min(1).default(1).describe('Which of its files, from 1; one as a rule.'),
    })
    .strict(),
  output: dataOf(downloadOutput),
  async handle(ctx, { recordingId, expires_in: seconds, part }) {
    const { row } = await getRow(ctx.store, recordingResource, recordingId);
    assertClosed(row);
    if (row.status === 'failed')
      throw new AppError(
        'wrong_state',
        `${called('Recording', row)} has failed: ${row.errorstatus ?? 'there is no media'}`,
      );
    if (part > row.files)
      throw ruleViolated(
        `${called('Recording', row)} has ${row.files} file${row.files === 1 ? '' : 's'}; part must not be more.`,
      );
    // Links count in whole seconds.
    const expiresAtMs = (Math.floor(ctx.clock.now() / 1000) + seconds) * 1000;
    const url = ctx.system.links.sign(downloadPath(row, part), expiresAtMs);
    const { size_bytes, files } = row;
    const data = { url, expires_at: toIso(expiresAtMs), filename: downloadName(row, part), size_bytes, files };
    return ctx.commit(() => ({ body: { data } }));
  },
});
