/**
 * If-Match (RFC 9110 §13.1.1): `*`, or a list of entity tags of which one must be the present one, by strong comparison. Our tag is the
 * version of the stored row in quotes.
 */

/** An entity tag may hold commas (RFC 9110 §8.8.3), so a list is read tag by tag. Empty elements are legal (§5.6.1). */
const ELEMENT = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?[ \t]*(?:,|$)/uy;
/** Versions are safe integers, so no tag of ours has more digits. */
const OUR_TAG = /^"(\d{1,15})"$/u;

/**
 * The versions that the caller accepts; undefined where every version is accepted. A weak tag never matches strongly, nor does one of
 * another form. A value that is no list of tags accepts nothing, because a condition that cannot be read must not pass for one that holds.
 */
export function acceptedVersions(ifMatch: string | undefined): readonly number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const versions: number[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < ifMatch.length) {
    const element = ELEMENT.exec(ifMatch);
    if (element === null) return [];
    const version = OUR_TAG.exec(element[1] ?? '')?.[1];
    if (version !== undefined) versions.push(Number(version));
  }
  return versions;
}
