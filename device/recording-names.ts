import { recordingWord } from '../domain/shapes/media/recording.ts';

/**
 * The files of a Recording, in the folder of its Live stream. `<runId>-<publishingId>-<n>.<container>` is part n; each interruption begins
 * a new part. `…-1to<n>.<container>` is all parts up to n in one, and gets this name only when it is whole. A Recording that was begun on
 * air has `r` and its number in place of a publishing id.
 */
export interface RecordingFile {
  name: string;
  runId: string;
  publishingId: number;
  container: 'mp4' | 'ts';
  /** Number of the last part that the file contains. */
  upTo: number;
  /** The file contains all parts from the first on. */
  isJoined: boolean;
}

const NAME = /^([\w-][\w.-]*)-(r?)(\d{1,15})-(1to)?(\d{1,9})\.(mp4|ts)$/u;

/** Undefined for a name that no media file of a Recording has. */
export function parseRecordingFile(name: string): RecordingFile | undefined {
  const [, runId, take, number, joined, upTo, container] = NAME.exec(name) ?? [];
  if (runId === undefined) return undefined;
  return {
    name,
    runId,
    publishingId: take === 'r' ? -Number(number) : Number(number),
    upTo: Number(upTo),
    isJoined: joined !== undefined,
    container: container as RecordingFile['container'],
  };
}

type Whose = Pick<RecordingFile, 'runId' | 'publishingId' | 'container'>;

function stem(whose: Omit<Whose, 'container'>): string {
  return `${whose.runId}-${recordingWord(whose)}`;
}

export function partName(whose: Whose, n: number): string {
  return `${stem(whose)}-${n}.${whose.container}`;
}

export function joinedName(whose: Whose, upTo: number): string {
  return `${stem(whose)}-1to${upTo}.${whose.container}`;
}

/** Name of the file that stores the facts about a Recording whose run is over, so that its media need not be probed again. */
export function factsName(whose: Omit<Whose, 'container'>): string {
  return `${stem(whose)}.json`;
}
