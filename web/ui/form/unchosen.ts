/** The pickers of a form: text that nobody chose is settled before the form is sent. */

/** Answers whether nothing is left to choose. */
type Settle = () => Promise<boolean>;

const pickers = new Map<HTMLElement, Settle>();

/** Answers what takes the picker out again. */
export function addPicker(field: HTMLElement, settle: Settle): () => void {
  pickers.set(field, settle);
  return () => void pickers.delete(field);
}

/** Takes what names one option. Answers the first field with text that names none. */
export async function firstUnchosen(form: HTMLElement): Promise<HTMLElement | undefined> {
  const inside = [...pickers].filter(([field]) => form.contains(field));
  const settled = await Promise.all(inside.map(async ([field, settle]) => ({ field, isSettled: await settle() })));
  return settled.find(({ isSettled }) => !isSettled)?.field;
}
