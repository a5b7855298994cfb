/** The templates of Destinations, one for each id. */
import { TEMPLATE_IDS, type TemplateId } from '../domain/shapes/encodings/preset-ids.ts';
import { templateShape, type Template } from '../domain/shapes/encodings/preset.ts';
import { OWN_SERVERS } from './own-servers.ts';
import { PLATFORMS } from './platforms.ts';

const byId = new Map([...PLATFORMS, ...OWN_SERVERS].map((template) => [template.id, templateShape.parse(template)]));

export function getTemplate(id: TemplateId): Template {
  const template = byId.get(id);
  // A test holds that there is one for each id.
  if (template === undefined) throw new TypeError(`There is no template ${id}.`);
  return template;
}

export const TEMPLATES: readonly Template[] = TEMPLATE_IDS.map(getTemplate);
