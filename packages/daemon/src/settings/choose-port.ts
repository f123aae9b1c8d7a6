import { type Settings, StewardError } from '@steward/contract'
import type { Environment } from '@steward/platform'

/** `--port`, then `STEWARD_PORT`, then the settings. */
export const choosePort = (
  asked: number | undefined,
  environment: Environment,
  settings: Settings,
): number => {
  if (asked !== undefined) return asked
  const text = environment.STEWARD_PORT?.trim()
  if (!text) return settings.observability.server.port
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= HIGHEST_PORT) return port
  const reason = `it must be a whole number from 0 to ${HIGHEST_PORT}, found ${JSON.stringify(text)}`
  throw new StewardError('not_configured', { subject: 'STEWARD_PORT', reason })
}

const HIGHEST_PORT = 65_535
