/** Reads `pssh` boxes (ISO/IEC 23001-7 §8.1), and writes those for keys that this service has itself. */

const HEADER_BYTES = 28;
const WIDEVINE = 'edef8ba979d64acea3c827dcd51d21ed';
const PLAYREADY = '9a04f07998404286ab92e65be0885f95';

/** Tells whether the bytes are exactly one box of the system: size, type and SystemID (32 hexadecimal digits). */
export function isPsshOf(box: Buffer, systemId: string): boolean {
  if (box.length < HEADER_BYTES + 4 || box.readUInt32BE(0) !== box.length) return false;
  return box.toString('latin1', 4, 8) === 'pssh' && box.toString('hex', 12, HEADER_BYTES) === systemId;
}

function psshBox(systemId: string, payload: Buffer): string {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(HEADER_BYTES + 4 + payload.length);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  // The box has version 0 and no flags: the payloads below name their key themselves, and players older than version 1 read them.
  const box = Buffer.concat([
    size,
    Buffer.from('pssh'),
    Buffer.alloc(4),
    Buffer.from(systemId, 'hex'),
    length,
    payload,
  ]);
  return box.toString('base64');
}

/** WidevinePsshData as protobuf: key_id = 2 (bytes), protection_scheme = 9 (varint of the four characters). */
export function widevinePssh(kid: string, scheme: 'cenc' | 'cbcs'): string {
  const fourcc = Buffer.from(scheme).readUInt32BE(0);
  return psshBox(
    WIDEVINE,
    Buffer.concat([Buffer.from([0x12, 16]), Buffer.from(kid, 'hex'), Buffer.from([0x48]), varint(fourcc)]),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/**
 * A PlayReady Object with one record, the rights management header as UTF-16LE ("PlayReady Header Specification"): version 4.0.0.0 names
 * one AES-CTR key, and AES-CBC came with 4.3.0.0. The key id is a GUID, whose first three parts are little-endian.
 */
export function playreadyPssh(kid: string, scheme: 'cenc' | 'cbcs'): string {
  const guid = Buffer.from(kid, 'hex');
  guid.subarray(0, 4).reverse();
  guid.subarray(4, 6).reverse();
  guid.subarray(6, 8).reverse();
  const id = guid.toString('base64');
  const data =
    scheme === 'cenc'
      ? `<PROTECTINFO><KEYLEN>16</KEYLEN><ALGID>AESCTR</ALGID></PROTECTINFO><KID>${id}</KID>`
      : `<PROTECTINFO><KIDS><KID ALGID="AESCBC" VALUE="${id}"></KID></KIDS></PROTECTINFO>`;
  const version = scheme === 'cenc' ? '4.0.0.0' : '4.3.0.0';
  const header = `<WRMHEADER xmlns="http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader" version="${version}"><DATA>${data}</DATA></WRMHEADER>`;
  const record = Buffer.from(header, 'utf16le');
  const object = Buffer.alloc(10);
  object.writeUInt32LE(object.length + record.length, 0);
  object.writeUInt16LE(1, 4);
  object.writeUInt16LE(1, 6);
  object.writeUInt16LE(record.length, 8);
  return psshBox(PLAYREADY, Buffer.concat([object, record]));
}
