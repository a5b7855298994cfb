/** A list: checkboxes where few values exist, else its items with add, remove and move. */
import { useId } from 'preact/hooks';
import { formWords } from '../../i18n/form-words.ts';
import { Button } from '../button.tsx';
import { fieldsIn, type Values } from './field.ts';
import { choiceText, layoutPath, useForm, type FieldView } from './form-context.ts';
import { moveItem } from './move-item.ts';
import { emptyItem } from './values.ts';

export function ListField(view: FieldView) {
  const { field, label, description, error } = view;
  const id = useId();
  const isChoice = field.item?.type === 'choice';
  return (
    <fieldset class="form-group form-list" aria-describedby={description === undefined ? undefined : `${id}-text`}>
      <legend>{label}</legend>
      {description !== undefined && (
        <p id={`${id}-text`} class="field-text">
          {description}
        </p>
      )}
      {error !== undefined && <p class="field-error">{error}</p>}
      {isChoice ? <Choices {...view} /> : <Items {...view} />}
    </fieldset>
  );
}

function Choices({ field, path, value, onValue }: FieldView) {
  const { layout } = useForm();
  const w = formWords.value;
  const place = layoutPath(path);
  const all = field.item?.choices ?? [];
  const groups = layout.groups?.[place] ?? [];
  const chosen = (value ?? []) as unknown[];
  const boxes = (choices: readonly unknown[]) => (
    <div class="form-choices">
      {choices.map((choice) => (
        <label key={String(choice)} class="form-choice">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ currentTarget }) =>
              onValue(currentTarget.checked ? [...chosen, choice] : chosen.filter((each) => each !== choice))
            }
          />{' '}
          {choiceText(layout, place, choice) ?? String(choice)}
        </label>
      ))}
    </div>
  );
  return (
    <>
      {boxes(all.filter((choice) => !groups.some((group) => group.choices.includes(choice))))}
      {groups.map(({ label, choices }) => (
        <details key={label} class="form-more">
          <summary>
            {label}{' '}
            <span class="soft">{w.chosen(choices.filter((each) => chosen.includes(each)).length, choices.length)}</span>
          </summary>
          {boxes(choices)}
        </details>
      ))}
    </>
  );
}

function Items({ field, path, label, value, onValue, root }: FieldView) {
  const items = (value ?? []) as unknown[];
  const { OneField, FieldGroup } = useForm();
  const { item, maxItems = Infinity } = field;
  const w = formWords.value;
  if (item === undefined) return null;
  return (
    <>
      <ol>
        {items.map((each, index) => {
          const name = `${label} ${index + 1}`;
          return (
            <li key={index}>
              <div class="form-item" role="group" aria-label={name}>
                {item.type === 'object' ? (
                  <FieldGroup fields={fieldsIn(item)} prefix={`${path}.${index}.`} root={each as Values} />
                ) : (
                  <OneField field={item} path={`${path}.${index}`} root={root} label={name} />
                )}
                <div class="acts">
                  {index > 0 && (
                    <Button
                      label={w.up(name)}
                      icon="chevron-up"
                      onPress={() => onValue(moveItem(items, index, index - 1))}
                    >
                      {''}
                    </Button>
                  )}
                  {index < items.length - 1 && (
                    <Button
                      label={w.down(name)}
                      icon="chevron-down"
                      onPress={() => onValue(moveItem(items, index, index + 1))}
                    >
                      {''}
                    </Button>
                  )}
                  <Button
                    label={w.removeOf(name)}
                    onPress={() => onValue(items.filter((_each, place) => place !== index))}
                  >
                    {w.remove}
                  </Button>
                </div>
              </div>
            </li>
          );
        })}
      </ol>
      {items.length < maxItems && (
        <Button label={w.addTo(label)} onPress={() => onValue([...items, emptyItem(field)])}>
          {w.add}
        </Button>
      )}
    </>
  );
}
