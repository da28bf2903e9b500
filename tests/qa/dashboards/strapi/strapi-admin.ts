/** The content types of `app` whose entries the tests write. */
type ContentType = 'website' | 'category' | 'tag' | 'author' | 'article';

export interface Entry {
  /** The id of a row: a published article has two rows. */
  readonly id: number;
  /** The id of what editors see as one article. */
  readonly documentId: string;
  readonly createdAt: string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A format of which Strapi creates no smaller versions. */
export const PICTURE = new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'], {
  type: 'image/svg+xml',
});

const ADMINISTRATOR = { email: 'editor@example.com', password: 'Correct-horse-1' };

/** Sends the requests that the admin panel sends. */
export class StrapiAdmin {
  private constructor(
    private readonly address: string,
    private readonly token: string | null,
  ) {}

  /** Registers the first administrator if there is none. */
  static async signIn(address: string): Promise<StrapiAdmin> {
    const guest = new StrapiAdmin(address, null);
    const { hasAdmin } = await guest.#send<{ hasAdmin: boolean }>('GET', '/admin/init');
    const { accessToken } = await guest.#send<{ accessToken: string }>(
      'POST',
      hasAdmin ? '/admin/login' : '/admin/register-admin',
      hasAdmin ? ADMINISTRATOR : { ...ADMINISTRATOR, firstname: 'Ada' },
    );
    return new StrapiAdmin(address, accessToken);
  }

  /** Creates an article as a draft. Other entries are published at once. */
  create(type: ContentType, fields: Fields): Promise<Entry> {
    return this.#send('POST', contentOf(type), fields);
  }

  /** Edits an entry, or the draft of an article. */
  async edit(type: ContentType, { documentId }: Entry, fields: Fields): Promise<void> {
    await this.#send('PUT', `${contentOf(type)}/${documentId}`, fields);
  }

  async delete(type: ContentType, { documentId }: Entry): Promise<void> {
    await this.#send('DELETE', `${contentOf(type)}/${documentId}`);
  }

  async publish({ documentId }: Entry, fields: Fields = {}): Promise<void> {
    await this.#send('POST', `${contentOf('article')}/${documentId}/actions/publish`, fields);
  }

  async unpublish({ documentId }: Entry): Promise<void> {
    await this.#send('POST', `${contentOf('article')}/${documentId}/actions/unpublish`, {});
  }

  /** Returns the id by which an article refers to its cover. */
  async upload(picture: Blob, name: string, alternativeText: string): Promise<number> {
    const form = fileForm(alternativeText);
    form.append('files', picture, name);
    const [file] = await this.#send<readonly [{ readonly id: number }]>('POST', '/upload', form);
    return file.id;
  }

  /** Edits the text in the media library, without a change of an article. */
  async describePicture(id: number, alternativeText: string): Promise<void> {
    await this.#send('POST', `/upload?id=${id}`, fileForm(alternativeText));
  }

  /** A key that may read everything. */
  createKey(): Promise<{ readonly id: number; readonly accessKey: string }> {
    const key = { name: 'reader', description: '', type: 'full-access', lifespan: null };
    return this.#send('POST', '/admin/api-tokens', key);
  }

  async revokeKey(id: number): Promise<void> {
    await this.#send('DELETE', `/admin/api-tokens/${id}`);
  }

  async #send<Answer>(method: string, path: string, body?: Fields | FormData): Promise<Answer> {
    const isForm = body instanceof FormData;
    const answer = await fetch(this.address + path, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Strapi refuses ${method} ${path} with ${answer.status}: ${text}`);
    const content = JSON.parse(text);
    return content.data ?? content;
  }
}

/** The value of a relation to which these entries are added. */
export function linkTo(...entries: readonly Entry[]) {
  return { connect: entries.map(keysOf), disconnect: [] };
}

export function unlink(...entries: readonly Entry[]) {
  return { connect: [], disconnect: entries.map(keysOf) };
}

function keysOf({ id, documentId }: Entry) {
  return { id, documentId };
}

function contentOf(type: ContentType): string {
  return `/content-manager/collection-types/api::${type}.${type}`;
}

function fileForm(alternativeText: string): FormData {
  const form = new FormData();
  form.append('fileInfo', JSON.stringify({ alternativeText }));
  return form;
}
