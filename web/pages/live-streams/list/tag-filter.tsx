import { Field } from '../../../ui/field.tsx';
import { words } from '../words.ts';

/** Nothing is there to choose before somebody has given a Live stream a tag. */
export function TagFilter({ tags, value, onValue }: { tags: string[]; value: string; onValue: (tag: string) => void }) {
  if (tags.length === 0 && value === '') return null;
  const w = words.value;
  return (
    <Field label={w.tag}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          <option value="">{w.allTags}</option>
          {tags.map((tag) => (
            <option key={tag} value={tag}>
              {tag}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
