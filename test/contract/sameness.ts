/** The part of an answer that is the same for every twin; left out are ids, names that carry a number, instants, secrets shown once. */

const IDS = /^(id|kid|token|stream_key|idEncoderGroup|\w+Ids?|elements|devices|resource_id|licence_id)$/u;
/** Figures of a machine at work: broadcasts of other tests begin and end on the same Device meanwhile. */
const MEASURED = /^(load|uptime_seconds|cpu\w*|memory\w*|\w*_percent|size_bytes|\w+_cores|used|free)$/u;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u;

export function withoutDifferences(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDifferences(item, key));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutDifferences(inner, name)]));
  }
  if (value === null || value === undefined) return value;
  if (IDS.test(key)) return `<${key}>`;
  if (MEASURED.test(key) && typeof value === 'number') return '<figure>';
  if (typeof value !== 'string') return value;
  if (INSTANT.test(value)) return '<instant>';
  return value
    .replace(/twin-\d+/gu, 'twin')
    .replace(/\d{4}-\d\d-\d\d \d\d([.:])\d\d\1\d\d/u, '<time>')
    .replace(/\/recordings\/\d+\/file\?expires=\d+&signature=[\w-]+/u, '/recordings/<id>/file?<signed>')
    .replace(/\/live\/\d+\/\d+\/(\S+)\?token=\d+\.[\w-]+/u, '/live/<id>/<id>/$1?<token>')
    .replace(/\/#\/wall\/\d+\?key=\w+[\w-]+/u, '/#/wall/<id>?<key>')
    .replace(/(rtmp:\/\/[^/\s]+\/[\w-]+)\/[\w-]{24}$/u, '$1/<key>')
    .replace(/onair-info-[\dTZ-]+/u, 'onair-info')
    .replace(/\b(id|Live stream|User|[A-Z][a-z]+ (?:group|folder|account|provider)) \d+/gu, '$1 <id>');
}
