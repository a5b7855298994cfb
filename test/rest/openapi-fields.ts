import { wordsOf } from '../helpers/words.ts';
/** The fields in the schemas of the API description, at every level. */
type Schema = Record<string, unknown>;
type Schemas = Record<string, object>;

/** Fields that an answer may leave out, other than a Channel's settings, which are those of its type. */
export const SOMETIMES_ANSWERED = [
  // Another name was asked for.
  'ChannelSlotUsageWorkflow.taken_for',
  // An older Device agent does not tell them.
  'Device.capabilities.encryption',
  'Device.capabilities.features',
  'Device.capabilities.hardware_encoders',
  'Device.capabilities.hdr_encoders',
  'Device.capabilities.sandbox',
  'GetLivestreamStatusWorkflow.taken_for',
  'GetStartTargetsWorkflow.taken_for',
  // One of them names the place.
  'GetStartTargetsWorkflowRecommended.start.cloudAccountId',
  'GetStartTargetsWorkflowRecommended.start.deviceId',
  'GetStartTargetsWorkflowRecommended.start.idEncoderGroup',
  // Embedded on request.
  'LivestreamRow.channel',
  'LivestreamRow.destinations',
  // As the start was ordered.
  'LivestreamStartConfigEntry.qualities',
  'LivestreamStatusCondition.fps',
  'LivestreamStatusCondition.remedy',
  'LivestreamStatusCondition.wanted_fps',
  'LivestreamStatusEncoding.encoder',
  'LivestreamStatusSource.levels',
  // One that goes with a Schedule has them.
  'PlannedAction.runs',
  // A ladder has Encodings, a template the others.
  ...wordsOf('PresetRow.as_of PresetRow.demands PresetRow.encodings PresetRow.limits PresetRow.source'),
  ...wordsOf(
    'PresetRow.type PresetRow.url PublishingSettings.has_access_key PublishingSettings.has_secret_key PublishingSettings.srt.streamid',
  ),
  // Where the set-up has them.
  'SetUpBroadcast.made.encodingId',
  'SetUpBroadcast.made.publishingGroupId',
  'SetUpBroadcast.made.publishings',
  'SetUpBroadcast.made.recordPublishingId',
  'SetUpBroadcast.made.scheduleId',
  // By a dry run alone.
  'SetUpBroadcast.source',
  // By a dry run alone.
  'StartLivestreamWorkflow.reasons',
  'StartLivestreamWorkflow.source',
  'StartLivestreamWorkflow.startAllowed',
  // Where a change of the Destination reaches further than the Destination.
  'UpdatePublishingAnswer.notes',
  'UpdatePublishingGroupAnswer.notes',
  // Counted on request.
  'User.sessions',
  'User.tokens',
];

/** The parts of a schema, each with a name. */
function partsOf({ properties, items, anyOf }: Schema, path: string): [Schema, string][] {
  const fields = Object.entries((properties ?? {}) as Record<string, Schema>);
  return [
    ...fields.map(([name, field]): [Schema, string] => [field, `${path}.${name}`]),
    ...(items === undefined ? [] : [[items as Schema, `${path}[]`] as [Schema, string]]),
    ...((anyOf ?? []) as Schema[]).map((branch): [Schema, string] => [branch, path]),
  ];
}

export function defaultsIn(schema: Schema, path: string): string[] {
  const own = 'default' in schema ? [path] : [];
  return [...own, ...partsOf(schema, path).flatMap(([part, name]) => defaultsIn(part, name))];
}

/** The fields of a schema, and of those that it refers to, that may be missing. */
export function optionalIn(schemas: Schemas, schema: Schema | undefined, path: string): string[] {
  if (schema === undefined) return [];
  const name = (schema['$ref'] as string | undefined)?.split('/').at(-1);
  if (name !== undefined) return optionalIn(schemas, schemas[name] as Schema, name);
  const required = (schema['required'] ?? []) as string[];
  const own = Object.keys((schema['properties'] ?? {}) as object).filter((field) => !required.includes(field));
  return [
    ...own.map((field) => `${path}.${field}`),
    ...partsOf(schema, path).flatMap(([part, where]) => optionalIn(schemas, part, where)),
  ];
}
