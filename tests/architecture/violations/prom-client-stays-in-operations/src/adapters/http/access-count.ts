import { Counter } from 'prom-client'; // breach

export const requests = new Counter({ name: 'requests', help: 'Requests' });
