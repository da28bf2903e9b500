/** HTML that is safe to print as it is. */
export class Html {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * Whatever is put into html`…` is escaped, but for what html`…` has made itself. An array is printed one item after the other, and null
 * or false not at all.
 *
 * @param {TemplateStringsArray} parts
 * @param {unknown[]} values
 */
export function html(parts, ...values) {
  return new Html(String.raw({ raw: parts }, ...values.map(printed)));
}

/**
 * For HTML from someone who may write any HTML on this site.
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
function printed(value) {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(printed).join('');
  if (value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
