export const tell = (url: string) => fetch(url, { method: 'POST' });
