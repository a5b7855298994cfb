// The search of the site, in the browser. The index is a script, so that it can be read from a file too; it is loaded at the first key.
import MiniSearch from 'minisearch';

const MAX_FOUND = 12;
const { root } = document.currentScript.dataset;
const place = document.querySelector('#search');
const field = place.querySelector('input');
const list = place.querySelector('ol');
let index;

function load() {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}search-index.js`;
    script.onload = () => resolve(MiniSearch.loadJS(globalThis.ONAIR_INDEX, globalThis.ONAIR_INDEX_OPTIONS));
    script.onerror = reject;
    document.head.append(script);
  });
  return index;
}

function entryOf({ address, title, heading, text }) {
  const link = document.createElement('a');
  link.href = root + address;
  link.textContent = heading === title ? title : `${title}: ${heading}`;
  const words = document.createElement('p');
  words.textContent = text;
  const item = document.createElement('li');
  item.append(link, words);
  return item;
}

async function show() {
  const text = field.value.trim();
  if (text === '') return list.replaceChildren();
  const options = { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 3, heading: 2 } };
  const found = (await load()).search(text, options).slice(0, MAX_FOUND);
  if (text !== field.value.trim()) return undefined;
  if (found.length > 0) return list.replaceChildren(...found.map(entryOf));
  const nothing = document.createElement('li');
  nothing.textContent = 'Nothing found.';
  return list.replaceChildren(nothing);
}

place.hidden = false;
field.addEventListener('focus', () => void load());
field.addEventListener('input', () => void show());
field.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') list.querySelector('a')?.click();
  if (event.key !== 'Escape') return;
  field.value = '';
  list.replaceChildren();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return;
  event.preventDefault();
  field.focus();
});
