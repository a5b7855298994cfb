/** `onair new` sets up a whole broadcast: by flags, or by questions on a terminal. */
import { Option } from 'commander';
import { LADDER_IDS } from '../../domain/shapes/encodings/preset-ids.ts';
import { RECURRENCE_TYPES } from '../../domain/time/recurrence.ts';
import type { ProgramCommand } from '../command.ts';
import { answering } from '../verbs/options.ts';
import type { NewFlags } from './answers.ts';
import { orList } from '../../domain/base/sentence.ts';
import { INGEST_WORDS } from '../../domain/types/channel-questions.ts';

/** A flag that may be there several times. */
function each(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function addNew(program: ProgramCommand): void {
  program.commandsGroup('Broadcasts:');
  answering(program.command('new'))
    .description('set up a broadcast, and start it; asks on a terminal for what is missing')
    .example(
      'onair new --source show.mp4 --to twitch --key-file key.txt',
      'onair new --source rtmp-push --to hls --name Sunday',
    )
    .option('--name <name>', 'name of the broadcast (default: that of the source)')
    .option('--source <source>', `file, URL, Channel, ${orList(INGEST_WORDS)}`)
    .option('--to <destination>', 'template (onair call listPresets --kind template) or address; once for each', each)
    .option('--url <address>', 'address to deliver to, in place of that of the template; of several x=<address>', each)
    .option('--key-file <file>', 'file with the stream key; of several twitch=<file>', each)
    .option('--key <dash>', '- reads the key from stdin, of several lines twitch=<key>; at a terminal typed unseen')
    .addOption(
      new Option('--quality <preset>', 'ladder to make (default: no larger than the file)').choices(LADDER_IDS),
    )
    .option('--record', 'record it as well')
    .option('--when <time>', 'on air by the clock: "tomorrow 20:00", "2026-11-29 10:00", +90m')
    .option('--end <time>', 'end of it; +90m counts from the start (default: +2h)')
    .addOption(new Option('--recurrence <type>', 'how it repeats').choices(RECURRENCE_TYPES).default('none'))
    .option('--start', 'start it at once')
    .option('--no-start', 'only set it up')
    .option('--dry-run', 'only tell what it would do')
    .option('--yes', 'take the usual answers, and do not ask whether the plan is right')
    .action(async (flags: NewFlags) => (await import('./new.ts')).setUpNew(flags));
}
