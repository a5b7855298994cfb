import { AppError, invalidInput } from '../../base/errors.ts';
import { LICENCE_MAX_LENGTH, type Licence, type LicenceClaims } from '../../shapes/installation/licence.ts';
import type { Tx } from '../../ports/store.ts';

interface Content {
  content: ReadableStream<Uint8Array>;
}

/** The licence file, as text or as the file that came beside the arguments; throws AppError invalid_input or too_large. */
export async function licenceText(text: string | undefined, upload: Content | undefined): Promise<string> {
  if ((upload === undefined) === (text === undefined)) {
    const problem = upload === undefined ? 'neither was sent' : 'both were sent';
    const message = `send the content of the licence file, or the file itself (multipart part file); ${problem}`;
    throw invalidInput([{ field: 'license', code: 'one_of', message }]);
  }
  return (text ?? (await textOf(upload!.content))).trim();
}

async function textOf(content: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = content.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length <= LICENCE_MAX_LENGTH) continue;
    await reader.cancel();
    throw new AppError('too_large', `The file is larger than ${LICENCE_MAX_LENGTH} bytes; a licence file is some 500.`);
  }
}

export interface Installed {
  row: Readonly<Licence>;
  /** True when it was not installed before. */
  fresh: boolean;
}

/** Each serial has one row: the same file again changes nothing, and a file that was issued later replaces it. */
export function installIn(tx: Tx, now: string, claims: LicenceClaims, jws: string): Installed {
  const [present] = tx.find('licences', { where: { licence_id: claims.licence_id }, limit: 1 }).rows;
  if (present === undefined) {
    return { row: tx.insert('licences', { ...claims, jws, created_at: now, updated_at: now }), fresh: true };
  }
  if (present.jws === jws) return { row: present, fresh: false };
  if (Date.parse(claims.issued_at) <= Date.parse(present.issued_at)) {
    throw new AppError(
      'conflict',
      `Licence ${claims.licence_id} is installed already, in an edition of ${present.issued_at}; this one of ${claims.issued_at} is not newer. Install the newest file.`,
      { facts: { field: 'licence_id', value: claims.licence_id, id: present.id } },
    );
  }
  // A claim that the new file leaves out is gone.
  const { denied: _denied, ...former } = present;
  const row = { ...former, ...claims, jws, updated_at: now };
  tx.put('licences', row);
  return { row, fresh: false };
}
