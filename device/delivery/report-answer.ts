/** Answers to reports of players (CMCD in event mode). */
import { access as look } from 'node:fs/promises';
import { ifAbsent } from '../../domain/base/absent.ts';
import { playbackPath } from '../../domain/shapes/destinations/playback.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { liveDir } from '../run-dir.ts';
import { accessOf } from './access.ts';
import { CORS, notFound, refusal, textAnswer, type MediaAnswer } from './answers.ts';
import { MAX_REPORT_BYTES, type Report } from './audience/cmcd-report.ts';

const REPORT_TAKEN = { ...CORS, 'cache-control': 'no-store' };

/** The right to report is the right to watch. */
export async function reportAnswer(
  deviceDir: string,
  target: string,
  report: Report,
  clock: Clock,
): Promise<MediaAnswer> {
  const noStore = { 'cache-control': 'no-store' };
  if ('refused' in report)
    return report.refused === 413
      ? textAnswer(413, `A report has ${MAX_REPORT_BYTES} bytes at most.`, noStore, false)
      : textAnswer(429, 'Too many reports a second.', { 'cache-control': 'no-store', 'retry-after': '1' }, false);
  const [path = '', query = ''] = target.split(/\?(.*)/su);
  const [livestreamId, publishingId] = path.split('/').slice(2).map(Number);
  const dir = liveDir(deviceDir, livestreamId!, publishingId!);
  const isThere = await look(dir).then(() => true, ifAbsent(false));
  if (!isThere) return notFound(false);
  const token = new URLSearchParams(query).get('token');
  const access = await accessOf(dir, playbackPath(livestreamId!, publishingId!), token, clock.now());
  if (access !== 'open' && access !== 'tokened') return refusal(access, false);
  return { status: 204, headers: REPORT_TAKEN };
}
