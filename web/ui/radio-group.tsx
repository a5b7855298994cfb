/** Native radios drawn as one segmented control, or as a list. */
import { Fragment, type ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Option<T extends string> {
  value: T;
  label: string;
  details?: ComponentChildren;
  disabled?: boolean;
  /** Stands before the radio, and says nothing that is not in the label. */
  picture?: ComponentChildren;
  /** It can be pressed by itself, beside the radio. */
  aside?: ComponentChildren;
}

interface RadioGroupProps<T extends string> {
  label: string;
  options: readonly Option<T>[];
  value: T | undefined;
  onValue: (value: T) => void;
  look?: 'segments' | 'list';
  /** Shows the label above. */
  isLabelShown?: boolean;
}

export function RadioGroup<T extends string>(props: RadioGroupProps<T>) {
  const { label, options, value, onValue, look = 'segments', isLabelShown = false } = props;
  const name = useId();
  return (
    <div class={`radios radios-${look}`}>
      {isLabelShown && <span aria-hidden="true">{label}</span>}
      <div role="radiogroup" aria-label={label}>
        {options.map((option) => (
          <Fragment key={option.value}>
            <label>
              {option.picture}
              <input
                type="radio"
                name={name}
                checked={option.value === value}
                disabled={option.disabled}
                onChange={() => onValue(option.value)}
              />
              <span>{option.label}</span>
              {option.details !== undefined && <small class="soft">{option.details}</small>}
            </label>
            {option.aside}
          </Fragment>
        ))}
      </div>
    </div>
  );
}
