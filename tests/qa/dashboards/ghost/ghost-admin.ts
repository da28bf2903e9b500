export type Kind = 'posts' | 'pages' | 'tags';

/** A post, page or tag in an answer of Ghost. */
export interface Entry {
  readonly id: string;
  readonly slug: string;
  readonly updated_at: string;
}

type Fields = Readonly<Record<string, unknown>>;

const OWNER = { name: 'Ada', email: 'editor@example.com', password: 'correct horse battery staple' };

/** Sends the requests that Ghost's admin interface sends. */
export class GhostAdmin {
  private constructor(
    private readonly address: string,
    private readonly cookie: string,
  ) {}

  /** Sets the site up with its owner if it has none. */
  static async signIn(address: string): Promise<GhostAdmin> {
    const guest = new GhostAdmin(address, '');
    const { setup } = await guest.#ask<{ setup: [{ status: boolean }] }>('GET', 'authentication/setup/');
    if (!setup[0].status) {
      await guest.#ask('POST', 'authentication/setup/', { setup: [{ ...OWNER, blogTitle: 'Notes' }] });
    }
    const { email: username, password } = OWNER;
    const answer = await guest.#send('POST', 'session/', { username, password });
    return new GhostAdmin(address, answer.headers.getSetCookie().join('; '));
  }

  /** Creates a draft, unless `status` is set. Ghost converts `html` into its own format. */
  async create(kind: Kind, fields: Fields): Promise<Entry> {
    return this.#entry('POST', kind, `${kind}/?source=html`, fields);
  }

  /** Sends the current `updated_at`: Ghost refuses an edit if another session has edited the entry since. */
  async edit(kind: Kind, { id }: Entry, fields: Fields): Promise<Entry> {
    const path = `${kind}/${id}/`;
    const { updated_at } = await this.#entry('GET', kind, path);
    return this.#entry('PUT', kind, `${path}?source=html`, { updated_at, ...fields });
  }

  publish(post: Entry, fields: Fields = {}): Promise<Entry> {
    return this.edit('posts', post, { status: 'published', ...fields });
  }

  unpublish(post: Entry): Promise<Entry> {
    return this.edit('posts', post, { status: 'draft' });
  }

  /**
   * Ghost does this in one statement, without a new `updated_at`. The actions are those of the list of posts, such as
   * `unpublish`.
   */
  async editAll(posts: readonly Entry[], action: string, meta: Fields = {}): Promise<void> {
    await this.#send('PUT', `posts/bulk/${filterOf(posts)}`, { bulk: { action, meta } });
  }

  /** The post is sent to the members by mail and never appears on the site. */
  async sendByMailAlone(post: Entry): Promise<Entry> {
    const { newsletters } = await this.#ask<{ newsletters: [Entry] }>('GET', 'newsletters/');
    await this.edit('posts', post, { email_only: true });
    const { updated_at } = await this.#entry('GET', 'posts', `posts/${post.id}/`);
    return this.#entry('PUT', 'posts', `posts/${post.id}/?newsletter=${newsletters[0].slug}`, {
      status: 'published',
      updated_at,
    });
  }

  async delete(kind: Kind, { id }: Entry): Promise<void> {
    await this.#send('DELETE', `${kind}/${id}/`);
  }

  async deleteAll(posts: readonly Entry[]): Promise<void> {
    await this.#send('DELETE', `posts/${filterOf(posts)}`);
  }

  async #entry(method: string, kind: Kind, path: string, fields?: Fields): Promise<Entry> {
    const answer = await this.#ask<Record<Kind, [Entry]>>(method, path, fields && { [kind]: [fields] });
    return answer[kind][0];
  }

  async #ask<Answer>(method: string, path: string, body?: Fields): Promise<Answer> {
    return JSON.parse((await this.#send(method, path, body)).text);
  }

  async #send(method: string, path: string, body?: Fields) {
    const answer = await fetch(`${this.address}/ghost/api/admin/${path}`, {
      method,
      headers: { origin: this.address, cookie: this.cookie, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    // The headers arrive before the session is saved.
    const text = await answer.text();
    if (answer.ok) return { headers: answer.headers, text };
    throw new Error(`Ghost refuses ${method} ${path} with ${answer.status}: ${text}`);
  }
}

function filterOf(posts: readonly Entry[]): string {
  return `?filter=id:[${posts.map(({ id }) => id).join(',')}]`;
}
