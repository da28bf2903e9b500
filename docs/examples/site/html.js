/** HTML that needs no escaping. */
export class Html {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * Escapes all values, except results of html`…` itself. The items of an array are concatenated; null and false are
 * omitted.
 *
 * @param {TemplateStringsArray} parts
 * @param {unknown[]} values
 */
export function html(parts, ...values) {
  return new Html(String.raw({ raw: parts }, ...values.map(escaped)));
}

/**
 * Marks HTML as safe. Only for authors who may write any HTML on this site.
 *
 * @param {string} text
 */
export function trusted(text) {
  return new Html(text);
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function escaped(value) {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(escaped).join('');
  if (value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
