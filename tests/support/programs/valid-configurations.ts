import * as configuration from '../../../src/composition/settings/configuration.js';
import { type Environment, type Read, valid } from '../../../src/composition/settings/read-settings.js';

/** What programs read, if nothing in it is wrong. */
export const apiConfiguration = validated(configuration.apiConfiguration);
export const syncConfiguration = validated(configuration.syncConfiguration);
export const embeddedConfiguration = validated(configuration.embeddedConfiguration);
export const doctorConfiguration = validated(configuration.doctorConfiguration);

function validated<Settings>(read: (environment: Environment) => Read<Settings>) {
  return (environment: Environment) => valid(read(environment));
}
