/** Changes of a broadcast on air. The server answers when viewers get them. */
import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { callServer, listAll, type Arguments } from '../client/call.ts';
import type { OperationId } from '../../client/request.ts';
import { choiceOf } from '../command.ts';
import { printOne, type FormatFlags } from '../output/format.ts';
import { uploadFile } from '../upload.ts';
import { channelTaken, livestreamTaken } from './names.ts';
import { RECORDING_TYPE } from '../../domain/types/destination-types.ts';

/** The word that ends what a command has put on the picture. */
const OFF = 'off';

export async function switchSource(livestream: string, channel: string, flags: FormatFlags): Promise<void> {
  const { livestreamId, name } = await livestreamTaken(livestream);
  const { id: channelId, name: source } = await channelTaken(channel);
  await change('runtimeApplySourceSwitch', { livestreamId, channelId }, `"${name}" shows "${source}" now.`, flags);
}

/** `file` is an Asset of the bucket logos, or a file here that becomes one. */
export async function showLogo(
  livestream: string,
  file: string,
  position: string | undefined,
  flags: FormatFlags,
): Promise<void> {
  const { livestreamId, name } = await livestreamTaken(livestream);
  const filename = file === OFF ? '' : await logoAsset(file);
  const logo = { filename, ...(position !== undefined && { position: positionOf(position) }) };
  const message = filename === '' ? `"${name}" shows no logo now.` : `"${name}" shows the logo ${filename} now.`;
  await change('runtimeApplyLogo', { livestreamId, logo }, message, flags);
}

/** `top right` and `top-right` are the Top-Right of the API, which refuses what is none. */
function positionOf(text: string): string {
  return text
    .split(/[-\s]+/u)
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`)
    .join('-');
}

interface AssetRow {
  filename: string;
  size_bytes: number;
}

async function logoAsset(file: string): Promise<string> {
  const filename = basename(file);
  const rows = await listAll<AssetRow>('listAssets', { fileType: 'logos', search: filename });
  const present = rows.find((row) => row.filename === filename);
  if (!existsSync(file)) {
    if (present !== undefined && file === filename) return filename;
    throw new AppError('not_found', `There is no logo ${file}, neither as a file here nor among the Assets.`, {
      remedy: 'List the logos: onair ls assets',
    });
  }
  if (present === undefined) await uploadFile(file, { type: 'logos', name: filename });
  else if (present.size_bytes !== statSync(file).size)
    throw new AppError('conflict', `There is another logo of the name ${filename} among the Assets.`, {
      remedy: `Give the file another name, or remove the Asset: onair call deleteAsset --fileType logos --filename ${filename}`,
    });
  return filename;
}

export async function showText(livestream: string, words: readonly string[], flags: FormatFlags): Promise<void> {
  const { livestreamId, name } = await livestreamTaken(livestream);
  const text = words.join(' ');
  const isOff = text === OFF;
  const body = isOff ? { action: 'hide' } : { action: 'show', text };
  await change(
    'setLivestreamText',
    { livestreamId, ...body },
    `"${name}" shows ${isOff ? 'no text' : 'the text'} now.`,
    flags,
  );
}

export async function goBlack(livestream: string, word: string | undefined, flags: FormatFlags): Promise<void> {
  const isOff = word !== undefined && choiceOf('black', word, [OFF]) === OFF;
  const { livestreamId, name } = await livestreamTaken(livestream);
  const message = `"${name}" ${isOff ? 'shows the programme again' : 'is black now'}.`;
  await change('runtimeApplyBlackout', { livestreamId, mode: isOff ? 'Live' : 'Black Frame' }, message, flags);
}

const SECONDS = /^\d{1,5}(?:\.\d+)?$/u;

export async function sendCue(
  livestream: string,
  way: string,
  seconds: string | undefined,
  flags: FormatFlags,
): Promise<void> {
  const isOut = choiceOf('cue', way, ['out', 'in']) === 'out';
  if (seconds !== undefined && !(isOut && SECONDS.test(seconds)))
    throw invalidInput([
      { field: 'seconds', code: 'invalid_value', message: 'is the length of a break: onair cue <name> out 30' },
    ]);
  const { livestreamId, name } = await livestreamTaken(livestream);
  const metadata = seconds === undefined ? {} : { duration: Number(seconds) };
  const length = seconds === undefined ? '' : ` of ${seconds} seconds`;
  const message = isOut ? `In "${name}" a break${length} has begun.` : `In "${name}" the break has ended.`;
  await change('runtimePushMetadata', { livestreamId, type: isOut ? 'CueOut' : 'CueIn', metadata }, message, flags);
}

interface Destination {
  id: number;
  name: string;
  type: string;
}

/** Turns the Record Destinations that are bound on or off; where none is, begins or ends a Recording of its own. */
export async function record(livestream: string, word: string, flags: FormatFlags): Promise<void> {
  const isOn = choiceOf('record', word, ['on', OFF]) === 'on';
  const { livestreamId, name } = await livestreamTaken(livestream);
  const { data } = await callServer<{ data: { publishings: Destination[] } }>('getLivestreamEnriched', {
    livestreamId,
  });
  const recorders = data.publishings.filter(({ type }) => type === RECORDING_TYPE);
  if (recorders.length === 0) {
    const action = isOn ? 'start' : 'stop';
    const sentence = isOn ? `"${name}" is being recorded.` : `The recording of "${name}" has ended.`;
    return change('runtimeRecord', { livestreamId, action }, sentence, flags);
  }
  const publishings = recorders.map(({ id }) => ({ publishingId: id, primary: isOn }));
  const message = `"${name}" is ${isOn ? 'being recorded' : 'not recorded'} now (${recorders.map((each) => each.name).join(', ')}).`;
  await change('runtimeTogglePublishings', { livestreamId, publishings }, message, flags);
}

interface Changed {
  notes?: string[];
}

async function change(operation: OperationId, args: Arguments, message: string, flags: FormatFlags): Promise<void> {
  const { data } = await callServer<{ data: Changed }>(operation, args);
  await printOne(data, ({ notes = [] }) => [message, ...notes].join('\n'), flags);
}
