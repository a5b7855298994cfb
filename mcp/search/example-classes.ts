/**
 * The example queries by what they ask for: a tool, a group of its fields, or a topic that no operation serves. A group of fields is a class
 * beside its tools, because one operation has fields for many purposes, and their words together would say little about any of them.
 */
import type { Tool } from '../../toolkit/tool.ts';
import { areAlike, requestsFor } from './example-queries.ts';
import type { AbsentTopic } from './queries/absent-topic.ts';
import { ABSENT_TOPICS } from './queries/absent.ts';
import { BROADCAST_FIELDS } from './queries/fields-of-broadcasts.ts';
import { PROGRAMME_FIELDS } from './queries/fields-of-programmes.ts';
import { SERVICE_FIELDS } from './queries/fields-of-services.ts';
import { SET_UP_FIELDS } from './queries/fields-of-set-up.ts';
import { splitQueries } from './queries/split-queries.ts';
import { fieldsOf } from './schema-fields.ts';

export interface ExampleClass {
  name: string;
  /** The tools that serve it; none serves an absent topic. */
  tools: readonly Tool[];
  topic?: AbsentTopic;
  requests: readonly string[];
}

const FIELD_TABLES = [BROADCAST_FIELDS, PROGRAMME_FIELDS, SET_UP_FIELDS, SERVICE_FIELDS];

export function exampleClassesOf(tools: readonly Tool[]): ExampleClass[] {
  return [
    ...tools.map((tool) => ({
      name: tool.name,
      tools: [tool],
      requests: [...requestsFor(tool.name), ...tool.aliases],
    })),
    ...fieldGroupsOf(tools),
    ...ABSENT_TOPICS.map((topic) => ({ name: topic.about, tools: [], topic, requests: topic.requests })),
  ];
}

/** The tools of a group are those of its tag or name whose schemas have all its fields. */
function fieldGroupsOf(tools: readonly Tool[]): ExampleClass[] {
  const paths = new Map(tools.map((tool) => [tool, new Set(fieldsOf(tool.input).map(({ path }) => path))]));
  return FIELD_TABLES.flatMap((table) => Object.entries(table)).flatMap(([subject, groups]) =>
    Object.entries(groups).map(([fields, requests]) => {
      const has = (tool: Tool): boolean => fields.split(' ').every((field) => paths.get(tool)?.has(field));
      const owners = tools.filter((tool) => (tool.tag === subject || tool.name === subject) && has(tool));
      // A filter of a list has the name of the field that it looks at.
      const writers = owners.filter(({ effect }) => effect !== 'read');
      const served = writers.length > 0 ? writers : owners;
      const alike = tools.filter(({ name }) => served.some((tool) => areAlike(tool.name, name)));
      return { name: `${subject}: ${fields}`, tools: [...served, ...alike], requests: splitQueries(requests) };
    }),
  );
}
