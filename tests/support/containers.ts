import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { skipUnlessCi } from './run-notes.js';

/** The images of the value `container`. Any other value is an image, such as mysql:8.4 or valkey/valkey:8.1-alpine. */
const IMAGES = {
  TEST_MARIADB: 'mariadb:11.8',
  TEST_POSTGRES: 'postgres:17-alpine',
  TEST_REDIS: 'redis:7-alpine',
};
const VARIABLES = Object.keys(IMAGES) as readonly (keyof typeof IMAGES)[];

export interface DatabaseContainer {
  /** The URL of the server for a user with all rights. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The image that a variable forces; null if the server of this computer may be used. */
export function forcedImage(variable: keyof typeof IMAGES): string | null {
  const value = process.env[variable] ?? '';
  if (value === '') return null;
  return value === 'container' ? IMAGES[variable] : value;
}

/** The need of a run that forces containers where no Docker is; null if it can run. */
export async function unmetNeed(): Promise<string | null> {
  const forced = VARIABLES.filter((variable) => forcedImage(variable) !== null);
  return forced.length === 0 || (await hasDocker()) ? null : `Docker (for ${forced.join(', ')})`;
}

/** For a root hook: skips every test of a run that forces containers where no Docker is. */
export async function skipWithoutDocker(context: Mocha.Context): Promise<void> {
  const need = await unmetNeed();
  if (need !== null) skipUnlessCi(context, need);
}

export async function hasDocker(): Promise<boolean> {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** The log has the message twice: at first the server starts without a port, to be initialized. */
export function startPostgresContainer(image: string): Promise<DatabaseContainer> {
  const container = new GenericContainer(image)
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withCommand(['postgres', '-c', 'fsync=off'])
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2));
  return startDatabase(container, 'postgres://postgres', 5432);
}

/** MySQL has the same variables as MariaDB. While either initializes itself, its log names port 0. */
export function startMariaDbContainer(image: string): Promise<DatabaseContainer> {
  const container = new GenericContainer(image)
    .withEnvironment({ MYSQL_ROOT_PASSWORD: 'test', MYSQL_ROOT_HOST: '%' })
    .withWaitStrategy(Wait.forLogMessage(/port: 3306\b/));
  return startDatabase(container, 'mysql://root', 3306);
}

async function startDatabase(
  container: GenericContainer,
  user: string,
  port: number,
): Promise<DatabaseContainer> {
  const started = await container.withExposedPorts(port).start();
  return {
    url: `${user}:test@${started.getHost()}:${started.getMappedPort(port)}`,
    stop: async () => void (await started.stop()),
  };
}
