/** The editor's fields as five cards in the order of the signal. */
import { useMemo } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import type { FormOperation } from '../../../gen/forms.ts';
import { pickerFor, type ResourceLayout } from '../../../resource/pickers.ts';
import { shownZone } from '../../../shown-zone.ts';
import { TextField } from '../../../ui/field.tsx';
import type { Draft } from '../../../ui/form/draft.ts';
import { FormFields } from '../../../ui/form/form-fields.tsx';
import type { Parts } from '../list/parts.ts';
import { words } from '../words.ts';
import { Card, CardPicker } from './card-picker.tsx';
import { optionsLayout } from './options-layout.ts';
import { choiceIn, choiceText, detailsOf, optionsOf, PAIRS, type CardName, type Choice } from './choices.ts';

/** A thing that is made in place: the operation, and the field that its row goes to. */
export interface NewPart {
  operation: FormOperation;
  field: string;
  title: string;
  name: string;
}

const NEW: Partial<Record<CardName, { operation: FormOperation; field: string }>> = {
  source: { operation: 'addChannel', field: 'channelId' },
  encoding: { operation: 'addEncoding', field: 'encodingId' },
  destination: { operation: 'addPublishing', field: 'publishingId' },
};

/** A Source that is pushed has a Device that listens for it; for no other one a second Device counts. */
const OPTIONS = (hasSecondDevice: boolean): ResourceLayout => ({
  ...optionsLayout(),
  hidden: ['name', 'startConfig', ...(hasSecondDevice ? [] : ['backupDeviceId']), ...Object.values(PAIRS).flat()],
  order: [
    'enabled',
    'description',
    'tags',
    'priority',
    'logo',
    'overlay',
    'crop',
    'fallback',
    'onDeviceLoss',
    'backupDeviceId',
    'startWithoutSource',
    'backupChannelId',
    'failover',
    'sound',
    'alarms',
    'audio',
    'scteMarkers',
  ],
  pickers: {
    backupChannelId: { list: 'getAllChannels' },
    ...optionsLayout().pickers,
  },
});

interface EditorCardsProps {
  draft: Draft;
  parts: Parts;
  /** Names of what was made in place, by field and id. */
  made: ReadonlyMap<string, string>;
  onNew: (part: NewPart) => void;
}

export function EditorCards({ draft, parts, made, onNew }: EditorCardsProps) {
  const w = words.value;
  const errors = draft.errors.value;
  const { channelId, backupDeviceId } = draft.values.value;
  const isPushed = parts.sources.get(Number(channelId))?.deviceId != null;
  const layout = OPTIONS(isPushed || typeof backupDeviceId === 'number');
  const pickers = useMemo(() => pickerFor(layout), []);
  return (
    <>
      <div data-path="name">
        <TextField
          label={w.fields.name}
          value={String(draft.values.value['name'] ?? '')}
          onValue={(name) => draft.set('name', name)}
          error={errors['name']}
          autocomplete="off"
          required
        />
      </div>
      <div class="editor-cards">
        {(['source', 'encoding', 'destination', 'where'] as const).map((card) => (
          <PartCard key={card} card={card} draft={draft} parts={parts} made={made} onNew={onNew} />
        ))}
        <Card title={w.cards.options} paths={['enabled']} errors={errors}>
          <FormFields draft={draft} layout={layout} zone={shownZone.value} pickerFor={pickers} />
        </Card>
      </div>
    </>
  );
}

function PartCard({ card, draft, parts, made, onNew }: EditorCardsProps & { card: CardName }) {
  const w = words.value;
  const errors = draft.errors.value;
  const choice = choiceIn(draft.values.value, card);
  const making = NEW[card];
  const isMaking = making !== undefined && can(making.operation);
  const set = (next: Choice | undefined): void => {
    for (const field of PAIRS[card]) draft.set(field, next?.field === field ? next.id : '');
  };
  const messages = PAIRS[card].flatMap((field) => errors[field] ?? []);
  const create = (name: string): void => {
    if (making !== undefined && card !== 'where') onNew({ ...making, title: w.newOf[card], name });
  };
  return (
    <Card paths={PAIRS[card]} errors={errors}>
      <CardPicker
        label={w.fields[card]}
        text={choice === undefined && card === 'where' ? w.anyDevice : choiceText(parts, choice, made)}
        error={messages.length === 0 ? undefined : [...new Set(messages)].join('; ')}
        details={choice === undefined ? '' : detailsOf(parts, choice)}
        options={() => optionsOf(parts, card)}
        onChoose={set}
        onNew={isMaking ? create : undefined}
        {...(card !== 'where' && { newLabel: w.newOf[card] })}
      />
    </Card>
  );
}
