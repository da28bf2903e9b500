import { LogOutput, type OutputStream, PinoLog } from '../adapters/system/pino-log.js';
import type { Log } from '../domain/ports/system/log.js';
import type { LogConfiguration } from './settings/configuration.js';

export function openLog(
  { logLevel, logPretty, isLogShared = false }: LogConfiguration,
  stream: OutputStream = process.stdout,
): Log {
  const isPretty = logPretty ?? stream.isTTY === true;
  return new PinoLog({ level: logLevel, isPretty, isShared: isLogShared }, LogOutput.to(stream));
}
