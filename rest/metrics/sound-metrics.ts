/** Levels and loudness of the sources on air, in the Prometheus text format. A value that is not known yet has no sample. */
import type { LivestreamStatusView, TrackLevels } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { family, type Sample } from './exposition.ts';

interface Stream {
  id: number;
  status: Pick<LivestreamStatusView, 'source'>;
}

export function soundFamilies(streams: readonly Stream[]): string {
  const each = (samplesOf: (levels: TrackLevels) => Sample[]): Sample[] =>
    streams.flatMap(({ id, status }) =>
      (status.source?.levels ?? []).flatMap((levels) =>
        samplesOf(levels).map(({ labels, value }) => ({
          labels: { livestream: id, track: levels.track, ...labels },
          value,
        })),
      ),
    );
  const channels = (values: readonly number[]): Sample[] =>
    values.map((value, channel) => ({ labels: { channel }, value }));
  const loudness = ({ momentary_lufs, short_term_lufs, integrated_lufs }: TrackLevels): Sample[] =>
    Object.entries({ momentary: momentary_lufs, short_term: short_term_lufs, integrated: integrated_lufs }).flatMap(
      ([window, value]) => (value === null ? [] : [{ labels: { window }, value }]),
    );
  return [
    family(
      'onair_source_peak_dbfs',
      'gauge',
      'Sample peak of the last second; -100: silence.',
      each(({ peak_dbfs }) => channels(peak_dbfs)),
    ),
    family(
      'onair_source_rms_dbfs',
      'gauge',
      'RMS of the last second; -100: silence.',
      each(({ rms_dbfs }) => channels(rms_dbfs)),
    ),
    family('onair_source_loudness_lufs', 'gauge', 'Loudness by EBU R 128.', each(loudness)),
  ].join('');
}
