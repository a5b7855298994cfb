/** The byte stream of H.264 and HEVC (ITU-T H.264 and H.265, annex B), and the form in which MP4 and FLV hold its units. */
const START_CODE = Buffer.from([0, 0, 1]);

/** Returns the NAL units of an Annex B byte stream, without the zeros that may follow each (ITU-T H.265 annex B.2). */
export function nalUnits(data: Buffer): Buffer[] {
  const nals: Buffer[] = [];
  let start = data.indexOf(START_CODE);
  while (start >= 0) {
    const next = data.indexOf(START_CODE, start + 3);
    let end = next < 0 ? data.length : next;
    while (end > start + 3 && data[end - 1] === 0) end -= 1;
    if (end > start + 4) nals.push(data.subarray(start + 3, end));
    start = next;
  }
  return nals;
}

/** The length of a unit, as it stands before it. */
export function lengthOf(nal: Buffer, size: 2 | 4): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(nal.length, 0, size);
  return bytes;
}
