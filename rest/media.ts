/** The operations whose content is not JSON alone, for the calls and for the OpenAPI document. */
import { LICENCE_MAX_LENGTH } from '../domain/shapes/installation/licence.ts';
import type { Tool } from '../toolkit/tool.ts';

interface Form {
  /** The field that carries the same content in a JSON body. */
  inline: string;
  /** The largest file, where it is smaller than that of any upload. */
  maxBytes?: number;
}
const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['uploadAsset', { inline: 'content_base64' }],
  ['setUpBroadcast', { inline: 'content_base64' }],
  ['installLicense', { inline: 'license', maxBytes: LICENCE_MAX_LENGTH }],
]);
/** The media types of files that are streamed in place of the JSON body. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['readAsset', 'application/octet-stream'],
  ['getLivestreamPreview', 'image/jpeg'],
  ['getChannelPreview', 'image/jpeg'],
  ['downloadSystemInfo', 'application/zip'],
  ['getRunReport', 'text/html'],
]);

/** Whether the operation takes multipart/form-data with the content in the part `file`. */
export function takesForm(tool: Pick<Tool, 'name'>): boolean {
  return FORMS.has(tool.name);
}

/** The field that a JSON body has in place of the part `file`. */
export function inlineFieldOf(tool: Pick<Tool, 'name'>): string | undefined {
  return FORMS.get(tool.name)?.inline;
}

/** The largest file that the operation takes, in bytes; `maxBytes` is the bound of all uploads. */
export function largestFileOf(tool: Pick<Tool, 'name'>, maxBytes: number): number {
  return Math.min(maxBytes, FORMS.get(tool.name)?.maxBytes ?? maxBytes);
}

/** The media type of the file that the operation streams; undefined for operations that only answer JSON. */
export function fileTypeOf(tool: Pick<Tool, 'name'>): string | undefined {
  return FILES.get(tool.name);
}
