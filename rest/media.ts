/** The operations whose content is not JSON alone. The calls and the OpenAPI document ask here. */
import type { Tool } from '../toolkit/tool.ts';

/** With the field that carries the same content in a JSON body. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['uploadAsset', 'content_base64'],
  ['installLicense', 'license'],
]);
/** Media types of what is streamed in place of the JSON body. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['readAsset', 'application/octet-stream'],
  ['getLivestreamPreview', 'image/jpeg'],
  ['downloadSystemInfo', 'application/zip'],
]);

/** Whether the operation takes multipart/form-data with the content in the part `file`. */
export function takesForm(tool: Pick<Tool, 'name'>): boolean {
  return FORMS.has(tool.name);
}

/** The field that a JSON body has in place of the part `file`. */
export function inlineFieldOf(tool: Pick<Tool, 'name'>): string | undefined {
  return FORMS.get(tool.name);
}

/** Media type of the file that the operation streams; undefined for the operations that only answer JSON. */
export function fileTypeOf(tool: Pick<Tool, 'name'>): string | undefined {
  return FILES.get(tool.name);
}
