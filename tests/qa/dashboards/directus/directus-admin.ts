import { CATEGORIES_OF_POST, COLLECTIONS, RELATIONS } from './collections.js';

export type Collection = 'websites' | 'posts' | 'categories' | 'posts_categories';
export type Fields = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly id: string;
}

/** A post in an answer of Directus, with what it refers to. */
export interface PostEntry extends Entry {
  readonly status: string;
  readonly date_created: string;
  readonly title: string;
  readonly slug: string;
  readonly summary: string | null;
  readonly meta_title: string | null;
  readonly meta_description: string | null;
  readonly body: string | null;
  readonly published_on: string | null;
  readonly tags: unknown;
  readonly website: string | null;
  readonly cover: { readonly id: string; readonly description: string | null } | null;
  readonly categories: readonly { readonly categories_id: CategoryEntry | null }[];
}

export interface CategoryEntry extends Entry {
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly sort: number | null;
  readonly parent: string | null;
  readonly website: string | null;
}

/** Sends the requests that Directus' app sends. */
export class DirectusAdmin {
  constructor(
    private readonly address: string,
    private readonly token: string,
  ) {}

  async createCollections(): Promise<void> {
    await this.#send('POST', '/collections', COLLECTIONS);
    await this.#send('POST', '/fields/posts', CATEGORIES_OF_POST);
    for (const relation of RELATIONS) await this.#send('POST', '/relations', relation);
  }

  create(collection: Collection, fields: Fields): Promise<Entry> {
    return this.#send('POST', `/items/${collection}`, fields);
  }

  async edit(collection: Collection, { id }: Entry, fields: Fields): Promise<void> {
    await this.#send('PATCH', `/items/${collection}/${id}`, fields);
  }

  async delete(collection: Collection, ...entries: readonly Entry[]): Promise<void> {
    const ids = entries.map(({ id }) => id);
    await this.#send('DELETE', `/items/${collection}`, ids);
  }

  posts(): Promise<readonly PostEntry[]> {
    return this.#send('GET', '/items/posts?limit=-1&fields=*,cover.*,categories.categories_id.*');
  }

  categories(): Promise<readonly CategoryEntry[]> {
    return this.#send('GET', '/items/categories?limit=-1');
  }

  upload(picture: Blob, name: string): Promise<Entry> {
    const form = new FormData();
    form.append('file', picture, name);
    return this.#send('POST', '/files', form);
  }

  async editFile({ id }: Entry, fields: Fields): Promise<void> {
    await this.#send('PATCH', `/files/${id}`, fields);
  }

  async deleteFile({ id }: Entry): Promise<void> {
    await this.#send('DELETE', `/files/${id}`);
  }

  async #send<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const isForm = body instanceof FormData;
    const answer = await fetch(this.address + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Directus refuses ${method} ${path} with ${answer.status}: ${text}`);
    return text === '' ? (undefined as Answer) : JSON.parse(text).data;
  }
}
