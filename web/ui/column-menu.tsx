/** "Columns": which of them a table shows. The one that names the row, and the acts, stay. */
import { words } from '../i18n/words.ts';
import { Menu } from './menu.tsx';
import { isHidden, toggleColumn } from './registry/hidden-columns.ts';

interface Named {
  id: string;
  label: string;
}

export function ColumnMenu({ table, columns }: { table: string; columns: readonly Named[] }) {
  return (
    <Menu
      label={words.value.ui.columns}
      icon="sliders-horizontal"
      content={() =>
        columns.map(({ id, label }) => (
          <label key={id} class="check">
            <input type="checkbox" checked={!isHidden(table, id)} onChange={() => toggleColumn(table, id)} />
            {label}
          </label>
        ))
      }
    >
      {''}
    </Menu>
  );
}
