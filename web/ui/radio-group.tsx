/** Native radios drawn as one segmented control, or as a list. */
import { useId } from 'preact/hooks';

interface RadioGroupProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string; details?: string; disabled?: boolean }[];
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
          <label key={option.value}>
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
        ))}
      </div>
    </div>
  );
}
