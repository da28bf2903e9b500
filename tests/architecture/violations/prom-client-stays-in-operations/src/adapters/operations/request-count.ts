import { Counter } from 'prom-client';

export const requests = new Counter({ name: 'requests', help: 'Requests' });
