/** The questions of `onair new` on a terminal: only what the flags leave open is asked, and an empty answer takes what is usual. */
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { LADDER_IDS, type LadderId } from '../../domain/shapes/encodings/preset-ids.ts';
import { RECURRENCE_TYPES } from '../../domain/time/recurrence.ts';
import { LADDERS } from '../../presets/ladders.ts';
import { ladderFor } from '../../presets/ladder-for.ts';
import { TEMPLATES } from '../../presets/templates.ts';
import { timesOf, type NewAnswers } from './answers.ts';
import { missingOf, templateOf } from './destinations.ts';
import { listAll } from '../client/call.ts';
import { shellWord } from '../output/shell.ts';
import { ask, askHidden, askYesNo, choose, tell } from './questions.ts';
import { lookAt, sourceNamed, type Look, type Source } from './source.ts';

export interface Asked {
  answers: NewAnswers;
  source: Source;
  look: Look | undefined;
}

/** Rejects with AppError invalid_input when the questions are broken off, and where a flag is wrong. */
export async function askFor(flags: NewAnswers): Promise<Asked> {
  const answers: NewAnswers = { ...flags };
  if (flags.name !== undefined) await assertNameFree(flags.name);
  const { source, look } = await askSource(answers);
  if (answers.name === undefined && flags.yes !== true) {
    const name = await ask('Name of the broadcast (empty: that of the source): ', async (answer) => {
      await assertNameFree(answer);
      return answer;
    });
    if (name !== '') answers.name = name;
  }
  await askDestinations(answers);
  // What is left has a usual answer.
  if (flags.yes === true) return { answers, source, look };
  await askQuality(answers, flags, look);
  answers.record ??= await askYesNo('Record it as well?', false);
  await askTimes(answers, flags);
  if (flags.start === undefined && flags.dryRun !== true && answers.when === undefined)
    answers.start = await askYesNo('Start it now?', true);
  return { answers, source, look };
}

async function askDestinations(answers: NewAnswers): Promise<void> {
  if (answers.destinations.length === 0) {
    const destination = await choose(TEMPLATES, 'Where to (number, name or an address; empty: hls): ', (answer) => {
      const to = answer || 'hls';
      return { to, template: templateOf(to) };
    });
    answers.destinations = [destination];
  }
  const { destinations, key } = answers;
  for (const each of destinations) {
    const isMissing = (flag: string): boolean => missingOf(each, undefined).some(({ field }) => field === flag);
    if (isMissing('--url')) each.url = await ask(`Address that ${each.template?.name} gave you: `, addressIn);
    if (isMissing('--key') || (key === '-' && destinations.length === 1))
      each.typedKey = await askHidden(`Stream key of ${each.template?.name ?? 'the destination'} (not shown): `);
  }
  // What was typed is not read from stdin as well.
  delete answers.key;
}

async function askSource(answers: NewAnswers): Promise<{ source: Source; look: Look | undefined }> {
  const take = async (text: string): Promise<{ source: Source; look: Look | undefined }> => {
    if (text === '') throw invalidInput([{ field: '--source', code: 'required', message: 'is needed' }]);
    const source = await sourceNamed(text);
    if ('address' in source || 'channelId' in source) tell('Looking at the source, for ten seconds at most …');
    const look = await lookAt(source);
    answers.source = text;
    return { source, look };
  };
  const chosen =
    answers.source === undefined
      ? await ask('Source (file, URL, Channel, rtmp-push for OBS, srt-listen): ', take)
      : await take(answers.source);
  chosen.look?.lines.forEach(tell);
  if ('ingest' in chosen.source) tell('The address and the key for the encoder are told at the end.');
  return chosen;
}

/** Rejects with AppError conflict before anybody has answered more questions for nothing. */
async function assertNameFree(name: string): Promise<void> {
  if (name === '') return;
  const alike = await listAll<{ name: string }>('getAllLivestreams', { search: name, fields: 'name' });
  if (!alike.some((row) => row.name === name)) return;
  throw new AppError('conflict', `There is a Live stream ${JSON.stringify(name)} already.`, {
    remedy: `Start that one with onair start ${shellWord(name)}, or choose another name.`,
  });
}

async function askQuality(answers: NewAnswers, flags: NewAnswers, look: Look | undefined): Promise<void> {
  if (flags.quality !== undefined) return;
  const fitting = look?.picture == null ? undefined : ladderFor(look.picture);
  const usual = fitting === undefined ? 'empty: 720p, or as the file' : `this source: ${fitting}; empty: no larger`;
  const quality = await choose(LADDERS, `Quality (number or name; ${usual}): `, (answer) => {
    if (answer === '' || (LADDER_IDS as readonly string[]).includes(answer)) return answer;
    const message = `must be one of ${LADDER_IDS.join(', ')}`;
    throw invalidInput([{ field: '--quality', code: 'invalid_value', message, allowed: LADDER_IDS }]);
  });
  if (quality !== '') answers.quality = quality as LadderId;
}

async function askTimes(answers: NewAnswers, flags: NewAnswers): Promise<void> {
  if (flags.when !== undefined) return;
  const when = await ask('When ("tomorrow 20:00", "sunday 10:00"; empty: not by the clock): ', async (answer) => {
    if (answer !== '') await timesOf({ ...answers, when: answer });
    return answer;
  });
  if (when === '') return;
  answers.when = when;
  if (flags.end === undefined)
    await ask('Until ("21:30", +90m; empty: +2h): ', async (answer) => {
      if (answer === '') return;
      await timesOf({ ...answers, end: answer });
      answers.end = answer;
    });
  if (flags.recurrence === 'none')
    answers.recurrence = await ask(`Again (${RECURRENCE_TYPES.join(', ')}; empty: none): `, (answer) => {
      if (answer === '' || (RECURRENCE_TYPES as readonly string[]).includes(answer)) return answer || 'none';
      const message = `must be one of ${RECURRENCE_TYPES.join(', ')}`;
      throw invalidInput([{ field: '--recurrence', code: 'invalid_value', message, allowed: RECURRENCE_TYPES }]);
    });
}

function addressIn(answer: string): string {
  if (answer.includes('://')) return answer;
  throw invalidInput([{ field: '--url', code: 'invalid_url', message: 'must be an address such as rtmps://host/app' }]);
}
